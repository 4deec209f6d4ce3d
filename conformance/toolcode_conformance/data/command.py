"""The command `toolcode data`: the tables, their columns, and their export."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from toolcode_conformance.data.columns import ABOUT, COLUMNS
from toolcode_conformance.data.tables import MissingDataError, load
from toolcode_conformance.errors import UsageError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    import pandas as pd

FORMATS = ("csv", "parquet")


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = commands.add_parser("data", help="tables of cases, leaks, replies and results")
    actions = parser.add_subparsers(dest="action", required=True)
    one = actions.add_parser("columns", help="what each column means")
    one.add_argument("tables", nargs="*", metavar="table", help="all when left out")
    one.set_defaults(run=run_columns)
    one = actions.add_parser("export", help="write the tables as files (needs pandas)")
    one.add_argument("--format", choices=FORMATS, default="csv")
    one.add_argument("--table", action="append", help="only this one; may be repeated")
    one.add_argument("folder", type=Path, help="where to write <table>.csv or <table>.parquet")
    one.set_defaults(run=run_export)


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")


def _chosen(names: Sequence[str] | None) -> list[str]:
    for name in names or ():
        if name not in COLUMNS:
            raise UsageError(f"no table {name!r}; the tables are {', '.join(COLUMNS)}")
    return list(names or COLUMNS)


def run_columns(options: argparse.Namespace) -> int:
    """Print the meaning of every column."""
    for table in _chosen(options.tables):
        _say(f"{table}: {ABOUT[table]}")
        for column, meaning in COLUMNS[table].items():
            _say(f"  {column:16} {meaning}")
    return 0


def run_export(options: argparse.Namespace) -> int:
    """Write the tables; those whose data is not there are named, 1 if one was asked for."""
    missing = 0
    for table in _chosen(options.table):
        try:
            frame = load(table)
        except MissingDataError as error:
            _say(f"{table}: not written: {error}")
            missing += 1
            continue
        path = export(frame, table, options.folder, options.format)
        _say(f"{path}: {len(frame):,} rows, {len(frame.columns)} columns")
    return int(bool(missing and options.table))


def export(frame: pd.DataFrame, table: str, folder: Path, form: str) -> Path:
    """Write one frame into a folder and return the file's path.

    Args:
        frame: The table.
        table: Its name, which becomes the file's.
        folder: Is made where it is missing.
        form: One of `FORMATS`.

    Raises:
        UsageError: Parquet is asked for and pyarrow is not installed.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{table}.{form}"
    frame = frame.map(_writable)
    if form == "csv":
        frame.to_csv(path, index=False, lineterminator="\n")
        return path
    try:
        frame.to_parquet(path, index=False)
    except ImportError as error:
        raise UsageError("Parquet needs pyarrow: pip install 'toolcode[notebooks]'") from error
    return path


def _writable(value: object) -> object:
    """Write half a surrogate pair as its escape: no file format has it."""
    if isinstance(value, str) and not value.isascii():
        return value.encode("utf-8", "backslashreplace").decode("utf-8")
    return value
