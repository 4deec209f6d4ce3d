r"""The reference for Pythonic tool calls: find them in a stream, read them, write them.

    >>> from toolcode import scan, segments
    >>> segments(scan("```tool_code\nprint(default_api.read(path='a.ts', count=2))\n```"))
    [{'call': {'name': 'read', 'arguments': {'path': 'a.ts', 'count': 2}}}]

Nothing is ever evaluated, no text makes a scan raise, and the standard library is all it needs.
"""

from .events import (
    JSON,
    Call,
    Dropped,
    Event,
    Text,
    ThinkingDelta,
    ThinkingEnd,
    ThinkingStart,
    segments,
)
from .renderer import (
    RenderError,
    render_calls,
    render_message,
    render_results,
    render_thinking,
)
from .scanner import ByteScanner, Scanner, scan, scan_stream

__version__ = "0.1.0"

__all__ = [
    "JSON",
    "ByteScanner",
    "Call",
    "Dropped",
    "Event",
    "RenderError",
    "Scanner",
    "Text",
    "ThinkingDelta",
    "ThinkingEnd",
    "ThinkingStart",
    "render_calls",
    "render_message",
    "render_results",
    "render_thinking",
    "scan",
    "scan_stream",
    "segments",
]
