"""The JSON Schemas in corpus/schema, with errors that a person can act on."""

from __future__ import annotations

import functools
import json
from typing import TYPE_CHECKING, Any

import jsonschema

from toolcode_conformance import places
from toolcode_conformance.compare import shown

if TYPE_CHECKING:
    from collections.abc import Iterable

    from jsonschema.exceptions import ValidationError


@functools.cache
def validator(name: str) -> jsonschema.Draft202012Validator:
    """Return the validator of `corpus/schema/<name>.schema.json`."""
    path = places.corpus_dir() / "schema" / f"{name}.schema.json"
    return jsonschema.Draft202012Validator(json.loads(path.read_text("utf-8")))


def problems(name: str, value: object) -> list[str]:
    """Return one line per place where `value` breaks the named schema."""
    found = sorted(validator(name).iter_errors(value), key=lambda error: list(map(str, error.path)))
    return [_line(error) for error in found]


def part_problems(name: str, part: str, value: object) -> list[str]:
    """Return one line per place where `value` breaks a schema's definition `part`."""
    whole: Any = validator(name).schema
    schema = {"$ref": f"#/$defs/{part}", "$defs": whole["$defs"]}
    return [_line(error) for error in jsonschema.Draft202012Validator(schema).iter_errors(value)]


def _line(error: ValidationError) -> str:
    best = _closest(error)
    place = "".join(
        f"[{step}]" if isinstance(step, int) else f".{step}" for step in best.absolute_path
    )
    return f"{place.lstrip('.') or 'the top'}: {_reason(best)}"


def _closest(error: ValidationError) -> ValidationError:
    """Go down into the alternative of a oneOf that was meant: the one whose errors lie deepest."""
    while error.context:
        deepest = max(error.context, key=_depth)
        if _depth(deepest) <= len(error.absolute_path) and error.validator == "oneOf":
            return error
        error = deepest
    return error


def _depth(error: ValidationError) -> int:
    below: Iterable[Any] = error.context or ()
    return max([len(error.absolute_path), *(_depth(child) for child in below)])


def _reason(error: ValidationError) -> str:
    if error.validator == "oneOf":
        return f"matches none of the allowed forms: {shown(error.instance)}"
    message: str = error.message
    return message if len(message) < 300 else f"{message[:300]}..."  # noqa: PLR2004  one line
