"""SGLang's pythonic detectors, whole and streaming, from the engine's own files."""

from __future__ import annotations

import importlib
from typing import Any, Final

from toolcode_conformance.peer_host import Deltas, events, package, stub

_PACKAGES: Final = (
    "sglang",
    "sglang.srt",
    "sglang.srt.entrypoints",
    "sglang.srt.entrypoints.openai",
    "sglang.srt.function_call",
)


class _Tool:
    """In the place of the request's tools, of which there are none."""


class _Yes:
    def get(self) -> bool:
        return True


class _Environment:
    SGLANG_FORWARD_UNKNOWN_TOOLS = _Yes()


class Parser:
    """One of the engine's detectors; whole replies and chunks go to different methods of it."""

    def __init__(self, module: str, name: str, begin: str = "", end: str = "") -> None:
        """Load the detector; `begin` and `end` are put around bodies, as the model writes them."""
        for part in _PACKAGES:
            package(part)
        stub("sglang.srt.entrypoints.openai.protocol", Tool=_Tool, ToolChoice=_Tool)
        stub("sglang.srt.environ", envs=_Environment())
        self.make = getattr(importlib.import_module(f"sglang.srt.function_call.{module}"), name)
        self.begin, self.end = begin, end

    def scan(self, text: str) -> list[dict[str, Any]]:
        """Return the events of a whole reply."""
        told = self.make().detect_and_parse(self.begin + text + self.end, [])
        calls = [{"name": call.name, "arguments": call.parameters} for call in told.calls]
        return events(calls, told.normal_text)

    def stream(self) -> _Stream:
        """Begin a reply."""
        return _Stream(self)


class _Stream:
    def __init__(self, parser: Parser) -> None:
        self._detector = parser.make()
        self._begin, self._end = parser.begin, parser.end

    def feed(self, chunk: str) -> list[dict[str, Any]]:
        text, self._begin = self._begin + chunk, ""
        return self._take(self._detector.parse_streaming_increment(text, []))

    def close(self) -> list[dict[str, Any]]:
        found = []
        if self._end:
            found = self._take(self._detector.parse_streaming_increment(self._end, []))
        return found + self._take(self._detector.finish([]))

    def _take(self, told: Any) -> list[dict[str, Any]]:  # noqa: ANN401 - the engine's own class
        found = [{"text": told.normal_text}] if told.normal_text else []
        for number, call in enumerate(told.calls):
            # The detectors give whole calls, and number them anew in each chunk.
            found += Deltas().take(number, call.name, call.parameters)
        return found
