"""The results as Markdown: a table for the README, and the page `matrix.md`."""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING, Final

from toolcode_conformance.cases import EFFECTS
from toolcode_conformance.matrix import tally
from toolcode_conformance.matrix.store import own
from toolcode_conformance.tables import choices, clause_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from toolcode_conformance.cases import Case
    from toolcode_conformance.matrix.store import Result

BEGIN: Final = "<!-- matrix:begin (made by `make matrix`) -->"
END: Final = "<!-- matrix:end -->"
_WORST: Final = 3
_MOST: Final = 25


def cell(text: str) -> str:
    """Return a text that can stand in a cell of a table."""
    one_line = " ".join(text.split())
    for special in "\\`*_[]<>|":
        one_line = one_line.replace(special, "\\" + special)
    return one_line


def rows(titles: Sequence[str], lines: Iterable[Sequence[str]], right: int = 0) -> Iterator[str]:
    """Yield a table; its last `right` columns hold numbers."""
    left = len(titles) - right
    yield f"| {' | '.join(titles)} |"
    yield "|" + "---|" * left + "---:|" * right
    yield from (f"| {' | '.join(line)} |" for line in lines)


def name_of(result: Result) -> str:
    """Return a parser's name, linked to its home page."""
    url = str(result.implementation.get("url", ""))
    return f"[{result.name}]({url})" if url.startswith("https://") else result.name


def worst(result: Result, cases: Iterable[Case], limit: int = _WORST) -> str:
    """Return a parser's worst effects and how many failures have each, in a few words."""
    found = list(tally.by_effect(result, cases).items())
    return ", ".join(f"{effect} {number}" for effect, number in found[:limit]) or "none"


def _overview(results: Sequence[Result], cases: Sequence[Case]) -> Iterator[str]:
    def line(result: Result) -> list[str]:
        core = tally.count(result, tally.of_level(cases, tally.CORE))
        robust = tally.count(result, tally.of_level(cases, tally.ROBUST))
        return [
            name_of(result),
            result.version,
            worst(result, cases),
            core.text,
            robust.text,
            str(tally.count(result, cases).not_offered),
        ]

    titles = (
        "parser",
        "version",
        "worst effects seen, with failures",
        "core",
        "robust",
        "not offered",
    )
    yield from rows(titles, map(line, results), right=3)


def _by_area(results: Sequence[Result], cases: Sequence[Case], *, numbers: bool) -> Iterator[str]:
    areas = tally.areas(cases)
    of_area = {area: [case for case in cases if case.area == area] for area in areas}

    def line(result: Result) -> list[str]:
        counts = [tally.count(result, of_area[area]) for area in areas]
        return [
            result.name,
            *((found.text if numbers else found.share).replace(" %", "%") for found in counts),
        ]

    yield from rows(["parser", *areas], map(line, results), right=len(areas))


def fragment(results: Sequence[Result], cases: Sequence[Case]) -> str:
    """Return the table for the README, between its markers."""
    days = sorted({result.date for result in results})
    when = days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"
    counted = tally.ran(results, cases)
    intro = (
        f"{len(results)} parsers, {len(counted)} cases, run on {when} by `make matrix`. *core* is "
        "what every parser must do, *robust* adds what it should do. A percentage counts only what "
        "a parser offers; `-` means that it offers none of it."
    )
    lines = [
        BEGIN,
        intro,
        "",
        *_overview(results, counted),
        "",
        "By area, all levels:",
        "",
        *_by_area(results, counted, numbers=False),
        END,
    ]
    return "\n".join(lines) + "\n"


def page(results: Sequence[Result], cases: Sequence[Case]) -> str:
    """Return `matrix.md`."""
    counted = tally.ran(results, cases)
    peers = [result for result in results if not own(result.name)]
    lines = [
        "# Parsers of Pythonic tool calls, compared",
        "",
        "Made by `make matrix` from the result files beside this page; `matrix.html`, made by the",
        "same command, shows every case with its input, its right answer and the wrong ones.",
        "What a parser never promised is *not offered*: it is counted apart, and enters no",
        "percentage. Cases about time that grows, and recorded replies, are not part of this page.",
        "",
        *_overview(results, counted),
        "",
        "## By area",
        "",
        "Share of the offered cases that pass, with both numbers.",
        "",
        *_by_area(results, counted, numbers=True),
        "",
        *_effects(results, counted),
        "",
        *_hardest(peers, counted),
        "",
        *_clauses(peers, counted),
        "",
        *_choices(results),
        "",
        *_runs(results),
    ]
    return "\n".join(lines) + "\n"


def _effects(results: Sequence[Result], cases: Sequence[Case]) -> Iterator[str]:
    yield "## What the failures did"
    yield ""
    found = {result.name: tally.by_effect(result, cases) for result in results}
    effects = [e for e in EFFECTS if any(e in counts for counts in found.values())]
    lines = ([name, *(str(found[name].get(e, 0)) for e in effects)] for name in found)
    yield from rows(["parser", *effects], lines, right=len(effects))


def _hardest(peers: Sequence[Result], cases: Sequence[Case]) -> Iterator[str]:
    yield "## Cases that most parsers get wrong"
    yield ""
    yield f"The {_MOST} cases that the most parsers other than the reference fail."
    yield ""
    failing = [(sum(case.id in peer.failures for peer in peers), case) for case in cases]
    failing.sort(key=lambda pair: (-pair[0], pair[1].id))
    lines = (
        [f"`{case.id}`", cell(case.title), case.level, case.why, str(number)]
        for number, case in failing[:_MOST]
        if number
    )
    yield from rows(("case", "title", "level", "effect", "parsers"), lines, right=1)


def _clauses(peers: Sequence[Result], cases: Sequence[Case]) -> Iterator[str]:
    yield "## Clauses that most parsers break"
    yield ""
    broken: dict[str, set[str]] = collections.defaultdict(set)
    for case in cases:
        broken[case.clause].update(peer.name for peer in peers if case.id in peer.failures)
    order = sorted(broken, key=lambda clause: (-len(broken[clause]), clause))
    lines = (
        [f"[{cell(clause_line(clause))}](../../SPEC.md#{clause})", str(len(broken[clause]))]
        for clause in order[:_MOST]
        if broken[clause]
    )
    yield from rows(("clause", "parsers"), lines, right=1)


def _choices(results: Sequence[Result]) -> Iterator[str]:
    yield "## Choices"
    yield ""
    yield "Where several readings are legitimate, each parser is judged by its own. A choice in"
    yield "parentheses was neither declared nor found by a probe: the reference's is assumed."
    yield ""

    def line(name: str) -> list[str]:
        options = (result.choices.get(name, "") for result in results)
        assumed = (name in result.assumed for result in results)
        pairs = zip(options, assumed, strict=True)
        return [name, *(f"({option})" if guess else option for option, guess in pairs)]

    yield from rows(["choice", *(result.name for result in results)], map(line, choices()))


def _runs(results: Sequence[Result]) -> Iterator[str]:
    yield "## The runs"
    yield ""
    lines = (
        [
            result.name,
            str(result.implementation.get("language", "")),
            result.date,
            result.chunks,
            f"[{len(result.failures)}](findings/{result.name}.md)" if result.failures else "0",
            str(len(result.unexpected)),
        ]
        for result in results
    )
    titles = ("parser", "language", "date", "chunks", "failures", "not as expected")
    yield from rows(titles, lines, right=2)
