"""The one comparator: two JSON values, without recursion, under two declared comparisons.

`numbers` and `object-order` are choices of SPEC.md (MODEL.4); there is no other leniency.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final

_SHOWN: Final = 200


@dataclass(frozen=True, slots=True)
class Comparison:
    """How values are compared.

    Attributes:
        doubles: All numbers are IEEE doubles: 1 equals 1.0, and -0.0 equals 0 (MODEL.4a).
        any_order: The order of an object's keys does not matter (MODEL.4b).
    """

    doubles: bool = False
    any_order: bool = False


EXACT: Final = Comparison()


def shown(value: object) -> str:
    """Return a value in a few visible ASCII characters, never raising on depth or size."""
    try:
        text = ascii(value)
    except RecursionError:
        return f"a deeply nested {type(value).__name__}"
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}... ({len(text)} characters)"


def difference(want: object, got: object, how: Comparison = EXACT) -> str | None:
    """Return where and how `got` differs from `want`, or None when they are equal.

    Runs in time linear in the values and at any depth.
    """
    todo: list[tuple[str, Any, Any]] = [("", want, got)]
    while todo:
        path, left, right = todo.pop()
        if isinstance(left, dict) and isinstance(right, dict):
            found = _objects(path, left, right, how, todo)
        elif isinstance(left, list) and isinstance(right, list):
            found = _lists(path, left, right, todo)
        elif _scalars_equal(left, right, how):
            found = None
        else:
            found = f"at {path or 'the top'}: want {shown(left)}, got {shown(right)}"
        if found:
            return found
    return None


def _objects(
    path: str,
    left: dict[str, Any],
    right: dict[str, Any],
    how: Comparison,
    todo: list[tuple[str, Any, Any]],
) -> str | None:
    where = path or "the top"
    if left.keys() != right.keys():
        missing = [key for key in left if key not in right]
        extra = [key for key in right if key not in left]
        named = [("missing", missing), ("extra", extra)]
        return f"at {where}: " + ", ".join(
            f"{word} keys {shown(keys)}" for word, keys in named if keys
        )
    if not how.any_order and list(left) != list(right):
        return f"at {where}: keys in the order {shown(list(right))}, want {shown(list(left))}"
    # Paths of very deep values would be quadratic; the outermost steps are the telling ones.
    todo.extend((_step(path, f".{key}"), left[key], right[key]) for key in reversed(list(left)))
    return None


def _lists(
    path: str,
    left: list[Any],
    right: list[Any],
    todo: list[tuple[str, Any, Any]],
) -> str | None:
    if len(left) != len(right):
        return f"at {path or 'the top'}: want {len(left)} items, got {len(right)}"
    todo.extend(
        (_step(path, f"[{index}]"), left[index], right[index])
        for index in range(len(left) - 1, -1, -1)
    )
    return None


def _step(path: str, more: str) -> str:
    return path if path.endswith("...") else path + more if len(path) < _SHOWN else path + "..."


def _number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def as_double(value: float) -> float:
    """Return the double nearest to a number, infinite when it is past the range."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def _scalars_equal(left: object, right: object, how: Comparison) -> bool:
    if _number(left) and _number(right):
        assert isinstance(left, int | float)
        assert isinstance(right, int | float)
        if how.doubles:
            return as_double(left) == as_double(right)
        # -0.0 == 0.0 in Python; their signs tell them apart.
        return (
            type(left) is type(right)
            and left == right
            and math.copysign(1, as_double(left)) == math.copysign(1, as_double(right))
        )
    return type(left) is type(right) and left == right


def not_json(value: object) -> str | None:
    """Return what in `value` is no valid JSON (a NaN, an infinity, a foreign type), or None."""
    todo: list[Any] = [value]
    while todo:
        item = todo.pop()
        if isinstance(item, dict):
            if not all(isinstance(key, str) for key in item):
                return "an object key that is no string"
            todo.extend(item.values())
        elif isinstance(item, list):
            todo.extend(item)
        elif isinstance(item, float) and not math.isfinite(item):
            return f"the number {item}, which JSON does not have"
        elif item is not None and not isinstance(item, str | int | float):
            return f"a {type(item).__name__}, which JSON does not have"
    return None
