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

from .lexical import skip_gap
from .strings import decode, string_at

if TYPE_CHECKING:
    from .events import JSON

MAX_DEPTH: Final = 200
"""Brackets within brackets that are read as a value; deeper ones are no literal (LIT.10c)."""

MAX_DIGITS: Final = 4300
"""Decimal digits up to which an integer is exact (MODEL.4c); a longer one is no literal."""

_BEYOND: Final = 10**MAX_DIGITS

_CLOSER_OF: Final = {"(": ")", "[": "]", "{": "}"}
_CLOSING: Final = frozenset(_CLOSER_OF.values())

WORDS: Final[dict[str, bool | None]] = {
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

PLAIN_STRING: Final = r"""(?:"[^"]*+"|'[^']*+')"""
"""A string, if no backslash is in it. To look for one afterwards makes long strings six times as
fast: `[^"]` is one comparison to the engine, `[^"\\\\]` a table look-up."""

PLAIN_OTHER: Final = r"(?:-?(?:0|[1-9][0-9]{0,17}+)|True|False|None|true|false|null)"
"""A short integer or a word. These two are what most values are; nothing may follow but blanks and
a delimiter, which whoever uses the patterns has to match behind them."""

_plain_at: Final = re.compile(
    rf"[ \t\f\r\n]*+(?:({PLAIN_STRING})|({PLAIN_OTHER}))[ \t\f\r\n]*+(?=[],:}})])"
).match


class NotLiteral(Exception):  # noqa: N818 - an answer that unwinds the reader, not an error
    """The text at this place is no literal as a whole."""


@dataclass(slots=True)
class _Frame:
    """One open container: a brace is a dict or a set as soon as its first item tells."""

    closer: str
    items: list[JSON] = field(default_factory=list)
    entries: dict[str, JSON] = field(default_factory=dict)
    key: str | None = None
    is_dict: bool = False
    commas: int = 0

    def add(self, value: JSON) -> None:
        if not self.is_dict:
            self.items.append(value)
        elif self.key is None:
            raise NotLiteral
        else:
            self.entries[self.key] = value
            self.key = None

    def start_entry(self, value: JSON) -> None:
        """Take a dict's key: a scalar, written as JSON writes it (LIT.3b)."""
        if self.closer != "}" or self.items or self.key is not None:
            raise NotLiteral
        self.is_dict = True
        self.key = value if isinstance(value, str) else _key(value)

    def close(self, closer: str) -> JSON:
        """The container's value, once its closer is reached."""
        if self.closer != closer or self.key is not None:
            raise NotLiteral
        if closer == "}" and (self.is_dict or not self.items):
            return self.entries
        if closer == ")" and len(self.items) == 1 and not self.commas:
            return self.items[0]
        return self.items


def _key(value: JSON) -> str:
    if isinstance(value, list | dict):
        raise NotLiteral
    try:
        return json.dumps(value)
    except ValueError:  # an integer past a digit limit that the host lowered
        raise NotLiteral from None


def literal(src: str, pos: int) -> tuple[JSON, int]:
    """Read one literal.

    Args:
        src: The text.
        pos: Index of the literal's first character.

    Returns:
        The value and the index of what follows it and its blanks.

    Raises:
        NotLiteral: The text there is no literal as a whole (LIT.6a).
    """
    frames: list[_Frame] = []
    while True:
        plain = _plain_at(src, pos)
        if plain and (plain[2] or "\\" not in plain[1]):
            value, pos = plain_value(plain[1], plain[2]), plain.end()
        else:
            pos = skip_gap(src, pos)
            char = src[pos : pos + 1]
            if char in _CLOSER_OF:
                if len(frames) == MAX_DEPTH:
                    raise NotLiteral
                frames.append(_Frame(_CLOSER_OF[char]))
                pos += 1
                continue
            if frames and char in _CLOSING:  # empty, or behind a trailing comma
                value, pos = frames.pop().close(char), pos + 1
            else:
                value, pos = _leaf(src, pos, MAX_DEPTH - len(frames))
            pos = skip_gap(src, pos)
        while frames:
            delimiter = src[pos : pos + 1]
            pos += 1
            if delimiter == ":":
                frames[-1].start_entry(value)
                break
            frames[-1].add(value)
            if delimiter == ",":
                frames[-1].commas += 1
                break
            if delimiter not in _CLOSING:
                raise NotLiteral
            value = frames.pop().close(delimiter)
            pos = skip_gap(src, pos)
        else:
            return value, pos


def plain_value(quoted: str | None, other: str) -> JSON:
    """The value of a string without backslashes, or else of what `PLAIN_OTHER` matched."""
    if quoted:
        return quoted[1:-1]
    return WORDS[other] if other in WORDS else int(other)


def _leaf(src: str, pos: int, depth: int) -> tuple[JSON, int]:
    """A string, number or word; `depth` parentheses may stand behind a sign."""
    match = string_at(src, pos)
    if match:
        return _strings(src, match)
    match = _number_at(src, pos)
    if match:
        return _number(match), match.end()
    match = _word_at(src, pos)
    if match and match[0] in WORDS:
        return WORDS[match[0]], match.end()
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
