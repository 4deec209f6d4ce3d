"""Second reading, part 1: a tool block's body as tokens with their brackets paired.

The second reading is a reader of its own, small and slow, written from SPEC.md alone: it shares no
code with the reference, so that a recorded reply is never judged by one opinion. This part knows
strings, comments and brackets (CALL.3, CALL.11, CALL.12); it is quadratic where that is shorter.
"""

from __future__ import annotations

import keyword
import re
from dataclasses import dataclass
from typing import Final

_PREFIX: Final = re.compile(r"(?i)(?:[rbuf]|br|rb|fr|rf)?(?=['\"])")
_SPACE: Final = re.compile(r"[^\S\r\n]+|\\(?:\r\n|\r|\n)")
_BREAK: Final = re.compile(r"\r\n|\r|\n")
_NUMBER: Final = re.compile(r"(?:\d|\.\d)(?:[eE][+-]\d|[\w.])*")
_OPERATOR: Final = re.compile(r"==|!=|<=|>=|:=|->|\*\*=?|//=?|[-+*/%&|^@]=|.", re.DOTALL)
_CLOSERS: Final = {")": "(", "]": "[", "}": "{"}


@dataclass(slots=True)
class Token:
    """A token: `kind` is string, name, number, open, close, stray, break or operator.

    Attributes:
        match: Of an opening bracket, the index of the token that closes it; -1 while open.
        parent: Index of the opening bracket around it, or -1.
        broken: An opening bracket that another kind of bracket closed along with its own.
    """

    kind: str
    text: str
    start: int
    end: int
    match: int = -1
    parent: int = -1
    broken: bool = False


@dataclass(slots=True)
class Body:
    """A body's text and tokens; `cut` says that it ended inside a call, bracket or string."""

    text: str
    tokens: list[Token]
    cut: bool


def lex(text: str) -> Body:
    """Return the tokens of a body; comments, blanks and joined lines leave none."""
    lexer = _Lexer(text)
    lexer.run()
    return Body(text, lexer.tokens, lexer.in_string or bool(lexer.open))


def identifier_end(text: str, at: int) -> int:
    """Return where the identifier that starts at `at` ends; `at` itself if there is none."""
    end = at
    while end < len(text) and ("a" + text[end] if end > at else text[end]).isidentifier():
        end += 1
    return end


class _Lexer:
    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens: list[Token] = []
        self.open: list[int] = []
        self.in_string = False
        self.at = 0

    def run(self) -> None:
        while self.at < len(self.text):
            self._step()

    def _step(self) -> None:
        text, at = self.text, self.at
        space = _SPACE.match(text, at)
        if space:
            self.at = space.end()
        elif text[at] == "#":
            found = _BREAK.search(text, at)
            self.at = found.start() if found else len(text)
        elif (line := _BREAK.match(text, at)) is not None:
            # Inside brackets a line break is white space.
            if self.open:
                self.at = line.end()
            else:
                self._add("break", line.end())
        elif (prefix := _PREFIX.match(text, at)) is not None:
            self._string(prefix.end())
        elif (end := identifier_end(text, at)) > at:
            self._add("name", end)
        elif (number := _NUMBER.match(text, at)) is not None:
            self._add("number", number.end())
        elif text[at] in "([{":
            self._add("open", at + 1)
            self.open.append(len(self.tokens) - 1)
        elif text[at] in _CLOSERS:
            self._close(text[at])
        else:
            operator = _OPERATOR.match(text, at)
            assert operator is not None
            self._add("operator", operator.end())

    def _add(self, kind: str, end: int) -> None:
        parent = self.open[-1] if self.open else -1
        self.tokens.append(Token(kind, self.text[self.at : end], self.at, end, parent=parent))
        self.at = end

    def _string(self, quote_at: int) -> None:
        """Take a string; one left open hides its line outside brackets, else all (CALL.11)."""
        text = self.text
        quote = text[quote_at] * (3 if text.startswith(text[quote_at] * 3, quote_at) else 1)
        end = string_end(text, quote_at, quote, lines=bool(self.open) or len(quote) > 1)
        if end is not None:
            self._add("string", end)
            return
        stop = line_end(text, quote_at)
        if self.open or len(quote) > 1 or stop == len(text):
            self.in_string = True
            self._add("operator", len(text))
        else:
            self._add("operator", stop)

    def _close(self, closer: str) -> None:
        """Close the pair, and what is open inside it (CALL.12); a call's end is a wall."""
        for depth in range(len(self.open) - 1, -1, -1):
            index = self.open[depth]
            if self.tokens[index].text == _CLOSERS[closer]:
                for inner in self.open[depth:]:
                    self.tokens[inner].match = len(self.tokens)
                    self.tokens[inner].broken = inner != index
                del self.open[depth:]
                self._add("close", self.at + 1)
                return
            if self._calls(index):
                break
        self._add("stray", self.at + 1)

    def _calls(self, index: int) -> bool:
        """Tell whether a bracket is the parenthesis of a call; print makes none (CALL.2a)."""
        if self.tokens[index].text != "(" or index == 0:
            return False
        before = self.tokens[index - 1]
        word = before.text
        return before.kind == "name" and word != "print" and not keyword.iskeyword(word)


def line_end(text: str, at: int) -> int:
    """Return where the line of an open string ends; a backslash joins the next line to it."""
    while at < len(text) and text[at] not in "\r\n":
        broken = _BREAK.match(text, at + 1) if text[at] == "\\" else None
        at = broken.end() if broken else at + 1 + (text[at] == "\\")
    return min(at, len(text))


def string_end(text: str, quote_at: int, quote: str, *, lines: bool) -> int | None:
    """Return where the string that opens with `quote` ends, or None if it stays open.

    Args:
        text: The whole text.
        quote_at: Where its opening quote stands.
        quote: One or three quotes.
        lines: Whether it may span lines.
    """
    at = quote_at + len(quote)
    while at < len(text):
        if text[at] == "\\":
            broken = _BREAK.match(text, at + 1)
            at = broken.end() if broken else at + 2
        elif text.startswith(quote, at):
            return at + len(quote)
        elif text[at] in "\r\n" and not lines:
            return None
        else:
            at += 1
    return None
