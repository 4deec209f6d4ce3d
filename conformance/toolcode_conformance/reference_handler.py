"""The reference behind the protocol: what `conformance/adapters/reference` serves."""

from __future__ import annotations

import base64
import importlib.metadata
from typing import TYPE_CHECKING, Any, Final

import toolcode
from toolcode.runtime.errors import RuntimeFormatError
from toolcode_conformance import PROTOCOL, gemma_handler, runtime_handler
from toolcode_conformance.chunking import split
from toolcode_conformance.tables import choices

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

CAPABILITIES: Final = (
    "scan",
    "streaming",
    "thinking",
    "guard",
    "declared-tools",
    "diagnostics",
    "call-ids",
    "render",
    "render-print-per-line",
    "render-results",
    "render-thinking",
    "render-message",
    "gemma4",
    "bytes",
    "utf16",
    "cuts",
    *runtime_handler.CAPABILITIES,
)
_SCAN_OPTIONS: Final = ("parse_thinking", "stop_on_tool_outputs", "tools", "fence")


class Reference:
    """Answers the protocol with `toolcode`."""

    def __init__(self, fence: str = "string-aware") -> None:
        self._fence = fence
        self._operations: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
            "hello": self._hello,
            "scan": self._scan,
            "render": _render,
            "render-results": lambda request: {"text": toolcode.render_results(request["results"])},
            "render-thinking": lambda request: {
                "text": toolcode.render_thinking(request["thinking"])
            },
            "render-message": _render_message,
            **runtime_handler.OPERATIONS,
        }

    def handle(self, request: dict[str, Any]) -> dict[str, Any]:
        """Answer one message."""
        number = request["id"]
        operation = self._operations.get(request["op"])
        if gemma_handler.wanted(request):
            operation = gemma_handler.OPERATIONS.get(request["op"], operation)
        if operation is None:
            return {"id": number, "unsupported": f"no operation {request['op']}"}
        try:
            return {"id": number, "result": operation(request)}
        except (toolcode.RenderError, RuntimeFormatError) as error:
            return {"id": number, "result": {"refused": str(error)}}

    def _hello(self, _request: dict[str, Any]) -> dict[str, Any]:
        declared = {choice.name: choice.options[0] for choice in choices().values()}
        declared["fence-in-string"] = self._fence
        return {
            "protocol": PROTOCOL,
            "implementation": {
                "name": "toolcode",
                "language": "Python",
                "version": importlib.metadata.version("toolcode"),
            },
            "capabilities": list(CAPABILITIES),
            "features": [],
            "choices": declared,
        }

    def _scan(self, request: dict[str, Any]) -> dict[str, Any]:
        make = gemma_handler.scanners if gemma_handler.wanted(request) else self._scanners
        scanner = make(request)
        runs = [{"steps": _feed(scanner(), chunks)} for chunks in _chunkings(request)]
        return {"runs": runs} if "cuts" in request else runs[0]

    def _scanners(self, request: dict[str, Any]) -> Callable[[], Any]:
        options: dict[str, Any] = {"fence": self._fence}
        for name, value in (request.get("options") or {}).items():
            if value is None or (name, value) == ("dialect", "gemini"):
                continue
            if name not in _SCAN_OPTIONS:
                raise ValueError(f"unknown option {name!r}")
            options[name] = value
        if "chunks_b64" in request:
            return lambda: toolcode.ByteScanner(**options)
        return lambda: toolcode.Scanner(**options)


def _chunkings(request: dict[str, Any]) -> Iterator[list[Any]]:
    """Yield the chunks of each run that a scan request asks for."""
    if "chunks_b64" in request:
        yield [base64.b64decode(chunk) for chunk in request["chunks_b64"]]
    elif "chunks" in request:
        yield request["chunks"]
    else:
        yield from (split(request["text"], cuts) for cuts in request["cuts"])


def _feed(scanner: Any, chunks: Iterable[Any]) -> list[list[dict[str, Any]]]:  # noqa: ANN401
    steps = [[_event(event) for event in scanner.feed(chunk)] for chunk in chunks]
    steps.append([_event(event) for event in scanner.close()])
    return steps


def _event(event: toolcode.Event) -> dict[str, Any]:
    match event:
        case toolcode.Text(text):
            return {"text": text}
        case toolcode.ThinkingDelta(text):
            return {"thinking": text}
        case toolcode.ThinkingStart():
            return {"thinking_start": True}
        case toolcode.ThinkingEnd():
            return {"thinking_end": True}
        case toolcode.Dropped(reason):
            return {"dropped": {"reason": reason}}
        case toolcode.Call():
            return {
                "call": {
                    "name": event.name,
                    "arguments": event.arguments,
                    "id": event.id,
                    "callee": event.callee,
                    "source": event.source,
                    "unresolved": list(event.unresolved),
                    "skipped": list(event.skipped),
                    "conditional": event.conditional,
                }
            }


def _style(request: dict[str, Any]) -> Any:  # noqa: ANN401  render_calls checks it
    return (request.get("options") or {}).get("style") or "list"


def _pairs(calls: list[dict[str, Any]]) -> list[tuple[str, dict[str, Any]]]:
    return [(call["name"], call["arguments"]) for call in calls]


def _render(request: dict[str, Any]) -> dict[str, Any]:
    return {"text": toolcode.render_calls(_pairs(request["calls"]), style=_style(request))}


def _render_message(request: dict[str, Any]) -> dict[str, Any]:
    return {
        "text": toolcode.render_message(
            thinking=request.get("thinking", ""),
            text=request.get("text", ""),
            calls=_pairs(request.get("calls", [])),
        )
    }


def string_aware() -> Reference:
    """Return the reference as it is."""
    return Reference()


def first_fence() -> Reference:
    """Return the reference with the document's rule for closers (ENV.2b)."""
    return Reference("first-fence")
