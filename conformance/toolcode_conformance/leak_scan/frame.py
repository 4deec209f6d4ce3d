"""`scan_frame`: a frame of texts becomes a frame of findings (LEAK.1 to LEAK.5).

It knows nothing of files or engines, so pandas calls it chunk by chunk and Dask hands it to
`map_partitions` as it stands.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import pandas as pd

from toolcode.runtime.leaks import recover

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from toolcode.runtime.leaks import Channel, Finding

COLUMNS: Final = {
    "row": "the row's label in the frame's index; from files, its number in the file, from 0",
    "finding": "number of the finding in its text, from 0; -1 in a row that could not be read",
    "kind": "the envelope: a key of toolcode.runtime.leaks.FAMILIES",
    "family": "the family, as corpus/leaks names it",
    "start": "where the leak begins, in code points",
    "end": "where the text goes on behind it",
    "calls": "JSON list of {name, arguments, tool, match}: what may be handed out",
    "unresolved": "JSON list of {name, reason}: what must not run",
    "error": "why the row could not be read; empty in a finding",
}
"""Every column beside the id columns, and its meaning."""
_NUMBERS: Final = ("finding", "start", "end")


class Unread(str):  # noqa: SLOT000  a plain word with another type
    """Stands where a reader found no text, and says why."""


def scan_frame(
    frame: pd.DataFrame,
    *,
    text: str = "text",
    ids: Sequence[str] = (),
    tools: Collection[str] | None = None,
    channel: Channel = "text",
) -> pd.DataFrame:
    """Find the leaks in a column of texts: one row a finding, one row a text that is none.

    Args:
        frame: Any frame; its index labels become `row`.
        text: The column of texts: str, or bytes in UTF-8.
        ids: Columns to keep.
        tools: The declared tools; None where they are not known.
        channel: Where the texts were found.

    Returns:
        The id columns, then `COLUMNS`; `split` parts findings from errors.

    Raises:
        KeyError: A column is missing.
        ValueError: The channel is unknown, or an id column has the name of one of `COLUMNS`.
    """
    clash = sorted(set(ids) & set(COLUMNS))
    if clash:
        raise ValueError(f"id column {clash[0]!r} has the name of a column of the result")
    kept = zip(*(frame[name] for name in ids), strict=True) if ids else iter(lambda: (), None)
    recover("", channel=channel)  # an unknown channel is the caller's mistake, not a row's
    rows = [
        (*known, label, *found)
        for label, value, known in zip(frame.index, frame[text], kept, strict=False)
        for found in _rows(value, tools, channel)
    ]
    result = pd.DataFrame(rows, columns=[*ids, *COLUMNS], dtype=object)
    return result.astype(dict.fromkeys(_NUMBERS, "int64"))


def split(scanned: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Part what `scan_frame` returns into findings and errors."""
    bad = scanned["finding"] < 0
    known = [name for name in scanned.columns if name not in COLUMNS]
    return scanned[~bad].drop(columns="error"), scanned.loc[bad, [*known, "row", "error"]]


def _rows(
    value: object, tools: Collection[str] | None, channel: Channel
) -> Iterator[tuple[Any, ...]]:
    try:
        found = recover(_text(value), tools=tools, channel=channel).findings
    # A log of millions must not end at one row, whatever is wrong with it, or with us.
    except Exception as error:  # noqa: BLE001
        known = isinstance(error, _NoTextError)
        why = str(error) if known else f"{type(error).__name__}: {error}"
        yield -1, "", "", -1, -1, "[]", "[]", why
        return
    for number, one in enumerate(found):
        yield number, one.kind, one.family, one.start, one.end, *_contents(one), ""


class _NoTextError(ValueError):
    pass


def _text(value: object) -> str:
    if isinstance(value, Unread):
        raise _NoTextError(str(value))
    if isinstance(value, bytes):
        try:
            return value.decode("utf-8")
        except UnicodeDecodeError as error:
            raise _NoTextError(f"no UTF-8 at byte {error.start}") from error
    if not isinstance(value, str):
        missing = value is None or value is pd.NA or value != value  # noqa: PLR0124  NaN
        raise _NoTextError("no text" if missing else f"no text but {type(value).__name__}")
    return value


def _contents(finding: Finding) -> tuple[str, str]:
    calls = [
        {"name": one.name, "arguments": one.arguments, "tool": one.tool, "match": one.match}
        for one in finding.calls
    ]
    lost = [{"name": one.name, "reason": one.reason} for one in finding.unresolved]
    return json.dumps(calls), json.dumps(lost)  # in ASCII: no file format has half a surrogate
