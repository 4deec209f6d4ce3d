"""`python -m toolcode_fuzz.promote FINDING`: a finding becomes a case, or a known failure.

The right answer is never taken from whoever was fuzzed: `toolcode corpus new` asks the reference
and CPython, and a person where CPython is silent. Until that person has answered nothing is
written; only a finding in the reference itself is kept for replay at once.
"""

from __future__ import annotations

import argparse
import datetime as dt
import hashlib
import json
import re
import shlex
import sys
from pathlib import Path
from typing import Any, Final

from toolcode_conformance import new_case, places
from toolcode_conformance.errors import HarnessError
from toolcode_conformance.faults import KINDS
from toolcode_fuzz import findings
from toolcode_fuzz.findings import DIFFERENTIAL
from toolcode_fuzz.inputs import Reader

AS_CASES: Final = ("scan", "thinking", DIFFERENTIAL)
"""Targets whose input is a message that a scan case can hold."""

_EFFECTS: Final = (
    (r"^timeout", "stall"),
    (r"^(?:error|exit|would|garbage|undecodable|protocol|stderr|no-new|extra|wrong-id)", "crash"),
    (r"call/|call name|keys 1", "lost-call"),
    (r"end/call|text/call", "wrong-call"),
    (r"text|thinking", "leak-to-user"),
)
_CLAUSES: Final = (
    (r"^(?:timeout|error|exit|would|stderr)", "STREAM.4"),
    (r"^streaming", "STREAM.1a"),
    (r"thinking", "THINK.1"),
    (r"keys", "ARG.1"),
    (r"call name|call/|/call", "CALL.1"),
    (r"call ", "LIT.1a"),
)


_OF_NEW_CASES: Final = (
    *("id", "title", "clause", "why", "derivation", "oracle-note", "describe"),
    *("twin", "twinless"),
)


def main(words: list[str] | None = None) -> int:
    """Promote one finding; 0 once it is written."""
    parser = argparse.ArgumentParser(prog="make fuzz-promote FINDING=.. ARGS=..")
    parser.add_argument("finding", type=Path, help="a file that a run kept")
    parser.add_argument("--expectation", help="list this case as a known failure, do not make one")
    parser.add_argument("--reason", help="for --expectation: why it fails (clause, cause)")
    parser.add_argument("--expectations", type=Path, help="the file; the known adapter's own")
    for name in _OF_NEW_CASES:
        parser.add_argument(f"--{name}", help="as for: toolcode corpus new")
    parser.add_argument("--dry-run", action="store_true", help="show it, write nothing")
    options = parser.parse_args(words)
    if not options.finding.is_file():
        parser.error(f"FINDING={options.finding}: no such file")
    about = known_about(options.finding)
    try:
        if options.expectation:
            return _expect(options, about)
        return _promote(options, about)
    except HarnessError as error:
        print(f"fuzz-promote: {error}")
        return 2


def known_about(path: Path) -> dict[str, Any]:
    """Return what stands beside a finding; its name says the target where nothing does."""
    beside = path.with_suffix(".json")
    if beside.is_file():
        found: dict[str, Any] = json.loads(beside.read_text("utf-8"))
        return found
    return {"target": findings.target_of(path), "signature": "", "kind": "", "impl": ""}


def _promote(options: argparse.Namespace, about: dict[str, Any]) -> int:
    data = options.finding.read_bytes()
    target = about["target"]
    if target != DIFFERENTIAL:
        findings.KEPT.mkdir(exist_ok=True)
        kept = findings.KEPT / options.finding.name
        kept.write_bytes(data)
        print(f"kept for replay: {kept}")
    if target not in AS_CASES:
        return 0
    message = options.finding.with_suffix(".txt")
    message.write_text("".join(Reader(data).chunks()), "utf-8", "backslashreplace")
    if not (options.id and options.title):
        finding = findings.Finding(target, data, about["signature"], about.get("message", ""))
        line = f"make fuzz-promote FINDING={shlex.quote(str(options.finding))}"
        print(f"to make a case of it: {line} ARGS={shlex.quote(suggested(finding))}")
        return 0
    words = argparse.Namespace(
        file=str(message),
        source=json.dumps(
            {"kind": "fuzz", "target": target, "date": about.get("date") or _today()}
        ),
        tools=None,
        **{k.replace("-", "_"): getattr(options, k) for k in ("id", "title", "clause", "why")},
        derivation=options.derivation,
        oracle_note=options.oracle_note,
        twin=options.twin,
        twinless=options.twinless,
        describe=options.describe,
        dry_run=options.dry_run,
    )
    new_case.run(words)
    if about.get("impl"):
        _say_expectation(options, about)
    return 0


def _say_expectation(options: argparse.Namespace, about: dict[str, Any]) -> None:
    impl = about["impl"]
    print(f"{impl} fails it: toolcode conformance --impl {shlex.quote(impl)} -k {options.id}")
    if (places.adapters_dir() / impl / "expectations.txt").is_file():
        words = f"--expectation {options.id} --reason 'CLAUSE: cause'"
        line = f"make fuzz-promote FINDING={shlex.quote(str(options.finding))}"
        print(f"as a known failure: {line} ARGS={shlex.quote(words)}")


def _expect(options: argparse.Namespace, about: dict[str, Any]) -> int:
    """Add a line to the expectations of the implementation that was fuzzed."""
    path = (
        options.expectations or places.adapters_dir() / about.get("impl", "") / "expectations.txt"
    )
    if not options.reason or options.reason.startswith("TODO"):
        print("fuzz-promote: --reason is missing: the clause, and the cause in a few words")
        return 2
    if not path.parent.is_dir():
        print(
            f"fuzz-promote: {about.get('impl')!r} is no known adapter: name a file: --expectations"
        )
        return 2
    line = expectation_line(options.expectation, about.get("kind", ""), options.reason)
    print(f"{path}: {line}")
    if not options.dry_run:
        with path.open("a", encoding="utf-8") as file:
            file.write(line + "\n")
    return 0


def expectation_line(case_id: str, kind: str, reason: str) -> str:
    """Return the line for an expectations file."""
    word = KINDS.get(kind, "fail")
    shown = "" if word == "fail" else f"  {word}"
    return f"{case_id}{shown}  # {' '.join(reason.split())}"


def suggested(finding: findings.Finding) -> str:
    """Return options to start from: clause and effect are guessed by the difference's place."""
    slug = hashlib.sha256(finding.data).hexdigest()[:8]
    title = re.sub(r"[^A-Za-z0-9 .,:()=/-]+", " ", finding.message)[:60].strip()
    group = "fuzz.found"
    words = [f"--id {group}.{slug}", f'--title "{title}"', f"--clause {_guess(_CLAUSES, finding)}"]
    words.append(f"--why {_guess(_EFFECTS, finding)}")
    if not (places.corpus_dir() / "fuzz" / "found.json").is_file():
        words.append('--describe "What fuzzing found and no other case held."')
    return " ".join(words)


def _guess(table: tuple[tuple[str, str], ...], finding: findings.Finding) -> str:
    found = (word for pattern, word in table if re.search(pattern, finding.signature))
    return next(found, "MODEL.1" if table is _CLAUSES else "corrupt-argument")


def _today() -> str:
    return dt.datetime.now(dt.UTC).date().isoformat()


if __name__ == "__main__":
    sys.exit(main())
