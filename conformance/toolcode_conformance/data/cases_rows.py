"""The table of all cases."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from toolcode_conformance.corpus import load_corpus

if TYPE_CHECKING:
    from pathlib import Path

    from toolcode_conformance.cases import Case


def about(case: Case) -> dict[str, Any]:
    """Return the columns that say which case it is, shared by several tables."""
    return {
        "case": case.id,
        "area": case.area,
        "clause": case.clause,
        "level": case.level,
        "why": case.why,
    }


def rows(root: Path | None = None) -> list[dict[str, Any]]:
    """Return a row for every case, in the corpus's order."""
    return [_row(case) for case in load_corpus(root).cases]


def _row(case: Case) -> dict[str, Any]:
    return about(case) | {
        "group": case.group,
        "op": case.op,
        "title": case.title,
        "source": str(case.source.get("kind", "")),
        "since": str(case.raw.get("since", "")),
        "characters": len(case.text) or len(json.dumps(case.input, ensure_ascii=False)),
        "has_twin": "twin" in case.raw,
        "needs": " ".join(sorted(case.needs)),
    }
