"""The arguments of a leaked Python call, read more widely than the convention's own (LEAK.1).

Beside literals: constructors under a listed namespace, JavaScript's bare keys, positional values,
and strings whose quotes were not escaped. Whatever is anything else makes the whole call
unresolved; nothing is evaluated and nothing is guessed.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from toolcode.lexical import skip_gap
from toolcode.literals import NotLiteral, literal
from toolcode.strings import decode

from .names import NAME

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolcode import JSON

    from .model import Reason
    from .names import Names

MAX_DEPTH: Final = 64

_keyword_at: Final = re.compile(rf"({NAME})\s*+=(?!=)").match
_bare_key_at: Final = re.compile(r"([^\W\d][\w$-]*+)\s*+:").match
_string_at: Final = re.compile(r"[A-Za-z]{0,2}(?P<quote>['\"])").match
_constructor_at: Final = re.compile(rf"((?:{NAME}\.)*+)({NAME})\s*+\(").match
# Behind a string these make it a part of an expression: to look for a later quote would turn the
# program into a value.
_operator_at: Final = re.compile(r"[-+*/%@.\[(&|^<>=!]|(?:if|else|or|and|in|is|not|for)\b").match
_WRAPPERS: Final = frozenset({"args", "kwargs", "arguments", "parameters"})
_DELIMITERS: Final = frozenset(",)]}:")

# A quote that was not escaped is told from the closing one by what follows: the next keyword, the
# next key, the next item, or nothing but closers up to the end.
_TO_THE_END: Final = r"(?:\s*+,?+\s*+[)\]}])++[\s.;]*+\Z"
_FOLLOWS: Final = {
    ")": re.compile(rf"\s*+,\s*+{NAME}\s*+=(?!=)|{_TO_THE_END}").match,
    "}": re.compile(
        rf"""\s*+,\s*+(?:"[^"\n]*+"|'[^'\n]*+')\s*+:|\s*+\}}\s*+(?:[,\]}}]|\)\s*+[,)\]])|{_TO_THE_END}"""
    ).match,
    "]": re.compile(rf"\s*+,\s*+['\"]|\s*+\]\s*+,\s*+{NAME}\s*+=(?!=)|{_TO_THE_END}").match,
}


_drive_at: Final = re.compile(r"""(?P<quote>['"]{3}|['"])(?P<path>[A-Za-z]:\\[^\\])""").match


class Unreadable(Exception):  # noqa: N818 - an answer that unwinds the reader, not an error
    """This call must not be handed out, and why."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason)
        self.reason: Reason = reason


class ValueReader:
    """Reads values of one code text.

    Args:
        src: The text; a repaired string may reach to its end.
        names: Tells tools from constructors.
        namespaces: Namespaces of constructors.
        repair: Whether quotes may be repaired.
    """

    def __init__(
        self, src: str, names: Names, namespaces: tuple[str, ...], *, repair: bool
    ) -> None:
        self._src = src
        self._names = names
        self._namespaces = namespaces
        self._repair = repair
        # Repair looks ahead. What it may look at in all is bounded, so a text of broken calls
        # costs time linear in its length.
        self._budget = 8 * len(src) + 1024

    def arguments(self, pos: int) -> tuple[dict[str, JSON] | list[JSON], int]:
        """Read an argument list whose first character stands at `pos`.

        Returns:
            Keywords with values, or a list where all are positional, and the index behind the
            closing parenthesis.

        Raises:
            Unreadable: The call must not be handed out.
        """
        named, placed, pos = self._listed(pos, 0)
        if named and placed:
            raise Unreadable("positional")
        if len(placed) == 1 and isinstance(placed[0], dict):
            return placed[0], pos
        if placed:
            return placed, pos
        if len(named) == 1 and not _WRAPPERS.isdisjoint(named):
            (inner,) = named.values()
            if isinstance(inner, dict):
                return inner, pos
        return named, pos

    def _listed(self, pos: int, depth: int) -> tuple[dict[str, JSON], list[JSON], int]:
        named: dict[str, JSON] = {}
        placed: list[JSON] = []
        pos = skip_gap(self._src, pos)
        while self._peek(pos) != ")":
            keyword = _keyword_at(self._src, pos)
            value, pos = self._value(keyword.end() if keyword else pos, depth, ")")
            if keyword is None:
                placed.append(value)
            elif keyword[1] in named:
                raise Unreadable("ambiguous")
            else:
                named[keyword[1]] = value
            pos = self._behind(pos, ")")
        return named, placed, pos + 1

    def _peek(self, pos: int) -> str:
        char = self._src[pos : pos + 1]
        if not char:
            raise Unreadable("truncated")
        return char

    def _behind(self, pos: int, closer: str) -> int:
        """Step over the comma behind an item; a closer stays."""
        pos = skip_gap(self._src, pos)
        char = self._peek(pos)
        if char == ",":
            return skip_gap(self._src, pos + 1)
        if char != closer:
            raise Unreadable("non-literal")
        return pos

    def _value(self, pos: int, depth: int, closer: str) -> tuple[JSON, int]:
        if depth > MAX_DEPTH:
            raise Unreadable("non-literal")
        pos = skip_gap(self._src, pos)
        char = self._peek(pos)
        if char == "{":
            return self._object(pos + 1, depth + 1)
        if char in "[(":
            return self._items(pos, depth + 1)
        if _string_at(self._src, pos):
            return self._string(pos, closer)
        made = _constructor_at(self._src, pos)
        if made:
            return self._constructed(made, depth + 1)
        return self._scalar(pos)

    def _scalar(self, pos: int) -> tuple[JSON, int]:
        try:
            value, end = literal(self._src, pos)
        except NotLiteral:
            raise Unreadable("non-literal") from None
        if self._peek(end) not in _DELIMITERS:
            raise Unreadable("non-literal")
        return value, end

    def _items(self, pos: int, depth: int) -> tuple[JSON, int]:
        """A list or tuple; parentheses around one value vanish."""
        closer = "]" if self._src[pos] == "[" else ")"
        items: list[JSON] = []
        comma = False
        pos = skip_gap(self._src, pos + 1)
        while self._peek(pos) != closer:
            value, pos = self._value(pos, depth, "]")
            items.append(value)
            after = self._behind(pos, closer)
            comma = comma or "," in self._src[pos:after]
            pos = after
        if closer == ")" and len(items) == 1 and not comma:
            return items[0], pos + 1
        return items, pos + 1

    def _object(self, pos: int, depth: int) -> tuple[JSON, int]:
        entries: dict[str, JSON] = {}
        pos = skip_gap(self._src, pos)
        while self._peek(pos) != "}":
            bare = _bare_key_at(self._src, pos)
            if bare:
                key, pos = bare[1], bare.end()
            else:
                key, pos = self._key(pos)
            if key in entries:
                raise Unreadable("ambiguous")
            entries[key], pos = self._value(pos, depth, "}")
            pos = self._behind(pos, "}")
        return entries, pos + 1

    def _key(self, pos: int) -> tuple[str, int]:
        key, pos = self._scalar(pos)
        if not isinstance(key, str) or self._peek(pos) != ":":
            raise Unreadable("non-literal")
        return key, pos + 1

    def _constructed(self, made: re.Match[str], depth: int) -> tuple[JSON, int]:
        """`default_api.Point(x=1)` is an object; a tool's call as a value is a program."""
        namespace = made[1].rstrip(".")
        listed = namespace in self._namespaces or namespace == self.namespace
        if not listed or not made[2][:1].isupper() or self._names.declared(made[2]):
            raise Unreadable("non-literal")
        named, placed, end = self._listed(made.end(), depth)
        if placed:
            raise Unreadable("non-literal")
        return named, end

    namespace: str | None = None
    """The namespace of the call being read, under which its constructors stand as well."""

    def _string(self, pos: int, closer: str) -> tuple[JSON, int]:
        value, end = self._quoted(pos, closer)
        drive = _drive_at(self._src, pos)
        if drive and value != self._src[drive.start("path") : end - len(drive["quote"])]:
            # Python reads a line break in `C:\\new`, and the model meant a folder.
            raise Unreadable("ambiguous")
        return value, end

    def _quoted(self, pos: int, closer: str) -> tuple[JSON, int]:
        try:
            value, end = literal(self._src, pos)
        except NotLiteral:
            if not self._repair or self._src[pos] not in "'\"":
                raise Unreadable(self._why_no_string(pos)) from None
            return self._repaired(pos, closer)
        follows = self._src[end : end + 1]
        if follows in _DELIMITERS and follows:
            return value, end
        if self._repair and self._src[pos] in "'\"" and not _operator_at(self._src, end):
            return self._repaired(pos, closer)
        raise Unreadable("non-literal" if follows else "truncated")

    def _why_no_string(self, pos: int) -> Reason:
        match = _string_at(self._src, pos)
        assert match is not None, "a string begins here"
        return "non-literal" if self._src.find(match["quote"], match.end()) >= 0 else "truncated"

    def _repaired(self, pos: int, closer: str) -> tuple[JSON, int]:
        """Take the first quote that leads on; none means that the string never ends."""
        quote = self._src[pos]
        follows: Callable[[str, int], re.Match[str] | None] = _FOLLOWS[closer]
        at = self._src.find(quote, pos + 1)
        while at >= 0:
            if follows(self._src, at + 1) and not self._escaped(at):
                content = self._src[pos + 1 : at]
                if content.startswith(quote * 2):
                    raise Unreadable("ambiguous")
                value = decode("", f"{quote}{content}{quote}")
                assert value is not None, "without a prefix every string has a value"
                return value, at + 1
            following = self._src.find(quote, at + 1)
            self._budget -= max(following - at, 1)
            if self._budget < 0:
                raise Unreadable("ambiguous")
            at = following
        raise Unreadable("truncated")

    def _escaped(self, at: int) -> bool:
        before = self._src[max(0, at - 64) : at]
        return (len(before) - len(before.rstrip("\\"))) % 2 == 1
