r"""One response, two channels, and a guard: what may run, in the order of arrival (API.4, OUT.3).

    >>> from toolcode.runtime.conversation import ToolCall
    >>> reader = ResponseReader()
    >>> [accepted] = reader.text("```tool_code\ndefault_api.pay(sum=5)\n```")
    >>> accepted.call.name, accepted.channel
    ('pay', 'text')
    >>> [reported] = reader.native(ToolCall("pay", {"sum": 5}))
    >>> reported.why
    'channel'

Error contract: no text and no call makes the reader raise; only a closed reader that is fed again
raises ValueError. The reader holds back what its scanner holds back, and nothing more.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from toolcode import Call, Dropped, Event, Scanner, ThinkingDelta, ThinkingEnd, ThinkingStart

from .conversation import ToolCall

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from .dialects import DialectScanner

Channel: TypeAlias = Literal["native", "text"]


class Channels:
    """Lets the first channel that brings a call win; the other one's calls are only reported.

    A model that calls natively and writes the same call as text must not have it run twice.
    """

    def __init__(self) -> None:
        self.winner: Channel | None = None
        self.calls: list[ToolCall] = []
        self.reported: list[tuple[Channel, ToolCall]] = []

    def offer(self, channel: Channel, call: ToolCall) -> bool:
        """Take a call in the order of arrival; says whether it may run."""
        if self.winner is None:
            self.winner = channel
        if channel != self.winner:
            self.reported.append((channel, call))
            return False
        self.calls.append(call)
        return True


@dataclass(frozen=True, slots=True)
class Accepted:
    """A call of the winning channel.

    Attributes:
        call: The call; one from text has the id that its scanner gave it.
        channel: Where it came from.
        clean: Whether it may run unattended (MODEL.3a); a native call always may.
    """

    call: ToolCall
    channel: Channel
    clean: bool = True


@dataclass(frozen=True, slots=True)
class Reported:
    """A call that must not run.

    Attributes:
        call: The call.
        channel: Where it came from.
        why: `channel`: the other channel was first. `fabricated`: it came behind a result that
            the model made up, so it rests on nothing.
    """

    call: ToolCall
    channel: Channel
    why: Literal["channel", "fabricated"]


class ResponseReader:
    """Reads the parts of one response as they arrive, and decides what may run.

    Args:
        scanner: What reads the text; by default one of this convention with the guard on.
        tools: The declared tools, for the default scanner.

    Attributes:
        channels: Which channel won, what it called, and what was reported.
        fabricated: The model wrote a result itself. Everything behind it is gone, and the runtime
            should stop the model, which goes on inventing.
        lost: A tool block was open or cut at its end, so a call may be lost.
    """

    def __init__(
        self, scanner: DialectScanner | None = None, *, tools: Collection[str] | None = None
    ) -> None:
        self._scanner = scanner or Scanner(stop_on_tool_outputs=True, tools=tools)
        self.channels = Channels()
        self.fabricated = False
        self.lost = False

    def text(self, chunk: str) -> list[Event | Accepted | Reported]:
        """Take the next piece of visible text."""
        return self._sorted(self._scanner.feed(chunk))

    def thought(self, chunk: str) -> list[Event | Accepted | Reported]:
        """Take a piece of native thinking, in which nothing is a call or a result (THINK.3)."""
        if self.fabricated or not chunk:
            return []
        return [ThinkingStart(), ThinkingDelta(chunk), ThinkingEnd()]

    def native(self, call: ToolCall) -> list[Event | Accepted | Reported]:
        """Take a native call. Text that the scanner holds back comes out later, behind it."""
        return [self._decided("native", call, clean=True)]

    def close(self) -> list[Event | Accepted | Reported]:
        """End the response and return what was held back. Closing twice is harmless."""
        return self._sorted(self._scanner.close())

    def _sorted(self, events: Iterable[Event]) -> list[Event | Accepted | Reported]:
        sorted_events: list[Event | Accepted | Reported] = []
        for event in events:
            if isinstance(event, Call):
                call = ToolCall(event.name, event.arguments, event.id)
                sorted_events.append(self._decided("text", call, clean=event.clean))
                continue
            if isinstance(event, Dropped):
                self.fabricated |= event.reason == "fabricated"
                self.lost |= event.reason in ("unterminated", "cut")
            sorted_events.append(event)
        return sorted_events

    def _decided(self, channel: Channel, call: ToolCall, *, clean: bool) -> Accepted | Reported:
        if self.fabricated:
            return Reported(call, channel, "fabricated")
        if self.channels.offer(channel, call):
            return Accepted(call, channel, clean)
        return Reported(call, channel, "channel")
