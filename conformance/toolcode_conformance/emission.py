"""Earliest emission (STREAM.2), judged from the text and the cuts alone.

A small tracker of its own reads each prefix of the text and says what must be visible by then: it
knows fences, labels and string literals, but no calls. An implementation may show more (with other
choices there is less to wait for); showing less than this is the failure.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from toolcode_conformance.chunking import split

if TYPE_CHECKING:
    from collections.abc import Sequence

CLAUSES: Final = frozenset({"STREAM.2", "DIALECT.3o"})
"""The clauses whose cases are judged for what each step shows."""

_FENCE: Final = "```"
_RUN: Final = re.compile("`+")
_TRAILING_RUN: Final = re.compile(r"`+\Z")
_THOUGHT_START: Final = re.compile(r"thinking\r?\n")
_THOUGHT_PREFIX: Final = re.compile(r"(?:t|th|thi|thin|think|thinki|thinkin|thinking\r?)\Z")
_LEXEME: Final = re.compile(
    r'''"""|\'\'\'|"(?:\\.|[^"\\\r\n])*"?|'(?:\\.|[^'\\\r\n])*'?|\#|```''', re.DOTALL
)
_LINE_END: Final = re.compile(r"[\r\n]")
_THOUGHT_FENCE: Final = re.compile(r"(?:\A|(?<=[\r\n])) {0,3}(`{3,}|~{3,})([^\r\n]*)(\r?\n|\r|\Z)")
_MAYBE_CLOSER: Final = re.compile(r"(?:\A|\r?\n|\r) {0,3}(?:`{1,2}|`{3,}[A-Za-z0-9_+#-]*[ \t]*)?\Z")
_NESTED: Final = re.compile(r"[A-Za-z0-9_+#-]+[ \t]*\Z")


@dataclass(frozen=True, slots=True)
class Rules:
    """What the judged scan was told: which labels open, and which fences close."""

    thinking: bool = True
    guard: bool = False
    string_aware: bool = True
    trim: bool = False
    """White space at the edges of blocks does not count (ENV.3b)."""
    gemma: bool = False
    """The convention is Gemma 4's (DIALECT.3), not that of tool_code."""


@dataclass(slots=True)
class Visible:
    """What a prefix obliges to show: lengths in characters, and tool blocks closed so far."""

    text: int = 0
    thinking: int = 0
    closers: int = 0
    held: str = ""


def _size(text: str, rules: Rules) -> int:
    """Return how much of a text counts; trimmed white space may never come at all."""
    return len("".join(text.split())) if rules.trim else len(text)


class _Tracker:
    """Reads one prefix from left to right."""

    def __init__(self, prefix: str, rules: Rules) -> None:
        self.prefix = prefix
        self.rules = rules
        self.at = 0
        self.seen = Visible()

    def run(self) -> Visible:
        after_fence = False
        while self.at < len(self.prefix):
            label = self._label(self.at) if after_fence else self._to_opener()
            after_fence = False
            if label == "tool_code":
                after_fence = self._body()
            elif label == "thinking":
                self._thought()
            elif label == "tool_outputs":
                self.at = len(self.prefix)
        return self.seen

    def _hold(self, start: int) -> None:
        self.seen.held = self.prefix[start:]
        self.at = len(self.prefix)

    def _show(self, start: int, end: int) -> None:
        self.seen.text += _size(self.prefix[start:end], self.rules)

    def _label(self, at: int) -> str | None:
        """Enter the block whose label stands at `at`, or hold what may become one."""
        rest = self.prefix[at : at + 14]
        labels = ["tool_code", "tool_outputs"] if self.rules.guard else ["tool_code"]
        for label in labels:
            if rest.startswith(label):
                self.at = at + len(label)
                return label
        if self.rules.thinking:
            found = _THOUGHT_START.match(self.prefix, at)
            if found:
                self.at = found.end()
                return "thinking"
        if rest and self._may_grow(rest):
            self._hold(at)
        return None

    def _may_grow(self, rest: str) -> bool:
        if "tool_code".startswith(rest) or (self.rules.guard and "tool_outputs".startswith(rest)):
            return True
        return self.rules.thinking and _THOUGHT_PREFIX.match(rest) is not None

    def _to_opener(self) -> str | None:
        """Show text up to the next opener; None when there is none or it is held back."""
        start = self.at
        while True:
            run = _RUN.search(self.prefix, self.at)
            if run is None:
                self._show(start, len(self.prefix))
                self.at = len(self.prefix)
                return None
            if run.end() == len(self.prefix):
                self._show(start, run.start())
                self._hold(run.start())
                return None
            if len(run.group()) > len(_FENCE):
                self._quoted(run)
                continue
            self.at = run.end()
            if len(run.group()) == len(_FENCE):
                label = self._label(run.end())
                held = self.seen.held
                if label or held:
                    self._show(start, run.start())
                    self.seen.held = _FENCE + held if held else ""
                    return label

    def _quoted(self, run: re.Match[str]) -> None:
        """Pass over what four or more backticks quote; all of it is text (ENV.8)."""
        closer = re.compile(rf"(?<=[\r\n]) {{0,3}}`{{{len(run.group())},}}")
        found = closer.search(self.prefix, run.end())
        tail = _TRAILING_RUN.search(self.prefix, run.end())
        self.at = found.end() if found else tail.start() if tail else len(self.prefix)
        if not found and tail:
            # A run at the very end may still grow into the closer.
            self.prefix = self.prefix[: tail.start()]

    def _body(self) -> bool:
        """Pass over a tool block's body; true if its closing fence has come."""
        end = self.prefix.find(_FENCE, self.at)
        if self.rules.string_aware:
            end = self._closer_outside_strings()
        if end < 0:
            self.at = len(self.prefix)
            return False
        self.at = end + len(_FENCE)
        self.seen.closers += 1
        return True

    def _closer_outside_strings(self) -> int:
        at = self.at
        while True:
            lexeme = _LEXEME.search(self.prefix, at)
            if lexeme is None:
                return -1
            token, at = lexeme.group(), lexeme.end()
            if token == _FENCE:
                return lexeme.start()
            if token in {'"""', "'''"}:
                end = re.compile(rf"(?:\\.|(?!{token}).)*{token}", re.DOTALL).match(self.prefix, at)
                if end is None:
                    return -1
                at = end.end()
            elif token == "#":  # noqa: S105  a comment sign; it hides quotes but no fence
                line_end = _LINE_END.search(self.prefix, at)
                stop = line_end.start() if line_end else len(self.prefix)
                fence = self.prefix.find(_FENCE, at, stop)
                if fence >= 0:
                    return fence
                at = stop

    def _thought(self) -> None:
        content = self.prefix[self.at :]
        nested = ""
        for fence in _THOUGHT_FENCE.finditer(content):
            marks, rest, end = fence.groups()
            if nested:
                if marks.startswith(nested) and not rest.strip(" \t"):
                    nested = ""
                continue
            bare = not rest.strip(" \t")
            if marks[0] == "~" or (_NESTED.fullmatch(rest) and end):
                nested = marks
            elif not _NESTED.fullmatch(rest) and (end or not bare or len(marks) >= len(_FENCE)):
                if bare and not end:
                    break  # the end of the prefix: it may still become a nested block's opener
                self._thought_ends(content, fence)
                return
        held = None if nested else _MAYBE_CLOSER.search(content)
        shown = held.start() if held else len(content)
        self.seen.thinking += shown
        self.seen.held = content[shown:]
        self.at = len(self.prefix)

    def _thought_ends(self, content: str, fence: re.Match[str]) -> None:
        before = content[: fence.start()]
        for end in ("\r\n", "\n", "\r"):
            if before.endswith(end):
                before = before[: -len(end)]
                break
        self.seen.thinking += len(before)
        bare = not fence.group(2).strip(" \t")
        self.at += fence.end(2) if bare else fence.end(1)


def visible(prefix: str, rules: Rules) -> Visible:
    """Return what must have been shown once `prefix` has been fed."""
    if rules.gemma:
        return _visible_gemma(prefix, rules)
    return _Tracker(prefix, rules).run()


_GEMMA_MARKS: Final = ("<|tool_call>", "<|channel>thought\n", "<|tool_response>", "<turn|>")
_GEMMA_MARK: Final = re.compile("|".join(map(re.escape, _GEMMA_MARKS)))
_GEMMA_BLOCK: Final = re.compile(
    r"""(?:<\|"\|>(?:(?!<\|"\|>).)*<\|"\|>|(?!<\|"\|>|<tool_call\|>|<\|tool_call>).)*""", re.DOTALL
)
_GEMMA_THOUGHT: Final = re.compile(r"(.*?)(?:\r?\n)?<channel\|>", re.DOTALL)
_GEMMA_MAYBE_CLOSER: Final = re.compile(
    r"(?:\r|(?:\r?\n)?(?:<(?:c(?:h(?:a(?:n(?:n(?:e(?:l\|?)?)?)?)?)?)?)?)?)\Z"
)


def _visible_gemma(prefix: str, rules: Rules) -> Visible:
    """Read a prefix by the rules of DIALECT.3; it knows no cut blocks."""
    seen = Visible()
    at = 0
    while at < len(prefix):
        mark = _GEMMA_MARK.search(prefix, at)
        while mark and not rules.thinking and mark[0].startswith("<|channel>"):
            mark = _GEMMA_MARK.search(prefix, mark.end())
        if mark is None:
            start = prefix.rfind("<", at)
            growing = start >= 0 and any(
                opener.startswith(prefix[start:])
                for opener in _GEMMA_MARKS
                if rules.thinking or "channel" not in opener
            )
            seen.held = prefix[start:] if growing else ""
            seen.text += _size(prefix[at : len(prefix) - len(seen.held)], rules)
            return seen
        seen.text += _size(prefix[at : mark.start()], rules)
        at = mark.end()
        if mark[0] == "<|tool_call>":
            at = _gemma_block_end(prefix, at, seen)
        elif mark[0].startswith("<|channel>"):
            thought = _GEMMA_THOUGHT.match(prefix, at)
            held = None if thought else _GEMMA_MAYBE_CLOSER.search(prefix, at)
            end = thought.end(1) if thought else held.start() if held else len(prefix)
            seen.thinking += end - at
            seen.held = "" if thought else prefix[end:]
            at = thought.end() if thought else len(prefix)
        elif at == len(prefix):
            seen.held = mark[0]
        elif rules.guard and mark[0] == "<|tool_response>":
            return seen
        else:
            seen.text += _size(mark[0], rules)
    return seen


def _gemma_block_end(prefix: str, at: int, seen: Visible) -> int:
    body = _GEMMA_BLOCK.match(prefix, at)
    end = body.end() if body else at
    for token in ("<tool_call|>", "<|tool_call>"):
        if prefix.startswith(token, end):
            seen.closers += 1
            return end + (len(token) if token.startswith("<t") else 0)
    return len(prefix)


def late(
    text: str,
    cuts: Sequence[int],
    steps: Sequence[Sequence[dict[str, Any]]],
    rules: Rules,
) -> str | None:
    """Return which step showed less than it had to, or None.

    Args:
        text: The whole text.
        cuts: Offsets in code points.
        steps: One list of events per chunk, plus one for the close.
        rules: What the scan was told.
    """
    shown_text = shown_thinking = closers = end = 0
    for number, chunk in enumerate(split(text, cuts)):
        end += len(chunk)
        must = visible(text[:end], rules)
        for event in steps[number]:
            shown_text += _size(event.get("text", ""), rules)
            shown_thinking += len(event.get("thinking", ""))
        for kind, short in (
            ("text", must.text - shown_text),
            ("thinking", must.thinking - shown_thinking),
        ):
            if short > 0:
                return (
                    f"after {end} characters {short} characters of {kind} were held back "
                    f"without need; only {must.held!a} may wait"
                )
        if closers == must.closers and any("call" in event for event in steps[number]):
            return (
                f"after {end} characters a call came out, but no closing fence was completed "
                f"by chunk {number + 1}"
            )
        closers = must.closers
    if any("call" in event for event in steps[-1]):
        return "a call came out with the close instead of with its closing fence"
    return None
