"""Cuts at Gemma 3's token boundaries: precomputed for some cases, on demand for any text.

A model's stream arrives in tokens, and its tokenizer cuts where no tester would: a fence and its
label are four tokens, a quote sticks to its bracket, a rare character comes in pieces.
`corpus/token-cuts.json` holds the boundaries of some two hundred cases, so that the default run
tries real cuts without a tokenizer. `--chunks tokens` cuts every case; it needs one
(see `token_cuts_tokenizer`).

    python -m toolcode_conformance.token_cuts check    # names entries that fit no case any more
    python -m toolcode_conformance.token_cuts drop     # removes those
    python -m toolcode_conformance.token_cuts write    # computes all anew; needs a tokenizer
"""

from __future__ import annotations

import argparse
import functools
import itertools
import json
import sys
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from toolcode_conformance import places
from toolcode_conformance.corpus import load_corpus, read_json
from toolcode_conformance.errors import CorpusError, HarnessError, StartError, UsageError
from toolcode_conformance.features import has_surrogate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from toolcode_conformance.cases import Case
    from toolcode_conformance.chunking import Cuts

FORMAT: Final = 1
FILE: Final = "token-cuts.json"
COUNT: Final = 200
LONGEST_COMPUTED: Final = 20_000
"""Characters: longer texts are there for their size, and stay whole at `--chunks tokens`."""
_LONGEST: Final = 1500
_LEAST: Final = 8


@dataclass(frozen=True, slots=True)
class Entry:
    """The tokens of one case's text: its CRC-32, and each token's length in code points."""

    crc: int
    lengths: tuple[int, ...]

    def fits(self, text: str) -> bool:
        """Tell whether these are tokens of this text."""
        return sum(self.lengths) == len(text) and self.crc == crc(text)

    @property
    def cuts(self) -> Cuts:
        """The offsets between the tokens."""
        return tuple(itertools.accumulate(self.lengths[:-1]))


def crc(text: str) -> int:
    """Return the CRC-32 of a text's UTF-8 bytes, half surrogate pairs included."""
    return zlib.crc32(text.encode("utf-8", "surrogatepass"))


def table(path: Path | None = None) -> dict[str, Entry]:
    """Return the precomputed entries by case id; none where there is no file.

    Raises:
        CorpusError: The file is not in its form.
    """
    return _table(path or places.corpus_dir() / FILE)


@functools.cache
def _table(path: Path) -> dict[str, Entry]:
    if not path.exists():
        return {}
    raw = read_json(path)
    try:
        if raw["format"] != FORMAT:
            raise CorpusError(f"must be {FORMAT}", path=path, key="format")
        return {
            name: Entry(int(entry["crc"]), tuple(map(int, entry["lengths"])))
            for name, entry in raw["cases"].items()
        }
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise CorpusError(f"is not in its form: {error!r}", path=path) from error


def precomputed(case: Case, text: str) -> Cuts | None:
    """Return a case's cuts between tokens, or None where there are none for this text."""
    entry = table().get(case.id)
    return entry.cuts if entry is not None and entry.fits(text) else None


def compute(texts: Iterable[str]) -> dict[str, Cuts]:
    """Return the cuts between tokens of each text, found by a tokenizer.

    Raises:
        StartError: There is none; the message says how to get one.
    """
    from toolcode_conformance.token_cuts_tokenizer import find  # noqa: PLC0415  optional, heavy

    tokenizer = find()
    wanted = sorted({text for text in texts if text and len(text) <= LONGEST_COMPUTED})
    rows = zip(wanted, tokenizer.lengths(wanted), strict=True)
    return {text: Entry(0, tuple(row)).cuts for text, row in rows}


def stale(cases: Iterable[Case], entries: dict[str, Entry]) -> list[str]:
    """Return one line per entry whose case is gone or has another text now."""
    texts = {case.id: case.text for case in cases if case.op == "scan"}
    return [
        f"{FILE}: {name}: "
        + ("there is no such scan case" if name not in texts else "the case's text has changed")
        for name, entry in entries.items()
        if name not in texts or not entry.fits(texts[name])
    ]


def problems(cases: Iterable[Case]) -> list[str]:
    """Return the shipped table's stale entries, each with what to do."""
    drop = "`python -m toolcode_conformance.token_cuts drop` removes such entries"
    return [f"{line}; {drop}" for line in stale(cases, table())]


def suitable(case: Case) -> bool:
    """Tell whether a case's text can come from a tokenizer and is worth a line in the table."""
    return (
        case.op == "scan"
        and case.chunks is None
        and 0 < len(case.text) <= _LONGEST
        and not has_surrogate(case.text)
        and case.options.get("dialect") != "gemma"
        # Derived cases come and go with their family.
        and case.source.get("kind") != "derived"
    )


def choose(cases: Iterable[Case], count: int = COUNT) -> list[Case]:
    """Return some `count` cases, of each area its share; small areas whole.

    Which ones hangs on their ids alone: a new case takes the place of one other at most.
    """
    areas: dict[str, list[Case]] = {}
    for case in sorted(filter(suitable, cases), key=lambda case: crc(case.id)):
        areas.setdefault(case.area, []).append(case)
    whole = sum(map(len, areas.values()))
    chosen: list[Case] = []
    for found in areas.values():
        share = min(len(found), max(_LEAST, count * len(found) // max(whole, 1)))
        chosen += found[:share]
    return chosen


def dump(tokenizer: str, entries: dict[str, Entry]) -> str:
    """Return the file's text: an entry a line, so that a changed case is one changed line."""
    lines = [
        f"  {json.dumps(name)}: "
        + json.dumps({"crc": entry.crc, "lengths": entry.lengths}, separators=(",", ":"))
        for name, entry in sorted(entries.items())
    ]
    head = f' "format": {FORMAT},\n "tokenizer": {json.dumps(tokenizer)},\n'
    return "{\n" + head + ' "cases": {\n' + ",\n".join(lines) + "\n }\n}\n"


# --- the command ---------------------------------------------------------------------------------


def _check(path: Path) -> int:
    found = stale(load_corpus().cases, table(path))
    for line in found:
        _say(f"stale: {line}")
    _say(f"{len(table(path))} precomputed cases, {len(found)} stale")
    return int(bool(found))


def _drop(path: Path) -> int:
    texts = {case.id: case.text for case in load_corpus().cases if case.op == "scan"}
    entries = table(path)
    kept = {n: entry for n, entry in entries.items() if n in texts and entry.fits(texts[n])}
    path.write_text(dump(read_json(path)["tokenizer"], kept), "utf-8", newline="\n")
    _say(f"{len(entries) - len(kept)} dropped, {len(kept)} kept")
    return 0


def _write(path: Path) -> int:
    from toolcode_conformance.token_cuts_tokenizer import find  # noqa: PLC0415  optional, heavy

    tokenizer = find()
    cases = choose(load_corpus().cases)
    rows = zip(cases, tokenizer.lengths([case.text for case in cases]), strict=True)
    entries = {case.id: Entry(crc(case.text), tuple(row)) for case, row in rows}
    path.write_text(dump(tokenizer.about, entries), "utf-8", newline="\n")
    _say(f"{len(entries)} cases cut with {tokenizer.name}: {path}")
    return 0


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")


_ACTIONS: Final[dict[str, Callable[[Path], int]]] = {
    "check": _check,
    "drop": _drop,
    "write": _write,
}


def main(arguments: list[str] | None = None) -> int:
    """Run one command; 0 done, 1 stale entries, 2 usage, 4 no tokenizer."""
    parser = argparse.ArgumentParser(
        prog="python -m toolcode_conformance.token_cuts",
        description="The precomputed cuts at Gemma 3's token boundaries.",
    )
    parser.add_argument("action", choices=list(_ACTIONS))
    parser.add_argument("--file", help="the table (default: the corpus's)")
    options: Any = parser.parse_args(arguments)
    try:
        path = type(places.corpus_dir())(options.file or places.corpus_dir() / FILE)
        return _ACTIONS[options.action](path)
    except HarnessError as error:
        sys.stderr.write(f"token_cuts: {error}\n")
        return 4 if isinstance(error, StartError) else 2 if isinstance(error, UsageError) else 1


if __name__ == "__main__":
    sys.exit(main())
