"""Serves a Python handler over stdio: the adapter loop that Python parsers need not write."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from toolcode_conformance.jsonlines import decode, encode

if TYPE_CHECKING:
    from toolcode_conformance.clients import Handler


def answer(handler: Handler, line: bytes) -> str:
    """Return the line that answers a request line; whatever the handler raises is an `error`."""
    request: Any = None
    try:
        request = decode(line.decode("utf-8"))
        return encode(handler.handle(request))
    except Exception as error:  # noqa: BLE001  the protocol has a word for every one of them
        number = request.get("id") if isinstance(request, dict) else None
        return encode({"id": number, "error": f"{type(error).__name__}: {error}"})


def serve(handler: Handler) -> None:
    """Answer requests from stdin on stdout, one JSON object a line, until stdin ends."""
    out = sys.stdout.buffer
    for line in iter(sys.stdin.buffer.readline, b""):
        if line.strip():
            out.write(answer(handler, line).encode() + b"\n")
            out.flush()
