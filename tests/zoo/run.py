"""Run the corpus against the faulty parsers, in process, through the harness's own judge."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from tests.zoo.parsers import FAULTS, Faulty
from toolcode_conformance.clients import PythonClient
from toolcode_conformance.corpus import Corpus, load_corpus
from toolcode_conformance.implementation import Implementation, _greet
from toolcode_conformance.runner import Session

if TYPE_CHECKING:
    from toolcode_conformance.cases import Case

TIMEOUT: Final = 20.0
_SLOW_GROUPS: Final = frozenset({"stream.size", "lit.any-depth", "gemma4.growth", "stream.growth"})
"""Left out: they ask for time, which no parser here gets wrong, and cost most of it."""


@cache
def corpus() -> Corpus:
    return load_corpus()


@cache
def cases() -> tuple[Case, ...]:
    """The named cases that are run."""
    return tuple(
        case
        for case in corpus().cases
        if case.group not in _SLOW_GROUPS and case.area != "recorded"
    )


def session(fault: Faulty) -> Session:
    """Greet a faulty parser; its choices are those that the reference declares."""
    made = Session(
        _greet(Implementation(fault.name, "", "python", PythonClient(fault.make))), "quick", TIMEOUT
    )
    made.settle_choices(corpus())
    return made


def catchers(fault: Faulty) -> list[str]:
    """The ids of all cases that a faulty parser fails."""
    run = session(fault)
    return [case.id for case in cases() if run.run(case).failed]


def by_name(name: str) -> Faulty:
    return next(fault for fault in FAULTS if fault.name == name)


def all_catchers(name: str) -> tuple[str, list[str]]:
    """As `catchers`, for another process."""
    return name, catchers(by_name(name))


def answer(handler: Any, witness: Any) -> Any:
    """What a handler makes of a witness: a message, or a request."""
    request = witness if isinstance(witness, dict) else {"op": "scan", "chunks": [witness]}
    result = handler.handle({"id": 1, **request})
    ids: dict[str, int] = {}
    for step in result.get("result", {}).get("steps", ()):
        for call in (event["call"] for event in step if "call" in event):
            call["id"] = ids.setdefault(call["id"], len(ids))
    return json.dumps(result)
