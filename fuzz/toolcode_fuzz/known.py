"""Which differences the corpus shows already: its own texts, made as small as a finding is."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from toolcode_conformance.corpus import load_corpus
from toolcode_conformance.plan import wrap_literal
from toolcode_fuzz import findings
from toolcode_fuzz.inputs import HEAD
from toolcode_fuzz.seeds import LONGEST

if TYPE_CHECKING:
    from collections.abc import Callable

Key = tuple[str, str]
_EACH: Final = 2.0


def key_of(small: findings.Finding) -> Key:
    """Return what findings of one cause share once they are small."""
    return small.signature, findings.shape(small)


def by_corpus(run: Callable[[str, bytes], None], seconds: float) -> dict[Key, str]:
    """Return the cases that show a difference, by what is left of them when they are small.

    Args:
        run: The differential target.
        seconds: How long to look; with little time, some are missing.
    """
    until = time.monotonic() + seconds
    differing = []
    for case in load_corpus().cases:
        text = wrap_literal(case.text, frozenset()) if case.op == "literal" else case.text
        if text and len(text) <= LONGEST and time.monotonic() < until:
            data = bytes(HEAD) + text.encode("utf-8", "surrogatepass")
            found = findings.examine(findings.DIFFERENTIAL, data, run)
            if found is not None:
                differing.append((case.id, found))
    known: dict[Key, str] = {}
    for case_id, found in sorted(differing, key=lambda one: len(one[1].data)):
        left = until - time.monotonic()
        small = findings.minimised(found, run, min(left, _EACH)) if left > 0 else found
        known.setdefault(key_of(small), case_id)
    return known
