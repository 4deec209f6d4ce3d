"""Implementations to be fuzzed by tests: the reference's handler with one thing wrong."""

from __future__ import annotations

import time
from typing import Any

from toolcode_conformance.reference_handler import Reference


class Sound(Reference):
    """The reference, but in few capabilities."""

    capabilities = ("scan", "streaming", "thinking")
    choices: dict[str, str] = {}  # noqa: RUF012 - a table of a test

    def handle(self, request: dict[str, Any]) -> dict[str, Any]:
        answer = super().handle(request)
        if request["op"] == "hello":
            answer["result"]["capabilities"] = list(self.capabilities)
            answer["result"]["choices"].update(self.choices)
            return answer
        calls = [e["call"] for step in answer["result"]["steps"] for e in step if "call" in e]
        for call in calls:
            self.change(call, "".join(request["chunks"]))
        return answer

    def change(self, call: dict[str, Any], text: str) -> None:
        """Do to a call what this parser does wrong."""


class TabLoser(Sound):
    def change(self, call: dict[str, Any], text: str) -> None:  # noqa: ARG002
        for key, value in call["arguments"].items():
            if isinstance(value, str):
                call["arguments"][key] = value.replace("\t", "t")


class Doubles(Sound):
    """Gives whole floats for integers, which it declares."""

    choices = {"numbers": "double"}  # noqa: RUF012

    def change(self, call: dict[str, Any], text: str) -> None:  # noqa: ARG002
        for key, value in call["arguments"].items():
            if isinstance(value, int) and not isinstance(value, bool):
                call["arguments"][key] = float(value)


class FirstWins(Sound):
    """Takes a repeated keyword's first value, which it declares."""

    choices = {"duplicate-keyword": "first"}  # noqa: RUF012

    def change(self, call: dict[str, Any], text: str) -> None:
        if "f(a=1, a=2)" in text:
            call["arguments"]["a"] = 1


class Raising(Sound):
    def change(self, call: dict[str, Any], text: str) -> None:  # noqa: ARG002
        if "café" in text:
            raise RuntimeError(f"no word of {len(text)} letters")


class Hanging(Sound):
    def change(self, call: dict[str, Any], text: str) -> None:  # noqa: ARG002
        if "café" in text:
            time.sleep(30)


class Forgetful(Sound):
    """Loses what arrives in chunks of one character."""

    def handle(self, request: dict[str, Any]) -> dict[str, Any]:
        if request["op"] == "scan" and any(len(chunk) == 1 for chunk in request["chunks"]):
            steps: list[list[Any]] = [[] for _ in request["chunks"]]
            return {"id": request["id"], "result": {"steps": [*steps, []]}}
        return super().handle(request)
