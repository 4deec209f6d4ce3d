"""Hides leaks while a reply streams (LEAK.3).

    >>> guard = LeakGuard(tools=["dim"])
    >>> guard.feed("Dimming. startcall:default_api:dim{la"), guard.feed("mp:hall} Sleep well.")
    ('Dimming. ', '')
    >>> guard.close(), [call.name for call in guard.runnable]
    (' Sleep well.', ['dim'])

Text goes out at once up to the first sign that a leak may begin. From there on up to `cap`
characters are held, then read as `recover` reads them; what is no leak goes out, so a false sign
delays a reply and never eats it. Where the text is divided depends on the text alone, so every
chunking gives the same. Imitations of a history have no sign that is short enough: they are left to
`recover`.

Error contract: only feeding a closed guard raises, with ValueError.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from .model import Options, Recovery
from .names import Names
from .recovery import recover_from

if TYPE_CHECKING:
    from collections.abc import Collection

    from toolcode.runtime.conversation import ToolCall

    from .model import RecoveredCall, Unresolved

CAP: Final = 16_384
"""Characters that are held at most before they are judged."""

_WORD: Final = 24  # letters of a word that may still be a sign when the next ones arrive
_SIGNS: Final = (
    rf"(?:error:\s?)?(?:-{{3,8}})?\w{{0,{_WORD}}}call:|</?default_api|(?:\w{{1,{_WORD}}}:\s?)?default_api"
    r"|(?:print\s?\(\s?|await\s)default_api"
    r"|\*{0,2}tool[_ ]?(?:code|call|output|result|response)|response:\w|```|~~~"
    r"|<ctrl\d|[\x16\x17]|<\||<start_(?:of_)?(?:function|tool|call)|<\w{1,24}:\w"
    r"|</?[\w.:-]{0,24}(?:tool|call|execut|directive|function|invoke|think|thought)"
    r"|</?(?:code|action|python|run)>"
    r"|\[(?:/?tool|execut|default_api|calls?\b|called|function|\.\.|\w{2,20}ing\b)"
    r"|[.!?]thought(?=\s)|THOUGHT:|tool (?:output|result|response)s?:"
)
_FIRST_SIGNS: Final = (
    r"\A\s*\w{2,24}[ \t]*\n\s*(?:print\s?\(\s?)?default_api|"
    r"\A\s*(?:(?:thought|call|tool|python|py|code)\s|Thought\{|[{\[`])"
)
_PARTIAL: Final = (
    rf"(?:(?:-{{1,8}}|[.!?]|\*{{1,2}})?\w{{1,{_WORD}}}(?:(?::\s?(?:\w{{1,11}}:?)?)|\s?\(\s?\w{{0,10}})?"
    r"|-{1,8}|[.!?]|\*{1,2}|</?[\w.:|-]{0,24}|<\||\[/?[\w.]{0,20}|`{1,2}|~{1,2}"
    r"|tool (?:\w{1,9}:?)?|await\s\w{0,11})\Z"
)
_partial_at: Final = re.compile(_PARTIAL).search
_first_partial_at: Final = re.compile(
    rf"\A\s*(?:print\s?\(\s*)?[\w.]{{0,80}}\s?\Z"
    rf"|\A\s*\w{{2,24}}[ \t]*\n\s*(?:print\s?\(?\s?|\w{{0,5}})\w{{0,11}}\Z|{_PARTIAL}"
).search


class LeakGuard:
    """Streams a reply without its leaks.

    Args:
        tools: The declared tools; None where they are not known.
        namespaces: As for `recover`.
        repair_quotes: As for `recover`.
        cap: Characters that are held at most.

    Attributes:
        recoveries: What was read so far, one for each held stretch with a leak in it.
    """

    def __init__(
        self,
        *,
        tools: Collection[str] | None = None,
        namespaces: Collection[str] = ("default_api",),
        repair_quotes: bool = True,
        cap: int = CAP,
    ) -> None:
        if cap < 1:
            raise ValueError(f"cap must be positive, not {cap}")
        declared = None if tools is None else frozenset(tools)
        self._options = Options(declared, tuple(namespaces), repair_quotes)
        self._names = Names(self._options)
        called = "|".join(re.escape(name) for name in sorted(declared or ()))
        bare = (
            rf"|\A\s*(?:print\s?\(\s*)?(?:\w{{1,24}}\.){{0,2}}(?:{called})\s?\(" if called else ""
        )
        bare += rf"|\A\s*(?:{called})\s?\{{" if called else ""
        tags = rf"|<(?:{called})[\s>/]" if called else ""
        self._sign = re.compile(_SIGNS + tags, re.IGNORECASE).search
        self._first_sign = re.compile(rf"{_SIGNS}{tags}|{_FIRST_SIGNS}{bare}", re.IGNORECASE).search
        self._text = ""  # this stretch, or what of it may still matter
        self._whole = True  # it is the whole stretch so far
        self._out = 0  # characters of it that went out
        self._held = -1  # where the sign stands, -1 while there is none
        self._closed = False
        self._cap = cap
        self.recoveries: list[Recovery] = []

    @property
    def calls(self) -> list[RecoveredCall]:
        """Every recovered call so far."""
        return [call for found in self.recoveries for call in found.calls]

    @property
    def unresolved(self) -> list[Unresolved]:
        """Every call so far that must not run."""
        return [one for found in self.recoveries for one in found.unresolved]

    @property
    def runnable(self) -> list[ToolCall]:
        """The calls of declared tools so far."""
        return [call for found in self.recoveries for call in found.runnable]

    def feed(self, chunk: str) -> str:
        """Take the next chunk and return what may be shown now.

        Raises:
            ValueError: The guard is closed.
        """
        if self._closed:
            raise ValueError("feed() after close(): a reply ends once; use a new guard")
        self._text += chunk
        shown = []
        while True:
            if self._held < 0:
                shown.append(self._before_sign())
            if self._held < 0 or len(self._text) - self._held < self._cap:
                return "".join(shown)
            shown.append(self._judged(self._held + self._cap))

    def close(self) -> str:
        """End the reply and return the rest of what may be shown. Closing twice is harmless."""
        if self._closed:
            return ""
        self._closed = True
        if self._held < 0:
            return self._text[self._out :]
        return self._judged(len(self._text))

    def _before_sign(self) -> str:
        """Text up to a sign, or up to what may become one."""
        sign = self._first_sign if self._whole else self._sign
        match = sign(self._text, max(0, self._out - _WORD))
        if match:
            blank = self._whole and not self._text[: match.start()].strip()
            self._held = end = self._out if blank else max(match.start(), self._out)
        else:
            look = _first_partial_at if self._whole and not self._out else _partial_at
            partial = look(self._text, self._out)
            end = partial.start() if partial else len(self._text)
            if self._whole and len(self._text) < self._cap and not self._text.strip():
                end = self._out  # blanks in front of a message that may be a leak as a whole
        shown = self._text[self._out : end]
        self._out = max(self._out, end)
        if self._held < 0 and self._out > 2 * self._cap:
            # Reading looks back by `cap` characters at most, so nothing depends on when this is.
            self._whole = False
            self._text, self._out = self._text[self._out - self._cap :], self._cap
        return shown

    def _judged(self, end: int) -> str:
        """Read the held stretch, and begin a new one behind it."""
        begin = max(0, self._held - self._cap)
        context = self._text[begin:end]
        found = recover_from(context, self._held - begin, self._names, self._options)
        if found.findings:
            self.recoveries.append(found)
        self._text, self._out, self._held, self._whole = self._text[end:], 0, -1, True
        return "".join(found.pieces)
