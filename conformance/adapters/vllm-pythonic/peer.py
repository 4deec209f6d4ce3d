"""vLLM's `pythonic` parser: a reply that is a bare list of calls."""

from toolcode_conformance.peer_engines.vllm import Parser

PARSER = Parser("pythonic_tool_parser", "PythonicToolParser")
