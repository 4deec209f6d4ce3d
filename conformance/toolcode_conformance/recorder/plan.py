"""The plan: every run of a scenario, with its seed, in one stable order."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from toolcode_conformance.recorder.scenario import Domain, Form, Scenario

_WANDER: Final = 7919
"""A prime, so that it shares no factor with the length of a stretch."""


@dataclass(frozen=True, slots=True)
class Run:
    """One transcript to record; `limit` is in tokens, for each reply."""

    id: str
    prompt: str
    domain: Domain
    form: Form
    ask: str
    answer: str
    temperature: float
    limit: int
    seed: int


def make_plan(scenario: Scenario) -> list[Run]:
    """Return all runs, those that share a prompt prefix next to each other."""
    rounds = scenario.sampling.rounds
    return [
        _run(scenario, domain, form, number, world * rounds + place)
        for world, domain in enumerate(scenario.domains)
        for place, form in enumerate(scenario.forms)
        for number in range(rounds)
    ]


def _run(scenario: Scenario, domain: Domain, form: Form, number: int, shift: int) -> Run:
    sampling = scenario.sampling
    # Domain and form shift the grid, so that none sees only some of the combinations.
    turn = number + shift
    ask = turn % len(domain.asks)
    run_id = f"{domain.id}.{form.id}.{number:02d}"
    return Run(
        id=run_id,
        prompt=f"{domain.id}.{form.id}.ask{ask}",
        domain=domain,
        form=form,
        ask=domain.asks[ask],
        answer=domain.answers[turn % len(domain.answers)],
        temperature=sampling.temperatures[turn % len(sampling.temperatures)],
        limit=sampling.limits[turn % len(sampling.limits)],
        # From the id alone: a new domain or form leaves the seeds of the others as they are.
        seed=zlib.crc32(run_id.encode()) & 0x7FFFFFFF,
    )


def spread(runs: list[Run], count: int) -> list[Run]:
    """Return `count` runs (or all): one from each of as many equal stretches, in plan order."""
    if count >= len(runs):
        return runs
    stretch = len(runs) // count
    # A place in the stretch that wanders: its first one would always be the same round.
    return [
        runs[number * len(runs) // count + number * _WANDER % stretch] for number in range(count)
    ]


def shard(runs: list[Run], number: int, total: int) -> list[Run]:
    """Return the part `number` (from 1) of `total` consecutive parts, sizes as equal as can be."""
    return runs[len(runs) * (number - 1) // total : len(runs) * number // total]
