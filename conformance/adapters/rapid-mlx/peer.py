"""Rapid-MLX's parser for LFM2: lists of calls anywhere in a reply."""

from __future__ import annotations

from typing import Any

from toolcode_conformance.peer_engines.mlx import Parser
from toolcode_conformance.peer_host import events


class RapidMlx(Parser):
    """At the end of a stream, does what the server's `finalize` does with the parser."""

    def stream(self) -> _Stream:
        """Begin a reply."""
        return _Stream(self)


class _Stream:
    def __init__(self, parser: Parser) -> None:
        self._deltas = Parser.stream(parser)
        self._made = parser.make()
        self._text = ""
        self._called = False

    def feed(self, chunk: str) -> list[dict[str, Any]]:
        self._text += chunk
        found = self._deltas.feed(chunk)
        self._called |= any("call" in event for event in found)
        return found

    def close(self) -> list[dict[str, Any]]:
        """Read the whole once more where no call came, or give what was held back."""
        if self._called:
            return []
        told = self._made.extract_tool_calls(self._text)
        if told.tools_called:
            return events(told.tool_calls)
        return events([], self._made.flush_held_content(self._text))


PARSER = RapidMlx("rapid_mlx", "lfm_tool_parser", "LfmToolParser")
