"""SGLang's `lfm2` detector: a list of calls between two tokens."""

from toolcode_conformance.peer_engines.sglang import Parser

PARSER = Parser("lfm2_detector", "Lfm2Detector", "<|tool_call_start|>", "<|tool_call_end|>")
