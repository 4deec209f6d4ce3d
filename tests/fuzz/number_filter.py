"""A newcomer's parser with one planted bug: numbers come as text."""

from __future__ import annotations

import json
import sys

import toolcode


def main() -> None:
    """Answer as a filter: a message on stdin, its segments on stdout."""
    segments = toolcode.segments(toolcode.scan(sys.stdin.buffer.read().decode("utf-8")))
    for segment in segments:
        arguments = segment["call"]["arguments"] if "call" in segment else {}
        for name, value in arguments.items():
            if isinstance(value, int) and not isinstance(value, bool):
                arguments[name] = str(value)
    print(json.dumps({"segments": segments}))  # noqa: T201 - what a filter does


if __name__ == "__main__":
    main()
