"""Cases made on the spot, and the fakes of this folder as implementations."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from toolcode_conformance.cases import Case, make_case
from toolcode_conformance.implementation import connect
from toolcode_conformance.runner import Session

FAKES = Path(__file__).parent / "fakes"


def case(text: str = "hello", expect: dict[str, Any] | None = None, **keys: Any) -> Case:
    """Return a scan case that expects its text back, or as the keys say."""
    raw: dict[str, Any] = {
        "id": "env.made.one",
        "title": "made by a test",
        "level": "must",
        "why": "crash",
        "input": text,
        "expect": expect or {"segments": [{"text": text}]},
        "source": {"kind": "spec"},
        "since": "0.1",
    }
    return make_case(raw | keys, group="env.made", clause="ENV.3a", path=Path("made.json"))


def command(name: str, *words: str) -> str:
    """Return the command line of a fake."""
    return " ".join([sys.executable, str(FAKES / name), *words])


def session(name: str, *words: str, timeout: float = 1.0, level: str = "quick") -> Session:
    """Connect to a fake adapter."""
    return Session(connect(f"adapter:{command(name, *words)}"), level, timeout)


def python_session(target: str, level: str = "quick") -> Session:
    """Connect to a handler in this process."""
    return Session(connect(f"python:{target}"), level, 1.0)
