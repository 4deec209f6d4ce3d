"""What a message only quotes: fences, code set in, inline code, quotations, tables (LEAK.2)."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from typing import Final

CALL_LABEL: Final = r"(?:tool[ _-]?(?:code|call|use|request)s?|function[ _-]?calls?|default_api)"
"""Labels of a fence that stand for a call and for nothing else."""

_line: Final = re.compile(r"[^\n]*\n?")
_fence_at: Final = re.compile(r"[ \t]{0,8}(?P<run>`{3,}|~{3,})[ \t]*(?P<label>[^\n`]*)").match
_call_label_at: Final = re.compile(
    rf"{CALL_LABEL}(?:(?=print\s?\(|default_api)|\b)", re.IGNORECASE
).match
_result_label_at: Final = re.compile(r"tool_?(?:output|result|response)", re.IGNORECASE).match
_word_at: Final = re.compile(r"\w*").match
_quoting_line_at: Final = re.compile(r"[ \t]*(?:>|\|.*\|[ \t]*\r?$)").match
_ticks: Final = re.compile(r"`+")
_guillemets: Final = re.compile(r"«[^«»\n]{1,400}+»")
_set_in: Final = re.compile(
    r"""^(?![ ]{4}|[ ]{0,3}\t)(?=[^\n]*\S)[^\n]*+\n
    (?P<code>(?:[ \t]*\r?\n)++(?:(?:[ ]{4}|[ ]{0,3}\t)[^\n]*(?:\n|\Z)|[ \t]*\r?\n)++)""",
    re.MULTILINE | re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Fence:
    """A closed code fence.

    Attributes:
        start: Where its opening line begins.
        body: Where its content begins.
        close: Where its closing line begins.
        end: Where the text goes on behind it.
        label: The first word behind its opening run, in lower case.
    """

    start: int
    body: int
    close: int
    end: int
    label: str


class Quoting:
    """Knows what is quoted in one text.

    Args:
        text: The text.
        prose: Whether lines that are set in behind a blank line are code that the text shows. In
            a file's content they may be the file's own.

    Attributes:
        fences: The closed fences that are no call's, in order.
    """

    def __init__(self, text: str, *, prose: bool = True) -> None:
        self.fences: list[Fence] = []
        self._found: list[tuple[int, int]] = []
        self._set_in = dict(m.span("code") for m in _set_in.finditer(text)) if prose else {}
        self._found += self._set_in.items()
        plain: list[tuple[int, int]] = []
        self._lines(text, plain)
        self._spans(text, plain)
        self._comments(text)
        self._starts, self._ends = _merged(self._found)

    def covers(self, pos: int) -> bool:
        """Whether the character at `pos` is quoted."""
        index = bisect_right(self._starts, pos) - 1
        return index >= 0 and pos < self._ends[index]

    def encloses(self, pos: int) -> bool:
        """Whether what begins at `pos` stands within a larger quotation."""
        return any(start < pos < end for start, end in self._found)

    def _add(self, start: int, end: int) -> None:
        self._found.append((start, end))

    def _lines(self, text: str, plain: list[tuple[int, int]]) -> None:
        """Find fences and quoting lines; what is left is plain."""
        opener: tuple[int, int, str, str] | None = None
        called = False  # the opener is a call's
        pos = begun = 0
        while pos < len(text):
            if opener is None and pos in self._set_in:
                plain.append((begun, pos))
                pos = begun = self._set_in[pos]
                continue
            match = _line.match(text, pos)
            assert match is not None, "every text has a line"
            end = match.end()
            head = _fence_at(text, pos, end)
            if head is not None and "`" in text[head.end() : end]:
                head = None  # a fence on one line
            if opener is not None and head is not None:
                result = called and _result_label_at(head["label"])
                if result or (not head["label"].strip() and head["run"].startswith(opener[2])):
                    if not called:
                        self.fences.append(Fence(opener[0], opener[1], pos, end, opener[3]))
                        self._add(opener[0], end)
                    opener, begun = None, end
                    if result:
                        opener, called = (pos, end, head["run"], "tool_output"), False
            elif opener is None and head is not None:
                plain.append((begun, pos))
                label = _word_at(head["label"])
                called = self._calls(head)
                opener = (pos, end, head["run"], label[0].lower() if label else "")
            elif opener is None and _quoting_line_at(text, pos, end):
                plain.append((begun, pos))
                self._add(pos, end)
                begun = end
            pos = end
        # A fence that never closes quotes nothing: its opener may be another one's closer.
        plain.append((opener[0] if opener else begun, len(text)))

    def _calls(self, head: re.Match[str]) -> bool:
        """A fence of three with a call's label is no quotation but the convention itself."""
        labelled = _call_label_at(head["label"]) is not None
        return labelled and len(head["run"]) == 3  # noqa: PLR2004 - a documented fence is longer

    def _spans(self, text: str, plain: list[tuple[int, int]]) -> None:
        """Find «» and inline code: backticks up to the next equal run of the paragraph."""
        for start, end in plain:
            for block in re.finditer(r"(?:[^\n]+\n?)+", text[start:end]):
                self._inline(text, start + block.start(), start + block.end())
            self._found += (m.span() for m in _guillemets.finditer(text, start, end))

    def _comments(self, text: str) -> None:
        start = text.find("<!--")
        while start >= 0 and (end := text.find("-->", start)) >= 0:
            self._add(start, end)
            start = text.find("<!--", end)

    def _inline(self, text: str, start: int, end: int) -> None:
        waiting: dict[int, int] = {}
        for run in _ticks.finditer(text, start, end):
            width = run.end() - run.start()
            if width >= 3:  # noqa: PLR2004 - a fence
                waiting.clear()
            elif width in waiting:
                self._add(waiting.pop(width), run.end())
                waiting.clear()
            else:
                waiting[width] = run.start()


def _merged(spans: list[tuple[int, int]]) -> tuple[list[int], list[int]]:
    """Starts and ends of the union of spans, in order."""
    starts: list[int] = []
    ends: list[int] = []
    for start, end in sorted(spans):
        if ends and start <= ends[-1]:
            ends[-1] = max(ends[-1], end)
        else:
            starts.append(start)
            ends.append(end)
    return starts, ends
