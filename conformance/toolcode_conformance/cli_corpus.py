"""`toolcode corpus ...`: look at the corpus, keep its files canonical, check it."""

from __future__ import annotations

import collections
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from toolcode_conformance import new_case, places, releases
from toolcode_conformance.corpus import Corpus, group_files, load_corpus
from toolcode_conformance.formatter import dump, format_file

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable

    from toolcode_conformance.cases import Case


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `corpus` and its actions to the command line."""
    parser = commands.add_parser("corpus", help="look at, format and check the cases")
    parser.set_defaults(run=None)
    actions = parser.add_subparsers(dest="action", required=True)
    one = actions.add_parser("format", help="rewrite case files in canonical form")
    one.add_argument("--check", action="store_true", help="change nothing; exit 1 if any would be")
    one.add_argument("paths", nargs="*", type=Path, help="files or folders (default: all)")
    one.set_defaults(run=run_format)
    one = actions.add_parser("check", help="schema, form, ids, clauses, choices, two oracles")
    one.add_argument("paths", nargs="*", type=Path, help="files or folders (default: all)")
    one.set_defaults(run=run_check)
    one = actions.add_parser("list", help="one line per case")
    one.add_argument("patterns", nargs="*", help="beginnings of ids, clauses or levels")
    one.set_defaults(run=run_list)
    one = actions.add_parser("show", help="one case as JSON, and what is computed from it")
    one.add_argument("case", help="the case's id")
    one.set_defaults(run=run_show)
    one = actions.add_parser("stats", help="counts by area, level, effect, source")
    one.set_defaults(run=run_stats)
    one = actions.add_parser("search", help="cases that contain a text anywhere")
    one.add_argument("text", help="the text, compared without regard to case")
    one.set_defaults(run=run_search)
    new_case.add_parser(actions)
    releases.add_parsers(actions)


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")


def run_format(options: argparse.Namespace) -> int:
    """Format case files; 1 if `--check` found some that are not canonical."""
    files = group_files(options.paths or [places.corpus_dir()])
    changed = [path for path in files if not format_file(path, write=not options.check)]
    for path in changed:
        _say(f"{path}: {'is not canonical' if options.check else 'rewritten'}")
    _say(f"{len(files)} files, {len(changed)} {'not canonical' if options.check else 'rewritten'}")
    return int(bool(options.check and changed))


def run_check(options: argparse.Namespace) -> int:
    """Check the corpus; 1 if anything is wrong."""
    # Imported late: it needs jsonschema, which `list` and `format` do not.
    from toolcode_conformance.check import check_corpus  # noqa: PLC0415

    problems, notes = check_corpus(options.paths)
    for note in notes:
        _say(f"note: {note}")
    for problem in problems:
        _say(problem)
    _say(f"{len(problems)} problems")
    return int(bool(problems))


def _line(case: Case) -> str:
    return f"{case.id}  [{case.clause} {case.level} {case.why}] {case.title}"


def _show_cases(cases: Iterable[Case]) -> int:
    lines = [_line(case) for case in cases]
    for line in lines:
        _say(line)
    _say(f"{len(lines)} cases")
    return 0 if lines else 2


def run_list(options: argparse.Namespace) -> int:
    """List the cases whose id, clause or level begins with one of the patterns."""
    wanted = tuple(options.patterns) or ("",)
    return _show_cases(
        case
        for case in load_corpus().cases
        if any(name.startswith(wanted) for name in (case.id, case.clause, case.level))
    )


def run_search(options: argparse.Namespace) -> int:
    """List the cases that contain a text."""
    wanted = options.text.casefold()
    return _show_cases(
        case
        for case in load_corpus().cases
        if wanted in json.dumps(case.raw, ensure_ascii=False).casefold()
        or wanted in case.text.casefold()
    )


def run_show(options: argparse.Namespace) -> int:
    """Show one case."""
    from toolcode_conformance.features import features  # noqa: PLC0415  keeps `format` light

    case = load_corpus().find(options.case)
    _say(f"{case.path}")
    _say(dump(case.raw).rstrip("\n"))
    _say(f"features: {', '.join(sorted(features(case))) or 'none'}")
    if case.text:
        _say(f"input text ({len(case.text)} characters):\n{case.text[:4000]}")
    return 0


def polarity(case: Case) -> str:
    """What a case asks for: something (`gives`), its absence (`withholds`), or both (`mixed`).

    A call or value that must not come, an argument that must stay unresolved, a refusal: each
    withholds. A case that only asks for an answer in time is `ends`.
    """
    expect = case.expect
    if expect.get("any") or case.op == "growth":
        return "ends"
    calls = [part["call"] for part in expect.get("segments", ()) if "call" in part]
    calls += expect.get("calls", ()) if case.op == "recover" else ()
    marks = ("unresolved", "skipped", "conditional")
    withheld = (
        expect.keys() & {"refused", "nonliteral", "omitted", "dropped"}
        or expect.get("unresolved")
        or any(call.get(mark) for call in calls for mark in marks)
    )
    reads = case.op in ("scan", "literal", "recover")
    given = bool(calls) or "value" in expect or not (reads or withheld)
    given = given or any("thinking" in part for part in expect.get("segments", ()))
    if given and withheld:
        return "mixed"
    return "gives" if given else "withholds"


def _count(corpus: Corpus, title: str, key: Callable[[Case], str]) -> None:
    counts = collections.Counter(key(case) for case in corpus.cases)
    _say(f"{title}: " + ", ".join(f"{name} {count}" for name, count in sorted(counts.items())))


def _recording(folder: Path) -> str:
    """Return the counts of the recording, which are no cases of the default run."""
    from toolcode_conformance import readings_store as store  # noqa: PLC0415  only for stats

    replies = list(store.replies(folder))
    readings = store.load(folder)
    transcripts = len({reply.record["id"] for reply in replies})
    second = collections.Counter(reading.second for reading in readings.values())
    return (
        f"recorded: {transcripts} transcripts, {len(replies)} replies, of which {len(readings)} "
        f"have a reading (second reader: {_shown(second)}), {len(store.undecided(folder))} "
        f"undecided, {sum(len(s.replies) for s in store.decisions(folder))} decided by hand"
    )


def _shown(counts: collections.Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in sorted(counts.items()))


def run_stats(_options: argparse.Namespace) -> int:
    """Print counts of the corpus."""
    corpus = load_corpus()
    _say(f"{len(corpus.cases)} cases in {len(corpus.groups)} groups")
    _count(corpus, "area", lambda case: case.area)
    _count(corpus, "level", lambda case: case.level)
    _count(corpus, "effect", lambda case: case.why)
    _count(corpus, "operation", lambda case: case.op)
    _count(corpus, "source", lambda case: str(case.source.get("kind", "unstated")))
    _count(corpus, "polarity", polarity)
    clauses = {case.clause for case in corpus.cases}
    _say(f"clauses with a case: {len(clauses)}")
    _say(_recording(corpus.root / "recorded"))
    return 0
