"""`toolcode corpus check`: everything that can be wrong with a case without running a parser."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from toolcode_conformance import emission, places, releases, token_cuts, twins
from toolcode_conformance.corpus import (
    group_files,
    load_corpus,
    load_families,
    load_group,
    read_json,
)
from toolcode_conformance.errors import CorpusError
from toolcode_conformance.families import FILE
from toolcode_conformance.features import features
from toolcode_conformance.formatter import canonical
from toolcode_conformance.oracle import opinion
from toolcode_conformance.schemas import problems as schema_problems
from toolcode_conformance.tables import choices, clauses

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from toolcode_conformance.cases import Case

_MAX_EMISSION = 2000
_OWN_ORACLE = frozenset({"scan", "literal"})


def check_corpus(paths: list[Path]) -> tuple[list[str], list[str]]:
    """Check files (default: the whole corpus).

    Returns:
        The problems, one line each, and notes that are no problem.
    """
    found: list[str] = []
    cases: list[Case] = []
    files = group_files(paths or [places.corpus_dir()])
    for path in files:
        found += check_file(path, cases)
    found += _ids(cases)
    notes = [f"{len(files)} files, {len(cases)} cases read"]
    if clauses():
        found += [
            f"{case.id}: clause {case.clause} is not in SPEC.md"
            for case in cases
            if case.clause not in clauses()
        ]
        found += [
            f"{case.id}: level {case.level}, but clause {case.clause} is "
            f"{clauses()[case.clause].level}"
            for case in cases
            if case.clause in clauses() and case.level != clauses()[case.clause].level
        ]
    else:
        notes.append("corpus/clauses.json does not exist, so clause ids were not checked")
    found += _duplicates(cases)
    if not paths:
        found += _probes(cases)
        found += releases.problems(_by_name(cases))
        found += twins.problems(cases)
        found += _families(cases)
        found += token_cuts.problems(cases)
    for case in cases:
        found += [f"{case.id}: {problem}" for problem in check_case(case)]
    if not cases:
        found.append("no case was read")
    return found, notes


def check_file(path: Path, cases: list[Case]) -> list[str]:
    """Return a file's problems of form; its cases are added to `cases`."""
    found: list[str] = []
    try:
        raw = read_json(path)
        found += [f"{path}: {_named(raw, line)}" for line in schema_problems("case-group", raw)]
        group = load_group(path)
    except CorpusError as error:
        return [*found, str(error)]
    cases += group.cases
    if canonical(raw).encode() != path.read_bytes():
        found.append(f"{path}: is not canonical; run `toolcode corpus format`")
    found += [
        f"{path}: case {case.id} does not begin with its group's name {group.name}"
        for case in group.cases
        if not case.id.startswith(group.name + ".")
    ]
    return found


def _named(raw: Any, line: str) -> str:  # noqa: ANN401  JSON
    """Put the case's id before a schema problem's place."""
    try:
        number = int(line.split("cases[", 1)[1].split("]", 1)[0])
        return f"case {raw['cases'][number]['id']}: {line.split('].', 1)[-1]}"
    except (IndexError, KeyError, ValueError, TypeError):
        return line


def _ids(cases: list[Case]) -> Iterator[str]:
    seen: dict[str, Path] = {}
    for case in cases:
        for name in (case.id, *case.aliases):
            if name in seen:
                yield f"{name}: is used twice, in {seen[name]} and {case.path}"
            seen[name] = case.path


def _duplicates(cases: list[Case]) -> Iterator[str]:
    """Two cases that ask the same of the same clause are one too many, however they are written."""
    seen: dict[str, str] = {}
    for case in cases:
        asked = [case.clause, case.op, case.text or case.input, case.chunks, case.options]
        key = json.dumps([*asked, case.expect], sort_keys=True)
        if key in seen:
            yield f"{case.id}: asks the same as {seen[key]}"
        seen.setdefault(key, case.id)


def _by_name(cases: list[Case]) -> dict[str, Case]:
    """All cases that there are, derived ones and aliases included."""
    try:
        return load_corpus().by_id
    except CorpusError:  # said by the other checks
        return {name: case for case in cases for name in (case.id, *case.aliases)}


def _families(cases: list[Case]) -> Iterator[str]:
    """Every derived variant has two readers as well: the relation, and CPython."""
    root = places.corpus_dir()
    try:
        groups = load_families(root, {case.id: case for case in cases})
    except CorpusError as error:
        yield str(error)
        return
    path = root / FILE
    if path.is_file() and path.read_text("utf-8") != json.dumps(read_json(path), indent=1) + "\n":
        yield f"{path}: is not canonical: write it as JSON with an indent of 1"
    for case in (case for group in groups for case in group.cases):
        differs = opinion(case).differs
        if differs:
            yield f"{case.id}: CPython disagrees: {differs}"


def _probes(cases: list[Case]) -> Iterator[str]:
    by_id = {case.id: case for case in cases}
    for choice in choices().values():
        case = by_id.get(choice.probe or "")
        if case is None:
            yield f"choice {choice.name}: its probe case {choice.probe} does not exist"
            continue
        stated = {
            option
            for accept in case.accept
            for name, option in accept.when.items()
            if name == choice.name
        }
        if not stated and case.op != "literal" and choice.name not in _COMPARATORS:
            yield f"choice {choice.name}: its probe {case.id} accepts no other option"


_COMPARATORS = frozenset({"numbers", "object-order", "text-trim", "result-fence", "gemma-result"})


def check_case(case: Case) -> list[str]:
    """Return what is wrong with one case beyond its form."""
    found = []
    for accept in case.accept:
        for name, option in accept.when.items():
            if name not in choices():
                found.append(f"accept names an unknown choice {name}")
            elif option not in choices()[name].options:
                found.append(f"accept names an unknown option {name}={option}")
    if "utf16" in features(case) and case.op == "scan" and "utf16" not in case.needs:
        found.append("the input holds half a surrogate pair, so it needs utf16")
    if case.clause in emission.CLAUSES and len(case.text) > _MAX_EMISSION:
        found.append(f"is judged at every prefix, so it may have {_MAX_EMISSION} characters")
    if case.op in _OWN_ORACLE:
        found += _two_oracles(case)
    try:
        json.dumps(case.expect, allow_nan=False)
    except ValueError:
        found.append("expect holds a number that is no JSON")
    return found


def _two_oracles(case: Case) -> list[str]:
    said = opinion(case)
    if said.silent:
        if not (case.derivation or case.oracle_note):
            return [f"needs a derivation, because {said.silent}"]
    elif said.differs and not case.oracle_note:
        return [f"CPython disagrees and no oracle_note says why: {said.differs}"]
    return []
