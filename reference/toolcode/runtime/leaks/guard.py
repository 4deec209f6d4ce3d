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

_WINDOW: Final = 48  # as long as a sign can be, but for names of tools
_WORD: Final = 24  # letters of a word that may still be a sign when the next ones arrive
# A sign is complete with its last character: none looks ahead, so that the first one to be complete
# is the same in every chunking.
_SIGNS: Final = (
    rf"(?:error:\s?)?(?:-{{3,8}})?\w{{0,{_WORD}}}call:|</?default_api"
    rf"|(?:\w{{1,{_WORD}}}:\s?)?default_api|(?:print\s?\(\s?|await\s)default_api"
    r"|\*{0,2}tool[_ ]?(?:code|call|output|result|response)|response:\w|```|~~~"
    r"|<ctrl\d|[\x16\x17]|<\||<start_(?:of_)?(?:function|tool|call)|<\w{1,24}:\w"
    r"|</?[\w.:-]{0,24}(?:tool|call|execut|directive|function|invoke|think|thought)"
    r"|</?(?:code|action|python|run)>"
    r"|\[(?:/?tool|execut|default_api|calls?\W|called|function|\.\.|\w{2,20}ing\W)"
    r"|[.!?]thought\s|THOUGHT:|tool (?:output|result|response)s?:"
)
_FIRST_SIGNS: Final = (
    r"\s*\w{2,24}[ \t]*\n\s*(?:print\s?\(\s?)?default_api"
    r"|\s*(?:(?:thought|call|tool|python|py|code)\s|Thought\{|[{\[`])"
)
_PARTIAL: Final = (
    rf"(?:(?:-{{1,8}}|[.!?]|\*{{1,2}})?\w{{1,{_WORD}}}"
    r"(?:(?::\s?(?:-{0,8}\w{0,24}:?\s?\w{0,11}:?)?)|\s?\(\s?\w{0,10})?"
    r"|-{1,8}|[.!?]|\*{1,2}|</?[\w.:|-]{0,40}|<\||\[(?:/?[\w.]{0,24})|`{1,2}|~{1,2}"
    r"|tool (?:\w{1,9}:?)?|await\s\w{0,11})\Z"
)
_blanks_at: Final = re.compile(r"\s*+").match
_partial: Final = re.compile(_PARTIAL).search
_partial_at: Final = re.compile(_PARTIAL).match
_first_partial: Final = re.compile(
    r"\s*(?:print\s?\(\s*)?[\w.]{0,80}\s?\Z"
    r"|\s*\w{2,24}[ \t]*\n\s*(?:print\s?\(?\s?|\w{0,5})\w{0,11}\Z"
).match


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
        bare = tags = ""
        if called:
            bare = rf"|\s*(?:print\s?\(\s*)?(?:\w{{1,24}}\.){{0,2}}(?:{called})\s?[({{]"
            tags = rf"|<(?:{called})[\s>/]"
        longest = max(map(len, declared or ()), default=0)
        self._window = _WINDOW + 2 * longest
        self._sign = re.compile(_SIGNS + tags, re.IGNORECASE).search
        self._first_sign = re.compile(_FIRST_SIGNS + bare, re.IGNORECASE).match
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
        sign = self._complete()
        if sign:
            end = self._held = self._start(*sign)
        else:
            end = max(self._out, self._safe(len(self._text)))
        shown = self._text[self._out : end]
        self._out = end
        if self._held < 0 and self._out > 2 * self._cap + self._window:
            # Reading looks back by `cap` characters at most, so nothing depends on when this is.
            self._whole = False
            cut = self._out - self._cap - self._window
            self._text, self._out = self._text[cut:], self._out - cut
        return shown

    def _complete(self) -> tuple[int, int] | None:
        """Where the sign begins and ends that is the first to be complete."""
        text, begin = self._text, max(0, self._out - self._window)
        first = self._first_sign(text) if self._whole else None
        if first and first.end() > self._cap:  # too far from the head to be the message's first
            first = None
        best = self._sign(text, begin)
        while best and (earlier := self._sign(text, begin, best.end() - 1)):
            best = earlier
        while first and (earlier := self._first_sign(text, 0, first.end() - 1)):
            first = earlier
        found = [(match.end(), match.start()) for match in (best, first) if match]
        if not found:
            return None
        end, start = min(found)
        return start, end

    def _start(self, start: int, end: int) -> int:
        """From where on a sign's text is held: not from what went out before it was complete.

        Asked of every character from its start on, so that it is the same in every chunking.
        """
        blanks = self._blanks()
        if self._whole and start <= blanks and end <= self._cap:
            start = 0
        places = range(max(start, min(blanks, end - 1)) + 1, end)
        # Where the sign's own head is a partial one, nothing behind its start was shown: no need
        # to look for a longer one.
        safe = [self._safe(at) for at in places if not _partial_at(self._text, start, at)]
        return max([start, *safe])

    def _safe(self, end: int) -> int:
        """How much of the first `end` characters can be shown, whatever comes next."""
        if self._whole and end <= self._cap and _first_partial(self._text, 0, end):
            return 0
        partial = _partial(self._text, max(0, end - self._window), end)
        safe = partial.start() if partial else end
        blank = self._whole and end < self._cap and safe <= self._blanks()
        return 0 if blank else safe  # a message that may be a leak as a whole begins with them

    def _blanks(self) -> int:
        """How many blanks the text begins with."""
        match = _blanks_at(self._text)
        return match.end() if match else 0

    def _judged(self, end: int) -> str:
        """Read the held stretch, and begin a new one behind it."""
        begin = max(0, self._held - self._cap)
        context = self._text[begin:end]
        found = recover_from(context, self._held - begin, self._names, self._options)
        if found.findings:
            self.recoveries.append(found)
        self._text, self._out, self._held, self._whole = self._text[end:], 0, -1, True
        return "".join(found.pieces)
