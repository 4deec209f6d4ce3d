"""A model that says what it is told to: the recorder without weights."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from toolcode_conformance.recorder.model import Model
    from toolcode_conformance.recorder.scenario import Sampling

SCENARIO = """
format = 1
[sampling]
temperatures = [0.2, 0.9, 1.3]
limits = [40, 6]
rounds = 4
top_k = 64
top_p = 0.95
min_p = 0.0
repeat_penalty = 1.0
[[forms]]
id = "print"
calls = "print"
template = "plain"
[[forms]]
id = "dialogue"
calls = "bare"
template = "gemma"
results = true
turns = 2
[[domains]]
id = "bakery"
about = "You bake."
asks = ["Bake rye.", "Bake spelt."]
answers = ["oven: hot", "oven: cold"]
[[domains.shots]]
user = "Bake wheat."
think = "One call."
say = "Gladly."
calls = ["bake(flour=\\"wheat\\", grams=500)", "heat(oven=1)"]
result = "baking"
answer = "It bakes."
[[domains]]
id = "harbour"
about = "You moor."
asks = ["Moor the Anna."]
answers = ["moored"]
[[domains.shots]]
user = "Moor the Berta."
think = "One call."
say = ""
calls = ["moor(ship=\\"Berta\\")"]
result = "moored"
answer = "She lies at the quay."
"""


def write_scenario(folder: Path, text: str = SCENARIO) -> Path:
    """Write a scenario file and return its path."""
    path = folder / "scenarios.toml"
    path.write_text(text, encoding="utf-8")
    return path


class Scripted:
    """Answers with the given tokens, or with tokens that depend on prompt, seed and temperature.

    Args:
        tokens: What every reply consists of; None among them is the end the model itself sets.
        fail_after: Raise KeyboardInterrupt at this reply, as a user's Ctrl-C would.
    """

    def __init__(
        self,
        tokens: list[bytes | None] | None = None,
        *,
        version: str = "1",
        fail_after: int | None = None,
    ) -> None:
        self.tokens, self.version, self.fail_after = tokens, version, fail_after
        self.asked: list[tuple[str, str, int]] = []

    @property
    def about(self) -> dict[str, str]:
        return {"model": "scripted", "model_sha256": "00", "library": f"none {self.version}"}

    def reply(
        self,
        shared: str,
        rest: str,
        sampling: Sampling,
        temperature: float,
        seed: int,
    ) -> Iterator[bytes | None]:
        assert sampling.top_k == 64
        if len(self.asked) == self.fail_after:
            raise KeyboardInterrupt
        self.asked.append((shared, rest, seed))
        if self.tokens is not None:
            yield from self.tokens
            return
        yield from (b"```", b"tool", b"_code", b"\n", f"f(s={seed}".encode())
        yield f", t={temperature})".encode()
        yield from (b"\n", b"```", None)


def opener(model: Scripted) -> Callable[[argparse.Namespace], Model]:
    """Return what the command calls to get its model."""

    def open_model(_options: argparse.Namespace) -> Scripted:
        return model

    return open_model
