"""Recovery of calls that leaked outside the convention, without guessing (LEAK)."""

from __future__ import annotations

from .model import Channel, Finding, Match, Options, Reason, RecoveredCall, Recovery, Unresolved
from .recovery import recover

__all__ = [
    "Channel",
    "Finding",
    "Match",
    "Options",
    "Reason",
    "RecoveredCall",
    "Recovery",
    "Unresolved",
    "recover",
]
