"""llama-tool-parser-native: a reader of call lists in Rust, whole and incremental."""

from __future__ import annotations

from typing import Any

import llama_tool_parser_native as native

from toolcode_conformance.peer_host import events


def _value(value: Any) -> Any:
    """Take a value out of the tag that says what kind it is."""
    if value == "Empty":
        return None
    if isinstance(value, dict) and len(value) == 1:
        ((kind, held),) = value.items()
        if kind in ("String", "Number", "Bool", "Integer", "Float"):
            return held
        if kind == "List":
            return [_value(item) for item in held]
        if kind in ("Dict", "Map", "Object"):
            pairs = held.items() if isinstance(held, dict) else held
            return {key: _value(item) for key, item in pairs}
    raise TypeError(f"a value of an unknown kind: {value!r}")


def _events(found: Any) -> list[dict[str, Any]]:
    return events(
        [
            {
                "name": call["name"],
                "arguments": {key: _value(item) for key, item in call["kwargs"].items()},
            }
            for call in found
        ]
    )


class Stream:
    """An incremental parser, which is asked once the reply is over."""

    def __init__(self) -> None:
        self._parser = native.IncrementalParser()

    def feed(self, chunk: str) -> list[dict[str, Any]]:
        """Take a chunk."""
        self._parser.parse_chunk(chunk)
        return []

    def close(self) -> list[dict[str, Any]]:
        """Return all calls."""
        return _events(self._parser.get_parsed_functions())


class Parser:
    """Whole replies go to the other function."""

    def scan(self, text: str) -> list[dict[str, Any]]:
        """Return the calls of a whole reply."""
        return _events(native.parse_tools(text, "nom"))

    def stream(self) -> Stream:
        """Begin a reply."""
        return Stream()


PARSER = Parser()
