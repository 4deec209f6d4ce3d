"""Scans partitions into a folder, with pandas or Dask; what is finished is not done again.

The folder holds `findings/PART.parquet`, `errors/PART.parquet` and the marker `done/PART.json`,
which is written last, so that an interrupted partition is done anew.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from toolcode_conformance.errors import UsageError
from toolcode_conformance.leak_scan.frame import COLUMNS, scan_frame, split
from toolcode_conformance.leak_scan.readers import Part, frames

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pandas as pd

    from toolcode.runtime.leaks import Channel

_INTEGERS: Final = frozenset({"row", "finding", "start", "end"})
_FOLDERS: Final = ("findings", "errors", "done")


@dataclass(frozen=True, slots=True)
class Job:
    """What to scan for, and where to write.

    Attributes:
        out: The folder.
        text: The column of texts.
        ids: Columns to keep; files have them as text.
        tools: The declared tools; None where they are not known.
        channel: Where the texts were found.
        chunk: Rows in memory at a time; no result depends on it.
    """

    out: Path
    text: str = "text"
    ids: tuple[str, ...] = ()
    tools: tuple[str, ...] | None = None
    channel: Channel = "text"
    chunk: int = 10_000

    @property
    def columns(self) -> tuple[str, ...]:
        """What is read of a file, the texts first."""
        return (self.text, *(name for name in self.ids if name != self.text))


def name_of(part: Part) -> str:
    """Return a partition's name, under which its files lie."""
    digest = hashlib.sha256(os.path.abspath(part.path).encode()).hexdigest()[:10]  # noqa: PTH100
    return f"{Path(part.path).name.partition('.')[0]}-{digest}-{part.group or 0:05d}"


def _fingerprint(part: Part, job: Job) -> list[Any]:
    stat = Path(part.path).stat()
    tools = sorted(job.tools) if job.tools is not None else None
    return [stat.st_size, stat.st_mtime_ns, job.text, list(job.ids), tools, job.channel]


def is_done(part: Part, job: Job) -> dict[str, Any] | None:
    """Return what a finished partition's marker says; None if it is to be done (again)."""
    try:
        said = json.loads((job.out / "done" / f"{name_of(part)}.json").read_text("utf-8"))
    except (OSError, ValueError):
        return None
    same = isinstance(said, dict) and said.get("of") == _fingerprint(part, job)
    return said if same else None


def scan_part(part: Part, job: Job) -> dict[str, Any]:
    """Scan one partition, and write its findings, its errors and its marker."""
    name = name_of(part)
    said: dict[str, Any] = {"file": part.path, "rows": 0, "findings": 0, "errors": 0}
    said["of"] = _fingerprint(part, job)
    schemas = _schema([*job.ids, *COLUMNS][:-1]), _schema([*job.ids, "row", "error"])
    paths = [job.out / folder / f"{name}.parquet" for folder in _FOLDERS[:2]]
    drafts = [path.with_suffix(".part") for path in paths]
    with (
        pq.ParquetWriter(drafts[0], schemas[0]) as findings,
        pq.ParquetWriter(drafts[1], schemas[1]) as errors,
    ):
        for frame in frames(part, job.columns, job.chunk):
            scanned = scan_frame(
                frame, text=job.text, ids=job.ids, tools=job.tools, channel=job.channel
            )
            said["rows"] += len(frame)
            for writer, rows, key in zip(
                (findings, errors), split(scanned), ("findings", "errors"), strict=True
            ):
                said[key] += len(rows)
                if len(rows):
                    writer.write_table(_table(rows, writer.schema))
    for draft, path in zip(drafts, paths, strict=True):
        draft.replace(path)
    marker = job.out / "done" / f"{name}.json"
    marker.with_suffix(".part").write_text(json.dumps(said) + "\n", "utf-8")
    marker.with_suffix(".part").replace(marker)
    return said


def _schema(columns: Sequence[str]) -> pa.Schema:
    return pa.schema([(c, pa.int64() if c in _INTEGERS else pa.string()) for c in columns])


def _table(rows: pd.DataFrame, schema: pa.Schema) -> pa.Table:
    made = {
        field.name: list(rows[field.name])
        if field.name in _INTEGERS
        else [None if value is None else _written(value) for value in rows[field.name]]
        for field in schema
    }
    return pa.Table.from_pydict(made, schema)


def _written(value: object) -> str:
    return str(value).encode("utf-8", "backslashreplace").decode("utf-8")


def run(
    parts: Sequence[Part], job: Job, engine: str, workers: int, scheduler: str | None = None
) -> dict[str, int]:
    """Scan the partitions that are not done, with progress on stderr, and return the sums.

    Raises:
        UsageError: Dask is asked for and not installed.
    """
    for folder in _FOLDERS:
        (job.out / folder).mkdir(parents=True, exist_ok=True)
    _forget(parts, job)
    totals = {"partitions": 0, "rows": 0, "findings": 0, "errors": 0}
    said = [(part, is_done(part, job)) for part in parts]
    todo = [part for part, done in said if done is None]
    skipped = [done for _, done in said if done is not None]
    started, fresh = time.monotonic(), 0
    for one in skipped:
        _add(totals, one)
    for one in _with_dask(todo, job, workers, scheduler) if engine == "dask" else _here(todo, job):
        _add(totals, one)
        fresh += one["rows"]
        _progress(totals, len(parts), fresh / max(time.monotonic() - started, 1e-9))
    sys.stderr.write("\n" if todo else f"all {len(parts)} partitions were done already\n")
    return totals


def _forget(parts: Sequence[Part], job: Job) -> None:
    """Remove results of partitions that a rewritten file no longer has."""
    files, names = {part.path for part in parts}, {name_of(part) for part in parts}
    for marker in (job.out / "done").glob("*.json"):
        said = json.loads(marker.read_text("utf-8"))
        if said.get("file") in files and marker.stem not in names:
            for folder in _FOLDERS[:2]:
                (job.out / folder / f"{marker.stem}.parquet").unlink(missing_ok=True)
            marker.unlink()


def _add(totals: dict[str, int], one: dict[str, Any]) -> None:
    totals["partitions"] += 1
    for key in ("rows", "findings", "errors"):
        totals[key] += one[key]


def _progress(totals: dict[str, int], count: int, speed: float) -> None:
    sys.stderr.write(
        f"\r{totals['partitions']}/{count} partitions, {totals['rows']:,} rows, "
        f"{totals['findings']:,} findings, {totals['errors']:,} errors, {speed:,.0f} rows/s   "
    )
    sys.stderr.flush()


def _here(parts: Sequence[Part], job: Job) -> Iterator[dict[str, Any]]:
    return (scan_part(part, job) for part in parts)


def _with_dask(
    parts: Sequence[Part], job: Job, workers: int, scheduler: str | None
) -> Iterator[dict[str, Any]]:
    try:
        from distributed import Client, LocalCluster, as_completed  # noqa: PLC0415  an extra
    except ImportError as error:
        raise UsageError("--engine dask needs Dask: pip install 'toolcode[scale]'") from error
    if scheduler:
        with Client(scheduler) as client:
            for future in as_completed(client.map(scan_part, parts, job=job, pure=False)):
                yield future.result()
        return
    with (
        LocalCluster(  # type: ignore[no-untyped-call, unused-ignore]
            n_workers=workers, threads_per_worker=1, dashboard_address=None
        ) as cluster,
        Client(cluster) as client,
    ):
        for future in as_completed(client.map(scan_part, parts, job=job, pure=False)):
            yield future.result()
