"""Errors that reach a user; each message names the file, case or option that is at fault."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


class HarnessError(Exception):
    """Base of everything the harness raises on purpose; anything else is a bug of the harness."""


class CorpusError(HarnessError):
    """A corpus file, case or key that is not what the case format says.

    Attributes:
        path: The file, or None for text that came from elsewhere.
        case: The case's id, or None when the file as a whole is at fault.
        key: The key within the case, or None.
    """

    def __init__(
        self,
        message: str,
        *,
        path: Path | None = None,
        case: str | None = None,
        key: str | None = None,
    ) -> None:
        places = [
            str(path) if path else None,
            f"case {case}" if case else None,
            f"key {key!r}" if key else None,
        ]
        super().__init__(": ".join([", ".join(p for p in places if p) or "corpus", message]))
        self.path = path
        self.case = case
        self.key = key


class UsageError(HarnessError):
    """A wrong option, name or file on the command line (exit code 2)."""


class StartError(HarnessError):
    """The implementation could not be started or greeted (exit code 4)."""
