"""What a release of the corpus promises: its list of cases, its errata, and itself in one file.

A list is frozen: whoever passes the cases of 0.1 still does when 0.2 has more. A case that somebody
disputes is run and reported, and does not count until it is settled.
"""

from __future__ import annotations

import json
import re
import sys
from typing import TYPE_CHECKING, Any, Final

from toolcode_conformance import places
from toolcode_conformance.corpus import load_corpus, read_json
from toolcode_conformance.errors import CorpusError, UsageError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from toolcode_conformance.cases import Case

ERRATA: Final = "errata.json"
_VERSION: Final = re.compile(r"[0-9]+\.[0-9]+(\.[0-9]+)?")
_KEYS: Final = frozenset({"case", "since", "question", "url", "settled"})


def lists(root: Path | None = None) -> dict[str, Path]:
    """The lists of releases, by version."""
    folder = (root or places.corpus_dir()) / "released"
    return {path.stem: path for path in sorted(folder.glob("*.txt"))}


def required(version: str, root: Path | None = None) -> frozenset[str]:
    """The ids of the cases that a release had.

    Raises:
        UsageError: There is no such release.
    """
    known = lists(root)
    if version not in known:
        there = ", ".join(known) or "none yet"
        raise UsageError(f"--release {version}: there is no such release; there are: {there}")
    return frozenset(known[version].read_text("utf-8").split())


def disputed(root: Path | None = None) -> dict[str, str]:
    """The disputed cases that are not settled, each with its question.

    Raises:
        CorpusError: The file is broken.
    """
    path = (root or places.corpus_dir()) / ERRATA
    if not path.is_file():
        return {}
    raw = read_json(path)
    entries = raw.get("errata") if isinstance(raw, dict) else None
    if not isinstance(entries, list):
        raise CorpusError("is no file of errata: it needs a list `errata`", path=path)
    found = {}
    for number, entry in enumerate(entries):
        where = f"erratum number {number + 1}"
        if not isinstance(entry, dict) or not {"case", "since", "question"} <= entry.keys():
            raise CorpusError(f"{where} needs `case`, `since` and `question`", path=path)
        if entry.keys() - _KEYS:
            raise CorpusError(
                f"{where} has unknown keys: {', '.join(sorted(entry.keys() - _KEYS))}", path=path
            )
        if "settled" not in entry:
            found[str(entry["case"])] = str(entry["question"])
    return found


def problems(by_id: Mapping[str, Case]) -> Iterator[str]:
    """Yield what is wrong with lists and errata."""
    for version, path in lists().items():
        for name in path.read_text("utf-8").split():
            if name not in by_id:
                yield f"{name}: was released with {version} and is gone; keep it as an alias"
    try:
        named = disputed()
    except CorpusError as error:
        yield str(error)
        return
    for name in named:
        if name not in by_id:
            yield f"{ERRATA}: {name} is no case"


def add_parsers(actions: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `release` and `export` to the actions of `corpus`."""
    one = actions.add_parser("release", help="freeze the list of cases under a version")
    one.add_argument("version", help="0.1, say")
    one.set_defaults(run=run_release)
    one = actions.add_parser("export", help="write the corpus as one JSON file")
    one.add_argument("file", help="the file, or - for standard output")
    one.set_defaults(run=run_export)


def run_release(options: argparse.Namespace) -> int:
    """Write the list of a release; one that is there is never changed."""
    version: str = options.version
    if not _VERSION.fullmatch(version):
        raise UsageError(f"{version}: a version is two or three numbers with dots between")
    if version in lists():
        raise UsageError(f"{version}: was released, in {lists()[version]}; a list never changes")
    path = places.corpus_dir() / "released" / f"{version}.txt"
    path.parent.mkdir(exist_ok=True)
    ids = sorted(case.id for case in load_corpus().cases if case.id not in disputed())
    path.write_text("\n".join(ids) + "\n", "utf-8")
    sys.stdout.write(f"{path}: {len(ids)} cases\n")
    return 0


def exported() -> dict[str, Any]:
    """The corpus in one value: clauses, choices, and every case with its texts written out."""
    root = places.corpus_dir()
    cases = []
    for case in load_corpus().cases:
        entry = {**case.raw, "clause": case.clause, "expect": case.expect, "group": case.group}
        if case.op in ("scan", "literal"):
            entry["input"] = case.text
            if case.chunks is not None:
                entry["chunks"] = list(case.chunks)
        else:
            entry["input"] = case.input
        if case.accept:
            entry["accept"] = [{"when": one.when, "expect": one.expect} for one in case.accept]
        cases.append(entry)
    return {
        "format": 1,
        "clauses": read_json(root / "clauses.json"),
        "choices": read_json(root / "choices.json"),
        "errata": disputed(),
        "cases": cases,
    }


def run_export(options: argparse.Namespace) -> int:
    """Write the corpus as ASCII JSON, so that no reader can lose half a surrogate pair."""
    # Some cases nest deeper than the C encoder's recursion goes.
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(100_000)
    try:
        text = json.dumps(exported(), indent=1) + "\n"
    finally:
        sys.setrecursionlimit(limit)
    if options.file == "-":
        sys.stdout.write(text)
        return 0
    try:
        with open(options.file, "w", encoding="ascii") as file:  # noqa: PTH123 - a plain word
            file.write(text)
    except OSError as error:
        raise UsageError(f"{options.file}: cannot be written: {error.strerror}") from error
    sys.stdout.write(f"{options.file}: {len(text):,} bytes\n")
    return 0
