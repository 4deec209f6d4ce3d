"""What the code in an envelope calls: Python, or what models write in its place (LEAK.1)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from .json_forms import json_calls, yaml_calls
from .model import Finding, RecoveredCall, Unresolved
from .names import OpenNames
from .programs import only_calls
from .python_calls import PythonReader

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .model import Options
    from .names import Names
    from .python_calls import Read

_placeholder: Final = re.compile(r"[=(,:]\s*(?:\.\.\.|…|<\w[\w ]*>)").search


def finding(start: int, end: int, kind: str, reads: Sequence[Read]) -> Finding:
    """A finding with what was read in it."""
    return Finding(start, end, kind, *sorted_out(reads))


def sorted_out(
    reads: Sequence[Read],
) -> tuple[tuple[RecoveredCall, ...], tuple[Unresolved, ...]]:
    """Calls apart from what must not run."""
    outcomes = [read.outcome for read in reads]
    return (
        tuple(one for one in outcomes if isinstance(one, RecoveredCall)),
        tuple(one for one in outcomes if isinstance(one, Unresolved)),
    )


def read_code(
    code: str, names: Names, options: Options
) -> tuple[tuple[RecoveredCall, ...], tuple[Unresolved, ...]] | None:
    """Read what stands in a call's fence: Python, or what models write in its place.

    None where it calls nothing, or only shows how a call is written.
    """
    reads = PythonReader(code, names, options).program()
    if reads:
        calls, unresolved = sorted_out(reads)
        return None if not calls and _placeholder(code) else (calls, unresolved)
    other = json_calls(code, names) or list(yaml_calls(code, names))
    if other:
        return tuple(other), ()
    whole = None if names.any else open_calls(code, options)
    return (whole.calls, whole.unresolved) if whole and whole.calls else None


def open_calls(code: str, options: Options) -> Finding | None:
    """Read calls of undeclared names, where nothing but a call can stand.

    They have keywords, or no arguments at all: `print(len("a"))` is Python, and no call of a tool.
    """
    reads = PythonReader(code, OpenNames(options), options).program()
    if not reads or not only_calls(code, [(read.start, read.end) for read in reads]):
        return None
    if any(isinstance(getattr(read.outcome, "arguments", {}), list) for read in reads):
        return None
    return finding(0, len(code), "bare", reads)
