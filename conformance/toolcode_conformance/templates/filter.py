"""A filter: a message on stdin, its text and calls as JSON on stdout, exit code 0."""

import json
import sys


def parse(message: str) -> list[dict]:
    """Call your parser here. Segments are {"text": ..}, {"thinking": ..} or
    {"call": {"name": .., "arguments": {..}}}, in the order of the message."""
    return [{"text": message}] if message else []


if __name__ == "__main__":
    message = sys.stdin.buffer.read().decode("utf-8")
    json.dump({"segments": parse(message)}, sys.stdout)
