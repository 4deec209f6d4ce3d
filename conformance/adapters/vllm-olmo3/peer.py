"""vLLM's `olmo3` parser: calls one a line between two tags."""

from toolcode_conformance.peer_engines.vllm import Parser

PARSER = Parser(
    "olmo3_tool_parser", "Olmo3PythonicToolParser", "<function_calls>", "</function_calls>"
)
