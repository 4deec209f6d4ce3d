"""The results as one HTML page that needs no other file and no network.

The page holds the data as JSON that cannot end its script element, and builds everything it shows
with `textContent`: no text of a case, of a parser or of SPEC.md is ever read as markup.
"""

from __future__ import annotations

import json
from importlib import resources
from typing import TYPE_CHECKING, Any, Final

from toolcode_conformance.cases import EFFECTS, LEVELS
from toolcode_conformance.faults import KINDS
from toolcode_conformance.matrix import answers, tally
from toolcode_conformance.matrix.kinds import effect
from toolcode_conformance.matrix.store import NOT_RUN
from toolcode_conformance.report import EFFECT_TEXT
from toolcode_conformance.runner import NOT_OFFERED, PASS
from toolcode_conformance.tables import choices, clauses

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from toolcode_conformance.cases import Case
    from toolcode_conformance.matrix.store import Result

VERDICTS: Final = {
    "P": "pass",
    "F": "wrong answer",
    "C": "breaks off",
    "T": "no answer in time",
    "U": "unreadable answer",
    "N": "not offered",
    "-": "not run",
}
"""One letter for what came of a case, and what the page calls it."""

_LETTERS: Final = {
    PASS: "P",
    NOT_OFFERED: "N",
    NOT_RUN: "-",
    **{
        verdict: {"fail": "F", "crash": "C", "timeout": "T"}.get(k, "U")
        for verdict, k in KINDS.items()
    },
}


def page(results: Sequence[Result], cases: Sequence[Case], wording: Mapping[str, str]) -> str:
    """Return the page; `wording` holds the text of each clause by id."""
    shell, style, script = (_asset(name) for name in ("page.html", "page.css", "page.js"))
    parts = {
        "/*style*/": style,
        "/*script*/": script,
        "/*data*/": island(data(results, tally.ran(results, cases), wording)),
    }
    for mark, text in parts.items():
        before, _, after = shell.partition(mark)
        shell = before + text + after
    return shell


def _asset(name: str) -> str:
    return resources.files(__package__).joinpath("page", name).read_text("utf-8")


def island(value: object) -> str:
    """Return JSON that may stand in a script element, whatever its strings hold."""
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"), sort_keys=True)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def data(
    results: Sequence[Result],
    cases: Sequence[Case],
    wording: Mapping[str, str],
) -> dict[str, Any]:
    """Return what the page shows, as JSON; `page.js` documents the rows of `cases`."""
    used = sorted({case.clause for case in cases})
    known = clauses()
    return {
        "parsers": [_parser(result, cases) for result in results],
        "areas": tally.areas(cases),
        "levels": LEVELS,
        "effects": [[name, EFFECT_TEXT[name]] for name in EFFECTS],
        "verdicts": VERDICTS,
        "clauses": [
            [name, known[name].title if name in known else "", wording.get(name, "").strip()]
            for name in used
        ],
        "cases": [_case(case, results, used, tally.areas(cases)) for case in cases],
    }


def _parser(result: Result, cases: Sequence[Case]) -> dict[str, Any]:
    def numbers(levels: Sequence[str]) -> list[int]:
        counts = tally.count(result, tally.of_level(cases, levels))
        return [counts.passed, counts.offered]

    assumed = set(result.assumed)
    return {
        "name": result.name,
        "version": result.version,
        "language": result.implementation.get("language", ""),
        "url": result.implementation.get("url", ""),
        "date": result.date,
        "core": numbers(tally.CORE),
        "robust": numbers(tally.ROBUST),
        "notOffered": tally.count(result, cases).not_offered,
        "effects": list(tally.by_effect(result, cases).items()),
        "choices": {
            name: result.choices[name]
            for name, choice in choices().items()
            if name in result.choices
            and name not in assumed
            and result.choices[name] != choice.options[0]
        },
    }


def _case(
    case: Case,
    results: Sequence[Result],
    clause_ids: Sequence[str],
    areas: Sequence[str],
) -> list[Any]:
    text, beside = answers.given(case)
    own = answers.right(case, {})
    return [
        case.id,
        case.title,
        clause_ids.index(case.clause),
        LEVELS.index(case.level),
        EFFECTS.index(case.why),
        areas.index(case.area),
        answers.trimmed(text)[0],
        _recorded(case),
        beside,
        own,
        case.derivation,
        "".join(_LETTERS[result.verdict(case.id)] for result in results),
        _wrong(case, results),
        _other_rights(case, results, own),
        case.op,
    ]


def _recorded(case: Case) -> list[str]:
    """Return the pieces in which a case states its text, unless they are too much to show."""
    chunks = list(case.chunks or ())
    return chunks if answers.trimmed(case.text)[1] == 0 else []


def _wrong(case: Case, results: Sequence[Result]) -> list[Any]:
    """Return the wrong answers, each with the numbers of the parsers that give it."""
    groups: dict[tuple[str, ...], list[Any]] = {}
    for number, result in enumerate(results):
        failure = result.failures.get(case.id)
        if failure is None:
            continue
        forms = frozenset(result.implementation["features"])
        cut = answers.pieces(case, forms, failure.where)
        key = (failure.got or failure.detail, failure.where, *cut)
        does = EFFECTS.index(effect(case, failure))
        found = groups.setdefault(
            key, [failure.verdict, failure.got, failure.detail, failure.where, does, cut, []]
        )
        found[-1].append(number)
    return sorted(groups.values(), key=lambda found: (-len(found[-1]), found[-1]))


def _other_rights(case: Case, results: Sequence[Result], own: str) -> list[Any]:
    """Return right answers of parsers that chose otherwise, with the parsers' numbers."""
    if not case.accept and case.op not in {"scan", "literal"}:
        return []
    groups: dict[str, list[int]] = {}
    for number, result in enumerate(results):
        if result.verdict(case.id) in {NOT_OFFERED, NOT_RUN}:
            continue
        other = answers.right(case, result.choices)
        if other != own:
            groups.setdefault(other, []).append(number)
    return [[text, numbers] for text, numbers in groups.items()]
