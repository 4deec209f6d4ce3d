"""`python -m toolcode_fuzz run TARGET`: coverage-guided fuzzing of one target, and what it found.

A run goes on where the last one stopped: its working corpus and raw findings lie in `--out`.
Ctrl-C ends it in good order.
"""

from __future__ import annotations

import argparse
import importlib
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Final

from toolcode_fuzz import findings, grammar, seeds
from toolcode_fuzz.targets import TARGETS

_STATS: Final = re.compile(r"#(\d+)\s.*?cov: \d+ ft: (\d+)")
_MOST: Final = 1400
_FOUND: Final = 77
INTERRUPTED: Final = 130


def main() -> int:
    """Run one command."""
    parser = argparse.ArgumentParser(prog="toolcode_fuzz", description=__doc__.split("\n", 1)[0])
    parser.add_argument("command", choices=("run", "smoke", "show", "promote", "list", "engine"))
    parser.add_argument("target", nargs="?", choices=[*TARGETS, "all"], default="all")
    parser.add_argument("--time", type=int, default=60, help="seconds for each target")
    parser.add_argument("--seed", type=int, default=0, help="0 is another one every time")
    parser.add_argument("--finding", type=Path, help="for promote: a file that a run kept")
    parser.add_argument("--out", type=Path, default=Path("out/fuzz"))
    options, others = parser.parse_known_args()
    chosen = list(TARGETS) if options.target == "all" else [options.target]
    if options.command == "list":
        print("\n".join(TARGETS))
        return 0
    if options.command == "promote":
        if options.finding is None or not options.finding.is_file():
            parser.error(f"--finding {options.finding}: no such file")
        print(findings.promotion(options.finding))
        return 0
    if options.command == "engine":
        return _engine(options.target, others)
    if options.command == "show":
        return max(_report(target, options.out) for target in chosen)
    if not _has_engine():
        return 0
    worst = 0
    for target in chosen:
        seconds = options.time if options.command == "run" else max(2, options.time // len(chosen))
        worst = max(worst, _run(target, seconds, options.seed, options.out))
        if worst == INTERRUPTED:
            break
    return worst


def _has_engine() -> bool:
    try:
        import atheris  # noqa: F401, PLC0415
    except ImportError:
        print(
            "fuzzing is skipped: no atheris here; pip install 'toolcode[fuzz]' where it has a wheel"
        )
        return False
    return True


def _run(target: str, seconds: int, seed: int, out: Path) -> int:
    """Fuzz one target in a process of its own, again behind each finding until time is up."""
    work, raw = out / target / "corpus", out / target / "raw"
    start = out / target / "seeds"
    for folder in (work, raw, start):
        folder.mkdir(parents=True, exist_ok=True)
    for number, data in enumerate(seeds.seeds(target)):
        (start / f"{number:05}").write_bytes(data)
    words = out / "dictionary.txt"
    words.write_text(grammar.dictionary(), "utf-8")
    began, runs, features = time.monotonic(), 0, 0
    while (left := seconds - (time.monotonic() - began)) > 1:
        command = [
            *(sys.executable, "-m", "toolcode_fuzz", "engine", target),
            *(str(work.resolve()), str(start.resolve())),
            f"-dict={words.resolve()}",
            f"-max_total_time={int(left)}",
            f"-max_len={_MOST}",
            f"-artifact_prefix={raw.resolve()}{os.sep}",
            *(("-seed=" + str(seed),) if seed else ()),
            *("-use_value_profile=1", "-print_final_stats=0", "-timeout=20", "-rss_limit_mb=4096"),
        ]
        code, done, seen = _watched(command, target, began, runs)
        runs, features = runs + done, max(features, seen)
        if code == INTERRUPTED:
            print(f"\n{target}: stopped; run it again to go on")
            return INTERRUPTED
        if code == 0:
            break
        if code != _FOUND and not any(raw.iterdir()):
            print(f"{target}: the engine ended with {code}")
            return 3
    took = time.monotonic() - began
    print(f"\r{target}: {runs:,} runs in {took:.0f} s, {features:,} features")
    return _report(target, out)


def _watched(command: list[str], target: str, began: float, before: int) -> tuple[int, int, int]:
    """Show the engine's progress on one line; its exit code, runs and features."""
    runs = features = 0
    with subprocess.Popen(  # noqa: S603 - our own module
        command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, errors="replace"
    ) as engine:
        assert engine.stderr is not None
        try:
            for line in engine.stderr:
                match = _STATS.search(line)
                if match:
                    runs = int(match[1])
                    features = int(match[2])
                    if sys.stdout.isatty():
                        rate = (before + runs) / max(time.monotonic() - began, 0.1)
                        print(
                            f"\r{target}: {before + runs:,} runs, {rate:,.0f}/s, ft {features:,} ",
                            end="",
                            flush=True,
                        )
            return engine.wait(), runs, features
        except KeyboardInterrupt:
            engine.terminate()
            return INTERRUPTED, runs, features


def _report(target: str, out: Path) -> int:
    """Group, minimise and show what was found; 1 if anything was."""
    by_signature: dict[str, findings.Finding] = {}
    for path in sorted((out / target / "raw").glob("*")):
        found = findings.examine(target, path.read_bytes())
        if found is None:
            path.unlink()  # it was fixed since
            continue
        known = by_signature.get(found.signature)
        if known is None or len(found.data) < len(known.data):
            by_signature[found.signature] = found
    small = out / target / "small"
    small.mkdir(parents=True, exist_ok=True)
    for found in by_signature.values():
        least = findings.minimised(found)
        path = small / findings.name_of(least)
        path.write_bytes(least.data)
        print(findings.shown(least))
        print(f"  kept as {path}; make fuzz-promote FINDING={path}")
    return int(bool(by_signature))


def _engine(target: str, words: list[str]) -> int:
    """Hand a target to atheris, in this process."""
    import atheris  # noqa: PLC0415 - only the engine's own process has it

    with atheris.instrument_imports(include=["toolcode", "toolcode_conformance"]):
        own = {"toolcode_fuzz", "toolcode_fuzz.__main__"}
        for name in [n for n in sys.modules if n.startswith("toolcode") and n not in own]:
            del sys.modules[name]  # imported again, with coverage
        # Not `from toolcode_fuzz import targets`: that takes what the package already has.
        targets = importlib.import_module("toolcode_fuzz.targets")
    atheris.Setup(
        ["toolcode_fuzz", *words],
        lambda data: targets.replay(target, data),
        custom_mutator=_mutated,
        custom_crossover=grammar.cross,
    )
    atheris.Fuzz()
    return 0


def _mutated(data: bytes, most: int, seed: int) -> bytes:
    """Half of all steps are the grammar's, half the engine's own."""
    import atheris  # noqa: PLC0415

    return grammar.mutate(data, most, seed) if seed & 1 else bytes(atheris.Mutate(data, most))


if __name__ == "__main__":
    sys.exit(main())
