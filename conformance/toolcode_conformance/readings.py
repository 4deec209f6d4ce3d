"""Second reading, part 3: blocks, thoughts and text (ENV, THINK), and the normal form of a reply.

`read(text)` is the whole second reading. It is written from SPEC.md alone and shares no code with
the reference; for literals it asks CPython (see `readings_calls`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from toolcode_conformance.readings_calls import read_body
from toolcode_conformance.readings_lexer import line_end, string_end

if TYPE_CHECKING:
    from collections.abc import Mapping

FENCE: Final = "```"
CHOICES: Final = frozenset(
    (
        "fence-in-string",
        "opener-position",
        "long-fence",
        "after-cut",
        "other-namespace",
        "control-flow",
        "hyphen-name",
        "duplicate-keyword",
        "double-star",
        "tool-code-in-thinking",
        "thinking-newline",
    )
)
"""The choices that the second reading knows; how values compare is not its affair."""

_TOOL: Final = "tool_code"
_THOUGHT: Final = re.compile(r"thinking\r?\n")
_RUN: Final = re.compile(r"`{3,}")
_LINE_FENCE: Final = re.compile(r" {0,3}(`{3,}|~{3,})([^\r\n]*)(\r\n|\r|\n|\Z)")
_WORD: Final = re.compile(r"[A-Za-z0-9_+#-]+[ \t]*")


@dataclass(slots=True)
class _Answer:
    segments: list[dict[str, Any]] = field(default_factory=list)
    dropped: list[str] = field(default_factory=list)

    def text(self, text: str) -> None:
        if text and self.segments and "text" in self.segments[-1]:
            self.segments[-1]["text"] += text
        elif text:
            self.segments.append({"text": text})


def read(text: str, choices: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Return a reply's reading in the form of a case's `expect`: segments and dropped.

    Args:
        text: The whole reply.
        choices: Options of the may-clauses, where they are not the reference's.
    """
    return _Reader(text, choices or {}).run()


class _Reader:
    def __init__(self, text: str, choices: Mapping[str, str]) -> None:
        self.source, self.choices = text, choices
        self.answer = _Answer()
        self.at = 0

    def run(self) -> dict[str, Any]:
        while self.at < len(self.source):
            self._outside()
        return {"segments": self.answer.segments, "dropped": self.answer.dropped}

    def _take(self, end: int) -> None:
        self.answer.text(self.source[self.at : end])
        self.at = end

    def _outside(self) -> None:
        """Go on to the next run of three or more backticks and do what it says."""
        run = _RUN.search(self.source, self.at)
        if run is None:
            self._take(len(self.source))
        elif len(run[0]) > len(FENCE) and self.choices.get("long-fence") != "literal":
            self._take(self._quoted_end(run))
        elif not self._may_open(run.end()):
            self._take(run.end())
        else:
            self._take(run.end() - len(FENCE))
            self.at = run.end()
            self._label()

    def _quoted_end(self, run: re.Match[str]) -> int:
        """Return where a longer fence's quotation ends (ENV.8)."""
        closer = re.compile(rf"[\r\n] {{0,3}}`{{{len(run[0])},}}")
        found = closer.search(self.source, run.end())
        return found.end() if found else len(self.source)

    def _may_open(self, at: int) -> bool:
        """Tell whether a label stands at `at` whose fence may open here (ENV.1)."""
        if not (self.source.startswith(_TOOL, at) or _THOUGHT.match(self.source, at)):
            return False
        line = re.split(r"[\r\n]", self.source[: at - len(FENCE)])[-1]
        return self.choices.get("opener-position") != "line-start" or not line.strip(" \t")

    def _label(self) -> None:
        """Read the block whose label stands here."""
        thought = _THOUGHT.match(self.source, self.at)
        if thought:
            self.at = thought.end()
            self._thought()
        else:
            self.at += len(_TOOL)
            self._tool_block()

    # --- tool blocks -----------------------------------------------------------------------------

    def _tool_block(self) -> None:
        end = self._closer()
        if end is None:
            self.answer.dropped.append("unterminated")
            self.at = len(self.source)
            return
        body = read_body(self.source[self.at : end], self.choices)
        self.answer.segments.extend({"call": call} for call in body.calls)
        if body.cut or not body.calls:
            self.answer.dropped.append("cut" if body.cut else "no-call")
        self.at = end + len(FENCE)
        if body.cut and self.choices.get("after-cut") != "continue":
            self._take(len(self.source))
        elif body.cut:
            # The label behind a fence that closed too early is text.
            self._take(self.at + len(_TOOL) if self.source.startswith(_TOOL, self.at) else self.at)
        elif self.source.startswith(_TOOL, self.at) or _THOUGHT.match(self.source, self.at):
            self._label()  # ENV.9: the closer opens the next block

    def _closer(self) -> int | None:
        """Return where the closing fence stands (ENV.2), or None."""
        text, at = self.source, self.at
        if self.choices.get("fence-in-string") == "first-fence":
            found = text.find(FENCE, at)
            return None if found < 0 else found
        while at < len(text):
            if text.startswith(FENCE, at):
                return at
            if text[at] == "#":
                line = re.compile(r"```|[\r\n]").search(text, at)
                at = line.start() if line else len(text)
            elif text[at] in "'\"":
                quote = text[at] * (3 if text.startswith(text[at] * 3, at) else 1)
                end = string_end(text, at, quote, lines=len(quote) > 1)
                if end is None and len(quote) > 1:
                    return None
                at = end if end is not None else line_end(text, at)
            else:
                at += 1
        return None

    # --- thoughts --------------------------------------------------------------------------------

    def _thought(self) -> None:
        """Read a thought line by line (THINK.2)."""
        start, text = self.at, self.source
        nested = ""
        while self.at < len(text):
            fence = _LINE_FENCE.match(text, self.at)
            if fence:
                mark, rest = fence[1], fence[2]
                bare = not rest.strip(" \t")
                if nested:
                    if bare and mark[0] == nested[0] and len(mark) >= len(nested):
                        nested = ""
                elif mark[0] == "~":
                    nested = mark
                elif _WORD.fullmatch(rest) and fence[3]:
                    if rest.startswith(_TOOL) and (
                        self.choices.get("tool-code-in-thinking") == "ends-thought"
                    ):
                        self._end_thought(start)
                        self.at = fence.end(1)
                        self._label()
                        return
                    nested = mark
                else:
                    self._end_thought(start)
                    self.at = fence.end(2) if bare else fence.start(1) + len(FENCE)
                    return
            line = re.compile(r"\r\n|\r|\n|\Z").search(text, self.at)
            assert line is not None
            self.at = line.end()
        self._add_thought(text[start:])

    def _end_thought(self, start: int) -> None:
        thought = self.source[start : self.at]
        if self.choices.get("thinking-newline") != "thought":
            thought = re.sub(r"(?:\r\n|\r|\n)\Z", "", thought)
        self._add_thought(thought)

    def _add_thought(self, thought: str) -> None:
        if thought:
            self.answer.segments.append({"thinking": thought})
