"""The golden readings of the recorded replies: made, kept beside the recording, and loaded.

Each reply of `corpus/recorded/transcripts-*.jsonl.gz` has a line in `readings.jsonl.gz`: its
segments and announcements, and who read them beside the reference (`ast`, or `rules`, the second
reading). `decisions.toml` says why where a real parser disagrees; a reply of which nobody can say
what it means stands in `undecided/questions.toml` and has no line.
"""

from __future__ import annotations

import gzip
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from toolcode_conformance.cases import make_case
from toolcode_conformance.corpus import read_toml
from toolcode_conformance.errors import CorpusError
from toolcode_conformance.normal import from_steps
from toolcode_conformance.oracle import opinion
from toolcode_conformance.readings import read
from toolcode_conformance.recorder.pieces import text_chunks
from toolcode_conformance.recorder.store import read_records

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolcode_conformance.cases import Case
    from toolcode_conformance.reference_handler import Reference

FORMAT: Final = 1
READINGS: Final = "readings.jsonl.gz"
DECISIONS: Final = "decisions.toml"
UNDECIDED: Final = "undecided/questions.toml"
_REOPENED: Final = re.compile(r"```tool_code(?:(?!```).)*```tool_code", re.DOTALL)
_MARKS: Final = ("unresolved", "skipped", "conditional")


@dataclass(frozen=True, slots=True)
class Reply:
    """One recorded reply; `key` is its transcript's id, with /2 behind it for the second."""

    key: str
    path: Path
    record: dict[str, Any]
    number: int
    chunks: tuple[str, ...]

    @property
    def text(self) -> str:
        """The whole reply."""
        return "".join(self.chunks)


@dataclass(frozen=True, slots=True)
class Reading:
    """What a reply means, and who says so beside the reference: `ast` or `rules`."""

    segments: list[dict[str, Any]]
    dropped: list[str]
    second: str


@dataclass(frozen=True, slots=True)
class Shape:
    """A question on which parsers differ, decided; `replies` has a note for each."""

    id: str
    clause: str
    question: str
    decided: str
    other: str
    replies: dict[str, str]


def replies(folder: Path) -> Iterator[Reply]:
    """Yield every recorded reply of a folder, in the recording's order.

    Raises:
        CorpusError: A packed file is broken; the message names it.
    """
    for path in sorted(folder.glob("transcripts-*.jsonl.gz")):
        for record in read_records(path)[1]:
            for number, reply in enumerate(record["replies"], start=1):
                key = record["id"] + (f"/{number}" if number > 1 else "")
                yield Reply(key, path, record, number, tuple(text_chunks(reply["tokens"])))


def load(folder: Path) -> dict[str, Reading]:
    """Return the stored readings by key.

    Raises:
        CorpusError: The file is missing or broken.
    """
    return {
        row["key"]: Reading(row["segments"], row.get("dropped", []), row["second"])
        for row in read_records(folder / READINGS)[1]
    }


def decisions(folder: Path) -> list[Shape]:
    """Return the decided shapes.

    Raises:
        CorpusError: The file is broken, or names a reply twice.
    """
    path = folder / DECISIONS
    shapes = []
    for raw in read_toml(path, FORMAT).get("shapes", []):
        try:
            shapes.append(Shape(**raw))
        except TypeError as error:
            raise CorpusError(str(error), path=path, key=f"shapes {raw.get('id')}") from error
    keys = [key for shape in shapes for key in shape.replies]
    for key in keys:
        if keys.count(key) > 1:
            raise CorpusError(f"names {key} twice", path=path, key="replies")
    return shapes


def undecided(folder: Path) -> dict[str, str]:
    """Return the question of each reply that has no reading."""
    questions: dict[str, str] = read_toml(folder / UNDECIDED, FORMAT).get("questions", {})
    return questions


# --- making them -------------------------------------------------------------------------------


def reference_reading(text: str, handler: Reference) -> dict[str, Any]:
    """Return the reference's reading of a reply, in the form of a case's `expect`."""
    request = {"id": 1, "op": "scan", "chunks": [text], "options": {}}
    normal = from_steps(handler.handle(request)["result"]["steps"])
    segments = [
        {"call": _bare(segment["call"])} if "call" in segment else segment
        for segment in normal.segments
    ]
    return {"segments": segments, "dropped": normal.dropped}


def _bare(call: dict[str, Any]) -> dict[str, Any]:
    kept = {"name": call["name"], "arguments": call["arguments"]}
    return kept | {mark: call[mark] for mark in _MARKS if call.get(mark)}


def ast_says(text: str, reading: dict[str, Any]) -> str | None:
    """Return how CPython's reading differs, "" if it agrees, None where it cannot speak."""
    if _REOPENED.search(text):
        return None  # a fence that closes one block and opens the next is none of its rules
    said = opinion(_as_case(text, reading))
    return None if said.silent else said.differs


def _as_case(text: str, reading: dict[str, Any]) -> Case:
    raw = {"id": "recorded.stream.x", "title": "x", "level": "should", "why": "lost-call"}
    return make_case(
        raw | {"input": text, "expect": reading}, group="x", clause="MODEL.1", path=Path("x")
    )


def make(folder: Path, handler: Reference) -> tuple[list[dict[str, Any]], list[str]]:
    """Read every reply anew.

    Returns:
        The rows to store, and one line per reply on which the readings differ: such a reply has
        no row, and is either a fault of a reader or belongs into `undecided/`.
    """
    rows, problems = [], []
    open_questions = undecided(folder)
    for reply in replies(folder):
        if reply.key in open_questions:
            continue
        reading = reference_reading(reply.text, handler)
        said = ast_says(reply.text, reading)
        if json.dumps(read(reply.text)) != json.dumps(reading):
            problems.append(f"{reply.key}: the second reading differs from the reference's")
        elif said:
            problems.append(f"{reply.key}: CPython differs: {said}")
        else:
            row = {"key": reply.key, "segments": reading["segments"]}
            if reading["dropped"]:
                row["dropped"] = reading["dropped"]
            rows.append(row | {"second": "rules" if said is None else "ast"})
    return rows, problems


def dump(rows: list[dict[str, Any]]) -> bytes:
    """Return the bytes of a readings file; the same rows give the same bytes."""
    lines = [{"format": FORMAT, "readings": len(rows)}, *rows]
    text = "".join(
        json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n" for line in lines
    )
    return gzip.compress(text.encode("utf-8"), compresslevel=9, mtime=0)
