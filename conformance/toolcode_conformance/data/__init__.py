"""The project's data as tidy tables: a row is one observation, a column has one meaning.

`load("leaks")` gives a pandas frame, and `COLUMNS["leaks"]` says what stands in each column.
`rows("leaks")` gives the same as plain dictionaries and needs no pandas, so that the harness
installs without it; `toolcode data export` writes the tables as CSV or Parquet.
"""

from __future__ import annotations

from toolcode_conformance.data.columns import ABOUT, COLUMNS
from toolcode_conformance.data.tables import MissingDataError, load, rows

__all__ = ["ABOUT", "COLUMNS", "MissingDataError", "load", "rows"]
