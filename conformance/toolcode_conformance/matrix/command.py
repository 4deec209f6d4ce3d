"""The command `toolcode matrix`: run what is set up, then write every report."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

from toolcode_conformance import places
from toolcode_conformance.chunking import LEVELS
from toolcode_conformance.corpus import load_corpus
from toolcode_conformance.errors import UsageError
from toolcode_conformance.matrix import answers, findings, html, junit, markdown, runs, store

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from toolcode_conformance.cases import Case
    from toolcode_conformance.matrix.runs import Ran, Subject

_PAGE_LIMIT: Final = 3_000_000


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    one = commands.add_parser("matrix", help="run every parser that is set up, and compare them")
    one.add_argument("--impls", default="", help="adapters, parted by commas; all when left out")
    one.add_argument("--jobs", type=int, default=2, help="runs at a time, as memory allows")
    one.add_argument("--chunks", choices=list(LEVELS), default="standard")
    one.add_argument("--limit", type=float, default=1800.0, help="seconds for one parser's run")
    one.add_argument("--timeout", type=float, default=30.0, help="seconds per exchange")
    one.add_argument("--results", type=Path, help="folder of results and reports")
    one.add_argument("--corpus", type=Path, help="folder of cases, instead of the suite's own")
    one.add_argument("--junit", type=Path, help="also write the results as JUnit XML")
    one.add_argument("--reports-only", action="store_true", help="run nothing")
    one.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Run the command and return its exit code: 0 when every run was as expected, else 1."""
    folder = options.results or places.results_dir()
    ran: list[Ran] = []
    if not options.reports_only:
        names = [name for name in options.impls.replace(",", " ").split() if name]
        settings = runs.Settings(
            folder, options.chunks, options.limit, options.timeout, options.corpus, options.jobs
        )
        try:
            ran = matrix(runs.subjects(names), settings)
        except KeyboardInterrupt:
            _say("interrupted; results of runs that ended are written, the reports are not")
            return 3
    reports(folder, options.corpus, options.junit)
    return verdict(ran, asked=bool(options.impls))


def matrix(chosen: Sequence[Subject], settings: runs.Settings) -> list[Ran]:
    """Run the subjects with a line of progress for each."""
    if settings.jobs < 1:
        raise UsageError("--jobs must be 1 or more")
    start = time.monotonic()
    ran = runs.run_all(chosen, settings, _say)
    _say(f"{len(ran)} parsers in {(time.monotonic() - start) / 60:.1f} minutes")
    return ran


def verdict(ran: Sequence[Ran], *, asked: bool) -> int:
    """Say which runs were not as expected, and return the exit code.

    Args:
        ran: What was run.
        asked: Whether the parsers were named, so that one which is not set up is no small matter.
    """
    skipped = [one for one in ran if one.state == "skipped"]
    wrong = [one for one in ran if one.state in {"unexpected", "broken"}]
    if skipped:
        _say(f"not set up, and so not run: {', '.join(one.subject.name for one in skipped)}")
    for one in wrong:
        _say(f"not as expected: {one.subject.name}: {one.text}")
    if asked and skipped:
        return 4
    if ran and len(skipped) == len(ran):
        _say("no parser was run")
        return 4
    return 1 if wrong else 0


def reports(
    folder: Path, corpus_folder: Path | None = None, junit_file: Path | None = None
) -> None:
    """Write every report from the results in a folder.

    Raises:
        UsageError: The folder holds no results, or one that cannot be read.
    """
    results = store.load_all(folder)
    cases = load_corpus(corpus_folder).cases
    wording = answers.wording()
    page = html.page(results, cases, wording)
    if len(page) > _PAGE_LIMIT:
        _say(f"matrix.html holds {len(page)} characters, more than {_PAGE_LIMIT}")
    _write(folder / "TABLE.md", markdown.fragment(results, cases))
    _write(folder / "matrix.md", markdown.page(results, cases))
    _write(folder / "matrix.html", page)
    _findings(folder / "findings", results, cases, wording)
    if junit_file is not None:
        _write(junit_file, junit.document(results, cases))
    _say(f"reports of {len(results)} parsers written to {folder}")


def _findings(
    folder: Path,
    results: Sequence[store.Result],
    cases: Sequence[Case],
    wording: dict[str, str],
) -> None:
    wanted = {result.name: result for result in results if result.failures}
    for path in folder.glob("*.md"):
        if path.stem not in wanted:
            path.unlink()
    for name, result in wanted.items():
        _write(folder / f"{name}.md", findings.page(result, cases, wording))


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    # Cases hold half surrogate pairs, which no encoding writes.
    path.write_bytes(text.encode("utf-8", "backslashreplace"))


def _say(text: str) -> None:
    sys.stdout.write(f"matrix: {text}\n")
    sys.stdout.flush()
