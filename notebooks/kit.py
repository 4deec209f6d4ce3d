"""What the notebooks share: one look for figures, and text and tables made of numbers.

Everything that is shown goes through `say`, `table` and `show`, so that a notebook rendered twice
has the same bytes: no object addresses, no times, no fonts but the one matplotlib brings.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any, Final

import matplotlib as mpl
from IPython.display import Image, Markdown, display
from matplotlib.figure import Figure

from toolcode_conformance.data.stats import wilson

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import pandas as pd
    from matplotlib.axes import Axes

MODEL: Final = "pretrained Gemma 3 270M (Q4_K_M, few-shot)"
"""The recorded model in full; it stands wherever its results stand."""

BLUE, SKY, ORANGE, RED, GREEN, PINK, YELLOW, GREY = (
    "#0072B2",
    "#56B4E9",
    "#E69F00",
    "#D55E00",
    "#009E73",
    "#CC79A7",
    "#F0E442",
    "#999999",
)
"""Okabe and Ito's palette, which colour-blind readers can tell apart."""

HEAT: Final = "cividis"
"""A colour map whose brightness alone carries the value."""

DPI: Final = 110
WIDTH: Final = 9.0
"""Inches; with `DPI` a figure is 990 pixels wide, and still legible at half of that."""

_STYLE: Final = {
    "font.family": "DejaVu Sans",
    "font.size": 13,
    "axes.titlesize": 14,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": False,
    "axes.axisbelow": True,
    "grid.color": "#DDDDDD",
    "legend.frameon": False,
    "legend.fontsize": 12,
    "xtick.labelsize": 12,
    "ytick.labelsize": 12,
    "figure.facecolor": "white",
}
mpl.rcParams.update(mpl.rcParamsDefault)  # whoever renders may have a style of their own
mpl.rcParams.update(_STYLE)


def figure(height: float, columns: int = 1, **options: Any) -> tuple[Figure, Any]:
    """Return a figure of the common width, and its axes (one, or a row of them)."""
    made = Figure(figsize=(WIDTH, height), layout="constrained", dpi=DPI)
    return made, made.subplots(1, columns, **options)


def show(made: Figure, caption: str) -> None:
    """Show a figure, and below it what it shows."""
    data = io.BytesIO()
    made.savefig(data, format="png", dpi=DPI, metadata={"Software": None})
    display(Image(data=data.getvalue()))
    say(f"*{caption}*")


def say(text: str) -> None:
    """Show a text as Markdown; its numbers come from the cell that calls."""
    display(Markdown(text))


def table(frame: pd.DataFrame, right: Iterable[str] = ()) -> None:
    """Show a frame as a Markdown table, numbers and the columns in `right` to the right."""
    names = [str(name) for name in frame.columns]
    numeric = {str(name) for name in frame.columns if frame[name].dtype.kind in "iuf"}
    marks = ["--:" if name in numeric or name in set(right) else "---" for name in names]
    lines = [f"| {' | '.join(names)} |", f"|{'|'.join(marks)}|"]
    lines += [
        f"| {' | '.join(map(_cell, row))} |" for row in frame.itertuples(index=False, name=None)
    ]
    say("\n".join(lines))


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.2f}"
    if isinstance(value, int):
        return f"{value:,}"
    return str(value).replace("|", "\\|")


def percent(part: int, whole: int) -> str:
    """Return a share as text, in whole per cent."""
    return f"{100 * part / whole:.0f} %"


def within(part: int, whole: int) -> str:
    """Return a share and its 95 % interval (Wilson) as text."""
    low, high = wilson(part, whole)
    return f"{100 * part / whole:.0f} % ({100 * low:.0f} to {100 * high:.0f} %)"


def bars(
    axes: Axes, labels: Sequence[str], parts: dict[str, Sequence[float]], colours: Sequence[str]
) -> None:
    """Draw horizontal bars, stacked where there are several parts, the first label on top."""
    left = [0.0] * len(labels)
    places = range(len(labels))
    for (name, sizes), colour in zip(parts.items(), colours, strict=True):
        axes.barh(
            places, sizes, left=left, color=colour, label=name, edgecolor="white", linewidth=0.8
        )
        left = [start + size for start, size in zip(left, sizes, strict=True)]
    axes.set_yticks(places, labels)
    axes.set_ylim(len(labels) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)


def shares(
    axes: Axes,
    places: Sequence[float],
    counts: Sequence[tuple[int, int]],
    *,
    upright: bool = True,
    **style: Any,
) -> None:
    """Draw shares in per cent with their 95 % intervals (Wilson), along x or (not upright) y."""
    middle = [100 * part / whole for part, whole in counts]
    ends = [wilson(part, whole) for part, whole in counts]
    lower = [at - 100 * low for at, (low, _) in zip(middle, ends, strict=True)]
    upper = [100 * high - at for at, (_, high) in zip(middle, ends, strict=True)]
    common = {"capsize": 4, "markersize": 8, "linewidth": 2, **style}
    if upright:
        axes.errorbar(places, middle, yerr=[lower, upper], **common)
    else:
        axes.errorbar(middle, places, xerr=[lower, upper], **common)
