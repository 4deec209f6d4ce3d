"""Run mutants against the corpus, each in a forked child with a limit of its own."""

from __future__ import annotations

import json
import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import toolcode
from tests.mutation.mutants import Mutant, mutants
from tests.zoo.variants import handler
from toolcode_conformance.clients import PythonClient
from toolcode_conformance.corpus import load_corpus
from toolcode_conformance.implementation import Implementation, _greet
from toolcode_conformance.runner import Session

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from toolcode_conformance.cases import Case

MODULES: Final = (
    "arguments",
    "body",
    "calls",
    "lexical",
    "literals",
    "renderer",
    "scanner",
    "strings",
    "thinking",
    "tokens",
)
LIMIT: Final = 60
"""Seconds for one mutant; a mutant that needs more hangs."""
_EXCHANGE: Final = 5.0
_AREAS: Final = frozenset({"turn", "api", "dialect", "leaks", "gemma4", "recorded"})
_BY_COST: Final = frozenset({"stream.size", "lit.any-depth", "stream.growth"})


@dataclass(frozen=True)
class Result:
    """What came of a mutant: the first case that noticed it, or how it died, or "" if it lives."""

    mutant: Mutant
    killer: str

    @property
    def killed(self) -> bool:
        """Whether the corpus noticed it."""
        return bool(self.killer)


def all_mutants() -> list[Mutant]:
    """Every mutant of the modules that read and write messages."""
    folder = Path(toolcode.__file__).parent
    return [
        mutant
        for module in MODULES
        for mutant in mutants(module, (folder / f"{module}.py").read_text("utf-8"))
    ]


def candidates() -> list[Case]:
    """The cases that are asked: those about a message itself, the quick ones first."""
    about = (
        case
        for case in load_corpus().cases
        if case.area not in _AREAS and case.group not in _BY_COST
    )
    return sorted(about, key=lambda case: len(case.text))


def killer(mutant: Mutant, order: Iterable[Case]) -> str:
    """The id of the first case that a mutant fails, or how it failed to start; "" if none does."""
    folder = Path(toolcode.__file__).parent
    original = (folder / f"{mutant.module}.py").read_text("utf-8")
    try:
        client = PythonClient(lambda: handler([(mutant.module, original, mutant.source)]))
        session = Session(_greet(Implementation("m", "", "python", client)), "quick", _EXCHANGE)
        session.settle_choices(load_corpus())
    except Exception as error:  # noqa: BLE001 - a mutant may break in any way
        return f"start: {type(error).__name__}"
    return next((case.id for case in order if session.run(case).failed), "")


def forked(mutant: Mutant, order: list[Case]) -> tuple[int, int]:
    """Start a child that finds the killer, and return its process id and where it answers."""
    reading, writing = os.pipe()
    child = os.fork()
    if child:
        os.close(writing)
        return child, reading
    os.close(reading)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(LIMIT)
    answer = "start: died"
    try:
        answer = killer(mutant, order)
    finally:
        os.write(writing, answer.encode())
        os._exit(0)


def run(chosen: list[Mutant], jobs: int, say: Callable[[Result, int, float], None]) -> list[Result]:
    """Run mutants on `jobs` processes; `say` is told of each as it ends."""
    order = candidates()
    started = time.monotonic()
    waiting = list(reversed(chosen))
    running: dict[int, tuple[Mutant, int]] = {}
    results: list[Result] = []
    while waiting or running:
        while waiting and len(running) < jobs:
            mutant = waiting.pop()
            child, pipe = forked(mutant, order)
            running[child] = mutant, pipe
        child, status = os.wait()
        mutant, pipe = running.pop(child)
        with os.fdopen(pipe, "rb") as reader:
            said = reader.read().decode()
        result = Result(mutant, said if not status else "hang")
        results.append(result)
        # Whoever killed one mutant often kills its neighbour.
        order.sort(key=lambda case, said=said: case.id != said)  # type: ignore[misc]
        say(result, len(results), time.monotonic() - started)
    return results


def as_json(results: Iterable[Result]) -> str:
    """Results by name, the same bytes for the same results."""
    rows = {result.mutant.name: result.killer for result in results}
    return json.dumps(dict(sorted(rows.items())), indent=1) + "\n"
