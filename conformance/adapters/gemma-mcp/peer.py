"""gemma-mcp: its `_parse_function_calls` takes a list by ast, else by a pattern."""

from __future__ import annotations

from typing import Any

from toolcode_conformance.peer_host import events, stub


class _Absent:
    """In the place of clients that reading needs none of."""


stub("fastmcp", Client=_Absent, FastMCP=_Absent)
stub("google")
stub("google.genai")
stub("google.genai.types")

from gemma_mcp.gemma_client import GemmaMCPClient


class GemmaMcp:
    """A client without a connection and without registered functions."""

    def __init__(self) -> None:
        self._client = GemmaMCPClient.__new__(GemmaMCPClient)
        self._client.functions = []

    def scan(self, text: str) -> list[dict[str, Any]]:
        """Return the calls, or the text where there are none, as `chat` does."""
        found = self._client._parse_function_calls(text)
        return events(found, "" if found else text)


PARSER = GemmaMcp()
