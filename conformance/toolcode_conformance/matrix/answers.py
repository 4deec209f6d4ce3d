"""A case's input and its right answer, in a form that a person reads."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final

from toolcode_conformance import places, spec
from toolcode_conformance.cases import SCAN_OPS
from toolcode_conformance.expected import expectation
from toolcode_conformance.plan import in_forms

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolcode_conformance.cases import Case

_HEAD: Final = 900
_TAIL: Final = 200
_AROUND: Final = 160
_CUTS: Final = re.compile(r"#cut=(\d+(?:,\d+)*)")
_VALUE: Final = 300
_SEGMENTS: Final = 12
_MARKS: Final = (("skipped", "skips"), ("unresolved", "unresolved"))


def wording() -> dict[str, str]:
    """Return the text of every clause of SPEC.md, by its id."""
    return {one.id: one.text for one in spec.load(places.spec_file()).clauses}


def trimmed(text: str, head: int = _HEAD, tail: int = _TAIL) -> tuple[str, int]:
    """Return a text without its middle where that is long, and the characters left out."""
    left_out = len(text) - head - tail
    if left_out <= tail:
        return text, 0
    return f"{text[:head]}\n[... {left_out} characters left out ...]\n{text[-tail:]}", left_out


def given(case: Case, forms: frozenset[str] | None = None) -> tuple[str, str]:
    """Return what a case gives a parser: a text, and what stands beside it, each perhaps "".

    Args:
        case: The case.
        forms: The forms that a parser promises, to have the very text it is given; None to have
            the case's own.
    """
    beside: dict[str, Any] = {}
    text = case.text if forms is None or case.op not in SCAN_OPS else in_forms(case, forms)
    if case.op not in SCAN_OPS:
        beside = dict(case.input)
        if isinstance(beside.get("text"), str):
            text = beside.pop("text")
    if case.options:
        beside["options"] = case.options
    shown = json.dumps(beside, ensure_ascii=False, indent=1) if beside else ""
    return text, trimmed(shown)[0]


def pieces(case: Case, forms: frozenset[str], where: str) -> list[str]:
    """Return the text that a parser was given as it was cut there, with some text around.

    Args:
        case: The case.
        forms: The forms that the parser promises.
        where: A chunking's name, as `#cut=4,9`; of any other form, the list is empty.
    """
    match = _CUTS.fullmatch(where)
    if not match or case.op not in SCAN_OPS:
        return []
    text = in_forms(case, forms)
    cuts = [int(number) for number in match[1].split(",")]
    start, end = max(0, cuts[0] - _AROUND), min(len(text), cuts[-1] + _AROUND)
    ends = [*cuts, end]
    found = [text[left:right] for left, right in zip([start, *cuts], ends, strict=True)]
    found[0] = ("..." if start else "") + found[0]
    found[-1] += "..." if end < len(text) else ""
    return found if sum(map(len, found)) <= _HEAD else []


def size(case: Case) -> int:
    """Return how much a case gives a parser to read, in characters."""
    return len(case.text) or len(json.dumps(case.input))


def right(case: Case, choices: Mapping[str, str]) -> str:
    """Return the right answer under some choices, one segment a line."""
    expect = expectation(case, choices)
    if expect.get("any"):
        return "any answer, in time and in the protocol's form"
    if case.op == "growth":
        return "time in proportion to the length"
    if expect.get("refused"):
        return "refused, with the documented error"
    if case.op in SCAN_OPS:
        return _segments(expect)
    if set(expect) == {"text"}:
        return trimmed(str(expect["text"]))[0]
    return trimmed(json.dumps(expect, ensure_ascii=False, indent=1))[0]


def _segments(expect: Mapping[str, Any]) -> str:
    segments = expect["segments"]
    lines = [_segment(segment) for segment in segments[:_SEGMENTS]]
    if len(segments) > _SEGMENTS:
        lines.append(f"and {len(segments) - _SEGMENTS} more")
    if expect.get("dropped"):
        lines.append(f"announces: {', '.join(expect['dropped'])}")
    return "\n".join(lines) or "nothing"


def _segment(segment: Mapping[str, Any]) -> str:
    if "call" not in segment:
        key, value = next(iter(segment.items()))
        return f"{key} {_shown(value)}"
    call = segment["call"]
    listed = [f"{key}={_shown(value)}" for key, value in call["arguments"].items()][:_SEGMENTS]
    more = len(call["arguments"]) - len(listed)
    if more:
        listed.append(f"and {more} more")
    marks = [f"{word} {', '.join(call[key])[:_VALUE]}" for key, word in _MARKS if call.get(key)]
    marks += ["conditional"] if call.get("conditional") else []
    return f"call {call['name']}({', '.join(listed)})" + (
        f"  [{'; '.join(marks)}]" if marks else ""
    )


def _shown(value: object) -> str:
    try:
        text = repr(value)
    except (RecursionError, ValueError):  # deeper, or with more digits, than Python writes
        return f"a {type(value).__name__} too large to show"
    return text if len(text) <= _VALUE else f"{text[:_VALUE]}... ({len(text)} characters)"
