"""The scanner: text in, events out, the same for every chunking (ENV, OUT.3, STREAM).

Error contract: no text makes `feed` or `close` raise. Feeding a closed scanner raises ValueError,
and so does an unknown fence mode. Anything else raised is a bug. The time is linear in the total
length, the memory linear in the open block.
"""

from __future__ import annotations

import codecs
import re
import secrets
from itertools import count
from typing import TYPE_CHECKING, Final, get_args

from .body import FENCE, Body, FenceMode
from .calls import extract_calls
from .events import Call, Dropped, Event, Text, ThinkingDelta, ThinkingEnd, ThinkingStart
from .thinking import Step, Thought

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

_run_of_three: Final = re.compile(r"`{3,}+").search
_PIECE: Final = 1 << 14
_TOOL: Final = "tool_code"
_OUTPUTS: Final = "tool_outputs"
_THINKING: Final = ("thinking\n", "thinking\r\n")


class Scanner:
    """Scans one message as it arrives.

    Args:
        parse_thinking: Whether a thinking block is one; else it is text.
        stop_on_tool_outputs: Whether a result block that the model writes ends the message
            (OUT.3).
        fence: Whether a fence inside a string literal closes the block (ENV.2b).
        tools: The declared tool names; None takes every callee for a tool (CALL.9).
    """

    def __init__(
        self,
        *,
        parse_thinking: bool = True,
        stop_on_tool_outputs: bool = False,
        fence: FenceMode = "string-aware",
        tools: Collection[str] | None = None,
    ) -> None:
        if fence not in get_args(FenceMode):
            raise ValueError(f"fence must be one of {get_args(FenceMode)}, not {fence!r}")
        self._fence: FenceMode = fence
        self._tools = None if tools is None else frozenset(tools)
        self._guard: tuple[str, ...] = (_OUTPUTS,) if stop_on_tool_outputs else ()
        self._labels = (_TOOL, *(_THINKING if parse_thinking else ()), *self._guard)
        self._held = ""  # bounded by the longest opener
        self._body: Body | None = None
        self._thought: Thought | None = None
        self._quote = _Quote(0)
        self._state: Callable[[str, list[Event]], str | None] = self._scan_outside
        prefix, numbers = secrets.token_hex(6), count(1)
        self._new_id = lambda: f"call_{prefix}_{next(numbers)}"

    def feed(self, text: str) -> list[Event]:
        """Take the next chunk, of any size, and return what it completes.

        Raises:
            ValueError: The scanner is closed.
        """
        # Nearly every chunk of a stream has no backtick: it costs a third without the loop below.
        if "`" not in text:
            if self._body:
                self._body.append(text)
                return []
            if text and not self._held and self._state == self._scan_outside:
                return [Text(text)]
        events: list[Event] = []
        # Each block hands on a copy of what follows it, so what follows is kept short.
        for at in range(0, len(text) or 1, _PIECE):
            rest: str | None = text[at : at + _PIECE]
            while rest is not None:
                rest = self._state(rest, events)
        return events

    def close(self) -> list[Event]:
        """End the message and return what was held back. Closing twice is harmless."""
        events: list[Event] = []
        if self._thought:
            step = self._thought.close()
            reply = self._content(step, events)
            if reply is None:
                events.append(ThinkingEnd())
            elif reply:
                events.extend(self.feed(reply))
        if self._body:
            events.append(Dropped("unterminated"))
        _show(self._held, events)
        self._held, self._body, self._thought = "", None, None
        self._state = self._refuse
        return events

    def _refuse(self, _text: str, _events: list[Event]) -> str | None:
        raise ValueError("feed() after close(): a message ends once; use a new scanner")

    def _ignore(self, _text: str, _events: list[Event]) -> str | None:
        """Drop what follows a fabricated result."""

    def _scan_outside(self, text: str, events: list[Event]) -> str | None:
        src = self._held + text if self._held else text
        self._held = ""
        pos = 0
        while match := _run_of_three(src, pos):
            start, pos = match.span()
            if pos - start > len(FENCE):
                _show(src[:pos], events)
                self._quote = _Quote(pos - start)
                self._state = self._scan_quote
                return src[pos:]
            label, partial = self._label(src, pos)
            if label:
                _show(src[:start], events)
                return self._open(label, src[pos + len(label) :], events)
            if partial:
                pos = start
                break
        else:
            pos = max(pos, len(src.rstrip("`")) if self._labels else len(src))
        _show(src[:pos], events)
        self._held = src[pos:]
        return None

    def _label(self, src: str, pos: int) -> tuple[str, bool]:
        """The enabled label at `pos`, or whether the text ends in what may become one."""
        tail = src[pos : pos + len(_OUTPUTS)]
        partial = False
        for label in self._labels:
            if tail.startswith(label):
                return label, False
            partial = partial or label.startswith(tail)
        return "", partial

    def _open(self, label: str, rest: str, events: list[Event]) -> str | None:
        if label == _TOOL:
            self._body = Body(self._fence)
            self._state = self._scan_body
        elif label == _OUTPUTS:
            events.append(Dropped("fabricated"))
            self._state = self._ignore
        else:
            events.append(ThinkingStart())
            self._thought = Thought()
            self._state = self._scan_thought
        return rest

    def _scan_body(self, text: str, events: list[Event]) -> str | None:
        assert self._body is not None, "this state begins with a body"
        rest = self._body.feed(text)
        if rest is None:
            return None
        calls, cut = extract_calls(self._body.text(), self._new_id, self._tools)
        self._body = None
        events.extend(calls)
        if cut:
            # What follows may be the rest of a string: it opens nothing any more (ENV.10a).
            events.append(Dropped("cut"))
            self._labels = self._guard
            self._state = self._scan_outside
        else:
            if not calls:
                events.append(Dropped("no-call"))
            self._state = self._scan_behind_fence
        return rest

    def _scan_behind_fence(self, text: str, events: list[Event]) -> str | None:
        src = self._held + text
        self._held = ""
        label, partial = self._label(src, 0)
        if label:
            return self._open(label, src[len(label) :], events)
        if partial:
            self._held = src
            return None
        self._state = self._scan_outside
        return src

    def _scan_thought(self, text: str, events: list[Event]) -> str | None:
        assert self._thought is not None, "this state begins with a thought"
        return self._content(self._thought.feed(text), events)

    def _content(self, step: Step, events: list[Event]) -> str | None:
        if step.content:
            events.append(ThinkingDelta(step.content))
        if step.reply is not None:
            events.append(ThinkingEnd())
            self._thought = None
            self._state = self._scan_outside
        return step.reply

    def _scan_quote(self, text: str, events: list[Event]) -> str | None:
        end = self._quote.feed(text)
        if end is None:
            _show(text, events)
            return None
        _show(text[:end], events)
        self._state = self._scan_outside
        return text[end:]


class _Quote:
    """Follows a quote of four or more backticks to its end without holding anything back."""

    __slots__ = ("_indent", "_length", "_opening", "_run")

    def __init__(self, length: int) -> None:
        self._length = length
        self._opening = True  # more backticks may still belong to the opening run
        self._indent = -1  # spaces since the line break; -1 once the line has begun
        self._run = 0  # backticks at the start of the line

    def feed(self, text: str) -> int | None:
        """The index behind the closing run, as soon as a character follows it."""
        pos = 0
        if self._opening:
            pos = len(text) - len(text.lstrip("`"))
            self._length += pos
            self._opening = pos == len(text)
        while pos < len(text):
            if self._indent < 0:
                pos = _behind_line_break(text, pos)
                if pos < 0:
                    return None
                self._indent = self._run = 0
                continue
            char = text[pos]
            if char == "`":
                end = len(text) - len(text[pos:].lstrip("`"))
                self._run += end - pos
                pos = end
            elif self._run >= self._length:
                return pos
            elif char == " " and not self._run and self._indent < 3:  # noqa: PLR2004
                self._indent += 1
                pos += 1
            else:
                self._indent = -1
        return None


def _behind_line_break(text: str, pos: int) -> int:
    places = [at for at in (text.find("\n", pos), text.find("\r", pos)) if at >= 0]
    return min(places) + 1 if places else -1


def _show(text: str, events: list[Event]) -> None:
    if text:
        events.append(Text(text))


class ByteScanner:
    """A scanner for UTF-8 bytes cut anywhere, inside a character too (STREAM.1b).

    Bytes that are no UTF-8 become U+FFFD; nothing raises. The options are `Scanner`'s.
    """

    def __init__(
        self,
        *,
        parse_thinking: bool = True,
        stop_on_tool_outputs: bool = False,
        fence: FenceMode = "string-aware",
        tools: Collection[str] | None = None,
    ) -> None:
        self._scanner = Scanner(
            parse_thinking=parse_thinking,
            stop_on_tool_outputs=stop_on_tool_outputs,
            fence=fence,
            tools=tools,
        )
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def feed(self, data: bytes) -> list[Event]:
        """Take the next bytes and return what they complete."""
        return self._scanner.feed(self._decoder.decode(data))

    def close(self) -> list[Event]:
        """End the message; half a character at its end is U+FFFD."""
        tail = self._decoder.decode(b"", final=True)
        return (self._scanner.feed(tail) if tail else []) + self._scanner.close()


def scan_stream(
    chunks: Iterable[str],
    *,
    parse_thinking: bool = True,
    stop_on_tool_outputs: bool = False,
    fence: FenceMode = "string-aware",
    tools: Collection[str] | None = None,
) -> Iterator[Event]:
    """Yield the events of a message that arrives in chunks, each as early as it is known."""
    scanner = Scanner(
        parse_thinking=parse_thinking,
        stop_on_tool_outputs=stop_on_tool_outputs,
        fence=fence,
        tools=tools,
    )
    for chunk in chunks:
        yield from scanner.feed(chunk)
    yield from scanner.close()


def scan(
    text: str,
    *,
    parse_thinking: bool = True,
    stop_on_tool_outputs: bool = False,
    fence: FenceMode = "string-aware",
    tools: Collection[str] | None = None,
) -> list[Event]:
    """Scan a whole message.

    Returns:
        Its events in order; `segments` folds them into the normal form.

    Raises:
        ValueError: An option has an unknown value. No text raises.
    """
    return list(
        scan_stream(
            [text],
            parse_thinking=parse_thinking,
            stop_on_tool_outputs=stop_on_tool_outputs,
            fence=fence,
            tools=tools,
        )
    )


__all__ = ["ByteScanner", "Call", "Scanner", "scan", "scan_stream"]
