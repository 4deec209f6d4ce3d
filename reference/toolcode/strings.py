"""String and bytes literals: from source text to value (LIT.1, LIT.7, LIT.8)."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from .events import join_surrogates
from .lexical import QUOTED

string_at: Final = re.compile(rf"(?P<prefix>[bBfFrRuU]{{0,2}})(?P<quoted>{QUOTED})").match

PREFIXES: Final = frozenset({"", "r", "u", "b", "f", "br", "rb", "fr", "rf"})

_SIMPLE: Final = {
    "\n": "",
    "\\": "\\",
    "'": "'",
    '"': '"',
    "a": "\a",
    "b": "\b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "v": "\v",
}

# What `\N{...}` means is a name, what `\u` means needs four digits: whatever matches no arm but the
# last is an unknown escape and keeps its backslash.
_ESCAPE: Final = re.compile(
    r"""\\(?:
      (?P<octal>[0-7]{1,3})
    | x(?P<x>[0-9A-Fa-f]{2})
    | u(?P<u>[0-9A-Fa-f]{4})
    | U(?P<U>[0-9A-Fa-f]{8})
    | N\{(?P<name>[A-Za-z0-9 ()-]++)\}
    | (?P<line>\r\n?)
    | (?P<other>[\s\S])
    )""",
    re.VERBOSE,
)
# Escapes that CPython's own codec reads as the format does. Only what holds others as well goes
# through the pattern above, one call per escape: that is four times as slow.
_common: Final = re.compile(
    r"""[^\\]*+(?:
      \\(?:[abfnrtv\\'"\n]|[0-3][0-7]{0,2}|[4-7][0-7]?|x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4})[^\\]*+
    )*+""",
    re.VERBOSE,
).fullmatch
_TEXT_ONLY: Final = frozenset({"u", "U", "name"})


def decode(prefix: str, quoted: str) -> str | None:
    """The value of one string literal, or None where it is no plain literal.

    Args:
        prefix: The prefix in lower case.
        quoted: The literal from its opening to its closing quote.

    Returns:
        The text; bytes as Latin-1 text (LIT.8). None for an unknown prefix, an f-string with a
        brace (it may hold a field, LIT.6a) and bytes with a character beyond ASCII.
    """
    if prefix not in PREFIXES:
        return None
    width = 3 if quoted[:3] in ("'''", '"""') else 1
    body = quoted[width:-width]
    if "f" in prefix and ("{" in body or "}" in body):
        return None
    is_bytes = "b" in prefix
    if is_bytes and not body.isascii():
        return None
    if "\\" in body and "r" not in prefix:
        if is_bytes:
            body = _ESCAPE.sub(_bytes_escape, body)
        elif _common(body):
            body = body.encode("ascii", "backslashreplace").decode("unicode_escape")
        else:
            body = _ESCAPE.sub(_text_escape, body)
    return join_surrogates(body)


def _text_escape(match: re.Match[str]) -> str:
    kind = match.lastgroup
    written = match[0]
    if kind == "other":
        return _SIMPLE.get(written[1], written)
    if kind == "line":
        return ""
    if kind == "octal":
        return chr(int(written[1:], 8))
    if kind == "name":
        return _named(match["name"]) or written
    code = int(match[kind or 0], 16)
    return chr(code) if code <= 0x10FFFF else written  # noqa: PLR2004 - Unicode's last


def _named(name: str) -> str | None:
    try:
        found = unicodedata.lookup(name)
    except KeyError:
        return None
    return found if len(found) == 1 else None  # a named sequence is no escape in Python


def _bytes_escape(match: re.Match[str]) -> str:
    if match.lastgroup in _TEXT_ONLY:
        return match[0]
    if match.lastgroup == "octal":
        return chr(int(match[0][1:], 8) & 0xFF)
    return _text_escape(match)
