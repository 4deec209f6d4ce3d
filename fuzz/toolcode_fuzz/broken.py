"""The verdict of a target."""

from __future__ import annotations


class Broken(AssertionError):  # noqa: N818 - a verdict on what is fuzzed, no error of ours
    """A property does not hold; the message is the finding."""


def check(holds: bool, what: str) -> None:
    """Raise `Broken` unless a property holds."""
    if not holds:
        raise Broken(what)
