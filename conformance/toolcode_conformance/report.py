"""What a run says: each failure so that it can be acted on, then the summary and result files."""

from __future__ import annotations

import collections
import importlib.metadata
import json
import shlex
import textwrap
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from toolcode_conformance import chunking
from toolcode_conformance.cases import EFFECTS
from toolcode_conformance.expectations import generate
from toolcode_conformance.expected import expectation, outline
from toolcode_conformance.plan import renders
from toolcode_conformance.runner import NOT_OFFERED, PASS, Outcome, Session
from toolcode_conformance.tables import clause_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from toolcode_conformance.corpus import Corpus

_INPUT: Final = 400
_WIDTH: Final = 100
EFFECT_TEXT: Final = {
    "unsafe-execution": "something may run that the model never asked for",
    "wrong-call": "a call goes out that the model did not write",
    "crash": "the parser breaks off on this input",
    "stall": "the stream hangs or holds back what should be shown",
    "lost-call": "a call of the model never happens",
    "corrupt-argument": "a call goes out with a wrong value",
    "leak-to-user": "the user sees what is not meant for them, or misses what is",
    "slow": "the time grows faster than the text",
}
_SEEN: Final = str.maketrans({"\n": "⏎", "\t": "→", "\r": "␍", "\0": "␀"})
_PROFILES: Final = (
    ("core   (must)", ("must",)),
    ("robust (must + should)", ("must", "should")),
    ("choices (may)", ("may",)),
)


def visible(text: str, limit: int = _INPUT) -> str:
    """Return a text on one line, its white space and odd characters visible."""
    shown = text[:limit].translate(_SEEN)
    odd = "".join(
        c if c.isprintable() else c.encode("ascii", "backslashreplace").decode() for c in shown
    )
    more = len(text) - limit
    return odd + (f"... ({more} more characters)" if more > 0 else "")


def replay_line(case_id: str, impl: str) -> str:
    """Return the shell line that repeats a case."""
    return f"toolcode replay {shlex.quote(case_id)} --impl {shlex.quote(impl)}"


def record(outcome: Outcome, impl: str, choices: Mapping[str, str]) -> dict[str, Any]:
    """Return an outcome as JSON, with all that the controller needs to report it."""
    case = outcome.case
    expect = expectation(case, choices)
    if expect.get("any"):
        right = "any answer, in time and in the protocol's form"
    elif case.op == "growth":
        right = "time in proportion to the length"
    elif renders(case) or "segments" not in expect:
        right = visible(json.dumps(expect))
    else:
        right = outline(expect["segments"])
    given = case.text or json.dumps(case.input)
    return {
        "id": case.id,
        "title": case.title,
        "clause": case.clause,
        "level": case.level,
        "why": case.why,
        "area": case.area,
        "verdict": outcome.verdict,
        "detail": outcome.detail,
        "where": outcome.where,
        "got": outcome.got,
        "right": right,
        "input": visible(given),
        "long": len(case.text) if case.op in {"scan", "literal"} else 0,
        "replay": replay_line(case.id + outcome.where, impl),
    }


def failure_text(found: dict[str, Any]) -> str:
    """Return what a user needs to know about one failure, a few lines without a traceback."""
    lines = [f"{found['verdict']}: {found['title']}"]
    if found.get("unexpected"):
        lines.append(f"  note:   {found['unexpected']}")
    lines += [
        f"  input:  {found['input']}",
        f"  came:   {found['got'] or 'no answer'}",
        f"  right:  {found['right']}",
        f"  diff:   {found['where'] + ' ' if found['where'] else ''}{found['detail']}",
        f"  clause: {clause_line(found['clause'])} ({found['level']})",
        f"  effect: {found['why']}: {EFFECT_TEXT[found['why']]}",
        f"  again:  {found['replay']}",
    ]
    return "\n".join(lines)


@dataclass(slots=True)
class About:
    """What was run: the implementation, its choices and how they are known."""

    implementation: dict[str, Any]
    choices: dict[str, str]
    settled: dict[str, str]
    cases: int

    @staticmethod
    def of(session: Session, corpus: Corpus) -> About:
        """Describe a session."""
        impl = session.impl
        return About(
            {
                "spec": impl.spec,
                "name": impl.name,
                "version": impl.version,
                "language": impl.language,
                "url": impl.url,
                "mode": impl.mode,
                "capabilities": sorted(impl.capabilities),
                "features": sorted(impl.features),
            },
            dict(session.choices),
            dict(session.settled),
            len(corpus.cases),
        )


@dataclass(slots=True)
class Collector:
    """Collects the records of a run."""

    records: dict[str, dict[str, Any]] = field(default_factory=dict)
    about: About | None = None

    def add(self, found: dict[str, Any], outcome: str) -> None:
        """Add one record; `outcome` is pytest's: passed, failed or skipped."""
        self.records[found["id"]] = {**found, "outcome": outcome}

    def unexpected(self) -> list[dict[str, Any]]:
        """Return the records of failures that no expectation covers, the worst effect first."""
        failed = [r for r in self.records.values() if r["outcome"] == "failed"]
        return sorted(failed, key=lambda r: (EFFECTS.index(r["why"]), r["id"]))

    def as_expectations(self) -> str:
        """Return an expectations file for every failure."""
        assert self.about is not None
        return generate(
            (
                (r["id"], r["verdict"], r["clause"], r["detail"])
                for r in self.records.values()
                if r["verdict"] not in {PASS, NOT_OFFERED}
            ),
            self.about.implementation["name"],
        )

    def as_json(self) -> str:
        """Return the results as JSON; the same results give the same bytes."""
        assert self.about is not None
        keys = (
            "id",
            "clause",
            "level",
            "why",
            "verdict",
            "where",
            "detail",
            "got",
            "outcome",
            "expected",
            "unexpected",
            "exchanges",
            "scans",
        )
        results = [
            {key: r[key] for key in keys if r.get(key) not in (None, "")}
            for _, r in sorted(self.records.items())
        ]
        value = {
            "format": 1,
            "toolcode": importlib.metadata.version("toolcode"),
            "corpus_cases": self.about.cases,
            "implementation": self.about.implementation,
            "choices": self.about.choices,
            "choices_known_by": self.about.settled,
            "profiles": {name.split()[0]: self._counts(levels) for name, levels in _PROFILES},
            "results": results,
        }
        return json.dumps(value, indent=1, ensure_ascii=True) + "\n"

    def _counts(self, levels: Iterable[str]) -> dict[str, int]:
        return _tally(r for r in self.records.values() if r["level"] in levels)

    def summary(self, stale: list[str], chunks: str) -> Iterator[str]:
        """Yield the lines of the summary."""
        about = self.about
        if about is None or not self.records:
            return
        impl = about.implementation
        version = f" {impl['version']}" if impl["version"] else ""
        who = f"{impl['name']}{version} ({impl['mode']})"
        yield f"{who}, {len(self.records)} of {about.cases} cases"
        for name, levels in _PROFILES:
            yield f"{name:<24}{_tally_line(self._counts(levels))}"
        yield "by area:"
        for area in sorted({r["area"] for r in self.records.values()}):
            counts = _tally(r for r in self.records.values() if r["area"] == area)
            yield f"  {area:<10}{_tally_line(counts)}"
        yield from self._effects()
        yield from self._not_offered()
        yield from _choices(about)
        yield self._cost(chunks)
        yield from (f"stale expectation: {line}" for line in stale)

    def _effects(self) -> Iterator[str]:
        failed = self.unexpected()
        if failed:
            yield "failures by effect, the worst first:"
        for effect in EFFECTS:
            of_it = [r for r in failed if r["why"] == effect]
            if of_it:
                names = ", ".join(r["id"] + r["where"] for r in of_it[:6])
                more = f" and {len(of_it) - 6} more" if len(of_it) > 6 else ""  # noqa: PLR2004
                yield f"  {effect:<17}{len(of_it):>4}  {names}{more}"

    def _not_offered(self) -> Iterator[str]:
        counts = collections.Counter(
            r["detail"] for r in self.records.values() if r["verdict"] == NOT_OFFERED
        )
        if counts:
            shown = (f"{name} {count}" for name, count in sorted(counts.items()))
            yield from _listed("not offered", shown)

    def _cost(self, chunks: str) -> str:
        records = self.records.values()
        exchanges = sum(r.get("exchanges", 0) for r in records)
        scans = sum(r.get("scans", 0) for r in records)
        partly = sum(r["long"] > chunking.LEVELS[chunks].two_way for r in records if r["long"])
        left = f"; {partly} texts not cut at every place, see --chunks" if partly else ""
        return f"{exchanges} exchanges, {scans} scans, chunks {chunks}{left}"


def _tally(records: Iterable[dict[str, Any]]) -> dict[str, int]:
    counts = {"passed": 0, "failed": 0, "expected_failures": 0, "not_offered": 0}
    for found in records:
        if found["verdict"] == NOT_OFFERED:
            counts["not_offered"] += 1
        elif found["outcome"] == "failed":
            counts["failed"] += 1
        elif found.get("expected"):
            counts["expected_failures"] += 1
        else:
            counts["passed"] += 1
    return counts


def _tally_line(counts: dict[str, int]) -> str:
    offered = counts["passed"] + counts["failed"] + counts["expected_failures"]
    share = f"{100 * counts['passed'] // offered:>4} %" if offered else "   - "
    parts = [f"{share}  {counts['passed']:>4} of {offered:>4} pass"]
    parts += [
        f"{counts[key]} {key.replace('_', ' ')}"
        for key in ("failed", "expected_failures", "not_offered")
        if counts[key]
    ]
    return ", ".join(parts)


def _choices(about: About) -> Iterator[str]:
    assumed = [name for name, how in about.settled.items() if how == "assumed"]
    other = [
        f"{name}={option}" + ("" if about.settled[name] == "declared" else " (found)")
        for name, option in about.choices.items()
        if name not in assumed
    ]
    if other:
        yield from _listed("choices", other)
    if assumed:
        yield from _listed("choices neither declared nor found by a probe", assumed)


def _listed(title: str, items: Iterable[str]) -> Iterator[str]:
    """Yield a list as lines that fit a terminal, an item never broken."""
    yield from textwrap.wrap(
        f"{title}: {', '.join(items)}",
        width=_WIDTH,
        subsequent_indent="  ",
        break_long_words=False,
        break_on_hyphens=False,
    )
