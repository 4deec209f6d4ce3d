"""SGLang's `pythonic` detector: a list of calls in a reply."""

from toolcode_conformance.peer_engines.sglang import Parser

PARSER = Parser("pythonic_detector", "PythonicDetector")
