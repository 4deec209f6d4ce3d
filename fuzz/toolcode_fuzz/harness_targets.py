"""Targets about the harness itself: what adapters write to it, and what case files hold."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

from toolcode_conformance import answers, clients, formatter, jsonlines, normal, schemas
from toolcode_conformance.cases import make_case
from toolcode_conformance.errors import CorpusError
from toolcode_conformance.expected import Judging, expectation, mismatch
from toolcode_conformance.faults import Fault, NotOfferedError
from toolcode_fuzz.broken import Broken, check

READERS: Final = SimpleNamespace(
    decode_line=clients.decode_line,
    # The reader of deep values stands in for json's: the two have to agree on all others.
    deep=lambda text: jsonlines._Decoder(text).decode(),  # noqa: SLF001
    encode=jsonlines.encode,
    encode_deep=jsonlines._encode_deep,  # noqa: SLF001
    result_of=answers.result_of,
    check_runs=answers.check_runs,
    check_filter=answers.check_filter,
    from_steps=normal.from_steps,
    from_filter=normal.from_filter,
)
"""What reads an adapter's line, step by step; a test replaces one of them."""


def protocol(data: bytes, readers: Any = READERS) -> None:
    """No line of an adapter breaks the harness: it is an answer or a named fault."""
    try:
        value = readers.decode_line(data)
    except Fault:
        _refused_as_well(data, readers)
        return
    text = data.decode("utf-8")
    check(_same(readers.deep(text), value), "the reader of deep values reads another value")
    if _finite(value, readers):
        for write in (readers.encode, readers.encode_deep):
            check(_same(jsonlines.decode(write(value)), value), "encoded it is another value")
    _answer(value, readers)


def _refused_as_well(data: bytes, readers: Any) -> None:
    """What json refuses, the reader of deep values has to refuse."""
    try:
        read = readers.deep(data.decode("utf-8"))
    except ValueError:  # no UTF-8, or no JSON
        return
    raise Broken(f"the reader of deep values takes {read!r:.80}")


def _same(one: Any, other: Any) -> bool:
    """Compare by their text: 1 and 1.0 and True are equal in Python, and NaN is not itself."""
    return type(one) is type(other) and repr(one) == repr(other)


def _finite(value: Any, readers: Any) -> bool:
    try:
        readers.encode(value)
    except ValueError:
        return False
    return True


def _answer(value: Any, readers: Any) -> None:
    """Whatever the value is, each reader of answers takes it or names what is wrong."""
    try:
        result = readers.result_of(value, 1)
    except (Fault, NotOfferedError):
        result = value if isinstance(value, dict) else {}
    steps = result.get("steps")
    chunks = len(steps) - 1 if isinstance(steps, list) else 0
    with contextlib.suppress(Fault):
        runs = readers.check_runs(result, [chunks], batch=False)
        _reads_itself(readers.from_steps(runs[0]))
    with contextlib.suppress(Fault):
        _reads_itself(readers.from_filter(readers.check_filter(result)))


def _reads_itself(answer: normal.Normal) -> None:
    """The normal form is settled: folded again, it is the same."""
    if not answer.ordered:  # calls and a text whose order nobody knows
        return
    again = normal.from_segments(answer.segments)
    check(again.segments == answer.segments, "its normal form is not settled")


def corpus(data: bytes, loader: Any = make_case) -> None:
    """No JSON breaks the loader of cases: what the schema takes it loads, else it says why."""
    try:
        raw = json.loads(data, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        return
    if not isinstance(raw, dict):
        return
    valid = not schemas.part_problems("case-group", "case", raw)
    try:
        case = loader(raw, group="env.made", clause="ENV.1a", path=Path("made.json"))
    except CorpusError as error:
        check(bool(str(error)), "an error without words")
        check(not valid, f"the schema takes what the loader does not: {error}")
        return
    if valid:
        _written_again(
            {"group": "env.made", "description": "x", "clause": "ENV.1a", "cases": [raw]}
        )
        if case.op == "scan" and "segments" in case.expect:
            _expects_itself(case)


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def _written_again(group: dict[str, Any]) -> None:
    """The canonical text is settled, and says what the group said."""
    first = formatter.canonical(group)
    check(formatter.canonical(json.loads(first)) == first, "the canonical text is not settled")


def _expects_itself(case: Any) -> None:
    """Nobody fails by giving exactly what a case expects."""
    expect = expectation(case, {})
    answer = normal.from_segments(expect["segments"])
    answer.dropped = list(expect.get("dropped") or [])
    wrong = mismatch(expect, answer, Judging.of({}, frozenset({"scan"})))
    check(wrong is None, f"what the case expects fails it: {wrong}")
