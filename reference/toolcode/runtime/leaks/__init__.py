"""Recovery of calls that leaked outside the convention, without guessing (LEAK)."""

from __future__ import annotations

from .guard import CAP, LeakGuard
from .model import (
    FAMILIES,
    Channel,
    Finding,
    Match,
    Options,
    Reason,
    RecoveredCall,
    Recovery,
    Unresolved,
)
from .recovery import recover
from .response import judge_response, read_rejected

__all__ = [
    "CAP",
    "FAMILIES",
    "Channel",
    "Finding",
    "LeakGuard",
    "Match",
    "Options",
    "Reason",
    "RecoveredCall",
    "Recovery",
    "Unresolved",
    "judge_response",
    "read_rejected",
    "recover",
]
