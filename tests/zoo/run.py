"""Run the corpus against the faulty parsers, in process, through the harness's own judge."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tests.zoo.faulty import Faulty, Handler, reference
from tests.zoo.parsers import FAULTS
from toolcode_conformance.answers import result_of
from toolcode_conformance.cases import SCAN_OPS, Case, make_case
from toolcode_conformance.corpus import Corpus, load_corpus
from toolcode_conformance.faults import Fault
from toolcode_conformance.implementation import Implementation, _greet
from toolcode_conformance.plan import gemma
from toolcode_conformance.runner import Session

if TYPE_CHECKING:
    from collections.abc import Callable

TIMEOUT: Final = 20.0
_LARGE: Final = frozenset({"stream.size", "lit.any-depth", "gemma4.growth"})
"""Groups whose cases are there for their size; they cost most of the time."""


class Direct:
    """A handler without a thread of its own: none here hangs, and the change of threads costs."""

    def __init__(self, handler: Handler) -> None:
        self.exchanges = 0
        self._handler = handler

    def ask(self, request: dict[str, Any], _timeout: float) -> dict[str, Any]:
        """Return the result of a request, checked as any implementation's is."""
        self.exchanges += 1
        try:
            answer = self._handler.handle({"id": self.exchanges, **request})
        except Exception as error:  # noqa: BLE001 - whatever it raises is the verdict on it
            raise Fault("error", repr(error)) from None
        result: dict[str, Any] = result_of(answer, self.exchanges)
        return result

    def settle(self) -> None:
        """Nothing runs between cases."""

    def close(self) -> None:
        """Nothing was started."""


@cache
def corpus() -> Corpus:
    return load_corpus()


def is_run(case: Case) -> bool:
    """Whether a case is put to faulty parsers at all."""
    return case.op != "growth" and case.area not in ("recorded", "family")


def cases(fault: Faulty) -> tuple[Case, ...]:
    """The named cases that can tell a faulty parser from the reference."""
    return tuple(
        case
        for case in corpus().cases
        if is_run(case) and (case.group in _LARGE) == fault.large and _reaches(fault, case)
    )


def _reaches(fault: Faulty, case: Case) -> bool:
    """Whether a case shows what was changed: a change to answers is one to a dialect's scans."""
    if fault.own or fault.edits:
        return True
    return case.op in SCAN_OPS and gemma(case) == (fault.dialect == "gemma")


def _session(name: str, make: Callable[[], Any]) -> Session:
    made = Session(_greet(Implementation(name, "", "python", Direct(make()))), "quick", TIMEOUT)
    made.settle_choices(corpus())
    return made


def session(fault: Faulty) -> Session:
    """Greet a faulty parser; its choices are those that it declares, or shows in the probes."""
    return _session(fault.name, fault.make)


@cache
def reference_session() -> Session:
    """Greet the reference."""
    return _session("reference", reference)


def by_name(name: str) -> Faulty:
    return next(fault for fault in FAULTS if fault.name == name)


@cache
def catchers(name: str) -> tuple[str, ...]:
    """The ids of all cases that a faulty parser fails for the mistake it is named after."""
    fault = by_name(name)
    made = session(fault)
    others = frozenset(catchers(fault.beside)) if fault.beside else frozenset()
    return tuple(
        case.id
        for case in cases(fault)
        if case.id not in others and (session(fault) if fault.remembers else made).run(case).failed
    )


def witness(fault: Faulty) -> Case:
    """A faulty parser's witness, as a case with a right answer of its own."""
    given = fault.witness
    request = dict(given) if isinstance(given, dict) else {"op": "scan", "chunks": [given]}
    name, options = request.pop("op"), request.pop("options", {})
    chunks = request.get("chunks", [])
    raw = {
        "id": f"zoo.witness.{fault.name}",
        "title": fault.like,
        "level": "must",
        "why": "wrong-call",
        "op": name,
        "input": request if name not in SCAN_OPS else {"chunks": chunks},
        "options": options,
        "expect": fault.right,
    }
    return make_case(raw, group="zoo.witness", clause=fault.clause, path=Path(__file__))
