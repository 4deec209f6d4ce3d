"""What is measured: speed beside others, cost per feed, growth, memory, rendering, exchanges."""

from __future__ import annotations

import math
import statistics
import time
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

from toolcode_conformance import growth
from toolcode_conformance.bench.workloads import KIB, USUAL, Workload, hostile, recorded
from toolcode_conformance.implementation import connect

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolcode_conformance.bench.peers import Peer

REPEATS: Final = 3
FENCES: Final = ("reference", "first-fence")
GROWTH_SIZES: Final = tuple(64 * KIB * 2**step for step in range(5))
_SECONDS: Final = 0.15
_GIVE_UP: Final = 20.0
_EXCHANGES: Final = 2000

Spread = tuple[float, float, float]
"""Median, least and most."""


@dataclass(frozen=True, slots=True)
class Speed:
    """One workload on all parsers.

    Attributes:
        rates: For each parser, the median of its megabytes per second, None where it failed.
        ratios: For each other parser, the reference's rate over its rate.
    """

    workload: str
    characters: int
    rates: dict[str, float | None]
    ratios: dict[str, Spread]


@dataclass(frozen=True, slots=True)
class Feed:
    """What one feed costs, the cutting of the chunk included on all sides.

    Attributes:
        nanoseconds: For the reference in both fence modes and for `list.append`, the median.
        ratios: For each fence mode, its time over that of `list.append`.
    """

    workload: str
    feeds: int
    nanoseconds: dict[str, float]
    ratios: dict[str, Spread]


@dataclass(frozen=True, slots=True)
class Growth:
    """How the reference's time grows with a workload's size.

    Attributes:
        exponent: Fitted to the best time of each size, then the least and the most that the single
            repeats give.
        last: The exponent of the last doubling of the best times.
        seconds: The best time of each size.
    """

    workload: str
    fence: str
    exponent: Spread
    last: float
    sizes: list[int]
    seconds: list[float]


def spread(values: list[float]) -> Spread:
    """Return median, least and most."""
    return statistics.median(values), min(values), max(values)


def speed(workload: Workload, peers: list[Peer]) -> Speed:
    """Time one workload on all parsers in turn, `REPEATS` times."""
    messages = workload.chunked()
    characters = sum(len(chunk) for chunks in messages for chunk in chunks)
    times: dict[str, list[float]] = {peer.name: [] for peer in peers}
    for _ in range(REPEATS):
        for peer in peers:
            took = peer.seconds(messages, _SECONDS)
            if took is not None:
                times[peer.name].append(took)
    rates = {
        name: characters / 1e6 / statistics.median(found) if found else None
        for name, found in times.items()
    }
    mine = times["reference"]
    ratios = {
        name: spread([other / own for own, other in zip(mine, found, strict=True)])
        for name, found in times.items()
        if name != "reference" and found
    }
    return Speed(workload.name, characters, rates, ratios)


def feed(workload: Workload, peer: Peer) -> Feed:
    """Time single feeds beside `list.append` of the same slices."""
    text = workload.text()
    feeds = math.ceil(len(text) / workload.chunk)
    times: dict[str, list[float]] = {name: [] for name in (*FENCES, "append")}
    for _ in range(REPEATS):
        for name, taken in times.items():
            taken.append(peer.named(name).feeds(text, workload.chunk, _SECONDS))
    ratios = {
        name: spread([own / app for own, app in zip(times[name], times["append"], strict=True)])
        for name in FENCES
    }
    nanoseconds = {name: statistics.median(took) * 1e9 / feeds for name, took in times.items()}
    return Feed(workload.name, feeds, nanoseconds, ratios)


def grow(workload: Workload, peer: Peer) -> Growth:
    """Fit the exponent of the time over the sizes."""
    repeats: list[list[float]] = []
    sizes = list(GROWTH_SIZES)
    for _ in range(REPEATS):
        times: list[float] = []
        for size in sizes:
            took = peer.seconds(workload.chunked(size), 0.0) or math.inf
            times.append(took)
            if took > _GIVE_UP:
                break
        sizes = sizes[: len(times)]
        repeats.append(times)
    best = [min(times) for times in zip(*repeats, strict=False)]
    single = [growth.fitted(sizes, times) for times in repeats]
    exponent = growth.fitted(sizes, best), min(single), max(single)
    last = growth.last(sizes, best)
    return Growth(workload.name, peer.name, exponent, last, sizes, best)


def exchanges() -> float:
    """Return how many scans of a small message go over stdio in a second."""
    impl = connect("reference")
    try:
        start = time.perf_counter()
        for _ in range(_EXCHANGES):
            impl.client.ask({"op": "scan", "chunks": ["```tool_code\nf(a=1)\n```"]}, 10.0)
        return _EXCHANGES / (time.perf_counter() - start)
    finally:
        impl.client.close()


def everything(peers: list[Peer], say: Callable[[str], None]) -> dict[str, Any]:
    """Run all measurements; `say` is told what is under way."""
    reference = peers[0]
    result: dict[str, Any] = {"speed": [], "feed": [], "growth": [], "memory": []}
    for workload in (*USUAL, recorded()):
        say(f"speed of {workload.name}")
        result["speed"].append(asdict(speed(workload, peers)))
    for workload in USUAL:
        if workload.chunk:
            say(f"a feed of {workload.name}")
            result["feed"].append(asdict(feed(workload, reference)))
    for workload in (*USUAL, *hostile()):
        for fence in FENCES:
            say(f"growth of {workload.name}, {fence}")
            result["growth"].append(asdict(grow(workload, reference.named(fence))))
    for workload in USUAL:
        say(f"memory of {workload.name}")
        found = reference.ask(messages=workload.chunked(), memory=True)
        characters = len(workload.text())
        result["memory"].append({"workload": workload.name, "characters": characters, **found})
    say("rendering")
    repeats = [reference.ask(render=_SECONDS) for _ in range(REPEATS)]
    result["render"] = spread([one["repr"] / one["render"] for one in repeats])
    say("exchanges over stdio")
    result["exchanges"] = spread([exchanges() for _ in range(REPEATS)])
    return result
