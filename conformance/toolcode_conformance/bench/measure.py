"""What is measured: speed beside others, cost per feed, growth, memory, rendering."""

from __future__ import annotations

import math
import statistics
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

from toolcode_conformance.bench.workloads import HOSTILE, KIB, USUAL, Workload

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolcode_conformance.bench.peers import Peer

REPEATS: Final = 3
GROWTH_SIZES: Final = tuple(64 * KIB * 2**step for step in range(5))
_SECONDS: Final = 0.15
_GROWTH_SECONDS: Final = 0.03
_GIVE_UP: Final = 20.0


@dataclass(frozen=True, slots=True)
class Speed:
    """One workload on all parsers.

    Attributes:
        rates: For each parser, the median of its megabytes per second, None where it failed.
        ratios: For each other parser, the reference's rate over its rate: median, least, most.
        feed: Nanoseconds per feed of the reference, None where the text came whole.
    """

    workload: str
    characters: int
    rates: dict[str, float | None]
    ratios: dict[str, tuple[float, float, float]]
    feed: float | None


@dataclass(frozen=True, slots=True)
class Growth:
    """How the reference's time grows with a workload's size.

    Attributes:
        exponent: The median over the repeats of the fitted exponent, with the least and the most.
        last: The exponent of the last doubling, the least over the repeats.
        seconds: The best time of each size.
    """

    workload: str
    fence: str
    exponent: tuple[float, float, float]
    last: float
    seconds: list[float]


def spread(values: list[float]) -> tuple[float, float, float]:
    """Return median, least and most."""
    return statistics.median(values), min(values), max(values)


def speed(workload: Workload, peers: list[Peer]) -> Speed:
    """Time one workload on all parsers in turn, `REPEATS` times."""
    text = workload.text()
    times: dict[str, list[float]] = {peer.name: [] for peer in peers}
    for _ in range(REPEATS):
        for peer in peers:
            took = peer.seconds(text, workload.chunk, _SECONDS)
            if took is not None:
                times[peer.name].append(took)
    rates = {
        name: len(text) / 1e6 / statistics.median(found) if found else None
        for name, found in times.items()
    }
    mine = times["reference"]
    ratios = {
        name: spread([other / own for own, other in zip(mine, found, strict=True)])
        for name, found in times.items()
        if name != "reference" and found
    }
    feeds = math.ceil(len(text) / workload.chunk) if workload.chunk else None
    feed = statistics.median(mine) * 1e9 / feeds if feeds else None
    return Speed(workload.name, len(text), rates, ratios, feed)


def growth(workload: Workload, peer: Peer) -> Growth:
    """Fit the exponent of the time over the sizes, `REPEATS` times."""
    texts = [workload.text(size) for size in GROWTH_SIZES]
    sizes = [len(text) for text in texts]
    best = [math.inf] * len(texts)
    exponents, lasts = [], []
    for _ in range(REPEATS):
        times = []
        for text in texts:
            took = peer.seconds(text, workload.chunk, _GROWTH_SECONDS) or math.inf
            times.append(took)
            if took > _GIVE_UP:
                break
        used = sizes[: len(times)]
        exponents.append(slope(used, times))
        lasts.append(slope(used[-2:], times[-2:]))
        best = [min(pair) for pair in zip(best, times, strict=False)]
    return Growth(workload.name, peer.name, spread(exponents), min(lasts), best)


def slope(sizes: list[int], times: list[float]) -> float:
    """Fit a line through the logarithms of sizes and times."""
    fit = statistics.linear_regression([math.log(n) for n in sizes], [math.log(t) for t in times])
    return fit.slope


def everything(peers: list[Peer], say: Callable[[str], None]) -> dict[str, Any]:
    """Run all measurements; `say` is told what is under way."""
    by_name = {peer.name: peer for peer in peers}
    result: dict[str, Any] = {"speed": [], "growth": [], "memory": []}
    for workload in USUAL:
        say(f"speed of {workload.name}")
        result["speed"].append(asdict(speed(workload, peers)))
    for workload in (*USUAL, *HOSTILE):
        for fence in ("reference", "first-fence"):
            say(f"growth of {workload.name}, {fence}")
            result["growth"].append(asdict(growth(workload, by_name[fence])))
    for workload in USUAL:
        text = workload.text()
        say(f"memory of {workload.name}")
        found = by_name["reference"].ask(text=text, chunk=workload.chunk, memory=True)
        result["memory"].append({"workload": workload.name, "characters": len(text), **found})
    say("rendering")
    repeats = [by_name["reference"].ask(render=_SECONDS) for _ in range(REPEATS)]
    result["render"] = spread([one["repr"] / one["render"] for one in repeats])
    return result
