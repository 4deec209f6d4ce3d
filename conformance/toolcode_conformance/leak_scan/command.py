"""The command `toolcode leaks scan`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from toolcode_conformance.errors import UsageError

if TYPE_CHECKING:
    import argparse

ENGINES = ("pandas", "dask")


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = commands.add_parser("leaks", help="find leaked calls in large logs")
    actions = parser.add_subparsers(dest="action", required=True)
    one = actions.add_parser("scan", help="scan .parquet, .jsonl[.gz] or .csv (extra: scale)")
    one.add_argument("pattern", help="files, as a quoted pattern: 'logs/*.parquet'")
    one.add_argument("--out", type=Path, required=True, help="folder of results; is gone on with")
    one.add_argument("--engine", choices=ENGINES, default="pandas")
    one.add_argument("--text", default="text", help="column of texts")
    one.add_argument("--id", action="append", default=[], help="column to keep; may be repeated")
    one.add_argument("--tools", help="declared tools, separated by commas")
    one.add_argument("--channel", default="text", help="where the texts were found")
    one.add_argument("--chunk", type=int, default=10_000, help="rows in memory at a time")
    one.add_argument("--workers", type=int, default=2, help="processes of Dask's local cluster")
    one.add_argument("--scheduler", help="address of a Dask cluster to use instead")
    one.set_defaults(run=run_scan)


def run_scan(options: argparse.Namespace) -> int:
    """Scan; 0 when every partition is done, whatever was found."""
    if options.chunk < 1 or options.workers < 1:
        raise UsageError("--chunk and --workers must be at least 1")
    try:
        from toolcode_conformance.leak_scan import frame, readers, run  # noqa: PLC0415  an extra
    except ImportError as error:
        raise UsageError(f"leaks scan needs {error.name}: pip install 'toolcode[scale]'") from error
    from toolcode.runtime.leaks.model import CHANNELS  # noqa: PLC0415

    if options.channel not in CHANNELS:
        raise UsageError(f"--channel must be one of {', '.join(CHANNELS)}")
    clash = sorted(set(options.id) & set(frame.COLUMNS))
    if clash:
        raise UsageError(f"--id {clash[0]}: the results have a column of that name")
    tools = tuple(options.tools.split(",")) if options.tools else None
    job = run.Job(
        options.out, options.text, tuple(options.id), tools, options.channel, options.chunk
    )
    parts = readers.parts_of(options.pattern, job.columns)
    sums = run.run(parts, job, options.engine, options.workers, options.scheduler)
    sys.stdout.write(", ".join(f"{count:,} {what}" for what, count in sums.items()) + "\n")
    return 0
