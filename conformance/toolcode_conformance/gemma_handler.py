"""The reference's Gemma 4 dialect behind the protocol (requests with option `dialect: gemma`)."""

from __future__ import annotations

import codecs
from typing import TYPE_CHECKING, Any, Final

from toolcode.runtime import gemma4, gemma4_render

if TYPE_CHECKING:
    from collections.abc import Callable

    import toolcode

_SCAN_OPTIONS: Final = ("parse_thinking", "stop_on_tool_outputs", "tools")


def wanted(request: dict[str, Any]) -> bool:
    """Tell whether a request is about Gemma 4's own convention."""
    return (request.get("options") or {}).get("dialect") == "gemma"


def scanners(request: dict[str, Any]) -> Callable[[], Any]:
    """Return what makes a scanner for each run of a scan request.

    Raises:
        ValueError: An option is unknown; the message names it.
    """
    options = {}
    for name, value in request["options"].items():
        if name == "dialect" or value is None:
            continue
        if name not in _SCAN_OPTIONS:
            raise ValueError(f"unknown option {name!r} with dialect gemma")
        options[name] = value
    if "chunks_b64" in request:
        return lambda: _Bytes(gemma4.Scanner(**options))
    return lambda: gemma4.Scanner(**options)


class _Bytes:
    """A scanner that is fed UTF-8."""

    def __init__(self, scanner: gemma4.Scanner) -> None:
        self._scanner = scanner
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def feed(self, data: bytes) -> list[toolcode.Event]:
        return self._scanner.feed(self._decoder.decode(data))

    def close(self) -> list[toolcode.Event]:
        tail = self._decoder.decode(b"", final=True)
        return self._scanner.feed(tail) + self._scanner.close()


def _pairs(request: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    return [(call["name"], call["arguments"]) for call in request.get("calls", [])]


def _render_message(request: dict[str, Any]) -> dict[str, Any]:
    return {
        "text": gemma4_render.render_message(
            thinking=request.get("thinking", ""),
            text=request.get("text", ""),
            calls=_pairs(request),
        )
    }


def _render_results(request: dict[str, Any]) -> dict[str, Any]:
    pairs = zip(request["names"], request["results"], strict=True)
    return {"text": gemma4_render.render_results(pairs)}


OPERATIONS: Final[dict[str, Callable[[dict[str, Any]], dict[str, Any]]]] = {
    "render": lambda request: {"text": gemma4_render.render_calls(_pairs(request))},
    "render-results": _render_results,
    "render-thinking": lambda request: {"text": gemma4_render.render_thinking(request["thinking"])},
    "render-message": _render_message,
}
"""The renderings; a scan is answered by the reference's own handler."""
