"""Imitations of how a harness shows past calls: `[... "name" ... {...} ...]` (LEAK.1)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from .json_forms import leading
from .model import Finding, RecoveredCall

if TYPE_CHECKING:
    from .names import Names

_speaks_of_calls: Final = re.compile(r"tool|call|function|\bran\b", re.IGNORECASE).search
_words: Final = re.compile(r"[\w.-]+").findall


def read_history(text: str, match: re.Match[str], names: Names) -> Finding | None:
    """Read the call that a bracket tells of.

    Args:
        text: The whole text.
        match: The marker, up to the arguments; its group `ran` is the name where that is quoted.
        names: Only a declared name is a call.
    """
    name = match["ran"] or _told(match[0], names)
    if not names.declared(name):
        return None
    arguments, end = leading(text, match.end())
    if not isinstance(arguments, dict):
        return None
    call = RecoveredCall(name, arguments, name, "exact")
    if "]" in match[0]:  # the arguments stand behind the bracket
        return Finding(match.start(), end, "history", (call,))
    close = text.find("]", end)
    if close < 0 or "[" in text[end:close]:
        return None
    return Finding(match.start(), close + 1, "history", (call,))


def _told(head: str, names: Names) -> str:
    """The one declared name in a head that speaks of calls; "" where there is none."""
    if not _speaks_of_calls(head):
        return ""
    told = {word for word in _words(head) if names.declared(word)}
    return told.pop() if len(told) == 1 else ""
