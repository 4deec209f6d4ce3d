"""From the body of a tool block to its calls (CALL).

One pass over the body, on a list of open brackets: nothing here recurses, whatever the input.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import accumulate
from keyword import kwlist
from typing import TYPE_CHECKING, Final

from .arguments import read_arguments
from .events import Call
from .lexical import OPENER_OF, OPENERS, is_identifier, quoted_at
from .tokens import line_rest_at, line_string_at, tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

KEYWORDS: Final = frozenset(kwlist)
_NO_TOOL: Final = KEYWORDS | {"print"}
_CONTROL: Final = frozenset(
    {"if", "elif", "else", "for", "while", "try", "except", "finally", "with"}
)
_TAB: Final = 8

_defined_at: Final = re.compile(r"[ \t\f]*+(\w++)").match
_import_at: Final = re.compile(r"[ \t\f]++([^\r\n;#]++)").match
_from_at: Final = re.compile(
    r"[ \t\f]++([\w.]++)[ \t\f]++import[ \t\f]*+(?:\(([^)]*+)\)|([^\r\n;#(][^\r\n;#]*+))"
).match


@dataclass(slots=True)
class _Frame:
    """An open bracket that is searched; the first one stands for the statement itself.

    Attributes:
        opener: The bracket.
        first: Number of calls found before it.
        item: Number of calls found before its current item.
        conditional: All in it is: it stands under a condition, or is a comprehension.
        muted: Nothing in it is a call.
        choice: The current item turned out to be an `x if c else y`.
        lambda_head: Commas still belong to a lambda's parameters.
        lambda_body: The current item is a lambda's body.
    """

    opener: str
    first: int
    item: int
    conditional: bool
    muted: bool
    choice: bool = False
    lambda_head: bool = False
    lambda_body: bool = False

    def next_item(self, found: int) -> None:
        self.item = found
        self.choice = self.lambda_body = False

    @property
    def silent(self) -> bool:
        """Whether what stands here now is no call."""
        return self.muted or self.lambda_head or self.lambda_body

    @property
    def uncertain(self) -> bool:
        """Whether a program might not come by here."""
        return self.conditional or self.choice

    def inner(self, opener: str, found: int) -> _Frame:
        """The frame of a bracket that opens here."""
        return _Frame(opener, found, found, self.uncertain, self.silent)


def extract_calls(
    body: str, new_id: Callable[[], str], tools: Collection[str] | None = None
) -> tuple[list[Call], bool]:
    """Find the calls of a tool block.

    Args:
        body: The text between the block's fences.
        new_id: Makes the id of each call.
        tools: The declared tool names; None takes every callee for a tool (CALL.9).

    Returns:
        The calls in source order, and whether the body ends inside an open call, bracket or
        string (ENV.10a).
    """
    return _Search(body, new_id, tools).run()


class _Search:
    """The state of one search."""

    def __init__(self, body: str, new_id: Callable[[], str], tools: Collection[str] | None) -> None:
        self.src = body
        self.new_id = new_id
        self.tools = tools
        self.ascii = body.isascii()
        self.tokens = tokens(ascii_only=self.ascii)
        self.pos = 0
        self.cut = False
        self.calls: list[Call] = []
        self.conditional_spans: list[tuple[int, int]] = []
        self.frames = [_Frame("", 0, 0, conditional=False, muted=False)]
        self.open = {"(": 0, "[": 0, "{": 0}
        self.at_line_start = True
        self.indent = 0
        self.control: list[int] = []
        self.definition: int | None = None
        self.own_names: set[str] = set()
        self.imported: set[str] = set()

    def run(self) -> tuple[list[Call], bool]:
        src, frames = self.src, self.frames
        outside, inside = self.tokens.outside.search, self.tokens.inside.search
        while match := (inside if len(frames) > 1 else outside)(src, self.pos):
            self.pos = match.end()
            kind = match.lastgroup
            if kind == "newline":
                self.end_line(match[0])
            elif kind is not None:
                if self.at_line_start:
                    self.begin_line()
                if kind == "comma":
                    self.at_line_start = False
                    if not frames[-1].lambda_head:
                        frames[-1].next_item(len(self.calls))
                elif kind == "mark":
                    self.mark(match[0], match.start())
                else:
                    self.name(match)
        self.mark_conditional_spans()
        return self.calls, self.cut or len(self.frames) > 1

    # Lines: indentation decides what stands under a header or in a definition.

    def end_line(self, newline: str) -> None:
        blanks = newline.rstrip(" \t\f")
        self.indent = len(newline[len(blanks) :].expandtabs(_TAB))
        self.at_line_start = True

    def begin_line(self) -> None:
        while self.control and self.control[-1] >= self.indent:
            self.control.pop()
        if self.definition is not None and self.indent <= self.definition:
            self.definition = None
        self.begin_statement(conditional=bool(self.control))

    def begin_statement(self, *, conditional: bool) -> None:
        found = len(self.calls)
        self.frames[0] = _Frame("", found, found, conditional, self.definition is not None)

    # Marks: strings, brackets, separators.

    def mark(self, mark: str, at: int) -> None:
        fresh, self.at_line_start = self.at_line_start, False
        frame = self.frames[-1]
        if mark in "'\"":
            self.string(at)
        elif mark in OPENERS:
            self.open_bracket(mark)
        elif mark in OPENER_OF:
            self.close_bracket(OPENER_OF[mark])
        elif mark == ":":
            if frame.lambda_head:
                frame.lambda_head, frame.lambda_body = False, True
        elif mark == ";" and len(self.frames) == 1:
            self.begin_statement(conditional=frame.conditional)
        elif mark == "@" and fresh:
            frame.muted = True  # a decorator defines, it does not call

    def string(self, at: int) -> None:
        triple = self.src.startswith(("'''", '"""'), at)
        inside = len(self.frames) > 1
        closed = (quoted_at if triple or inside else line_string_at)(self.src, at)
        if closed:
            self.pos = closed.end()
        elif triple or inside:
            self.pos, self.cut = len(self.src), True
        else:
            rest = line_rest_at(self.src, at)
            assert rest is not None, "it matches at any quote"
            self.pos = rest.end()
            self.cut = self.pos == len(self.src)

    def open_bracket(self, opener: str) -> None:
        self.open[opener] += 1
        self.frames.append(self.frames[-1].inner(opener, len(self.calls)))

    def close_bracket(self, opener: str) -> None:
        """Close the innermost such bracket and all that is open inside it (CALL.12)."""
        while self.open[opener]:
            inner = self.frames.pop().opener
            self.open[inner] -= 1
            if inner == opener:
                return

    # Names: keywords, callees, and words that mean nothing here.

    def name(self, match: re.Match[str]) -> None:
        callee, first, last, paren = match.group("name", "first", "last", "paren")
        if first in KEYWORDS:
            self.pos = match.end("name")
            if last is None:
                self.keyword(first)
            self.at_line_start = self.at_line_start and first == "async"
            return
        self.at_line_start = False
        if paren is None:
            return
        name = last or first
        frame = self.frames[-1]
        if frame.silent or not self.is_tool(name, first):
            self.open_bracket("(")
            return
        arguments = read_arguments(self.src, self.pos, self.tokens.keyword)
        if arguments is None:  # nothing inside an unclosed call is promoted (CALL.5)
            self.pos, self.cut = len(self.src), True
            return
        values, self.pos, rest = arguments
        source = self.src[match.start() : self.pos]
        call = Call(name, values, self.new_id(), callee, source)
        if rest:
            call.unresolved, call.skipped = tuple(rest.unresolved), tuple(rest.skipped)
        call.conditional = frame.uncertain
        self.calls.append(call)

    def is_tool(self, name: str, first: str) -> bool:
        if name in _NO_TOOL or first in self.own_names:
            return False
        if not (self.ascii or is_identifier(name.replace("-", "_"))):
            return False
        if self.tools is not None:
            return name in self.tools
        return first not in self.imported

    def keyword(self, word: str) -> None:
        frame = self.frames[-1]
        at_base = len(self.frames) == 1
        if self.at_line_start and word in _CONTROL:
            self.control.append(self.indent)
            frame.conditional = True
        elif word == "for" and not at_base:
            self.conditional_spans.append((frame.first, len(self.calls)))
            frame.conditional = True
        elif word in ("if", "else"):
            self.conditional_spans.append((frame.item, len(self.calls)))
            frame.choice = True
        elif word == "lambda":
            frame.lambda_head = True
        elif word in ("def", "class"):
            self.define()
        elif word == "import" and at_base:
            self.import_names()
        elif word == "from" and at_base:
            self.import_from()

    def define(self) -> None:
        """A `def` or `class`: its name is no tool, and its body is not searched (CALL.7b)."""
        match = _defined_at(self.src, self.pos)
        if match:
            self.own_names.add(match[1])
            self.pos = match.end()
        self.frames[-1].muted = True
        if len(self.frames) == 1 and self.definition is None:
            self.definition = self.indent

    def import_names(self) -> None:
        match = _import_at(self.src, self.pos)
        if match:
            self.bind(match[1], module="")

    def import_from(self) -> None:
        match = _from_at(self.src, self.pos)
        if match:
            self.bind(match[2] or match[3], module=match[1])
            self.pos = match.end()

    def bind(self, names: str, module: str) -> None:
        """Note what an import binds; what comes from the tools' own module stays a tool."""
        for name in names.split(","):
            source, _, alias = name.partition(" as ")
            path = module or source.strip()
            if path.split(".")[0] != "default_api":
                self.imported.add((alias or source).strip().split(".")[0])

    def mark_conditional_spans(self) -> None:
        """Mark the calls that stood before the `for` or `if` they depend on (CALL.7a).

        The spans may nest to any depth, so their starts and ends are counted, never walked.
        """
        if not self.conditional_spans:
            return
        steps = [0] * (len(self.calls) + 1)
        for start, end in self.conditional_spans:
            steps[start] += 1
            steps[end] -= 1
        for call, depth in zip(self.calls, accumulate(steps), strict=False):
            call.conditional = call.conditional or depth > 0
