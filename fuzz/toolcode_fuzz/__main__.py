"""`python -m toolcode_fuzz run TARGET`: fuzzing of one target, and what it found.

A run goes on where the last one stopped: its working corpus and raw findings lie in `--out`.
Ctrl-C ends it in good order.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Final

from toolcode_conformance.errors import HarnessError
from toolcode_fuzz import campaign, engine, reporting
from toolcode_fuzz.findings import DIFFERENTIAL
from toolcode_fuzz.targets import TARGETS

_COMMANDS: Final = ("run", "smoke", "show", "list", "engine")
_ALL: Final = "all"


def main(words: list[str] | None = None) -> int:
    """Run one command; 0 where nothing was found, 1 where something was."""
    parser = argparse.ArgumentParser(prog="toolcode_fuzz", description=__doc__.split("\n", 1)[0])
    parser.add_argument("command", choices=_COMMANDS)
    parser.add_argument("target", nargs="?", choices=[*TARGETS, DIFFERENTIAL, _ALL], default=_ALL)
    parser.add_argument("--impl", default="", help="for differential: as for toolcode conformance")
    parser.add_argument("--time", type=int, default=60, help="seconds for each target")
    parser.add_argument("--jobs", type=int, default=1, help="processes at a time")
    parser.add_argument("--seed", type=int, default=0, help="0 is another one every time")
    parser.add_argument("--plain", action="store_true", help="without atheris and coverage")
    parser.add_argument("--first-only", action="store_true", help="stop at the first finding")
    parser.add_argument("--out", type=Path, default=Path("out/fuzz"))
    _add_engine(parser)
    options = parser.parse_args(words)
    if options.command == "list":
        print("\n".join((*TARGETS, DIFFERENTIAL)))
        return 0
    if options.command == "engine":
        return _engine(options)
    if options.impl and options.target == _ALL:
        options.target = DIFFERENTIAL
    if options.target == DIFFERENTIAL and not options.impl:
        parser.error("differential needs an implementation: --impl, or IMPL= with make")
    return _fuzz(options)


def _add_engine(parser: argparse.ArgumentParser) -> None:
    """Add what only the engine's own process is told."""
    parser.add_argument("--raw", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--corpus", type=Path, action="append", default=[], help=argparse.SUPPRESS)
    parser.add_argument("--dictionary", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--no-grammar", action="store_true", help=argparse.SUPPRESS)


def _fuzz(options: argparse.Namespace) -> int:
    chosen = list(TARGETS) if options.target == _ALL else [options.target]
    coverage = engine.has_coverage() and not options.plain
    if not coverage:
        print(
            "no atheris here, so this runs without coverage: mutated texts of the corpus only "
            "(pip install atheris, where it has a wheel, finds more)"
            if not options.plain
            else "without coverage: mutated texts of the corpus only"
        )
    mode, forms = "", frozenset[str]()
    if options.impl:
        try:
            mode, forms = _greeted(options.impl)
        except HarnessError as error:
            print(f"fuzz: {error}")
            return 4
    worst = 0
    for target in chosen:
        part = options.command == "smoke"
        setting = campaign.Setting(
            target,
            folder(options.out, target, options.impl),
            impl=options.impl,
            seconds=max(2, options.time // len(chosen)) if part else options.time,
            seed=options.seed,
            jobs=max(1, options.jobs),
            coverage=coverage,
            few=mode == "filter",
            forms=forms,
            first_only=options.first_only,
        )
        if options.command != "show":
            worst = max(worst, _run(setting))
        if worst == campaign.INTERRUPTED:
            print(f"{target}: stopped; the same command goes on from here")
            return worst
        worst = max(worst, reporting.report(target, setting.out, options.impl, options.time))
    return worst


def _greeted(impl: str) -> tuple[str, frozenset[str]]:
    """Say whom the reference meets; how it is reached and the forms it reads come back."""
    from toolcode_fuzz.differential import Differential  # noqa: PLC0415 - only for an IMPL
    from toolcode_fuzz.undecided import TOUCHES  # noqa: PLC0415

    differential = Differential.start(impl)
    session = differential.session
    differential.close()
    print(f"the reference against {session.impl.name} ({session.impl.mode})")
    unknown = [name for name in TOUCHES if session.settled.get(name) == "assumed"]
    if unknown:
        print(f"left out, since neither declared nor found out: {', '.join(unknown)}")
    return session.impl.mode, session.impl.features


def _run(setting: campaign.Setting) -> int:
    tally = campaign.run(setting)
    if sys.stdout.isatty():
        print("\r", end="")
    features = f", {tally.features:,} features" if tally.features else ""
    print(f"{setting.target}: {tally.runs:,} runs in {tally.seconds:.0f} s{features}", flush=True)
    if tally.code not in (0, campaign.INTERRUPTED):
        print("\n".join(tally.last_words[-5:]))
        print(f"{setting.target}: the engine ended with {tally.code}")
        return 3
    return tally.code


def folder(out: Path, target: str, impl: str) -> Path:
    """Return where a target's files lie; every implementation has a folder of its own."""
    if not impl:
        return out / target
    plain = "".join(char if char.isalnum() else "-" for char in impl).strip("-")
    return out / f"{target}-{plain[-60:]}"


def _engine(options: argparse.Namespace) -> int:
    """Be the process that fuzzes."""
    words = campaign.engine_words(
        options.corpus, options.dictionary, options.raw, seconds=options.time, seed=options.seed
    )
    make = engine.maker(options.target, options.impl, options.raw, first_only=options.first_only)
    if options.plain:
        # The common corpus and the seeds; the process's own folder is empty.
        engine.plain(make(), options.corpus[1:], options.time, options.seed)
    else:
        engine.covered(make, words, mutator=not options.no_grammar)
    return 0


if __name__ == "__main__":
    sys.exit(main())
