"""One response, two channels: a native call and a call in the text (API.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from .conversation import ToolCall

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
