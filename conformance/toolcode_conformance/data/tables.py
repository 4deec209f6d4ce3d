"""Makes the tables: rows as plain dictionaries, and frames of them where pandas is installed."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Final

from toolcode_conformance.data.columns import COLUMNS
from toolcode_conformance.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd

Row = dict[str, Any]

_MADE_BY: Final = {
    "cases": "cases_rows:rows",
    "leaks": "leaks:rows",
    "recorded": "recorded:rows",
    "stream-calls": "streaming:call_rows",
    "stream-text": "streaming:text_rows",
    "matrix": "results:matrix_rows",
    "fuzz-finds": "results:find_rows",
    "fuzz-growth": "results:growth_rows",
}


class MissingDataError(UsageError):
    """A table's data is not there; the message names the command that makes it."""


def rows(table: str, source: Path | None = None) -> list[Row]:
    """Return a table as dictionaries whose keys are its columns, in their order.

    Args:
        table: A key of `COLUMNS`.
        source: The folder or file to read instead of the project's own.

    Raises:
        UsageError: No such table.
        MissingDataError: What it is made of is not there.
        CorpusError: What it is made of is broken.
    """
    if table not in _MADE_BY:
        raise UsageError(f"no table {table!r}; the tables are {', '.join(_MADE_BY)}")
    module, _, name = _MADE_BY[table].partition(":")
    made = getattr(importlib.import_module(f"toolcode_conformance.data.{module}"), name)
    found: list[Row] = made(source)
    return found


def load(table: str, source: Path | None = None) -> pd.DataFrame:
    """Return a table as a pandas frame.

    Args:
        table: A key of `COLUMNS`.
        source: The folder or file to read instead of the project's own.

    Raises:
        UsageError: pandas is not installed, or no such table.
        MissingDataError: What it is made of is not there.
        CorpusError: What it is made of is broken.
    """
    try:
        import pandas as pd  # noqa: PLC0415  the harness works without it
    except ImportError as error:
        raise UsageError(
            "tables need pandas: pip install 'toolcode[notebooks]' (or make notebooks)"
        ) from error
    return pd.DataFrame(rows(table, source), columns=list(COLUMNS.get(table, ())))
