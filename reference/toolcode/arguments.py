"""A call's argument list: keywords with values, and what does not count as one (ARG)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from .lexical import BLANKS, GAP, OPENER_OF, is_identifier, quoted_at, skip_gap
from .literals import NotLiteral, literal

if TYPE_CHECKING:
    from .events import JSON

_landmark: Final = re.compile(r"""['"#()\[\]{},]""").search


@dataclass(slots=True)
class Arguments:
    """What stands between a call's parentheses.

    Attributes:
        values: Keyword to value, in the order written; a repeated keyword takes the last value.
        unresolved: The keywords whose value is source text.
        skipped: Source text of the segments that are no keyword arguments.
        end: Index behind the closing parenthesis.
    """

    values: dict[str, JSON] = field(default_factory=dict)
    unresolved: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()
    end: int = 0


@dataclass(slots=True, frozen=True)
class _Segment:
    """One segment's extent: its text ends at `last`, its delimiter stands at `end`."""

    last: int
    end: int


def keyword_pattern(identifier: str) -> re.Pattern[str]:
    """`name =`, but not `name ==` (ARG.1), for identifiers of the given pattern."""
    return re.compile(rf"({identifier}){GAP}=(?!=){GAP}")


def read_arguments(src: str, pos: int, keyword: re.Pattern[str]) -> Arguments | None:
    """Read the argument list whose first character stands at `pos`.

    Returns:
        The arguments, or None where the parenthesis never closes (CALL.5).
    """
    found = Arguments()
    unresolved: dict[str, None] = {}
    skipped: list[str] = []
    while True:
        pos = skip_gap(src, pos)
        if src[pos : pos + 1] == ")":
            break
        match = keyword.match(src, pos)
        if match and not is_identifier(match[1]):
            match = None
        start = match.end() if match else pos
        segment = _try_literal(src, start, match[1], found.values) if match else None
        if match and segment:
            unresolved.pop(match[1], None)  # a repeated keyword: the last value counts
        else:
            segment = _skim(src, start)
            if segment is None:
                return None
            if match and segment.last > start:
                found.values[match[1]] = src[start : segment.last]
                unresolved[match[1]] = None
            elif segment.last > pos:
                skipped.append(src[pos : segment.last].rstrip(BLANKS))
        pos = segment.end
        if src[pos] == ")":
            break
        pos += 1
    found.end = pos + 1
    found.unresolved = tuple(unresolved)
    found.skipped = tuple(skipped)
    return found


def _try_literal(src: str, pos: int, name: str, values: dict[str, JSON]) -> _Segment | None:
    """Store a value that is a literal as a whole, up to the segment's delimiter."""
    try:
        value, last = literal(src, pos)
    except NotLiteral:
        return None
    end = skip_gap(src, last)
    if src[end : end + 1] not in (",", ")"):
        return None
    values[name] = value
    return _Segment(last, end)


def _skim(src: str, pos: int) -> _Segment | None:
    """Find where a segment ends without reading it: at a comma or the call's own parenthesis.

    A closer also closes what is open inside its pair, and one that matches nothing is passed over
    (CALL.12). None where the text ends first.
    """
    opened: list[str] = []
    count = {"(": 0, "[": 0, "{": 0}
    last = pos
    while match := _landmark(src, pos):
        mark, at = match[0], match.start()
        last = _last_significant(src, pos, at, last)
        pos = at + 1
        if mark in "'\"":
            string = quoted_at(src, at)
            if not string:
                return None
            pos = string.end()
        elif mark == "#":
            pos = skip_gap(src, at)
            continue
        elif mark in count:
            opened.append(mark)
            count[mark] += 1
        elif mark == ",":
            if not opened:
                return _Segment(last, at)
        elif count[OPENER_OF[mark]]:
            _unwind(opened, count, OPENER_OF[mark])
        elif mark == ")":
            return _Segment(last, at)
        last = pos
    return None


def _unwind(opened: list[str], count: dict[str, int], opener: str) -> None:
    """Close the innermost `opener` and all that is open inside it."""
    while True:
        inner = opened.pop()
        count[inner] -= 1
        if inner == opener:
            return


def _last_significant(src: str, start: int, end: int, before: int) -> int:
    """Index behind the last character that is no blank in a stretch, `before` if all are."""
    stretch = src[start:end].rstrip(BLANKS)
    return start + len(stretch) if stretch else before
