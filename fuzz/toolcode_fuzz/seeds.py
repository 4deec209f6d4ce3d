"""Seeds for a target: the texts of the corpus, each behind a head of cuts and options."""

from __future__ import annotations

import hashlib
import json
import sys
from typing import TYPE_CHECKING, Any, Final

import toolcode
from toolcode_conformance.corpus import load_corpus
from toolcode_conformance.plan import wrap_literal
from toolcode_fuzz.inputs import HEAD

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

LONGEST: Final = 1200

_ANSWERS: Final = (
    b'{"id": 1, "result": {"steps": [[{"text": "a"}], []]}}',
    b'{"id": 1, "result": {"steps": [[{"thinking_start": true}, {"thinking": "x"}], []]}}',
    b'{"id": 1, "result": {"steps": [[{"thinking_start": true}], [{"thinking_end": true}], []]}}',
    b'{"id": 1, "result": {"steps": [[{"call": {"name": "f", "arguments": {"a": 1}}}], []]}}',
    b'{"id": 1, "result": {"steps": [[{"dropped": {"reason": "cut"}}], []]}}',
    b'{"id": 1, "result": {"calls": [{"name": "f", "arguments": {}}], "text": "x"}}',
    b'{"id": 1, "result": {"text": "```tool_code\\nf()\\n```"}}',
    b'{"id": 1, "result": {"refused": "why"}}',
    b'{"id": 1, "unsupported": "why"}',
    b'{"id": 1, "error": "x"}',
    b'{"id": 1, "result": {"steps": [[{"text": "\\ud83d"}, {"text": "\\ude00"}], []]}}',
    b'{"id": 0, "result": {"protocol": 1, "implementation": {"name": "x"}, "capabilities": []}}',
)
"""What adapters write, one line of each kind."""


def seeds(target: str, forms: frozenset[str] = frozenset()) -> Iterator[bytes]:
    """Yield the seeds of a target, the same ones every time.

    Args:
        target: Whose.
        forms: For the differential target, the forms that the implementation reads; empty is all.
    """
    yield from (data for _, data in _named(target, forms))
    if target == "protocol":
        yield from _ANSWERS


def _named(target: str, forms: frozenset[str]) -> Iterator[tuple[str, bytes]]:
    """Yield each seed with the group of its case."""
    for case in load_corpus().cases:
        if target == "protocol":
            yield case.group, json.dumps({"id": 1, "result": case.expect}).encode()
            continue
        if target == "corpus":
            yield case.group, json.dumps(case.raw).encode()
            continue
        text = case.input.get("text", "") if case.op in ("recover", "transcript") else case.text
        if case.op == "literal" and target == "differential":
            text = wrap_literal(text, forms and forms | {"fence"})
        elif case.op == "literal" and target != "literals":
            continue
        data = text.encode("utf-8", "surrogatepass")
        if data and len(data) <= LONGEST:
            # Cuts of its own for each text, so that one seed is no other's head.
            yield case.group, hashlib.sha256(case.id.encode()).digest()[:HEAD] + data


def few(
    target: str, run: Callable[[bytes], object], forms: frozenset[str] = frozenset()
) -> list[bytes]:
    """Return seeds for an implementation that is slow: a cover, and one text of every group."""
    chosen = smallest(seeds(target, forms), run)
    groups: dict[str, bytes] = {}
    for name, data in _named(target, forms):
        if name not in groups or len(data) < len(groups[name]):
            groups[name] = data
    return list(dict.fromkeys([*chosen, *sorted(groups.values(), key=len)]))


def smallest(given: Iterable[bytes], run: Callable[[bytes], object]) -> list[bytes]:
    """Return few of the seeds that together cover what all of them cover, short ones first.

    Args:
        given: The seeds.
        run: Runs one; what of the reference it passes through is what counts.
    """
    chosen, seen = [], set[Any]()
    for data in sorted(set(given), key=lambda one: (len(one), one)):
        steps = covered(data, run)
        if not steps <= seen:
            seen |= steps
            chosen.append(data)
    return chosen


def covered(data: bytes, run: Callable[[bytes], object]) -> set[Any]:
    """Return the steps from line to line that an input takes through the reference."""
    steps = set[Any]()
    inside = toolcode.__path__[0]

    def enter(frame: Any, _event: str, _arg: object) -> Any:
        if not frame.f_code.co_filename.startswith(inside):
            return None
        before = 0

        def line(frame: Any, _event: str, _arg: object) -> Any:
            nonlocal before
            steps.add((frame.f_code, before, frame.f_lineno))
            before = frame.f_lineno
            return line

        return line

    former = sys.gettrace()
    sys.settrace(enter)
    try:
        run(data)
    finally:
        sys.settrace(former)
    return steps
