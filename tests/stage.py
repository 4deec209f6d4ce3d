"""Run one stage of `make test`: its command, then its seconds against the budget.

Usage: python tests/stage.py NAME BUDGET_SECONDS COMMAND [ARG ...]

The budget is shown, never enforced: a slow machine is no failure.
"""

from __future__ import annotations

import subprocess
import sys
import time


def main(name: str, budget: str, *command: str) -> int:
    print(f"== {name}", flush=True)
    start = time.monotonic()
    status = subprocess.run(command, check=False).returncode
    seconds = time.monotonic() - start
    print(f"== {name}: {seconds:.0f} s of {budget} s, exit {status}", flush=True)
    return status


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
