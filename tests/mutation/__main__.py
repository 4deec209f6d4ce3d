"""`python -m tests.mutation [--sample N] [--module M] [--jobs J]`: the corpus's mutation score."""

from __future__ import annotations

import argparse
import random
import sys
from pathlib import Path

from tests.mutation import report
from tests.mutation.score import MODULES, Result, all_mutants, as_json, run


def main() -> int:
    """Run all mutants or a fixed sample, then judge the score by the ratchet."""
    parser = argparse.ArgumentParser(prog="make mutants", description=__doc__)
    parser.add_argument("--sample", type=int, help="so many mutants, always the same ones")
    parser.add_argument("--module", choices=MODULES, help="of one module only")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", type=Path, default=Path("out/mutants.json"))
    options = parser.parse_args()
    chosen = [one for one in all_mutants() if options.module in (None, one.module)]
    if options.sample:
        chosen = random.Random(20261201).sample(chosen, min(options.sample, len(chosen)))  # noqa: S311

    def say(result: Result, done: int, seconds: float) -> None:
        if not result.killed or done % 50 == 0 or done == len(chosen):
            state = "killed" if result.killed else "LIVES "
            rate = done / seconds if seconds else 0.0
            left = (len(chosen) - done) / rate if rate else 0.0
            print(  # noqa: T201
                f"{done:5} of {len(chosen)}  {rate:4.1f}/s  {left:4.0f} s left  {state} "
                f"{result.mutant.name}",
                flush=True,
            )

    results = run(chosen, options.jobs, say)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(as_json(results), "utf-8")
    print("\n".join(report.lines(results)))  # noqa: T201
    return report.judged(results, whole=not (options.sample or options.module))


if __name__ == "__main__":
    sys.exit(main())
