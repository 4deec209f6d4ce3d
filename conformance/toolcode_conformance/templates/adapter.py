"""An adapter: one JSON object a line, answered by one line, until stdin ends."""

import json
import sys


class Scanner:
    """Put your streaming parser here. Events are {"text": ..}, {"thinking_start": true},
    {"thinking": ..}, {"thinking_end": true} and {"call": {"name": .., "arguments": {..}}}."""

    def feed(self, chunk: str) -> list[dict]:
        return [{"text": chunk}] if chunk else []

    def close(self) -> list[dict]:
        return []


HELLO = {
    "protocol": 1,
    "implementation": {"name": "my-parser", "version": "0", "language": "Python"},
    "capabilities": ["scan", "streaming"],  # add "thinking" when it is offered
}


def answer(request: dict) -> dict:
    if request["op"] == "hello":
        return {"result": HELLO}
    if request["op"] != "scan" or "chunks" not in request:
        return {"unsupported": request["op"]}
    scanner = Scanner()
    steps = [scanner.feed(chunk) for chunk in request["chunks"]]
    return {"result": {"steps": [*steps, scanner.close()]}}


if __name__ == "__main__":
    for line in sys.stdin.buffer:
        request = json.loads(line)
        try:
            reply = answer(request)
        except Exception as error:  # the suite tells an error from a wrong answer
            reply = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps({"id": request["id"], **reply}), flush=True)
