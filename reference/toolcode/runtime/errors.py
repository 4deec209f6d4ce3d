"""The one error of this package."""

from __future__ import annotations


class RuntimeFormatError(ValueError):
    """Something the formats around a message cannot carry; the message names the place."""
