"""The sound parser of `parsers`, over stdio."""

from __future__ import annotations

from tests.fuzz.parsers import Sound
from toolcode_conformance.serve import serve

if __name__ == "__main__":
    serve(Sound())
