"""Seeds for a target: the texts of the corpus, each behind a head of cuts and options."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Final

from toolcode_conformance.corpus import load_corpus
from toolcode_fuzz.inputs import HEAD

if TYPE_CHECKING:
    from collections.abc import Iterator

LONGEST: Final = 1200


def seeds(target: str) -> Iterator[bytes]:
    """Yield the seeds of a target, the same ones every time."""
    for case in load_corpus().cases:
        if target == "corpus":
            yield json.dumps(case.raw).encode()
            continue
        text = case.input.get("text", "") if case.op in ("recover", "transcript") else case.text
        if case.op == "literal" and target != "literals":
            continue
        data = text.encode("utf-8", "surrogatepass")
        if data and len(data) <= LONGEST:
            # Cuts of its own for each text, so that one seed is no other's head.
            yield hashlib.sha256(case.id.encode()).digest()[:HEAD] + data
    if target == "protocol":
        yield b'{"id": 1, "result": {"steps": [[{"text": "a"}], []]}}'
        yield b'{"id": 1, "error": "x"}'
