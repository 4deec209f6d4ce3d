"""The bench's results as one picture: rates beside each other, and time against size."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.axes import Axes

# Okabe and Ito's palette, which colour-blind readers can tell apart; the markers differ as well.
_STYLES: Final = (
    ("#0072B2", "o"),
    ("#56B4E9", "s"),
    ("#E69F00", "^"),
    ("#D55E00", "D"),
    ("#009E73", "v"),
    ("#CC79A7", "P"),
)
_WORST: Final = 6


def draw(result: dict[str, Any], path: Path) -> str | None:
    """Write the picture.

    Returns:
        Why there is none: matplotlib is missing. Otherwise None.
    """
    try:
        from matplotlib.figure import Figure  # noqa: PLC0415 - optional, and slow to import
    except ImportError:
        return "no plot: matplotlib is not installed (pip install 'toolcode[bench]')"
    figure = Figure(figsize=(12, 7), layout="constrained")
    left, right = figure.subplots(1, 2)
    _rates(left, result["speed"])
    _growth(right, result["growth"])
    figure.savefig(path, dpi=120, metadata={"Software": None})
    return None


def _rates(axes: Axes, rows: list[dict[str, Any]]) -> None:
    parsers = list(dict.fromkeys(name for row in rows for name in row["rates"]))
    for number, parser in enumerate(parsers):
        colour, marker = _STYLES[number % len(_STYLES)]
        found = [
            (rate, place)
            for place, row in enumerate(rows)
            if (rate := row["rates"].get(parser)) is not None
        ]
        axes.scatter(
            [rate for rate, _ in found],
            [place for _, place in found],
            label=parser,
            color=colour,
            marker=marker,
            s=42,
            zorder=3,
        )
    axes.set_xscale("log")
    axes.set_yticks(range(len(rows)), [row["workload"] for row in rows])
    axes.invert_yaxis()
    axes.set_xlabel("MB/s (more is better)")
    axes.set_title("Speed by workload")
    axes.grid(axis="x", alpha=0.3)
    _legend(axes, columns=2)


def _growth(axes: Axes, rows: list[dict[str, Any]]) -> None:
    """The workloads whose exponents are the largest, each as time for a character."""
    worst = sorted(rows, key=lambda row: -row["exponent"][0])[:_WORST]
    for number, row in enumerate(worst):
        colour, marker = _STYLES[number % len(_STYLES)]
        axes.plot(
            [size / 1024 for size in row["sizes"]],
            [took * 1e9 / size for size, took in zip(row["sizes"], row["seconds"], strict=True)],
            label=f"{row['workload']} ({row['fence']}): {row['exponent'][0]:.2f}",
            color=colour,
            marker=marker,
        )
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    sizes = sorted({size // 1024 for row in worst for size in row["sizes"]})
    axes.set_xticks(sizes, [str(size) for size in sizes])
    axes.set_xlabel("size in Ki characters")
    axes.set_ylabel("nanoseconds for a character (level: linear)")
    axes.set_title(f"The {len(worst)} largest growth exponents of the reference")
    axes.grid(alpha=0.3)
    _legend(axes, columns=1)


def _legend(axes: Axes, columns: int) -> None:
    """Below the axes, where it covers no point."""
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.11), ncols=columns, fontsize=9)
