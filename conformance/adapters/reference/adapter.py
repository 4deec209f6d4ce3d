"""Serves the reference over stdio; in process it is `reference_handler:string_aware`."""
# ruff: noqa: INP001  it is started as a script, never imported

from __future__ import annotations

from toolcode_conformance.reference_handler import string_aware
from toolcode_conformance.serve import serve

if __name__ == "__main__":
    serve(string_aware())
