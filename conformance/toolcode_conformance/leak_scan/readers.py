"""Partitions of log files, and their rows in chunks: Parquet, JSON lines (perhaps gzip), CSV.

A partition is a row group of Parquet, or a whole file of another kind. Memory is bounded by the
chunk: nothing here holds more rows than that.
"""

from __future__ import annotations

import csv
import glob
import gzip
import itertools
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from toolcode_conformance.errors import UsageError
from toolcode_conformance.leak_scan.frame import Unread

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

KINDS: Final = (".parquet", ".jsonl", ".jsonl.gz", ".csv")
_FIELD: Final = 2**31 - 1  # a message may be longer than csv's limit of 131,072


@dataclass(frozen=True, slots=True)
class Part:
    """A partition.

    Attributes:
        path: The file.
        group: The row group; None for a whole file.
        first: The number of its first row in the file.
    """

    path: str
    group: int | None = None
    first: int = 0


def parts_of(pattern: str, columns: Sequence[str]) -> list[Part]:
    """Return the partitions of the files that match, in order.

    Args:
        pattern: A path, perhaps with wildcards (`**` too).
        columns: Columns that every Parquet or CSV file must have, and the first row of JSON lines.

    Raises:
        UsageError: Nothing matches, a file is of no known kind or broken, or a column is missing.
    """
    paths = sorted(glob.glob(pattern, recursive=True))  # noqa: PTH207  absolute patterns too
    if not paths:
        raise UsageError(f"no file matches {pattern!r}")
    return [part for path in paths for part in _parts(path, columns)]


def _parts(path: str, columns: Sequence[str]) -> list[Part]:
    if not path.endswith(KINDS):
        raise UsageError(f"{path}: neither of {', '.join(KINDS)}")
    try:
        if path.endswith(".parquet"):
            with pq.ParquetFile(path) as file:
                _want(path, columns, file.schema_arrow.names)
                meta = file.metadata
                sizes = [meta.row_group(i).num_rows for i in range(meta.num_row_groups)]
            firsts = itertools.accumulate(sizes, initial=0)
            return [Part(path, i, first) for i, first in enumerate(firsts) if i < len(sizes)]
        if path.endswith(".csv"):
            with Path(path).open(encoding="utf-8-sig", errors="replace", newline="") as file:
                _want(path, columns, next(csv.reader(file), []))
        else:
            row = next(_json_rows(path, columns[0]), None)
            if row and not isinstance(row[columns[0]], Unread):
                _want(path, columns, list(row))
    except (OSError, pa.ArrowException) as error:
        raise UsageError(f"{path}: {error}") from error
    return [Part(path)]


def _want(path: str, columns: Sequence[str], there: Sequence[str]) -> None:
    for column in columns:
        if column not in there:
            raise UsageError(f"{path}: no column {column!r}; it has {', '.join(there) or 'none'}")


def frames(part: Part, columns: Sequence[str], chunk: int) -> Iterator[pd.DataFrame]:
    """Yield a partition's rows, at most `chunk` at a time; the index numbers them in the file.

    Args:
        part: The partition.
        columns: What to read, the column of texts first.
        chunk: Rows.
    """
    first = part.first
    batches = _parquet(part, columns, chunk) if part.group is not None else None
    for rows in batches or _batches(part, columns, chunk):
        frame = pd.DataFrame(rows, columns=list(columns), dtype=object)
        frame.index = pd.RangeIndex(first, first + len(frame))
        first += len(frame)
        yield frame


def _parquet(part: Part, columns: Sequence[str], chunk: int) -> Iterator[dict[str, list[Any]]]:
    with pq.ParquetFile(part.path) as file:
        batches = file.iter_batches(chunk, row_groups=[part.group], columns=list(columns))
        for batch in batches:
            yield batch.to_pydict()


def _batches(part: Part, columns: Sequence[str], chunk: int) -> Iterator[list[list[Any]]]:
    text = columns[0]
    rows: Iterable[dict[Any, Any]] = (
        _csv_rows(part.path, text) if part.path.endswith(".csv") else _json_rows(part.path, text)
    )
    picked = ([row.get(column) for column in columns] for row in rows)
    while batch := list(itertools.islice(picked, chunk)):
        yield batch


def _json_rows(path: str, text: str) -> Iterator[dict[str, Any]]:
    opened = gzip.open(path, "rb") if path.endswith(".gz") else Path(path).open("rb")  # noqa: SIM115
    with opened as file:
        for number, line in enumerate(file, 1):
            try:
                row = json.loads(line.decode("utf-8"))
            except (ValueError, RecursionError) as error:
                row = {text: Unread(f"line {number}: {error}")}
            if not isinstance(row, dict):
                row = {text: Unread(f"line {number}: no object but {type(row).__name__}")}
            yield row


def _csv_rows(path: str, text: str) -> Iterator[dict[Any, Any]]:
    csv.field_size_limit(_FIELD)
    with Path(path).open(encoding="utf-8-sig", errors="surrogateescape", newline="") as file:
        reader = csv.DictReader(file)
        for row in reader:
            if None in row:
                row[text] = Unread(f"line {reader.line_num}: more fields than columns")
            elif not _is_utf8(row[text]):
                row[text] = Unread(f"line {reader.line_num}: no UTF-8")
            yield row


def _is_utf8(value: str | None) -> bool:
    try:
        (value or "").encode()
    except UnicodeEncodeError:
        return False
    return True
