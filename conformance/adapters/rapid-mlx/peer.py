"""Rapid-MLX's parser for LFM2: lists of calls anywhere in a reply."""

from toolcode_conformance.peer_engines.mlx import Parser

PARSER = Parser("rapid_mlx", "lfm_tool_parser", "LfmToolParser")
