"""Argument values: one Python or JSON literal at a place in the body (LIT).

`literal(src, pos)` either reads a whole literal or says that there is none, and never evaluates
anything (LIT.6a). Nesting is kept on a list of frames, so no input can exhaust the interpreter's
stack (LIT.10b).
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from .lexical import CLOSERS, OPENERS, skip_gap
from .strings import decode, string_at

if TYPE_CHECKING:
    from .events import JSON

MAX_DEPTH: Final = 200
"""Brackets within brackets that are read as a value; deeper ones are no literal (LIT.10c)."""

MAX_DIGITS: Final = 4300
"""Decimal digits up to which an integer is exact (MODEL.4c); a longer one is no literal."""

_BEYOND: Final = 10**MAX_DIGITS

_WORDS: Final[dict[str, bool | None]] = {
    "True": True,
    "False": False,
    "None": None,
    "true": True,
    "false": False,
    "null": None,
}

# A number must not run into a word or a second dot: `1if`, `2j`, `1.2.3` are no literals.
_number_at: Final = re.compile(
    r"""(?:
      (?P<based>0(?:[xX](?:_?[0-9A-Fa-f])++|[oO](?:_?[0-7])++|[bB](?:_?[01])++))
    | (?P<float>
        (?:[0-9](?:_?[0-9])*+)?+\.[0-9](?:_?[0-9])*+(?:[eE][+-]?[0-9](?:_?[0-9])*+)?+
      | [0-9](?:_?[0-9])*+\.(?:[eE][+-]?[0-9](?:_?[0-9])*+)?+
      | [0-9](?:_?[0-9])*+[eE][+-]?[0-9](?:_?[0-9])*+
      )
    | (?P<int>[1-9](?:_?[0-9])*+|0(?:_?0)*+)
    )(?![\w.])""",
    re.VERBOSE | re.ASCII,
).match
_word_at: Final = re.compile(r"[^\W\d]\w*+").match


class NotLiteral(Exception):  # noqa: N818 - an answer that unwinds the reader, not an error
    """The text at this place is no literal as a whole."""


@dataclass(slots=True)
class _Frame:
    """One open container: a brace is a dict or a set as soon as its first item tells."""

    opener: str
    items: list[JSON] = field(default_factory=list)
    entries: dict[str, JSON] = field(default_factory=dict)
    key: str | None = None
    is_dict: bool = False
    commas: int = 0

    def add(self, value: JSON) -> None:
        if self.is_dict:
            if self.key is None:
                raise NotLiteral
            self.entries[self.key] = value
            self.key = None
        else:
            self.items.append(value)

    def close(self, closer: str) -> JSON:
        """The container's value, once its closer is reached."""
        if CLOSERS[OPENERS.index(self.opener)] != closer:
            raise NotLiteral
        if self.opener == "{" and (self.is_dict or not self.items):
            return self.entries
        if self.opener == "(" and len(self.items) == 1 and not self.commas:
            return self.items[0]
        return self.items


def literal(src: str, pos: int) -> tuple[JSON, int]:
    """Read one literal.

    Args:
        src: The text.
        pos: Index of the literal's first character.

    Returns:
        The value and the index behind it.

    Raises:
        NotLiteral: The text there is no literal as a whole (LIT.6a).
    """
    frames: list[_Frame] = []
    while True:
        char = src[pos : pos + 1]
        if char and char in OPENERS:
            if len(frames) == MAX_DEPTH:
                raise NotLiteral
            frames.append(_Frame(char))
            pos = skip_gap(src, pos + 1)
            if src[pos : pos + 1] not in ("}", "]", ")"):
                continue
            value = frames.pop().close(src[pos])
            pos += 1
        else:
            value, pos = _leaf(src, pos, MAX_DEPTH - len(frames))
        while frames:
            value, pos, complete = _place(frames, value, src, skip_gap(src, pos))
            if not complete:
                break
        else:
            return value, pos


def _place(frames: list[_Frame], value: JSON, src: str, pos: int) -> tuple[JSON, int, bool]:
    """Put a value into the innermost container, by the delimiter at `pos`.

    Returns:
        With True: the container, which that delimiter closed, and the index behind it.
        With False: the index at which the container's next value starts.
    """
    frame = frames[-1]
    delimiter = src[pos : pos + 1]
    if delimiter == ":":
        frame.key = _key(frame, value)
        return None, skip_gap(src, pos + 1), False
    frame.add(value)
    if delimiter == ",":
        frame.commas += 1
        pos = skip_gap(src, pos + 1)
        delimiter = src[pos : pos + 1]
        if delimiter not in (")", "]", "}"):
            return None, pos, False
    elif delimiter not in (")", "]", "}"):
        raise NotLiteral
    frames.pop()
    return frame.close(delimiter), pos + 1, True


def _key(frame: _Frame, value: JSON) -> str:
    """A dict key as text: scalars are written as JSON writes them (LIT.3b)."""
    if frame.opener != "{" or frame.items or frame.key is not None:
        raise NotLiteral
    if isinstance(value, list | dict):
        raise NotLiteral
    frame.is_dict = True
    if isinstance(value, str):
        return value
    try:
        return json.dumps(value)
    except ValueError:  # an integer past a digit limit that the host lowered
        raise NotLiteral from None


def _leaf(src: str, pos: int, depth: int) -> tuple[JSON, int]:
    """A string, number or word; `depth` parentheses may stand behind a sign."""
    match = string_at(src, pos)
    if match:
        return _strings(src, match)
    match = _number_at(src, pos)
    if match:
        return _number(match), match.end()
    match = _word_at(src, pos)
    if match and match[0] in _WORDS:
        return _WORDS[match[0]], match.end()
    if src[pos : pos + 1] in ("+", "-"):
        return _signed(src, pos, depth)
    raise NotLiteral


def _strings(src: str, match: re.Match[str]) -> tuple[str, int]:
    """Adjacent strings join (LIT.4), but text and bytes do not mix."""
    pieces = []
    kinds = set()
    following: re.Match[str] | None = match
    while following:
        match = following
        prefix = match["prefix"].lower()
        kinds.add("b" in prefix)
        piece = decode(prefix, match["quoted"])
        if piece is None or len(kinds) > 1:
            raise NotLiteral
        pieces.append(piece)
        following = string_at(src, skip_gap(src, match.end()))
    return "".join(pieces), match.end()


def _signed(src: str, pos: int, depth: int) -> tuple[int | float, int]:
    """`- 5` and `-(5)` are numbers; a second sign would be an operation."""
    sign = -1 if src[pos] == "-" else 1
    pos = skip_gap(src, pos + 1)
    opened = 0
    while src[pos : pos + 1] == "(" and opened < depth:
        opened += 1
        pos = skip_gap(src, pos + 1)
    match = _number_at(src, pos)
    if not match:
        raise NotLiteral
    pos = match.end()
    for _ in range(opened):
        pos = skip_gap(src, pos)
        if src[pos : pos + 1] != ")":
            raise NotLiteral
        pos += 1
    return sign * _number(match), pos


def _number(match: re.Match[str]) -> int | float:
    written = match[0].replace("_", "")
    if match.lastgroup == "float":
        value = float(written)
        if math.isinf(value):
            raise NotLiteral  # choice `non-finite`: JSON has no word for it
        return value
    if match.lastgroup == "int":
        if len(written) > MAX_DIGITS:
            raise NotLiteral
        return _decimal(written)
    based = int(written, 0)
    if based >= _BEYOND:
        raise NotLiteral
    return based


def _decimal(digits: str) -> int:
    """`int(digits)`, also where the host lowered the interpreter's own digit limit."""
    try:
        return int(digits)
    except ValueError:
        raise NotLiteral from None
