"""For each parser, its failures grouped by cause, for whoever maintains it to act on."""

from __future__ import annotations

import collections
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from toolcode_conformance.cases import EFFECTS, LEVELS
from toolcode_conformance.matrix import answers, tally
from toolcode_conformance.matrix.kinds import KIND_TEXT, effect, kind
from toolcode_conformance.report import EFFECT_TEXT, visible
from toolcode_conformance.tables import clause_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from toolcode_conformance.cases import Case
    from toolcode_conformance.matrix.store import Failure, Result

_EXAMPLES: Final = 2
_LISTED: Final = 12
_LONG: Final = 1200
_SHAPE: Final = 80
_QUOTED: Final = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|'.*""")
_THROWN: Final = re.compile(
    r"\b\w+(?:Error|Exception|Evaluated|Warning): [^:'\"<(\[{]{0,60}|\bEvaluated\b"
)
_NAME: Final = re.compile(r"\bcall [^\s,]+")


@dataclass(slots=True)
class Finding:
    """Failures of one cause: known by the parser's expectations, else by clause and kind.

    Attributes:
        cause: In words, "" when nobody has looked at it.
        clause: The clause that is broken; of an error that many cases run into, the worst one's.
        error: What was thrown, "" for anything else.
        failures: Cases with what came, the worst effect first, then the smallest input.
    """

    cause: str
    clause: str
    error: str = ""
    failures: list[tuple[Case, Failure]] = field(default_factory=list)

    @property
    def kinds(self) -> dict[str, int]:
        """How many of the failures differ in which way, the most frequent first."""
        found = collections.Counter(kind(failure) for _, failure in self.failures)
        return dict(sorted(found.items(), key=lambda pair: (-pair[1], pair[0])))

    @property
    def effects(self) -> list[str]:
        """The effects of its failures, the worst first."""
        return sorted({effect(*pair) for pair in self.failures}, key=EFFECTS.index)

    @property
    def title(self) -> str:
        """One line that names it."""
        detail = self.error or clause_line(self.clause)
        return self.cause or f"{KIND_TEXT[next(iter(self.kinds))]} ({detail})"

    def sort(self) -> None:
        """Put the failures that explain it best first."""
        self.failures.sort(key=lambda pair: _rank(*pair))

    def examples(self) -> Iterator[tuple[Case, Failure]]:
        """Yield the first failure of each kind of difference, a few in all."""
        seen: set[str] = set()
        for case, failure in self.failures:
            if kind(failure) not in seen and len(seen) < _EXAMPLES:
                seen.add(kind(failure))
                yield case, failure


def _signature(case: Case, failure: Failure) -> tuple[str, tuple[str, ...]]:
    """Return the clause that is broken, and what is the same in every failure of this cause."""
    name = kind(failure)
    if failure.cause:
        return failure.clause, ("cause", "", failure.clause, failure.cause)
    if failure.verdict == "streaming-differs":
        # Whatever the case is about, the cutting broke it; how shows in the shape of what came.
        shape = _NAME.sub("call", _QUOTED.sub("...", failure.detail))
        return "STREAM.1a", (name, "", shape[:_SHAPE])
    if name == "no-json":
        return "LIT.9c", (name, "", "")
    thrown = _THROWN.search(failure.detail)
    if failure.verdict == "error" and thrown:
        return case.clause, (name, " ".join(thrown[0].split()))
    return case.clause, (name, "", case.clause)


def _rank(case: Case, failure: Failure) -> tuple[int, int, int, str]:
    return (
        EFFECTS.index(effect(case, failure)),
        LEVELS.index(case.level),
        answers.size(case),
        case.id,
    )


def group(result: Result, cases: Iterable[Case]) -> list[Finding]:
    """Return a parser's failures by cause: the worst effect first, then the most cases."""
    found: dict[tuple[str, ...], Finding] = {}
    for case in cases:
        failure = result.failures.get(case.id)
        if failure is None:
            continue
        clause, key = _signature(case, failure)
        finding = found.setdefault(key, Finding(failure.cause, clause, key[1]))
        finding.failures.append((case, failure))
    for finding in found.values():
        finding.sort()
        if finding.error:
            finding.clause = finding.failures[0][0].clause
    return sorted(
        found.values(),
        key=lambda one: (*_rank(*one.failures[0])[:2], -len(one.failures), one.clause, one.title),
    )


def page(result: Result, cases: Sequence[Case], clauses: Mapping[str, str]) -> str:
    """Return a parser's page; `clauses` holds the wording of each clause by id."""
    found = group(result, cases)
    who = f"{result.name} {result.version}".strip()
    lines = [
        f"# {who}: {len(found)} findings",
        "",
        *_introduction(result, tally.count(result, cases)),
        "",
        "| finding | clause | cases | worst effect |",
        "|---|---|---:|---|",
    ]
    lines += [
        f"| [{number}. {_plain(one.title)}](#finding-{number}) | {one.clause} "
        f"| {len(one.failures)} | {one.effects[0]} |"
        for number, one in enumerate(found, 1)
    ]
    for number, one in enumerate(found, 1):
        lines += ["", *_section(number, one, result, clauses)]
    return "\n".join(lines) + "\n"


def _introduction(result: Result, counts: tally.Counts) -> Iterator[str]:
    yield (
        f"On {result.date} the suite (toolcode {result.toolcode}) gave {result.name} the "
        f"{counts.offered} cases that it offers to answer; {counts.passed} came out as SPEC.md has "
        f"them and {counts.failed} did not. They are grouped here by what seems to be one cause, "
        f"each with its smallest input. A further {counts.not_offered} cases ask for what the "
        "parser never promised; they are left out."
    )
    yield ""
    yield (
        "SPEC.md writes down a convention that grew without a standard. Where this page and the "
        "parser's own aims differ, the parser may well be right for its users: please tell us, "
        "and the clause becomes a choice. How the parser is run, and what is put in place of its "
        f"surroundings, is written in `conformance/adapters/{result.name}`."
    )


def _plain(text: str) -> str:
    escaped = " ".join(text.split())
    for special in "\\*_[]<>|":
        escaped = escaped.replace(special, "\\" + special)
    return escaped[:1].upper() + escaped[1:]


def _section(
    number: int,
    finding: Finding,
    result: Result,
    clauses: Mapping[str, str],
) -> Iterator[str]:
    yield f'<a id="finding-{number}"></a>'
    yield f"## {number}. {_plain(finding.title)}"
    yield ""
    for name in finding.effects:
        yield f"- Effect: **{name}**, {EFFECT_TEXT[name]}."
    yield f"- Clause: [{_plain(clause_line(finding.clause))}](../../../SPEC.md#{finding.clause})."
    seen = ", ".join(f"{KIND_TEXT[name]} ({count})" for name, count in finding.kinds.items())
    yield f"- Seen as: {seen}."
    yield ""
    yield from _quoted(clauses.get(finding.clause, ""))
    for case, failure in finding.examples():
        yield from _example(case, failure, result)
    ids = sorted(case.id for case, _ in finding.failures)
    more = f" and {len(ids) - _LISTED} more" if len(ids) > _LISTED else ""
    yield f"All {len(ids)} cases: {', '.join(f'`{name}`' for name in ids[:_LISTED])}{more}."


def _quoted(text: str) -> Iterator[str]:
    # An example's fence inside a quotation would need one of its own; the prose suffices.
    paragraphs = [part for part in text.strip().split("\n\n") if part]
    if paragraphs:
        yield from (f"> {line}".rstrip() for line in "\n\n".join(paragraphs).split("\n"))
        yield ""


def _example(case: Case, failure: Failure, result: Result) -> Iterator[str]:
    text, beside = answers.given(case, frozenset(result.implementation["features"]))
    yield f"**{_plain(case.title)}** (`{case.id}`, {case.level}). Input:"
    yield ""
    yield from fenced(visible_lines(answers.trimmed(text, _LONG, 100)[0]) if text else beside)
    if text and beside:
        yield "with"
        yield ""
        yield from fenced(beside)
    if failure.where:
        yield f"Given in pieces (`{failure.where}`); in one piece the answer is right or differs."
        yield ""
    yield "Expected:"
    yield ""
    yield from fenced(visible_lines(answers.right(case, result.choices)))
    yield "Actual:" if failure.got else "No answer that can be judged:"
    yield ""
    yield from fenced(visible_lines(failure.got or f"{failure.verdict}: {failure.detail}"))
    if failure.got:
        yield f"Difference: {_code(failure.detail)}"
        yield ""
    if case.derivation:
        yield f"Why: {_plain(case.derivation)}"
        yield ""
    yield f"Again: `toolcode replay '{case.id}{failure.where}' --impl {result.name}`"
    yield ""


def visible_lines(text: str) -> str:
    """Return a text with its line breaks kept and every other odd character visible."""
    return "\n".join(visible(line, len(line)) for line in text.split("\n"))


def fenced(text: str) -> Iterator[str]:
    """Yield a code block that no fence in the text can end."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(4, longest + 1)
    yield f"{fence}text"
    yield from text.split("\n")
    yield fence
    yield ""


def _code(text: str) -> str:
    """Return a text as inline code that no backtick in it can end."""
    shown = visible(" ".join(text.split()), 300)
    longest = max((len(run) for run in re.findall("`+", shown)), default=0)
    ticks = "`" * (longest + 1)
    pad = " " if shown.startswith("`") or shown.endswith("`") else ""
    return f"{ticks}{pad}{shown}{pad}{ticks}"
