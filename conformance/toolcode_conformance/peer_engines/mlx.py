"""Parsers of servers for MLX that were modelled on vLLM's: whole replies, and deltas as dicts."""

from __future__ import annotations

import importlib
from typing import Any

from toolcode_conformance.peer_host import Deltas, events, package, stub


class Parser:
    """One of a server's parsers; whole replies and deltas go to different methods of it."""

    def __init__(self, server: str, module: str, name: str) -> None:
        """Load the parser without the server's own packages, which import the engine."""
        stub("transformers", PreTrainedTokenizerBase=object)
        package(server)
        package(f"{server}.tool_parsers")
        self.make = getattr(importlib.import_module(f"{server}.tool_parsers.{module}"), name)

    def scan(self, text: str) -> list[dict[str, Any]]:
        """Return the events of a whole reply."""
        told = self.make().extract_tool_calls(text)
        return events(told.tool_calls, told.content)

    def stream(self) -> _Stream:
        """Begin a reply."""
        return _Stream(self.make())


class _Stream:
    """Hands over what came before, what there is now, and the difference, as the server does."""

    def __init__(self, made: Any) -> None:  # noqa: ANN401 - the server's own class
        self._made = made
        self._text = ""
        self._deltas = Deltas()

    def feed(self, chunk: str) -> list[dict[str, Any]]:
        before, self._text = self._text, self._text + chunk
        told = self._made.extract_tool_calls_streaming(before, self._text, chunk) or {}
        found = [{"text": told["content"]}] if told.get("content") else []
        for call in told.get("tool_calls") or []:
            function = call.get("function") or {}
            found += self._deltas.take(
                call["index"], function.get("name"), function.get("arguments")
            )
        return found

    def close(self) -> list[dict[str, Any]]:
        """Nothing is told about the end."""
        return []
