"""vllm-mlx's parser for Gemma 4, which falls back on tool_code fences."""

from toolcode_conformance.peer_engines.mlx import Parser

PARSER = Parser("vllm_mlx", "gemma4_tool_parser", "Gemma4ToolParser")
