"""`toolcode corpus new`: a transcript becomes a case, once two readers agree on it.

The answer comes from the reference and is compared with CPython's reading of the same block. Where
CPython is silent somebody has to derive it, and where it disagrees somebody has to say why: without
that nothing is written.
"""

from __future__ import annotations

import difflib
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from toolcode_conformance import places, twins
from toolcode_conformance.cases import EFFECTS, Case, make_case
from toolcode_conformance.corpus import load_corpus, read_json
from toolcode_conformance.errors import UsageError
from toolcode_conformance.formatter import canonical
from toolcode_conformance.oracle import opinion
from toolcode_conformance.tables import clauses

if TYPE_CHECKING:
    import argparse

SINCE: Final = "0.1"
_SHOWN: Final = 2000


def add_parser(actions: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `new` to the actions of `corpus`."""
    one = actions.add_parser("new", help="make a case of a transcript")
    one.add_argument("file", help="a file with the message, or - for standard input")
    one.add_argument("--id", help="area.group.slug")
    one.add_argument("--title", help="one line that says what is tested")
    one.add_argument("--clause", help="the clause; the group's own by default")
    one.add_argument("--why", choices=EFFECTS, help="what failing does to a user")
    one.add_argument("--source", help="the source as JSON, or a word: spec, reported")
    one.add_argument("--derivation", help="how the answer follows from the clause")
    one.add_argument("--oracle-note", help="why CPython's other reading is not the right one")
    one.add_argument("--twin", help="the near case with another answer; found by default")
    one.add_argument("--twinless", metavar="WHY", help="why there is no such case")
    one.add_argument("--tools", help="declared tools, with commas between them")
    one.add_argument("--describe", help="what a new group is about, where the group is new")
    one.add_argument("--dry-run", action="store_true", help="show the case, write nothing")
    one.set_defaults(run=run)


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")


def run(options: argparse.Namespace) -> int:
    """Make one case; 0 once it is written and checked."""
    from toolcode_conformance.check import check_corpus  # noqa: PLC0415  needs jsonschema

    text = _transcript(options.file)
    _ask(options)
    path, group = _group(options)
    case = _made(options, text, group, path)
    _judge_oracles(case)
    before = {path: path.read_text("utf-8") if path.exists() else ""}
    after = {path: {**group, "cases": [*group["cases"], case.raw]}}
    twin = _twin(options, case)
    if twin:
        before[twin.path] = twin.path.read_text("utf-8")
        _link(after, twin, case)
    texts = {file: canonical(content) for file, content in after.items()}
    for file, content in texts.items():
        _say("".join(_difference(before[file], content, file)).rstrip("\n"))
    if options.dry_run:
        return 0
    path.parent.mkdir(parents=True, exist_ok=True)
    for file, content in texts.items():
        file.write_text(content, "utf-8")
    problems, _ = check_corpus(list(texts))
    if problems:
        for file in texts:
            _restore(file, before[file])
        raise UsageError("nothing was written: " + "; ".join(problems))
    _say(f"written to {path}; now run: toolcode conformance -k {case.id}")
    return 0


def _transcript(name: str) -> str:
    try:
        data = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
        text = data.decode("utf-8")
    except OSError as error:
        raise UsageError(f"{name}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{name}: is no UTF-8 at byte {error.start}") from error
    if not text:
        raise UsageError(f"{name}: is empty")
    return text


def _ask(options: argparse.Namespace) -> None:
    """Ask for what is missing where somebody can answer; else name it."""
    wanted = {"id": "area.group.slug", "title": "one line", "why": f"one of {', '.join(EFFECTS)}"}
    for name, hint in wanted.items():
        if not getattr(options, name) and sys.stdin.isatty() and sys.stdout.isatty():
            setattr(options, name, input(f"{name} ({hint}): ").strip())
        if not getattr(options, name):
            raise UsageError(f"--{name} is missing: {hint}")
    if options.why not in EFFECTS:
        raise UsageError(f"--why {options.why}: it is one of {', '.join(EFFECTS)}")


def _group(options: argparse.Namespace) -> tuple[Path, dict[str, Any]]:
    """Find the group's file, or begin one."""
    parts = options.id.split(".")
    if len(parts) != 3:  # noqa: PLR2004
        raise UsageError(f"--id {options.id}: it has three parts, area.group.slug")
    corpus = load_corpus()
    if options.id in corpus.by_id:
        raise UsageError(
            f"--id {options.id}: there is such a case, in {corpus.find(options.id).path}"
        )
    name = ".".join(parts[:2])
    for group in corpus.groups:
        if group.name == name:
            return group.path, read_json(group.path)
    if not (options.clause and options.describe):
        raise UsageError(f"group {name} is new: give it --clause and --describe")
    head = {"group": name, "description": options.describe, "clause": options.clause}
    return places.corpus_dir() / parts[0] / f"{parts[1]}.json", {**head, "cases": []}


def _made(options: argparse.Namespace, text: str, group: dict[str, Any], path: Path) -> Case:
    clause = options.clause or group["clause"]
    if clause not in clauses():
        raise UsageError(f"--clause {clause}: SPEC.md has no such clause")
    tools = [name.strip() for name in options.tools.split(",")] if options.tools else None
    fields: dict[str, Any] = {
        "id": options.id,
        "title": options.title,
        "clause": clause if clause != group["clause"] else None,
        "level": clauses()[clause].level,
        "why": options.why,
        "op": "scan",
        "input": _input(text),
        "options": {"tools": tools} if tools else None,
        "expect": _expected(text, tools),
        "derivation": options.derivation,
        "oracle_note": options.oracle_note,
        "source": _source(options.source),
        "twinless": options.twinless,
        "since": SINCE,
    }
    raw = {key: value for key, value in fields.items() if value is not None}
    return make_case(raw, group=group["group"], clause=group["clause"], path=path)


def _input(text: str) -> Any:  # noqa: ANN401 - one of the forms that a text may have
    """Lines where a person reads them best; a text with other line breaks stays one string."""
    if "\n" in text and "\r" not in text:
        return {"lines": text.split("\n")}
    return text


def _expected(text: str, tools: list[str] | None) -> dict[str, Any]:
    # Imported late: everything else in the harness works without the reference.
    import toolcode  # noqa: PLC0415

    events = toolcode.scan(text, tools=tools)
    segments = toolcode.segments(events)
    calls = [event for event in events if isinstance(event, toolcode.Call)]
    for found, call in zip((s["call"] for s in segments if "call" in s), calls, strict=True):
        for key in ("unresolved", "skipped"):
            if getattr(call, key):
                found[key] = list(getattr(call, key))
        if call.conditional:
            found["conditional"] = True
    dropped = [event.reason for event in events if isinstance(event, toolcode.Dropped)]
    return {"segments": segments, **({"dropped": dropped} if dropped else {})}


def _source(given: str | None) -> dict[str, Any]:
    if not given or given == "spec":
        return {"kind": "spec"}
    if given == "reported":
        return {"kind": "reported", "url": None}
    try:
        source = json.loads(given)
    except ValueError as error:
        raise UsageError(f"--source: neither a known word nor JSON: {error}") from error
    if not isinstance(source, dict):
        raise UsageError("--source: an object is wanted")
    return source


def _judge_oracles(case: Case) -> None:
    """Refuse a case that only one reader stands for."""
    said = opinion(case)
    _say("the reference reads: " + json.dumps(case.expect, ensure_ascii=False)[:_SHOWN])
    if said.differs:
        _say(f"CPython disagrees: {said.differs}")
        if not case.oracle_note:
            raise UsageError("the two oracles differ: say why with --oracle-note, or mend the text")
    elif said.silent:
        _say(f"CPython is silent: {said.silent}")
        if not case.derivation:
            raise UsageError(
                "only the reference has read this: derive the answer from the clause by hand, "
                "and say how with --derivation"
            )
    else:
        _say("CPython agrees")


def _twin(options: argparse.Namespace, case: Case) -> Case | None:
    """The case to link, given or found."""
    if options.twin:
        return load_corpus().find(options.twin)
    if not twins.needs_twin(case):
        return None
    found = twins.nearest(case, load_corpus().cases)
    if found is None:
        raise UsageError(
            f"{case.why} asks for a twin, and no case with another answer is near: make that one "
            "first, name it with --twin, or say with --twinless why there is none"
        )
    _say(f"its twin is {found.id}: {found.title}")
    return found


def _link(files: dict[Path, dict[str, Any]], twin: Case, case: Case) -> None:
    """Let both cases name each other."""
    files.setdefault(twin.path, read_json(twin.path))
    links = {twin.id: case.id, case.id: twin.id}
    for content in files.values():
        content["cases"] = [
            twins.with_link(raw, links[raw["id"]]) if raw["id"] in links else raw
            for raw in content["cases"]
        ]


def _difference(before: str, after: str, path: Path) -> list[str]:
    lines = before.splitlines(keepends=True), after.splitlines(keepends=True)
    return list(difflib.unified_diff(*lines, fromfile=str(path), tofile=str(path)))


def _restore(path: Path, before: str) -> None:
    if before:
        path.write_text(before, "utf-8")
    else:
        path.unlink()
