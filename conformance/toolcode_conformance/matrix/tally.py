"""Counts of results: by level, area and effect; what is not offered never enters a percentage."""

from __future__ import annotations

import collections
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from toolcode_conformance.cases import EFFECTS
from toolcode_conformance.faults import KINDS
from toolcode_conformance.matrix.kinds import effect
from toolcode_conformance.matrix.store import NOT_RUN
from toolcode_conformance.runner import NOT_OFFERED

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from toolcode_conformance.cases import Case
    from toolcode_conformance.matrix.store import Result

CORE: Final = ("must",)
ROBUST: Final = ("must", "should")


@dataclass(frozen=True, slots=True)
class Counts:
    """How many cases came out in which way."""

    passed: int = 0
    failed: int = 0
    not_offered: int = 0
    not_run: int = 0

    @property
    def offered(self) -> int:
        """Cases that the parser was asked and promised to answer."""
        return self.passed + self.failed

    @property
    def share(self) -> str:
        """The share of passed among offered cases, rounded down; a dash when there are none."""
        return f"{100 * self.passed // self.offered} %" if self.offered else "-"

    @property
    def text(self) -> str:
        """The share and the two numbers it comes from."""
        return f"{self.share} ({self.passed}/{self.offered})" if self.offered else "-"


def count(result: Result, cases: Iterable[Case]) -> Counts:
    """Count how the cases came out for a parser."""
    kinds = collections.Counter(_kind(result.verdict(case.id)) for case in cases)
    return Counts(kinds["pass"], kinds["fail"], kinds[NOT_OFFERED], kinds[NOT_RUN])


def _kind(verdict: str) -> str:
    return "fail" if verdict in KINDS else verdict


def of_level(cases: Iterable[Case], levels: Sequence[str]) -> list[Case]:
    """Return the cases of some levels."""
    return [case for case in cases if case.level in levels]


def by_effect(result: Result, cases: Iterable[Case]) -> dict[str, int]:
    """Return how many failures had which effect, the worst effect first, none left at 0."""
    pairs = ((case, result.failures.get(case.id)) for case in cases)
    found = collections.Counter(effect(case, failure) for case, failure in pairs if failure)
    return {name: found[name] for name in EFFECTS if found[name]}


def ran(results: Iterable[Result], cases: Iterable[Case]) -> list[Case]:
    """Return the cases that at least one parser was given."""
    listed = list(results)
    return [case for case in cases if any(case.id in result.verdicts for result in listed)]


def areas(cases: Iterable[Case]) -> list[str]:
    """Return the areas of some cases, sorted."""
    return sorted({case.area for case in cases})
