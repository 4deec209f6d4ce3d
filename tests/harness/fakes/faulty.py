"""An adapter that echoes text, and goes wrong in one named way where the text says BOOM."""

from __future__ import annotations

import io
import json
import os
import sys
import time
from typing import Any

BUFFERED = io.BufferedWriter(io.FileIO(1, "wb", closefd=False))
CAPABILITIES = ["scan", "streaming"]


def say(value: object) -> None:
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


def hello(number: int) -> dict[str, Any]:
    who = {"protocol": 1, "implementation": {"name": "faulty"}, "capabilities": CAPABILITIES}
    return {"id": number, "result": who}


def scanned(request: dict[str, Any]) -> dict[str, Any]:
    steps = [[{"text": chunk}] for chunk in request["chunks"]]
    return {"id": request["id"], "result": {"steps": [*steps, []]}}


def raw(data: bytes) -> None:
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def misbehave(mode: str, request: dict[str, Any]) -> None:  # noqa: PLR0912  one arm per mode
    number = request["id"]
    good = scanned(request)
    if mode == "exit":
        sys.exit(3)
    elif mode == "sleep":
        time.sleep(60)
    elif mode == "garbage":
        raw(b"Traceback or so\n")
    elif mode == "wrong-id":
        say(good | {"id": number + 1000})
    elif mode == "extra-line":
        raw(2 * (json.dumps(good).encode() + b"\n"))
    elif mode == "halves":
        line = json.dumps(good).encode() + b"\n"
        if "SLEEP" in "".join(request["chunks"]):
            time.sleep(60)
        raw(line[:9])
        time.sleep(0.05)
        raw(line[9:])
    elif mode == "flood":
        while True:
            sys.stderr.write("x" * 65536)
    elif mode == "no-newline":
        raw(json.dumps(good).encode())
    elif mode == "no-flush":
        # Buffered whatever PYTHONUNBUFFERED says, and the process then waits for more input.
        BUFFERED.write(json.dumps(good).encode() + b"\n")
    elif mode == "undecodable":
        raw(b'{"id": "\xff"}\n')
    elif mode == "nan":
        raw(b'{"id": %d, "result": {"steps": [[{"text": NaN}], []]}}\n' % number)
    elif mode == "lie":
        say({"id": number, "unsupported": "no such thing"})
    elif mode == "missing-step":
        say({"id": number, "result": {"steps": []}})
    elif mode == "throws":
        say({"id": number, "error": "ValueError: boom"})
    elif mode == "cannot-restart":
        with open(os.environ["FAULTY_MARK"], "w", encoding="utf-8"):  # noqa: PTH123
            sys.exit(3)
    elif mode == "wrong-when-cut" and len(request["chunks"]) > 1:
        good["result"]["steps"].insert(0, [{"text": "!"}])
        good["result"]["steps"].pop()
        say(good)
    else:
        say(good)


def main() -> None:
    mode = sys.argv[1]
    if os.path.exists(os.environ.get("FAULTY_MARK", "")):  # noqa: PTH110
        sys.exit(5)
    for line in sys.stdin:
        request = json.loads(line)
        if request["op"] == "hello":
            say(hello(request["id"]))
        elif "BOOM" in "".join(request["chunks"]):
            misbehave(mode, request)
        else:
            say(scanned(request))


if __name__ == "__main__":
    main()
