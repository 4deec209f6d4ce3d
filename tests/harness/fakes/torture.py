"""Adapters that misbehave in ways no parser should, each named by its mode."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

CAPABILITIES = ["scan", "streaming"]


def raw(data: bytes) -> None:
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def say(value: object) -> None:
    raw(json.dumps(value).encode() + b"\n")


def hello(request: dict[str, Any], **more: object) -> dict[str, Any]:
    who = {"protocol": 1, "implementation": {"name": "torture"}, "capabilities": CAPABILITIES}
    return {"id": request["id"], "result": {**who, **more}}


def right(request: dict[str, Any]) -> dict[str, Any]:
    steps = [[{"text": chunk}] if chunk else [] for chunk in request["chunks"]]
    return {"id": request["id"], "result": {"steps": [*steps, []]}}


def drip(request: dict[str, Any]) -> None:
    for byte in json.dumps(right(request)).encode() + b"\n":
        raw(bytes([byte]))
        time.sleep(0.3)


def huge_line(request: dict[str, Any]) -> None:
    answer = right(request)
    answer["result"]["steps"][0] = [{"text": "x" * 100_000_000}]
    say(answer)


def orphan(_: dict[str, Any]) -> None:
    """Leave a child behind that keeps stdout open, and go."""
    subprocess.Popen(["sleep", sys.argv[2]], stdin=subprocess.DEVNULL)
    os._exit(7)


def twice(request: dict[str, Any]) -> None:
    say(right(request))
    say(right(request))


def unasked(request: dict[str, Any]) -> None:
    say({**right(request), "id": request["id"] + 1})
    say(right(request))


def nul(request: dict[str, Any]) -> None:
    raw(json.dumps(right(request)).encode().replace(b"BOOM", b"B\0M") + b"\n")


def deep(request: dict[str, Any]) -> None:
    value = b"[" * 50_000 + b"]" * 50_000
    call = b'{"call": {"name": "f", "arguments": {"a": %s}}}' % value
    raw(b'{"id": %d, "result": {"steps": [[%s], []]}}\n' % (request["id"], call))


def with_steps(*events: object) -> Callable[[dict[str, Any]], None]:
    return lambda request: say({"id": request["id"], "result": {"steps": [[*events], []]}})


def with_bytes(data: bytes) -> Callable[[dict[str, Any]], None]:
    return lambda _: raw(data)


MISBEHAVE: dict[str, Callable[[dict[str, Any]], None]] = {
    "hang": lambda _: time.sleep(60),
    "drip": drip,
    "signal": lambda _: os.kill(os.getpid(), signal.SIGSEGV),
    "duplicate-id": twice,
    "unasked": unasked,
    "text-id": lambda request: say({**right(request), "id": str(request["id"])}),
    "no-json": with_bytes(b"ok then\n"),
    "no-object": lambda request: say([right(request)]),
    "empty-line": with_bytes(b"\n"),
    "nul": nul,
    "invalid-utf-8": with_bytes(b'{"id": 1, "result": "\xc3"}\n'),
    "huge-line": huge_line,
    "orphan": orphan,
    "both": lambda request: say({**right(request), "error": "and an error"}),
    "neither": lambda request: say({"id": request["id"]}),
    "unknown-event": with_steps({"txt": "a"}),
    "echo": say,
    "deep": deep,
}


class State:
    """What a parser must not keep from one message to the next."""

    last = ""


def answer(mode: str, request: dict[str, Any]) -> None:
    text = "".join(request["chunks"])
    if mode == "leaks-state":
        leaked = {
            "chunks": [State.last, *request["chunks"][1:]] if State.last else request["chunks"]
        }
        State.last = text
        say({**right({**request, **leaked})})
    elif mode == "slow-but-right":
        time.sleep(0.2)
        say(right(request))
    elif "BOOM" in text and mode in MISBEHAVE:
        MISBEHAVE[mode](request)
    else:
        say(right(request))


def main() -> None:
    mode = sys.argv[1]
    for line in sys.stdin:
        request = json.loads(line)
        if request["op"] != "hello":
            answer(mode, request)
        elif mode == "hangs-at-hello":
            time.sleep(60)
        elif mode == "unknown-capability":
            say(hello(request, capabilities=["scan", "flying"]))
        elif mode == "unknown-choice":
            say(hello(request, choices={"numbers": "roman"}))
        elif mode == "answers-before-asked":
            say(hello(request))
            say({"id": 1, "result": {"steps": [[], []]}})
        else:
            say(hello(request))


if __name__ == "__main__":
    main()
