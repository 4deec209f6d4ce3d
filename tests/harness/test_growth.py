"""Growth is judged by the shape of an implementation's own times; a made-up clock shows it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pytest

from tests.harness.helpers import case, python_session
from toolcode_conformance import growth
from toolcode_conformance.faults import Fault
from toolcode_conformance.plan import needs

if TYPE_CHECKING:
    from collections.abc import Callable

SHAPE = growth.Shape("<", "ab", ">")
CHUNKED = growth.Shape("<", "ab", ">", chunk=4)
COST = 0.02
"""Seconds that each exchange costs, whatever the text."""


class Clock:
    """Time that passes as told: so many seconds for so many characters."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, took: Callable[[int], float]) -> None:
        self.now = 0.0
        self.took = took
        self.sizes: list[int] = []
        monkeypatch.setattr(growth, "perf_counter", lambda: self.now)

    def ask(self, chunks: list[str]) -> None:
        size = sum(map(len, chunks))
        if size:
            self.sizes.append(size)
            self.now += self.took(size)
        self.now += COST


@pytest.mark.parametrize(
    ("name", "took", "wrong"),
    [
        ("linear", lambda n: n * 1e-6, None),
        ("n log n", lambda n: n * math.log(n) * 1e-7, None),
        ("quadratic", lambda n: n * n * 1e-10, "exponent 2.0"),
        ("a little worse than 1.5", lambda n: n**1.53 * 1e-8, "exponent 1.53"),
        ("fast and quadratic", lambda n: n * n * 1e-16, None),
        ("linear to a limit", lambda n: n * 1e-6 * (1 + 9 * (n > 250_000)), "last doubling 4.3"),
    ],
)
@pytest.mark.parametrize("shape", [SHAPE, CHUNKED])
def test_the_verdict(
    monkeypatch: pytest.MonkeyPatch,
    shape: growth.Shape,
    name: str,
    took: Callable[[int], float],
    wrong: str | None,
) -> None:
    clock = Clock(monkeypatch, took)
    said = growth.judge(shape, clock.ask)
    if name == "linear to a limit" and not shape.chunk:
        assert said is None, "it is measurable long before the limit"
    elif wrong is None:
        assert said is None
    else:
        assert said is not None
        assert wrong in said
        assert f"{(clock.sizes[-1] + 1023) // 1024} Ki" in said


def test_sizes_double_until_they_can_be_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch, lambda n: n * 1e-7)
    growth.judge(SHAPE, clock.ask)
    first, last = clock.sizes[0], clock.sizes[-1]
    assert first < 9_000
    assert last * 1e-7 >= growth.MEASURABLE > last / 2 * 1e-7
    measured = clock.sizes[-4 * 3 :]
    assert measured == sorted(set(measured)) * 3, "the repeats are interleaved"


@pytest.mark.parametrize(("spoilt", "wrong"), [(1, False), (2, True)])
def test_one_bad_repeat_is_noise(monkeypatch: pytest.MonkeyPatch, spoilt: int, wrong: bool) -> None:
    largest: list[int] = []

    def took(size: int) -> float:
        if size > 500_000:
            largest.append(size)
        return size * 1e-7 * (5 if size > 500_000 and len(largest) <= spoilt else 1)

    clock = Clock(monkeypatch, took)
    assert (growth.judge(SHAPE, clock.ask) is not None) == wrong
    assert len(largest) == 3


@pytest.mark.parametrize(("verdict", "wanted"), [("timeout", "slow"), ("exit", "exit")])
def test_a_limit_names_the_size_reached(
    monkeypatch: pytest.MonkeyPatch, verdict: str, wanted: str
) -> None:
    def took(size: int) -> float:
        if size > 20_000:
            raise Fault(verdict, "no answer within 10 s")
        return 0.001

    with pytest.raises(Fault, match=r"at 3\d{4} characters, 1\d{4} took 0.02 s: no answer") as told:
        growth.judge(SHAPE, Clock(monkeypatch, took).ask)
    assert told.value.verdict == wanted


def test_every_size_is_the_same_kind_of_text() -> None:
    """A multiple of two, three and four quotes: else one size closes its string, another not."""
    shape = growth.Shape("", "'", "")
    assert all(len(shape.text(size)) % 12 == 0 for size in range(12, 200))
    assert "".join(CHUNKED.chunks(1000)) == CHUNKED.text(1000)
    assert {len(chunk) for chunk in CHUNKED.chunks(1000)[:-1]} == {4}


class Counting:
    """A parser whose time is real but tiny."""

    def __init__(self) -> None:
        self.chunks: list[int] = []

    def handle(self, request: dict[str, Any]) -> dict[str, Any]:
        if request["op"] == "hello":
            hello = {"protocol": 1, "implementation": {"name": "c"}, "capabilities": ["scan"]}
            return {"id": request["id"], "result": hello}
        self.chunks.append(len(request["chunks"]))
        return {"id": request["id"], "result": {"steps": [[] for _ in [*request["chunks"], 0]]}}


def test_a_case_runs_through_the_session() -> None:
    given = {"before": "a", "piece": "b"}
    one = case(input=given, op="growth", expect={"linear": True}, why="slow")
    run = python_session("tests.harness.test_growth:Counting")
    assert run.run(one).verdict == "pass"
    chunked = case(input={**given, "chunk": 4}, op="growth", expect={"linear": True}, why="slow")
    assert needs(chunked) == ["streaming"]
    assert run.run(chunked).verdict == "not-offered"
