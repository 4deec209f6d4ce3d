"""`python -m toolcode_fuzz.plots`: the bench's results as pictures, beside `bench.json`.

Needs matplotlib, which nothing else here does.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from pathlib import Path
from typing import Any, Final

from toolcode_fuzz import bench
from toolcode_fuzz.bugs import BUGS

FOLDER: Final = bench.RESULTS.parent / "plots"
_COLOURS: Final = {"bytes": "#b0413e", "seeds": "#4c72b0", "grammar": "#2a7f4f"}
_LABELS: Final = {
    "bytes": "bytes only",
    "seeds": "dictionary and seeds",
    "grammar": "grammar as well",
}
_SHORTEST: Final = 0.01
_BEYOND: Final = bench.CAP * 1.5


def main(words: list[str] | None = None) -> int:
    """Draw both pictures."""
    parser = argparse.ArgumentParser(prog="toolcode_fuzz.plots", description=__doc__)
    parser.add_argument("--results", type=Path, default=bench.RESULTS)
    parser.add_argument("--out", type=Path, default=FOLDER)
    options = parser.parse_args(words)
    try:
        importlib.import_module("matplotlib").use("Agg")
        plt: Any = importlib.import_module("matplotlib.pyplot")
    except ImportError:
        print("no pictures: no matplotlib here")
        return 0
    results = bench.read(options.results)
    options.out.mkdir(parents=True, exist_ok=True)
    _times(plt, results["bugs"], options.out / "seconds.png")
    if results.get("growth"):
        _growth(plt, results["growth"], options.out / "features.png")
    return 0


def _times(plt: Any, results: dict[str, Any], path: Path) -> None:
    """Every run as a point; what found nothing stands hollow, behind the cap."""
    figure, axes = plt.subplots(figsize=(9, 6))
    names = [bug.name for bug in BUGS if bug.name in results]
    for row, name in enumerate(reversed(names)):
        for step, setup in enumerate(bench.SETUPS):
            runs = [None if s is None else float(s) for s in results[name].get(setup, {}).values()]
            height = row + 0.25 - 0.25 * step
            found = [max(s, _SHORTEST) for s in runs if s is not None]
            colour = _COLOURS[setup]
            axes.plot(found, [height] * len(found), "o", color=colour, alpha=0.6, ms=5)
            missed = len(runs) - len(found)
            if missed:
                axes.plot([_BEYOND], [height], "o", mfc="none", color=colour, ms=6)
                axes.text(_BEYOND * 1.12, height, str(missed), va="center", fontsize=7)
        axes.axhline(row - 0.5, color="#dddddd", lw=0.6)
    for setup, colour in _COLOURS.items():
        axes.plot([], [], "o", color=colour, label=_LABELS[setup])
    axes.axvline(bench.CAP, color="#888888", lw=0.8, ls="--")
    axes.set_xscale("log")
    axes.set_xlim(_SHORTEST * 0.8, _BEYOND * 1.6)
    axes.set_xticks([0.01, 0.1, 1, 10, _BEYOND], ["0.01", "0.1", "1", "10", "not\nfound"])
    axes.set_yticks(range(len(names)), list(reversed(names)))
    axes.set_ylim(-0.6, len(names) - 0.4)
    axes.set_xlabel("seconds until a run found the bug")
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, 1.08), ncol=3, frameon=False)
    _save(plt, figure, path)


def _growth(plt: Any, results: dict[str, Any], path: Path) -> None:
    """Features of the sound reference over a minute."""
    figure, axes = plt.subplots(figsize=(9, 4))
    for setup, curves in results.items():
        for number, points in enumerate(curves.values()):
            label = _LABELS[setup] if not number else None
            seconds = [point[0] for point in points]
            features = [point[2] for point in points]
            axes.step(seconds, features, where="post", color=_COLOURS[setup], label=label, lw=1.2)
    axes.set_xlabel("seconds")
    axes.set_ylabel("features (scan)")
    axes.set_ylim(bottom=0)
    axes.legend(frameon=False, loc="center right")
    _save(plt, figure, path)


def _save(plt: Any, figure: Any, path: Path) -> None:
    for side in ("top", "right"):
        figure.axes[0].spines[side].set_visible(False)
    figure.tight_layout()
    # Without its date and version the file is the same as long as the results are.
    figure.savefig(path, dpi=110, metadata={"Software": None})
    plt.close(figure)
    print(f"written: {path}")


if __name__ == "__main__":
    sys.exit(main())
