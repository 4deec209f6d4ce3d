"""`python -m toolcode_conformance.bench [--out FOLDER]`: measure, print, write JSON and a plot."""

from __future__ import annotations

import argparse
import json
import platform
import sys
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path

from toolcode_conformance.bench.bars import judge, table
from toolcode_conformance.bench.measure import everything
from toolcode_conformance.bench.peers import Peer, omp_worker, python_peers, python_worker
from toolcode_conformance.bench.plot import draw


def main() -> int:
    """Run the bench; exit 0 whatever the bars say, for a machine's noise is no defect."""
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("out"), help="folder for the files")
    out: Path = parser.parse_args().out
    with ExitStack() as stack:
        peers = list(python_peers(stack.enter_context(python_worker())))
        other = omp_worker()
        if isinstance(other, str):
            print(other, file=sys.stderr)  # noqa: T201
        else:
            peers.append(Peer(stack.enter_context(other), "omp"))
        result = everything(peers, lambda what: print(f"... {what}", file=sys.stderr))  # noqa: T201
    bars = judge(result)
    print(table(result, bars))  # noqa: T201
    out.mkdir(parents=True, exist_ok=True)
    result["bars"] = [asdict(bar) for bar in bars]
    result["versions"] = {"python": platform.python_version(), "machine": platform.machine()}
    (out / "bench.json").write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    missing = draw(result, out / "bench.png")
    print(missing or f"written: {out / 'bench.json'}, {out / 'bench.png'}", file=sys.stderr)  # noqa: T201
    return 0


if __name__ == "__main__":
    sys.exit(main())
