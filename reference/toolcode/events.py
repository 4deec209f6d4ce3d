"""What a scan yields: small slotted events, and the normal form in which results are compared.

Events are values: treat them as immutable. They are plain slotted classes because a frozen one
costs almost twice as much to build, and a streaming scan builds one for every chunk.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable

JSON: TypeAlias = "bool | int | float | str | list[JSON] | dict[str, JSON] | None"
DropReason: TypeAlias = Literal["unterminated", "cut", "no-call", "fabricated"]


@dataclass(slots=True)
class Text:
    """Visible text outside every block, as it arrived (ENV.3a)."""

    text: str


@dataclass(slots=True)
class ThinkingStart:
    """A thinking block opened (THINK.1)."""


@dataclass(slots=True)
class ThinkingDelta:
    """More content of the open thinking block."""

    text: str


@dataclass(slots=True)
class ThinkingEnd:
    """The thinking block ended, by its closer or by the end of the stream (THINK.2a, THINK.4)."""


@dataclass(slots=True)
class Call:
    """One tool call (MODEL.1), with what a runtime needs to judge it (MODEL.3a).

    Attributes:
        name: The tool's name without its namespace.
        arguments: Keyword to JSON value, in the order written.
        id: Fresh, unique and non-empty; the text carries none (MODEL.2).
        callee: The callee as written, `default_api.` included.
        source: The call's own text, from the callee to its closing parenthesis.
        unresolved: Keywords whose value is no literal; their value is its source text.
        skipped: Source text of the segments that are no keyword arguments.
        conditional: The call stands under control flow, so a program might not make it.
    """

    name: str
    arguments: dict[str, JSON]
    id: str
    callee: str = ""
    source: str = ""
    unresolved: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()
    conditional: bool = False

    @property
    def clean(self) -> bool:
        """Whether nothing was lost or left open: only such a call may run unattended."""
        return not (self.unresolved or self.skipped or self.conditional)


@dataclass(slots=True)
class Dropped:
    """A block yielded less than it seemed to (MODEL.3b): silence is never success.

    `unterminated`: the message ended inside a tool block. `cut`: a block ended inside an open call,
    bracket or string. `no-call`: a closed block held no call. `fabricated`: the model wrote a
    result itself, and everything from there on is gone.
    """

    reason: DropReason


Event: TypeAlias = Text | ThinkingStart | ThinkingDelta | ThinkingEnd | Call | Dropped


def segments(events: Iterable[Event]) -> list[dict[str, Any]]:
    """Fold events into the normal form (MODEL.1), in which no chunking can be seen.

    Returns:
        `{"text": str}`, `{"thinking": str}` and `{"call": {"name": str, "arguments": dict}}`, in
        order. Text merges with text unless a block that left something stood between, thinking
        never merges, empty segments vanish and the halves of a surrogate pair are joined.
    """
    result: list[dict[str, Any]] = []
    text: list[str] = []
    thought: list[str] = []

    def flush(kind: Literal["text", "thinking"], pieces: list[str]) -> None:
        content = join_surrogates("".join(pieces))
        pieces.clear()
        if content:
            result.append({kind: content})

    for event in events:
        match event:
            case Text(piece):
                text.append(piece)
            case ThinkingDelta(piece):
                thought.append(piece)
            case ThinkingEnd():
                if any(thought):
                    flush("text", text)
                    flush("thinking", thought)
            case Call(name, arguments):
                flush("text", text)
                result.append({"call": {"name": name, "arguments": arguments}})
    flush("text", text)
    return result


def join_surrogates(text: str) -> str:
    """Join each high surrogate with the low one behind it, as JSON and UTF-16 readers do."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
