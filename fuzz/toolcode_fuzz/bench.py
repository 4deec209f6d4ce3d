"""`python -m toolcode_fuzz.bench`: how fast each set-up finds bugs that are known to be there.

Every bug of `bugs` times three set-ups times ten seeds, each run capped. Seeds that show the bug as
they are get left out first: with them the corpus would be measured, which has a case for most.
Results are written after every run, so a stopped bench goes on where it was. Nothing is guessed: a
run that found nothing says so, and there is a median only where at least six of ten runs found the
bug.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

from toolcode_fuzz import campaign, engine, findings, seeds
from toolcode_fuzz.bugs import BUGS, Bug

CAP: Final = 10
SEEDS: Final = 10
ENOUGH: Final = 6
SETUPS: Final = {"bytes": (False, False), "seeds": (True, False), "grammar": (True, True)}
"""Bytes only; with dictionary and seeds; with the grammar's mutator as well: which has which."""

RESULTS: Final = Path(__file__).resolve().parents[1] / "bench.json"
_GROWTH: Final = 60
_GROWTH_SEEDS: Final = 2


def main(words: list[str] | None = None) -> int:
    """Run what is not in the results yet."""
    parser = argparse.ArgumentParser(prog="toolcode_fuzz.bench", description=__doc__)
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--bug", action="append", help="only this one")
    parser.add_argument("--fresh", action="store_true", help="forget earlier results")
    parser.add_argument("--sieve", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args(words)
    if options.sieve:
        _sieve(options.sieve[0], Path(options.sieve[1]))
        return 0
    if not engine.has_coverage():
        print("fuzz-bench is skipped: no atheris here")
        return 0
    results = {} if options.fresh else read(options.results)
    results.setdefault("cap_seconds", CAP)
    results["machine"] = f"{platform.machine()}, {os.cpu_count()} cores, CPython " + (
        platform.python_version()
    )
    with tempfile.TemporaryDirectory(prefix="toolcode-bench-") as folder:
        try:
            _bugs(results, options, Path(folder))
            if not options.bug:
                _growth(results, options.results, Path(folder))
        except KeyboardInterrupt:
            print("stopped; the same command goes on from here")
            return campaign.INTERRUPTED
    print("\n".join(table(results)))
    return 0


def read(path: Path) -> dict[str, Any]:
    """Return earlier results, none where there are none."""
    found: dict[str, Any] = json.loads(path.read_text("utf-8")) if path.is_file() else {}
    return found


def _write(path: Path, results: dict[str, Any]) -> None:
    # Not left half written by whoever stops it.
    new = path.with_suffix(".new")
    new.write_text(json.dumps(results, indent=1) + "\n", "utf-8")
    new.replace(path)


def _bugs(results: dict[str, Any], options: argparse.Namespace, folder: Path) -> None:
    known = results.setdefault("bugs", {})
    for seed in range(1, SEEDS + 1):
        for bug in BUGS:
            for setup in SETUPS:
                if options.bug and bug.name not in options.bug:
                    continue
                runs = known.setdefault(bug.name, {}).setdefault(setup, {})
                if str(seed) not in runs:
                    runs[str(seed)] = seconds_to_find(bug, setup, seed, folder)
                    print(f"{bug.name}, {setup}, seed {seed}: {shown(runs[str(seed)])}", flush=True)
                    _write(options.results, results)


def seconds_to_find(bug: Bug, setup: str, seed: int, folder: Path) -> float | None:
    """Run once; None where the cap came first."""
    out = folder / "run"
    shutil.rmtree(out, ignore_errors=True)
    setting = campaign.Setting(
        bug.target,
        out,
        seconds=CAP + 1,
        seed=seed,
        first_only=True,
        path=(bug.plant(folder),),
        start=_start(bug, folder),
        with_seeds=SETUPS[setup][0],
        mutator=SETUPS[setup][1],
    )
    tally = campaign.run(setting)
    first = out / "raw-0" / "first.json"
    if first.is_file():
        seconds: float = json.loads(first.read_text("utf-8"))["seconds"]
        return seconds if seconds <= CAP else None
    if tally.code or not tally.runs:
        raise SystemExit(f"{bug.name}: the engine did not run:\n" + "\n".join(tally.last_words))
    return None


def _start(bug: Bug, folder: Path) -> Path:
    """Return the seeds that do not show the bug by themselves: those would measure the corpus."""
    start = folder / f"{bug.name}-seeds"
    if not start.is_dir():
        start.mkdir()
        path = os.pathsep.join([str(bug.plant(folder)), os.environ.get("PYTHONPATH", "")])
        subprocess.run(  # noqa: S603 - this module, on the changed copy
            [sys.executable, "-m", "toolcode_fuzz.bench", "--sieve", bug.target, str(start)],
            env={**os.environ, "PYTHONPATH": path},
            check=True,
        )
    return start


def _sieve(target: str, start: Path) -> None:
    for number, data in enumerate(seeds.seeds(target)):
        if findings.examine(target, data) is None:
            (start / f"{number:05}").write_bytes(data)


def _growth(results: dict[str, Any], path: Path, folder: Path) -> None:
    """How features grow over a minute on the sound reference, for each set-up."""
    known = results.setdefault("growth", {})
    for seed in range(1, _GROWTH_SEEDS + 1):
        for setup, (start, mutator) in SETUPS.items():
            curves = known.setdefault(setup, {})
            if str(seed) in curves:
                continue
            out = folder / "growth"
            shutil.rmtree(out, ignore_errors=True)
            tally = campaign.run(
                campaign.Setting(
                    "scan", out, seconds=_GROWTH, seed=seed, with_seeds=start, mutator=mutator
                )
            )
            curves[str(seed)] = [[round(t, 2), runs, ft] for t, runs, ft in tally.growth]
            print(f"growth, {setup}, seed {seed}: {tally.features:,} features", flush=True)
            _write(path, results)


def shown(seconds: float | None) -> str:
    """Return a time as the table has it."""
    return f"> {CAP} s" if seconds is None else f"{seconds:.2f} s"


def summary(runs: dict[str, float | None]) -> str:
    """Return the median of runs where enough of them found the bug, and how many did."""
    found = [seconds for seconds in runs.values() if seconds is not None]
    if len(found) < ENOUGH:
        return f"> {CAP} s ({len(found)}/{len(runs)})"
    everything = sorted(CAP + 1.0 if s is None else s for s in runs.values())
    return f"{statistics.median(everything):.2f} s ({len(found)}/{len(runs)})"


def table(results: dict[str, Any]) -> list[str]:
    """Return the results as a Markdown table: median time and how many of the runs found it."""
    lines = ["| bug | target | " + " | ".join(SETUPS) + " |", "|---|---|" + "---|" * len(SETUPS)]
    for bug in BUGS:
        runs = results.get("bugs", {}).get(bug.name, {})
        cells = [summary(runs[setup]) if setup in runs else "" for setup in SETUPS]
        lines.append(f"| {bug.name} | `{bug.target}` | " + " | ".join(cells) + " |")
    return lines


if __name__ == "__main__":
    sys.exit(main())
