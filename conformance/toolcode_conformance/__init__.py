"""The conformance harness: runs the corpus against any implementation of the format.

The command line is `toolcode` (module `cli`). Nothing here is needed to parse tool calls; for
that, import `toolcode`.
"""

from __future__ import annotations

PROTOCOL = 1
"""Version of the line protocol between the harness and an adapter."""

__all__ = ["PROTOCOL"]
