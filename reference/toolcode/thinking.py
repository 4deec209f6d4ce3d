"""The thinking block while it arrives: content, nested code, and where it ends (THINK)."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

_BLANKS: Final = " \t"
_WORD: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+#-"
_FENCE: Final = 3

_line_break_at: Final = re.compile(r"(?:\r?\n)?+").match
# The start of a line, as far as it could be a fence: each part may still be growing.
_line_head_at: Final = re.compile(
    r" {0,3}(?P<run>`++|~++|)(?P<word>[A-Za-z0-9_+#-]*+)(?P<blanks>[ \t]*+)(?P<end>\r?\n)?+"
).match


class Step(NamedTuple):
    """What a piece of text brought: content, and what follows the closer once it came."""

    content: str
    reply: str | None = None


class _Line(NamedTuple):
    """What the start of a line is: the closer (`reply`), undecided (`growing`) or content.

    `growing` holds the characters of which any number more leaves it undecided; `shown` says that
    it is content for certain though its meaning for nesting is open.
    """

    reply: str | None = None
    growing: str | None = None
    shown: bool = False


_CONTENT: Final = _Line()


class Thought:
    """Splits a thinking block, line by line, into content and what ends it.

    Only what could still be the closer is held back, the line break before it included (STREAM.2):
    that break belongs to the fence (THINK.5).
    """

    __slots__ = ("_first", "_growing", "_held", "_nested", "_shown")

    def __init__(self) -> None:
        self._first = True  # the first line has no line break before it: the opener took it
        self._held: list[str] | None = []  # from an undecided line break on; None within a line
        self._growing = ""
        self._shown = 0  # how much of the held text came out already
        self._nested = ""  # the fence of the open nested code block

    def feed(self, text: str) -> Step:
        """Take more text of the block; a `reply` says that the block is closed."""
        if self._held is None:
            if "\n" not in text and not text.endswith("\r"):
                return Step(text)
            return self._read(text, 0, at_break=False)
        if not text:
            return Step("")
        if self._growing and not text.strip(self._growing):
            self._held.append(text)  # a long word, one piece at a time: nothing is read again
            if not self._shown:
                return Step("")
            self._shown += len(text)
            return Step(text)
        return self._read("".join(self._held) + text, self._shown, at_break=True)

    def close(self) -> Step:
        """End the stream: a fence that stands last closes the block (THINK.2b, THINK.4)."""
        held = "".join(self._held or ())
        if self._shown:
            return Step(held[self._shown :])
        head = _line_head_at(held, _end_of_break(held, 0))
        assert head is not None, "every part of it may be empty"
        if len(head["run"]) < _FENCE:
            return Step(held)
        return Step("", held[head.end("run") :] if head["word"] else "")

    def _read(self, src: str, shown: int, *, at_break: bool) -> Step:
        """Read `src`, of which `shown` characters came out already."""
        pos = 0
        while True:
            inside = pos
            if at_break:
                inside = _end_of_break(src, pos)
                if src[pos:] == "\r":
                    return self._hold(src, shown, pos, _Line(growing=""))
                if inside > pos or self._first:
                    line = self._judge(src, inside)
                    if line.reply is not None:
                        return Step(src[shown:pos], line.reply)
                    if line.growing is not None:
                        return self._hold(src, shown, pos, line)
                    self._first = False
            at = src.find("\n", inside)
            if at < 0:
                break
            pos = at - 1 if at > inside and src[at - 1] == "\r" else at
            at_break = True
        if src.endswith("\r") and len(src) > inside:
            return self._hold(src, shown, len(src) - 1, _Line(growing=""))
        self._held = None
        return Step(src[shown:])

    def _hold(self, src: str, shown: int, pos: int, line: _Line) -> Step:
        end = pos
        if line.shown:  # all but a CR, which may belong to the closer's line break
            end = len(src) - src.endswith("\r")
        self._held = [src[pos:]]
        self._growing = line.growing or ""
        self._shown = max(end, shown) - pos
        return Step(src[shown:end])

    def _judge(self, src: str, start: int) -> _Line:
        """Tell what the line at `start` is, as far as it is there."""
        head = _line_head_at(src, start)
        assert head is not None, "every part of it may be empty"
        run, word, end = head["run"], head["word"], head["end"]
        certain = bool(self._nested) or run.startswith("~")
        rest = src[head.end() : head.end() + 2]
        undecided = end is None and rest in ("", "\r")
        if len(run) < _FENCE:
            if undecided and not (word or head["blanks"] or rest):
                return _Line(growing=run[:1], shown=certain)
            return _CONTENT
        if undecided:
            growing = _BLANKS if head["blanks"] else _WORD if word else run[0]
            return _Line(growing="" if rest else growing, shown=certain)
        if self._nested:
            closes = end and not word and run.startswith(self._nested)
            self._nested = "" if closes else self._nested
            return _CONTENT
        if run[0] == "`" and not (end and word):
            return _Line(reply=src[head.start("end") :] if end else src[head.end("run") :])
        if end:
            self._nested = run
        return _CONTENT


def _end_of_break(src: str, pos: int) -> int:
    match = _line_break_at(src, pos)
    assert match is not None, "it matches the empty string"
    return match.end()
