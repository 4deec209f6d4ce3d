"""From bytes to what a target needs: text in chunks, options, values, conversations.

The first bytes choose the cuts and options, the rest is the text, so an engine that changes one
byte changes one thing. Text is UTF-8 in which what is no UTF-8 becomes lone surrogates.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, Literal

from toolcode.runtime.transcript import Turn

if TYPE_CHECKING:
    from toolcode.runtime.leaks import Channel

HEAD: Final = 6
"""Bytes in front of the text."""

_NAMES: Final = ("f", "g", "read", "größe", "_x", "class_", "get_weather")
_KEYS: Final = ("a", "path", "from", "class", "__proto__", "x1", "é")


class Reader:
    """Takes an input apart."""

    def __init__(self, data: bytes) -> None:
        self._head = data[:HEAD].ljust(HEAD, b"\0")
        self._text = data[HEAD:].decode("utf-8", "surrogateescape")
        self._at = 0

    def rest(self) -> str:
        """The text that is left."""
        text, self._at = self._text[self._at :], len(self._text)
        return text

    def options(self) -> dict[str, Any]:
        """Options of a scanner."""
        bits = self._head[5]
        return {
            "parse_thinking": not bits & 1,
            "stop_on_tool_outputs": bool(bits & 2),
            "fence": "first-fence" if bits & 4 else "string-aware",
            "tools": ["f", "read"] if bits & 8 else None,
        }

    def channel(self) -> Channel:
        """The channel of a leak."""
        channels: tuple[Channel, ...] = (
            "text",
            "finish_message",
            "executable_code",
            "tool_argument",
            "structured_output",
        )
        return channels[self._head[5] % len(channels)]

    def chunks(self, *, gemma: bool = False) -> list[str]:
        """The text, cut where the first bytes say; an empty chunk where two say the same."""
        text = self.rest()
        if gemma:
            text = text.replace("\x01", '<|"|>').replace("\x02", "<|tool_call>")
        cuts = sorted(byte * len(text) // 255 for byte in self._head[:5])
        places = [0, *cuts, len(text)]
        return [text[a:b] for a, b in pairwise(places)]

    def _byte(self) -> int:
        char = self._text[self._at : self._at + 1]
        self._at += 1
        return ord(char) % 256 if char else 0

    def calls(self) -> list[tuple[str, dict[str, Any]]]:
        """Calls with any arguments."""
        return [
            (
                _NAMES[self._byte() % len(_NAMES)],
                {_KEYS[self._byte() % len(_KEYS)]: self._value(0) for _ in range(self._byte() % 3)},
            )
            for _ in range(1 + self._head[0] % 3)
        ]

    def _value(self, depth: int) -> Any:
        kind = self._byte() % (8 if depth < 4 else 6)  # noqa: PLR2004 - deep enough
        if kind == 6:  # noqa: PLR2004
            return [self._value(depth + 1) for _ in range(self._byte() % 3)]
        if kind == 7:  # noqa: PLR2004
            return {self._string(): self._value(depth + 1) for _ in range(self._byte() % 3)}
        simple = (None, True, False, self._byte() - 128, self._byte() / 16)
        return simple[kind] if kind < len(simple) else self._string()

    def _string(self) -> str:
        length = self._byte() % 24
        text = self._text[self._at : self._at + length]
        self._at += length
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")

    def turns(self) -> list[Turn]:
        """A conversation's turns, of any text."""
        roles: tuple[Literal["user", "model"], ...] = ("user", "model")
        return [
            Turn(roles[byte % 2], self._string()) for byte in self._head[: 1 + self._head[0] % HEAD]
        ]
