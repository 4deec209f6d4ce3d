"""From the body of a Gemma 4 call block to its call (DIALECT.3a to 3i).

One pass over the body finds brackets, separators and strings, on a list of open brackets; each
value is then read once, on a list of frames. Nothing recurses and nothing is evaluated.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from toolcode.events import JSON, Call
from toolcode.literals import MAX_DEPTH, MAX_DIGITS, NotLiteral

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

CALL_OPEN: Final = "<|tool_call>"
CALL_CLOSE: Final = "<tool_call|>"
STRING: Final = '<|"|>'
BLANKS: Final = " \t\r\n"

_OPENER_OF: Final = {"}": "{", "]": "["}
_WORDS: Final[dict[str, bool | None]] = {"true": True, "false": False, "null": None, "None": None}

_KEY: Final = r"""[^\s:,{}\[\]"'`=<>][^:,{}\[\]"'`=<>\r\n]*+"""
_head_at: Final = re.compile(
    r"""[ \t\r\n]*+call:[ \t\r\n]*+(?P<name>[^\W\d][^\s{}\[\](),;"'`<>=|\\]*+)[ \t\r\n]*+\{"""
).match
_mark: Final = re.compile(r"""<\|"\|>|[{}\[\],:]""").search
_bare_key: Final = re.compile(_KEY).fullmatch
_bare_key_at: Final = re.compile(_KEY).match
_bare_at: Final = re.compile(r"""[^\s,:{}\[\]<]++""").match
_number: Final = re.compile(
    r"-?(?:0|[1-9][0-9]*+)(?P<float>(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?)"
).fullmatch


def read_block(
    body: str, new_id: Callable[[], str], tools: Collection[str] | None = None
) -> tuple[Call | None, bool]:
    """Read the call of a block.

    Args:
        body: The text between `<|tool_call>` and what ended the block.
        new_id: Makes the id of the call.
        tools: The declared tool names; None takes every name for a tool (CALL.9).

    Returns:
        The call, if there is a whole one, and whether the body ends inside an open bracket.
    """
    head = _head_at(body)
    spans = _split(body, head.end() if head else 0, within=head is not None)
    if not head or spans.end < 0 or (tools is not None and head["name"] not in tools):
        return None, spans.cut
    arguments, unresolved, skipped = _arguments(body, spans)
    rest = body[spans.end :].strip(BLANKS)
    if rest:
        skipped.append(rest)
    name = head["name"]
    source = body[head.start("name") : spans.end]
    return (
        Call(name, arguments, new_id(), name, source, tuple(unresolved), tuple(skipped)),
        spans.cut,
    )


@dataclass(slots=True)
class _Spans:
    """What one pass over a body found.

    Attributes:
        segments: Start, first colon (-1 without one) and end of each argument.
        end: Index behind the brace that closes the arguments; -1 if none does.
        cut: A bracket is open where the body ends.
    """

    segments: list[tuple[int, int, int]] = field(default_factory=list)
    end: int = -1
    cut: bool = False


def _split(body: str, pos: int, *, within: bool) -> _Spans:
    """Split the arguments that start at `pos`; `within` says that their brace is open there."""
    spans = _Spans()
    stack = ["{"] if within else []
    counts = {"{": len(stack), "[": 0}
    start, colon = pos, -1
    while match := _mark(body, pos):
        mark, pos = match[0], match.end()
        at_arguments = within and len(stack) == 1
        if mark == STRING:
            end = body.find(STRING, pos)
            pos = len(body) if end < 0 else end + len(STRING)
        elif mark in counts:
            stack.append(mark)
            counts[mark] += 1
        elif mark in _OPENER_OF:
            _close(stack, counts, _OPENER_OF[mark])
            if within and not stack:
                spans.segments.append((start, colon, match.start()))
                spans.end, within = pos, False
        elif at_arguments and mark == ",":
            spans.segments.append((start, colon, match.start()))
            start, colon = pos, -1
        elif at_arguments and colon < 0:
            colon = match.start()
    spans.cut = bool(stack)
    return spans


def _close(stack: list[str], counts: dict[str, int], opener: str) -> None:
    """Close the innermost such bracket and all that is open inside it (CALL.12)."""
    while counts[opener]:
        inner = stack.pop()
        counts[inner] -= 1
        if inner == opener:
            return


def _arguments(body: str, spans: _Spans) -> tuple[dict[str, JSON], list[str], list[str]]:
    values: dict[str, JSON] = {}
    unresolved: dict[str, None] = {}
    skipped = []
    for start, colon, end in spans.segments:
        written = body[start:end].strip(BLANKS)
        key = _key(body[start:colon].strip(BLANKS)) if colon >= 0 else None
        value = body[colon + 1 : end].strip(BLANKS)
        if key is None or not value:
            if written:
                skipped.append(written)
            continue
        unresolved.pop(key, None)
        try:
            values[key] = read_value(value)
        except NotLiteral:
            values[key] = value
            unresolved[key] = None
    return values, list(unresolved), skipped


def _key(written: str) -> str | None:
    """A key as text: bare, or between string tokens (DIALECT.3e)."""
    if written.startswith(STRING):
        inner = written[len(STRING) : -len(STRING)]
        whole = written == f"{STRING}{inner}{STRING}" and STRING not in inner
        return inner if whole else None
    return written if _bare_key(written) else None


@dataclass(slots=True)
class _Frame:
    """One open list or map; `key` is the key that waits for its value."""

    is_map: bool
    items: list[JSON] = field(default_factory=list)
    entries: dict[str, JSON] = field(default_factory=dict)
    key: str = ""

    def add(self, value: JSON) -> None:
        if self.is_map:
            self.entries[self.key] = value
        else:
            self.items.append(value)

    def value(self) -> JSON:
        return self.entries if self.is_map else self.items


def read_value(src: str) -> JSON:
    """Read a text that is one value as a whole (DIALECT.3c).

    Raises:
        NotLiteral: It is none: other bare text, brackets that do not match, too deep, or a number
            that JSON cannot carry.
    """
    frames: list[_Frame] = []
    pos, value = _open(src, 0, frames)
    while True:
        if value is not None:
            if not frames:
                if _skip(src, pos) != len(src):
                    raise NotLiteral
                return value.json
            frames[-1].add(value.json)
        frame = frames[-1]
        pos = _skip(src, pos)
        delimiter = src[pos : pos + 1]
        if delimiter == ("}" if frame.is_map else "]"):
            value = _Value(frames.pop().value())
            pos += 1
            continue
        if value is not None:
            if delimiter != ",":
                raise NotLiteral
            pos = _skip(src, pos + 1)
            if src[pos : pos + 1] in ("}", "]"):
                value = None
                continue
        if frame.is_map:
            frame.key, pos = _key_at(src, pos)
        pos, value = _open(src, pos, frames)


@dataclass(slots=True)
class _Value:
    """A value that was read, which may be None itself."""

    json: JSON


def _open(src: str, pos: int, frames: list[_Frame]) -> tuple[int, _Value | None]:
    """Read a scalar, or open a container (no value yet)."""
    char = src[pos : pos + 1]
    if char in ("{", "["):
        if len(frames) == MAX_DEPTH:
            raise NotLiteral
        frames.append(_Frame(char == "{"))
        return pos + 1, None
    if src.startswith(STRING, pos):
        end = src.find(STRING, pos + len(STRING))
        if end < 0:
            raise NotLiteral
        return end + len(STRING), _Value(src[pos + len(STRING) : end])
    bare = _bare_at(src, pos)
    if not bare:
        raise NotLiteral
    return bare.end(), _Value(_bare(bare[0]))


def _bare(written: str) -> JSON:
    if written in _WORDS:
        return _WORDS[written]
    match = _number(written)
    if not match:
        raise NotLiteral
    if match["float"]:
        value = float(written)
        if math.isinf(value):
            raise NotLiteral  # choice `non-finite`: JSON has no word for it
        return value
    if len(written.lstrip("-")) > MAX_DIGITS:
        raise NotLiteral
    try:
        return int(written)
    except ValueError:  # the host lowered the interpreter's own digit limit
        raise NotLiteral from None


def _key_at(src: str, pos: int) -> tuple[str, int]:
    """A map's key at `pos`, and the index where its value starts."""
    key: str | None
    if src.startswith(STRING, pos):
        end = src.find(STRING, pos + len(STRING))
        key = src[pos + len(STRING) : end] if end >= 0 else None
        pos = end + len(STRING)
    else:
        match = _bare_key_at(src, pos)
        key = match[0].rstrip(BLANKS) if match else None
        pos = match.end() if match else pos
    pos = _skip(src, pos)
    if key is None or src[pos : pos + 1] != ":":
        raise NotLiteral
    return key, _skip(src, pos + 1)


def _skip(src: str, pos: int) -> int:
    while pos < len(src) and src[pos] in BLANKS:
        pos += 1
    return pos
