"""Gemma 4's own convention: a scanner with the interface and the events of `toolcode.Scanner`.

    >>> from toolcode import segments
    >>> from toolcode.runtime import gemma4
    >>> segments(gemma4.scan('<|tool_call>call:read{path:<|"|>a.ts<|"|>,count:2}<tool_call|>'))
    [{'call': {'name': 'read', 'arguments': {'path': 'a.ts', 'count': 2}}}]

Gemma 4 marks calls, thoughts and results with control tokens instead of code fences (DIALECT.3).
The text must have been decoded with its special tokens: without them nothing here is visible.

Error contract: no text makes `feed` or `close` raise. Feeding a closed scanner raises ValueError.
Anything else raised is a bug. The time is linear in the total length, the memory linear in the
open block.
"""

from __future__ import annotations

import re
import secrets
from enum import IntEnum
from itertools import count
from typing import TYPE_CHECKING, Final

from toolcode.events import (
    Dropped,
    Event,
    Text,
    ThinkingDelta,
    ThinkingEnd,
    ThinkingStart,
    join_surrogates,
)

from .gemma4_body import CALL_CLOSE, CALL_OPEN, STRING, read_block

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

THOUGHT_OPEN: Final = "<|channel>thought\n"
THOUGHT_CLOSE: Final = "<channel|>"
RESPONSE_OPEN: Final = "<|tool_response>"
TURN_CLOSE: Final = "<turn|>"

_body_token: Final = re.compile("|".join(map(re.escape, (STRING, CALL_CLOSE, CALL_OPEN)))).search


class _Mode(IntEnum):
    OUTSIDE = 0
    BODY = 1
    THOUGHT = 2
    STOP = 3  # directly behind a token that ends the message if nothing follows (DIALECT.3m)
    FABRICATED = 4
    CLOSED = 5


class Scanner:
    """Scans one message of a Gemma 4 model as it arrives.

    Args:
        parse_thinking: Whether a thought channel is thinking; else it is text (DIALECT.3k).
        stop_on_tool_outputs: Whether a response that the model writes ends the message
            (DIALECT.3l).
        tools: The declared tool names; None takes every name for a tool (CALL.9).
    """

    def __init__(
        self,
        *,
        parse_thinking: bool = True,
        stop_on_tool_outputs: bool = False,
        tools: Collection[str] | None = None,
    ) -> None:
        self._tools = None if tools is None else frozenset(tools)
        self._guard = stop_on_tool_outputs
        thought = (THOUGHT_OPEN,) if parse_thinking else ()
        self._markers = _Markers(CALL_OPEN, *thought, RESPONSE_OPEN, TURN_CLOSE)
        self._mode = _Mode.OUTSIDE
        self._held = ""  # bounded by the longest marker and a line break
        self._stop = ""
        self._body = _Body()
        prefix, numbers = secrets.token_hex(6), count(1)
        self._new_id = lambda: f"call_{prefix}_{next(numbers)}"

    def feed(self, text: str) -> list[Event]:
        """Take the next chunk, of any size, and return what it completes."""
        events: list[Event] = []
        src, pos = self._held + text, 0
        self._held = ""
        while pos < len(src):
            pos = self._step(src, pos, events)
        if self._mode == _Mode.CLOSED:
            raise ValueError("feed() after close(): a message ends once; use a new scanner")
        return events

    def close(self) -> list[Event]:
        """End the message and return what was held back. Closing twice is harmless."""
        events: list[Event] = []
        match self._mode:
            case _Mode.BODY:
                events.append(Dropped("unterminated"))
            case _Mode.THOUGHT:
                _think(self._held, events)
                events.append(ThinkingEnd())
            case _Mode.OUTSIDE:
                _show(self._held, events)
        self._held = ""
        self._mode = _Mode.CLOSED
        return events

    def _step(self, src: str, pos: int, events: list[Event]) -> int:
        """Scan on from `pos` in the current mode, to where another mode begins or to the end."""
        match self._mode:
            case _Mode.OUTSIDE:
                return self._scan_outside(src, pos, events)
            case _Mode.BODY:
                return self._scan_body(src, pos, events)
            case _Mode.THOUGHT:
                return self._scan_thought(src, pos, events)
            case _Mode.STOP:
                return self._scan_behind_stop(pos, events)
            case _:
                return len(src)

    def _scan_outside(self, src: str, pos: int, events: list[Event]) -> int:
        match = self._markers.search(src, pos)
        if match is None:
            end = self._markers.growing_at(src, pos)
            _show(src[pos:end], events)
            self._held = src[end:]
            return len(src)
        _show(src[pos : match.start()], events)
        if match[0] == CALL_OPEN:
            self._body = _Body()
            self._mode = _Mode.BODY
        elif match[0] == THOUGHT_OPEN:
            events.append(ThinkingStart())
            self._mode = _Mode.THOUGHT
        else:
            self._stop = match[0]
            self._mode = _Mode.STOP
        return match.end()

    def _scan_body(self, src: str, pos: int, events: list[Event]) -> int:
        end = self._body.read(src, pos)
        if end is None:
            self._held = self._body.tail
            return len(src)
        call, cut = read_block(self._body.text(), self._new_id, self._tools)
        if call:
            events.append(call)
        if cut:
            # What follows may be the rest of a string: it opens nothing any more (ENV.10a).
            events.append(Dropped("cut"))
            self._markers = _Markers(RESPONSE_OPEN, TURN_CLOSE)
        elif not call:
            events.append(Dropped("no-call"))
        self._mode = _Mode.OUTSIDE
        return end

    def _scan_thought(self, src: str, pos: int, events: list[Event]) -> int:
        at = src.find(THOUGHT_CLOSE, pos)
        if at < 0:
            end = _thought_grows_at(src, pos)
            _think(src[pos:end], events)
            self._held = src[end:]
            return len(src)
        _think(src[pos : _before_break(src, pos, at)], events)
        events.append(ThinkingEnd())
        self._mode = _Mode.OUTSIDE
        return at + len(THOUGHT_CLOSE)

    def _scan_behind_stop(self, pos: int, events: list[Event]) -> int:
        """Something follows, so the token did not end the message (DIALECT.3l, DIALECT.3m)."""
        if self._guard and self._stop == RESPONSE_OPEN:
            events.append(Dropped("fabricated"))
            self._mode = _Mode.FABRICATED
        else:
            _show(self._stop, events)
            self._mode = _Mode.OUTSIDE
        return pos


class _Markers:
    """The markers that mean something outside a block."""

    __slots__ = ("_all", "_longest", "search")

    def __init__(self, *markers: str) -> None:
        self._all = markers
        self._longest = max(map(len, markers))
        self.search = re.compile("|".join(map(re.escape, markers))).search

    def growing_at(self, src: str, pos: int) -> int:
        """Where, from `pos` on, a marker may have begun at the end of `src`; else its length.

        Every marker starts with `<` and has no other, so only the last one can be growing.
        """
        at = src.rfind("<", max(pos, len(src) - self._longest + 1))
        if at >= 0 and any(marker.startswith(src[at:]) for marker in self._all):
            return at
        return len(src)


_BODY_MARKERS: Final = _Markers(STRING, CALL_CLOSE, CALL_OPEN)
_THOUGHT_MARKERS: Final = _Markers(THOUGHT_CLOSE)


class _Body:
    """The body of an open call block; a closer inside a string does not close it (DIALECT.3b)."""

    __slots__ = ("_pieces", "_string", "tail")

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._string = False
        self.tail = ""  # what may be the start of a token, to be read again with what follows

    def read(self, src: str, pos: int) -> int | None:
        """Read on from `pos`; the index behind the block comes back once it has ended.

        An opener outside a string ends the block as a closer does, and opens the next one
        (DIALECT.3j).
        """
        start = pos
        while match := _body_token(src, pos):
            pos = match.end()
            if match[0] == STRING:
                self._string = not self._string
            elif not self._string:
                self._pieces.append(src[start : match.start()])
                return pos if match[0] == CALL_CLOSE else match.start()
        end = _BODY_MARKERS.growing_at(src, pos)
        self._pieces.append(src[start:end])
        self.tail = src[end:]
        return None

    def text(self) -> str:
        """The body, once it has ended; a surrogate pair may have arrived in halves."""
        return join_surrogates("".join(self._pieces))


def _show(text: str, events: list[Event]) -> None:
    if text:
        events.append(Text(text))


def _think(text: str, events: list[Event]) -> None:
    if text:
        events.append(ThinkingDelta(text))


def _before_break(src: str, pos: int, at: int) -> int:
    """The place before one LF or CRLF that ends at `at`: it belongs to the closer (THINK.5)."""
    if src.endswith("\n", pos, at):
        at -= 1
        if src.endswith("\r", pos, at):
            at -= 1
    return at


def _thought_grows_at(src: str, pos: int) -> int:
    """Where the closer of a thought, its line break included, may have begun."""
    end = _THOUGHT_MARKERS.growing_at(src, pos)
    if end == len(src) and src.endswith("\r"):
        return end - 1
    return _before_break(src, pos, end)


def scan_stream(
    chunks: Iterable[str],
    *,
    parse_thinking: bool = True,
    stop_on_tool_outputs: bool = False,
    tools: Collection[str] | None = None,
) -> Iterator[Event]:
    """Yield the events of a message that arrives in chunks, each as early as it is known."""
    scanner = Scanner(
        parse_thinking=parse_thinking, stop_on_tool_outputs=stop_on_tool_outputs, tools=tools
    )
    for chunk in chunks:
        yield from scanner.feed(chunk)
    yield from scanner.close()


def scan(
    text: str,
    *,
    parse_thinking: bool = True,
    stop_on_tool_outputs: bool = False,
    tools: Collection[str] | None = None,
) -> list[Event]:
    """Scan a whole message; `toolcode.segments` folds the events into the normal form."""
    return list(
        scan_stream(
            [text],
            parse_thinking=parse_thinking,
            stop_on_tool_outputs=stop_on_tool_outputs,
            tools=tools,
        )
    )
