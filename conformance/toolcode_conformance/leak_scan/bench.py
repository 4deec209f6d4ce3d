"""`python -m toolcode_conformance.leak_scan.bench`: rows a second and peak memory, by engine."""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from toolcode_conformance.leak_scan.command import ENGINES
from toolcode_conformance.leak_scan.generate import write


def measure(pattern: str, out: Path, engine: str, workers: int) -> dict[str, Any]:
    """Run one scan as a user would; memory is the sum over its processes, sampled.

    Returns:
        Seconds (start of Python and of the cluster included), peak in MiB, and what it printed.
    """
    import psutil  # type: ignore[import-untyped,unused-ignore]  # noqa: PLC0415  from Dask

    command = [sys.executable, "-m", "toolcode_conformance", "leaks", "scan", pattern]
    command += ["--engine", engine, "--workers", str(workers), "--out", str(out)]
    command += ["--id", "id", "--id", "model"]
    started, peak = time.monotonic(), 0
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603
        root = psutil.Process(process.pid)
        while process.poll() is None:
            peak = max(peak, _resident(root, psutil.Error))
            time.sleep(0.1)
        said = process.stdout.read().strip() if process.stdout else ""
    if process.returncode:
        raise SystemExit(f"{engine}: the scan ended with {process.returncode}")
    seconds = time.monotonic() - started
    return {"engine": engine, "seconds": seconds, "peak_mib": peak / 2**20, "said": said}


def _resident(root: Any, gone: type[Exception]) -> int:  # noqa: ANN401  psutil has no types
    total = 0
    try:
        for process in [root, *root.children(recursive=True)]:
            total += process.memory_info().rss
    except gone:  # a process ended while we looked
        pass
    return total


def main() -> int:
    """Make the logs, scan them with each engine, print a line each, and write JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--out", type=Path, default=Path("out"), help="folder of leak_scan.json")
    options = parser.parse_args()
    results = []
    with tempfile.TemporaryDirectory() as scratch:
        logs = Path(scratch) / "logs"
        write(logs, options.rows, options.seed)
        for engine in ENGINES:
            one = measure(f"{logs}/*.parquet", Path(scratch) / engine, engine, options.workers)
            one["rows_per_second"] = options.rows / one["seconds"]
            results.append(one)
            sys.stdout.write(
                f"{engine:7} {one['rows_per_second']:9,.0f} rows/s {one['seconds']:8.1f} s "
                f"{one['peak_mib']:7,.0f} MiB   {one['said']}\n"
            )
            sys.stdout.flush()
    options.out.mkdir(parents=True, exist_ok=True)
    made = {"rows": options.rows, "seed": options.seed, "workers": options.workers}
    made |= {"python": platform.python_version(), "results": results}
    (options.out / "leak_scan.json").write_text(json.dumps(made, indent=1) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
