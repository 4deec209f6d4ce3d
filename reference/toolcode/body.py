"""The body of a tool block while it arrives: where does its closing fence stand (ENV.2)?

The pieces are kept in lists and joined only from the place up to which they were read, so a block
costs time linear in its length however it is cut.
"""

from __future__ import annotations

import re
from typing import Final, Literal, TypeAlias

from .events import join_surrogates
from .lexical import LINE_STRING, TRIPLE_STRING

FenceMode: TypeAlias = Literal["string-aware", "first-fence"]
FENCE: Final = "```"

_opening_at: Final = re.compile(r"""'''|\"""|['"#]""").match
# What follows an opening, to its end. A single-quoted string ends at its line at the latest, so
# that an apostrophe cannot swallow the reply; a backslash joins lines, as in Python.
_REST_OF: Final = {
    **{quote * 3: TRIPLE_STRING.format(quote) + quote * 3 for quote in "'\""},
    **{quote: rf"{LINE_STRING.format(quote)}[{quote}\r\n]" for quote in "'\""},
    "#": r"[^\r\n]*+[\r\n]",
}
_rest_at: Final = {opener: re.compile(rest).match for opener, rest in _REST_OF.items()}
_LONE: Final = {"'": "'(?!'')", '"': '"(?!"")'}
_CLOSED: Final = "|".join(_LONE.get(opener, opener) + rest for opener, rest in _REST_OF.items())
# All strings and comments up to one that is still open: half the time of one match for each.
_closed_at: Final = re.compile(rf"""(?:[^'"#]++|{_CLOSED})*+""").match


class Body:
    """Collects a body up to its closing fence.

    A fence inside a string literal belongs to the string (`string-aware`), or every fence closes
    (`first-fence`): choice `fence-in-string`.
    """

    __slots__ = ("_context", "_done", "_pending", "_searched", "_string_aware", "_tail")

    def __init__(self, fence: FenceMode) -> None:
        self._string_aware = fence == "string-aware"
        self._done: list[str] = []
        self._pending: list[str] = []
        self._tail = ""  # the pending text's last backticks, at most two: a fence may be cut
        self._searched = 0  # backticks at the start of the pending text that are known to be data
        self._context = ""  # the open string's quotes, "#" in a comment, "" in code

    def append(self, text: str) -> None:
        """Take text without a backtick, which cannot hold or complete a fence."""
        if text:
            self._pending.append(text)
            self._tail = ""

    def feed(self, text: str) -> str | None:
        """Take any text.

        Returns:
            What follows the closing fence, or None while the block is open.
        """
        if not text:
            return None
        self._pending.append(text)
        window = self._tail + text
        if FENCE not in window:
            self._tail = window[len(window.rstrip("`")) :]
            return None
        return self._close(len(window))

    def text(self) -> str:
        """The body, once it is closed; a surrogate pair may have arrived in halves."""
        return join_surrogates("".join(self._done))

    def _close(self, width: int) -> str | None:
        """Try the fences in the last `width` characters of the pending text."""
        src = "".join(self._pending)
        at = src.find(FENCE, max(len(src) - width, self._searched))
        read = 0
        while at >= 0:
            if self._string_aware:
                self._read(src, read, at)
            if self._context in ("", "#"):
                self._done.append(src[:at])
                return src[at + len(FENCE) :]
            read = at
            at = src.find(FENCE, at + len(FENCE))
        # What was read is settled; what remains starts with a fence that is data.
        self._done.append(src[:read])
        rest = src[read:]
        self._pending = [rest]
        self._searched = len(FENCE) if rest.startswith(FENCE) else 0
        after = rest[self._searched :]
        self._tail = after[len(after.rstrip("`")) :][-2:]
        return None

    def _read(self, src: str, pos: int, end: int) -> None:
        """Follow strings and comments from `pos` to `end`, where a backtick stands.

        A string open at `end` goes on from there: whatever escape stands before it can only
        have swallowed that backtick.
        """
        if self._context:
            rest = _rest_at[self._context](src, pos, end)
            if not rest:
                return
            pos = rest.end()
        closed = _closed_at(src, pos, end)
        assert closed is not None, "it matches the empty text"
        opening = _opening_at(src, closed.end(), end)
        self._context = opening[0] if opening else ""
