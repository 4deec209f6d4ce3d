"""Recordings on disk: appended while recording, resumed after a stop, packed when complete."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any, Final

from toolcode_conformance.errors import CorpusError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

Record = dict[str, Any]
FORMAT: Final = 1
PACK_SIZE: Final = 400
"""Transcripts in one packed file: small enough to diff and review by itself."""


def to_line(record: Record) -> str:
    """Return a record as its one line, the same bytes for the same record."""
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n"


class Journal:
    """The working file of one recording process: a header line, then a record a line."""

    def __init__(self, path: Path, header: Record) -> None:
        self.path = path
        self._header = {"format": FORMAT, **header}
        self.done = self._resume() if path.exists() else set()
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(to_line(self._header), encoding="utf-8", newline="\n")

    def _resume(self) -> set[str]:
        data = self.path.read_bytes()
        # A process that was killed leaves half a line: it is cut off and recorded again.
        whole = data[: data.rfind(b"\n") + 1]
        if not whole:
            self.path.unlink()
            return set()
        if whole != data:
            self.path.write_bytes(whole)
        lines = whole.decode("utf-8").splitlines()
        if json.loads(lines[0]) != self._header:
            raise UsageError(
                f"{self.path}: was recorded with another model, library, setting or scenario;"
                " move it away or name another file with --out"
            )
        return {json.loads(line)["id"] for line in lines[1:]}

    def append(self, record: Record) -> None:
        """Write one record through to the file."""
        with self.path.open("a", encoding="utf-8", newline="\n") as file:
            file.write(to_line(record))
        self.done.add(record["id"])


def read_records(path: Path) -> tuple[Record, list[Record]]:
    """Return header and records of a working or packed (`.gz`) file.

    Raises:
        CorpusError: The file cannot be read, is empty, or holds a line that is no JSON.
    """
    try:
        data = path.read_bytes()
        text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode("utf-8")
        rows = [json.loads(line) for line in text.split("\n") if line]
    except OSError as error:
        raise CorpusError(f"cannot be read: {error}", path=path) from error
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise CorpusError(f"is no recording: {error}", path=path) from error
    if not rows or rows[0].get("format") != FORMAT:
        raise CorpusError("is no recording: no header of a known format", path=path)
    return rows[0], rows[1:]


def load_packed(folder: Path) -> Iterator[tuple[Record, Record]]:
    """Yield (header, record) of every packed transcript in a folder, in file order."""
    for path in sorted(folder.glob("transcripts-*.jsonl.gz")):
        header, records = read_records(path)
        for record in records:
            yield header, record


def pack(sources: Iterable[Path], order: list[str], folder: Path) -> list[Path]:
    """Write the records of working files as packed files, in the order of `order`.

    Raises:
        UsageError: The working files differ in their header, none holds a record, or the folder
            holds more transcripts already than they do.
    """
    headers: list[Record] = []
    by_id: dict[str, Record] = {}
    for source in sources:
        header, records = read_records(source)
        headers.append(header)
        by_id.update((record["id"], record) for record in records)
    if any(header != headers[0] for header in headers):
        raise UsageError("the working files were recorded with different settings")
    rows = [by_id[name] for name in order if name in by_id]
    if not rows:
        raise UsageError("nothing to pack: no transcript of this scenario was recorded yet")
    present = sum(1 for _ in load_packed(folder))
    if present > len(rows):
        raise UsageError(
            f"{folder} holds {present} transcripts, and only {len(rows)} were recorded;"
            " pack into another folder with --to"
        )
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("transcripts-*.jsonl.gz"):
        old.unlink()
    parts = [rows[at : at + PACK_SIZE] for at in range(0, len(rows), PACK_SIZE)]
    return [
        _write_part(folder, number, headers[0], part) for number, part in enumerate(parts, start=1)
    ]


def _write_part(folder: Path, number: int, header: Record, rows: list[Record]) -> Path:
    path = folder / f"transcripts-{number:02d}.jsonl.gz"
    text = "".join(to_line(row) for row in [header, *rows])
    # No time and no name in the gzip header: the same transcripts are the same bytes.
    path.write_bytes(gzip.compress(text.encode("utf-8"), compresslevel=9, mtime=0))
    return path
