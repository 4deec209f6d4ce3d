"""What the reference has to reach, and the table that says whether it does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from toolcode_conformance.bench.measure import FENCES


@dataclass(frozen=True, slots=True)
class Bar:
    """One requirement with what was measured; `value` None means that it could not be."""

    what: str
    wanted: str
    value: float | None
    shown: str
    met: bool | None


_AT_LEAST: Final = (
    ("calls", "omp", 0.5),
    ("string", "omp", 1.0),
    ("escaped-string", "omp", 1.0),
    ("string", "ast", 0.5),
    ("escaped-string", "ast", 0.5),
    ("block-chunked", "omp", 150.0),
)
_FEED_AT_MOST: Final = (("block-chunked", 3.0), ("prose-chunked", 6.0), ("ticks-chunked", 20.0))
_EXPONENT: Final = 1.1
_MEMORY: Final = 12.0
_RENDER: Final = 0.5


def judge(result: dict[str, Any]) -> list[Bar]:
    """Compare measurements with the bars."""
    speeds = {row["workload"]: row for row in result["speed"]}
    bars = [_ratio(speeds[name], other, least) for name, other, least in _AT_LEAST]
    feeds = {row["workload"]: row for row in result["feed"]}
    bars += [_feed(feeds[name], fence, most) for name, most in _FEED_AT_MOST for fence in FENCES]
    worst = max(result["growth"], key=lambda row: row["exponent"][0])
    bars.append(
        Bar(
            "growth exponent, the worst of all workloads",
            f"at most {_EXPONENT}",
            worst["exponent"][0],
            f"{_spread(worst['exponent'])} ({worst['workload']}, {worst['fence']})",
            worst["exponent"][0] <= _EXPONENT,
        )
    )
    bars += [_memory(row) for row in result["memory"] if "string" in row["workload"]]
    bars.append(
        Bar(
            "render, over repr",
            f"at least {_RENDER}",
            result["render"][0],
            _spread(result["render"]),
            result["render"][0] >= _RENDER,
        )
    )
    return bars


def _ratio(row: dict[str, Any], other: str, least: float) -> Bar:
    found = row["ratios"].get(other)
    what, wanted = f"{row['workload']}, over {other}", f"at least {least}"
    if found is None:
        return Bar(what, wanted, None, "not measured", None)
    return Bar(what, wanted, found[0], _spread(found), found[0] >= least)


def _feed(row: dict[str, Any], fence: str, most: float) -> Bar:
    value = row["ratios"][fence]
    what = f"a feed, over list.append: {row['workload']}, {fence}"
    return Bar(what, f"at most {most}", value[0], _spread(value), value[0] <= most)


def _memory(row: dict[str, Any]) -> Bar:
    value = (row["peak"] - row["returned"]) / row["characters"]
    shown = f"{value:.2f}, and {row['returned'] / row['characters']:.2f} returned"
    what = f"peak memory less events, over the block: {row['workload']}"
    return Bar(what, f"at most {_MEMORY}", value, shown, value <= _MEMORY)


def _spread(values: tuple[float, float, float]) -> str:
    return f"{values[0]:.2f} ({values[1]:.2f} to {values[2]:.2f})"


def table(result: dict[str, Any], bars: list[Bar]) -> str:
    """Return the report for a terminal."""
    lines = ["speed in MB/s, and the reference's rate over each (median of 3, least to most)"]
    for row in result["speed"]:
        lines.append(f"  {row['workload']} ({row['characters']:,} characters)")
        for name, rate in row["rates"].items():
            ratio = row["ratios"].get(name)
            beside = f"  x{_spread(ratio)}" if ratio else ""
            lines.append(f"    {name:12} {'failed' if rate is None else f'{rate:9.2f}'}{beside}")
    lines.append("nanoseconds per feed, and its ratio to list.append of the same slice")
    for row in result["feed"]:
        shown = ", ".join(f"{name} {took:.0f}" for name, took in row["nanoseconds"].items())
        ratios = ", ".join(f"{name} x{_spread(ratio)}" for name, ratio in row["ratios"].items())
        lines.append(f"  {row['workload']:16} {shown}; {ratios}")
    lines.append(f"scans over stdio in a second: {_spread(result['exchanges'])}")
    lines.append("growth exponents of the reference above 1.05")
    lines += [
        f"  {row['workload']:20} {row['fence']:12} {_spread(row['exponent'])}"
        for row in sorted(result["growth"], key=lambda row: -row["exponent"][0])
        if row["exponent"][0] > _SHOWN
    ] or ["  none"]
    lines.append("bars")
    for bar in bars:
        verdict = {True: "met", False: "NOT MET", None: "-"}[bar.met]
        lines.append(f"  {verdict:8} {bar.what}: {bar.wanted}, measured {bar.shown}")
    return "\n".join(lines)


_SHOWN: Final = 1.05
