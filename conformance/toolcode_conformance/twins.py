"""Twins: pairs of cases that look alike and have different answers.

A case whose failure is dangerous says little alone: a parser that never calls anything passes all
cases in which nothing may be called. Its twin is the nearest case with another answer, so that the
two together ask for the line between them. Twins name each other.
"""

from __future__ import annotations

import json
import re
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Any, Final

from toolcode_conformance.plan import gemma

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from toolcode_conformance.cases import Case

DANGEROUS: Final = frozenset({"unsafe-execution", "wrong-call", "lost-call"})
"""Effects that ask for a twin: a call too many, another one, or one too few."""

_AS_THEY_ARE: Final = frozenset({"recorded", "conversation"})
_LEAST: Final = 20
_PART: Final = 3
_SHORT: Final = 300
_tokens: Final = re.compile(r"\w+|\W").findall


def names_of(case: Case) -> tuple[str, ...]:
    """The ids of a case's twins."""
    twin = case.raw.get("twin", ())
    return (twin,) if isinstance(twin, str) else tuple(twin)


def needs_twin(case: Case) -> bool:
    """Whether a case must have one: what a message or a value says, with a dangerous effect.

    Recordings and conversations are what they are, and for the other operations a near case with
    another answer is linked where there is one.
    """
    asks = case.op in ("scan", "literal") and case.area not in _AS_THEY_ARE and not gemma(case)
    return asks and case.why in DANGEROUS and "twinless" not in case.raw


def problems(cases: Sequence[Case]) -> Iterator[str]:
    """Yield what is wrong with the twins."""
    by_id = {case.id: case for case in cases}
    for case in cases:
        names = names_of(case)
        if needs_twin(case) and not names:
            yield (
                f"{case.id}: {case.why} asks for a twin: name the nearest case with another "
                "answer, or say under `twinless` why there is none"
            )
        for name in names:
            yield from _pair(case, name, by_id)


def _pair(case: Case, name: str, by_id: Mapping[str, Case]) -> Iterator[str]:
    other = by_id.get(name)
    if other is None:
        yield f"{case.id}: twin {name} does not exist"
        return
    if case.id not in names_of(other):
        yield f"{case.id}: twin {name} does not name it in turn"
    if case.op != other.op:
        yield f"{case.id}: twin {name} asks for {other.op}, not {case.op}"
    elif case.expect == other.expect:
        yield f"{case.id}: twin {name} has the same answer"
    elif edited(_asked(case), _asked(other)) > _most(case, other):
        yield f"{case.id}: twin {name} is another text: more than {_most(case, other)} characters"


def nearest(case: Case, cases: Sequence[Case]) -> Case | None:
    """The case with another answer that the smallest edit leads to, None where none is near."""
    best: tuple[int, Case] | None = None
    for other in cases:
        asks = other.op == case.op and other.area != "recorded" and other.id != case.id
        if not asks or other.expect == case.expect or gemma(other) != gemma(case):
            continue
        most = _most(case, other) if best is None else min(best[0] - 1, _most(case, other))
        if abs(len(_asked(case)) - len(_asked(other))) > most:
            continue
        found = edited(_asked(case), _asked(other))
        if found <= most:
            best = found, other
    return best[1] if best else None


def with_link(raw: dict[str, Any], name: str) -> dict[str, Any]:
    """A case's JSON that names one twin more."""
    twin = raw.get("twin", [])
    names = sorted({name, *([twin] if isinstance(twin, str) else twin)})
    return {**raw, "twin": names[0] if len(names) == 1 else names}


def _asked(case: Case) -> str:
    return case.text or json.dumps(case.input, ensure_ascii=False, sort_keys=True)


def _most(case: Case, other: Case) -> int:
    """A small edit: some words, or a third of the longer text."""
    return max(_LEAST, max(len(_asked(case)), len(_asked(other))) // _PART)


def edited(text: str, other: str) -> int:
    """How many characters an edit from one text to the other touches; in long ones, whole words."""
    text, other = sorted((text, other))  # the way there is as long as the way back
    short = max(len(text), len(other)) <= _SHORT
    old, new = (list(text), list(other)) if short else (_tokens(text), _tokens(other))
    start = next((n for n, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), None)
    if start is None:
        start = min(len(old), len(new))
    old, new = old[start:], new[start:]
    while old and new and old[-1] == new[-1]:
        old.pop()
        new.pop()
    return sum(
        max(len("".join(old[a:b])), len("".join(new[c:d])))
        for kind, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
        if kind != "equal"
    )
