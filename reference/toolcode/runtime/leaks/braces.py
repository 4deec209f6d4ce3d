"""The brace form of a leaked call: `name{key:value,other:[a,b]}` with values in any dress.

A value stands between string tokens, in quotes, in brackets, or bare. A bare one ends where a comma
and a key follow, or at the closing brace; braces inside it have to balance. What never closes is
truncated, and is not handed out.
"""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING, Final

from toolcode.lexical import QUOTED
from toolcode.strings import decode

from .values import MAX_DEPTH, Unreadable

if TYPE_CHECKING:
    from toolcode import JSON

TOKENS: Final = ("<ctrl46>", "<escape>", '<|"|>', "\x16", "\x17")
"""What models put around a string in place of quotes."""

_key_at: Final = re.compile(
    r"""\s*+(?:"(?P<dq>[^"\n]*+)"|'(?P<sq>[^'\n]*+)'|(?P<bare>[^\W\d][\w$.-]*+))\s*+:(?!:|//)"""
).match
_next_key_at: Final = re.compile(
    r"""\s*+(?:"[^"\n]{1,80}"|'[^'\n]{1,80}'|[^\W\d][\w$.-]{0,80}+)\s*+:(?!:|//)"""
).match
_quoted_at: Final = re.compile(QUOTED).match
_number_at: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?").fullmatch
_landmark: Final = re.compile(r"[,{}\[\]]").search
_blanks_at: Final = re.compile(r"\s*+").match
_placeholder: Final = re.compile(r"[.…\s]+|<[^<>]*>").fullmatch
_attribute: Final = re.compile(r"""\s*([\w.-]+)=(?:"([^"]*)"|'([^']*)'|([^\s"'<>/]+))""")
_closing: Final = re.compile(r"[{}]|/>")
_WORDS: Final[dict[str, bool | None]] = {
    "true": True,
    "false": False,
    "null": None,
    "True": True,
    "False": False,
    "None": None,
}
_MAX_DIGITS: Final = 4300


class Placeholder(Exception):  # noqa: N818 - an answer that unwinds the reader, not an error
    """A value is an ellipsis or `<name>`: this is talk about the form, no call."""


def read_braces(src: str, pos: int, closer: str = "}") -> tuple[dict[str, JSON], int]:
    """Read the entries behind an opening brace.

    Args:
        src: The text.
        pos: Index behind the brace.
        closer: What closes it; `)` where a model wrote parentheses in its place.

    Returns:
        Key to value, and the index behind the closer.

    Raises:
        Unreadable: It never closes, repeats a key, or is not in this form.
        Placeholder: It only shows the form.
    """
    return _entries(src, pos, closer, 0)


def _skip(src: str, pos: int) -> int:
    match = _blanks_at(src, pos)
    assert match is not None, "it matches no blanks as well"
    return match.end()


def _entries(src: str, pos: int, closer: str, depth: int) -> tuple[dict[str, JSON], int]:
    if depth > MAX_DEPTH:
        raise Unreadable("non-literal")
    entries: dict[str, JSON] = {}
    pos = _skip(src, pos)
    while src[pos : pos + 1] != closer:
        key = _key_at(src, pos)
        if key is None:
            if _placeholder(src[pos : pos + 12].partition(closer)[0].strip() or "x"):
                raise Placeholder
            raise Unreadable("non-literal" if src.find(closer, pos) >= 0 else "truncated")
        name = next(group for group in key.groups() if group is not None)
        if name in entries:
            raise Unreadable("ambiguous")
        entries[name], pos = _value(src, key.end(), closer, depth)
        pos = _behind(src, pos, closer)
    return entries, pos + 1


def _behind(src: str, pos: int, closer: str) -> int:
    pos = _skip(src, pos)
    char = src[pos : pos + 1]
    if char == ",":
        return _skip(src, pos + 1)
    if char != closer:
        raise Unreadable("ambiguous" if char else "truncated")
    return pos


def _value(src: str, pos: int, closer: str, depth: int) -> tuple[JSON, int]:
    pos = _skip(src, pos)
    for token in TOKENS:
        if src.startswith(token, pos):
            return _between(src, pos + len(token), token)
    char = src[pos : pos + 1]
    if char == "{" and (_key_at(src, pos + 1) or src.startswith("}", _skip(src, pos + 1))):
        return _entries(src, pos + 1, "}", depth + 1)
    if char == "[":
        return _list(src, pos + 1, depth + 1)
    if char and char in "'\"":
        quoted = _quoted_at(src, pos)
        if quoted and src.startswith((",", closer, "]"), _skip(src, quoted.end())):
            return decode("", quoted[0]), quoted.end()
    return _bare(src, pos, closer)


def _between(src: str, pos: int, token: str) -> tuple[JSON, int]:
    end = src.find(token, pos)
    if end < 0:
        raise Unreadable("truncated")
    return src[pos:end], end + len(token)


def _list(src: str, pos: int, depth: int) -> tuple[JSON, int]:
    if depth > MAX_DEPTH:
        raise Unreadable("non-literal")
    items: list[JSON] = []
    pos = _skip(src, pos)
    while src[pos : pos + 1] != "]":
        item, pos = _value(src, pos, "]", depth)
        items.append(item)
        pos = _behind(src, pos, "]")
    return items, pos + 1


def _bare(src: str, start: int, closer: str) -> tuple[JSON, int]:
    """Read a bare value: to the comma before the next key or item, or to the closer."""
    opened: list[str] = []
    pos = start
    while match := _landmark(src, pos) if closer != ")" else _landmark_or_paren(src, pos):
        char, pos = match[0], match.end()
        if opened:
            if char == opened[-1]:
                opened.pop()
            elif char in "[{":
                opened.append("]" if char == "[" else "}")
        elif char == closer or (char == "," and (closer == "]" or _next_key_at(src, pos))):
            return read_bare(src[start : match.start()].strip()), match.start()
        elif char in "[{":
            opened.append("]" if char == "[" else "}")
    raise Unreadable("truncated")


_landmark_or_paren: Final = re.compile(r"[,{}\[\])]").search


def read_bare(written: str) -> JSON:
    """A bare value: a word, a number, or text as it stands.

    Raises:
        Unreadable: It is empty.
        Placeholder: It only holds the place of a value.
    """
    if not written:
        raise Unreadable("truncated")
    if _placeholder(written):
        raise Placeholder
    if written in _WORDS:
        return _WORDS[written]
    if _number_at(written) and len(written) <= _MAX_DIGITS:
        value = float(written) if any(char in written for char in ".eE") else int(written)
        if value not in (float("inf"), float("-inf")):
            return value
    return written


def read_attributes(src: str, pos: int) -> tuple[dict[str, JSON], int]:
    """Read `key="value" other=true />`.

    Raises:
        Unreadable: A key is repeated.
    """
    arguments: dict[str, JSON] = {}
    while attribute := _attribute.match(src, pos):
        key, double, single, bare = attribute.groups()
        quoted = double if double is not None else single
        if key in arguments:
            raise Unreadable("ambiguous")
        arguments[key] = read_bare(bare) if quoted is None else html.unescape(quoted)
        pos = attribute.end()
    return arguments, pos


def end_of_truncated(src: str, pos: int) -> int:
    """A call whose first value never came ends with its line; else it has eaten the rest."""
    line = src.find("\n", pos)
    if line < 0:
        return len(src)
    head = src[pos:line].strip()
    return line if not head or head.endswith(":") else len(src)


def end_of_braces(src: str, pos: int) -> int:
    """Where a call ends that closes and still has no single reading: at its brace or its `/>`."""
    depth = 1
    for match in _closing.finditer(src, pos):
        depth += {"{": 1, "}": -1}.get(match[0], -depth)
        if depth == 0:
            return match.end()
    return len(src)
