"""Calls in leaked Python: whole programs, single statements, and whatever stands around them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from toolcode.arguments import read_arguments
from toolcode.calls import KEYWORDS, extract_calls
from toolcode.tokens import tokens

from .model import RecoveredCall, Unresolved
from .names import NAME
from .values import Unreadable, ValueReader

if TYPE_CHECKING:
    from .model import Options
    from .names import Names

_callee: Final = re.compile(rf"(?<![\w.])((?:{NAME}\s?\.\s?){{0,8}}{NAME})\s?\(")
_wrapper_at: Final = re.compile(
    rf"\s*+(?:{NAME}\s*+=\s*+)?+(?:(?:print|await)\b\s*+\(?+\s*+)*+"
).match
_end_of_statement_at: Final = re.compile(r"[ \t]*(?:\)[ \t]*)*(?:;[ \t]*)?(?:\#[^\n]*)?").match
_blanks_at: Final = re.compile(r"\s*").match
_printed_at: Final = re.compile(r"""print\(\s*(?:"[^"\\\n]*"|'[^'\\\n]*')\s*\)""").match
_callee_at: Final = re.compile(rf"((?:{NAME}\.){{0,8}}{NAME})\(").match


@dataclass(frozen=True, slots=True)
class Read:
    """A call that was read at a place.

    Attributes:
        start: Where its callee begins.
        end: Where the text goes on.
        outcome: The call, or why it must not run.
        callee: The callee as written.
    """

    start: int
    end: int
    outcome: RecoveredCall | Unresolved
    callee: str = ""


class PythonReader:
    """Reads the calls of one code text.

    Args:
        code: The code, or a text with code in it.
        names: Which callees are tools.
        options: How far recovery may go.
    """

    def __init__(self, code: str, names: Names, options: Options) -> None:
        self._code = code
        self._names = names
        self._options = options
        self._values = ValueReader(code, names, options.namespaces, repair=options.repair_quotes)
        # Calls that cannot be read are followed to their ends; see `ValueReader` for the bound.
        self._budget = 8 * len(code) + 1024

    def program(self) -> list[Read]:
        """Read every call of a program, in order.

        A call under control flow is no literal one, whatever its arguments: the program decides
        whether it is made.
        """
        accepted = {
            path.rpartition(".")[2].strip()
            for path in {match[1] for match in _callee.finditer(self._code)}
            if self._names.resolve(re.sub(r"\s", "", path))
        }
        found: list[Read] = []
        pos = 0
        calls, cut = extract_calls(self._code, lambda: "", accepted)
        for call in calls:
            at = self._code.find(call.source, pos)
            # A repaired string may have swallowed it, and of two callees with one last name only
            # one may mean a tool.
            if at < 0 or not self._names.resolve(re.sub(r"\s", "", call.callee)):
                continue
            paren = self._code.index("(", at + len(call.callee))
            read = self._call(at, call.callee, paren)
            if call.conditional:
                outcome = Unresolved(_name(read), "non-literal")
                read = Read(read.start, read.end, outcome, read.callee)
            found.append(read)
            pos = read.end
        if cut:
            found += self._unclosed(pos, accepted)
        return found

    def _unclosed(self, pos: int, accepted: set[str]) -> list[Read]:
        """The call that the code ends in: a quote may have been what kept it open."""
        for match in _callee.finditer(self._code, pos):
            known = match[1].rpartition(".")[2].strip() in accepted
            if known and self._names.resolve(re.sub(r"\s", "", match[1])):
                return [self._call(match.start(), match[1], match.end() - 1)]
        return []

    def statement(self, pos: int) -> list[Read]:
        """Read the statement at `pos`: a call, printed or bare or assigned; nothing if it is none.

        Closing parentheses of a print belong to the statement.
        """
        wrapper = _wrapper_at(self._code, pos)
        assert wrapper is not None, "a statement needs no wrapper"
        match = _callee_at(self._code, wrapper.end())
        if match is None or match[1] in KEYWORDS or not self._names.resolve(match[1]):
            return []
        return [self._call(match.start(), match[1], match.end() - 1)]

    def statements(self, pos: int) -> tuple[list[Read], int]:
        """Read the calls that stand at `pos`, one statement after the other.

        Returns:
            The calls, and where the text goes on.
        """
        found: list[Read] = []
        last = pos
        while pos < len(self._code):
            reads = self.statement(pos)
            printed = None if reads else _printed_at(self._code, pos)
            if reads:
                found += reads
                pos = reads[-1].end
            elif printed:
                pos = printed.end()
            else:
                break
            finished = _end_of_statement_at(self._code, pos)
            assert finished is not None, "it matches the empty text"
            last = finished.end()
            blanks = _blanks_at(self._code, last)
            pos = blanks.end() if blanks else last
        return found, last

    def at(self, start: int, callee: str, paren: int) -> Read:
        """Read the call of a callee that means a tool, whose parenthesis stands at `paren`."""
        return self._call(start, callee, paren)

    def _call(self, start: int, callee: str, paren: int) -> Read:
        path = re.sub(r"\s", "", callee)
        resolved = self._names.resolve(path)
        assert resolved is not None, "only callees that mean a tool are read"
        name, tool, match = resolved
        self._values.namespace = path.partition(".")[0] if "." in path else None
        try:
            arguments, end = self._values.arguments(paren + 1)
        except Unreadable as error:
            closed = self._closing(paren + 1)
            reason = error.reason if closed else "truncated"
            return Read(start, closed or len(self._code), Unresolved(name, reason), path)
        return Read(start, end, RecoveredCall(name, arguments, tool, match), path)

    def _closing(self, pos: int) -> int | None:
        """Where a call that cannot be read ends, by its brackets alone."""
        if self._budget < 0:
            return None
        arguments = read_arguments(self._code, pos, _keyword)
        end = arguments[1] if arguments else None
        self._budget -= (end or len(self._code)) - pos
        return end


_keyword: Final = tokens(ascii_only=False).keyword


def _name(read: Read) -> str | None:
    return read.outcome.name
