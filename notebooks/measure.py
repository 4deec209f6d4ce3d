"""`make notebook-data`: measure what notebook 4 shows of time; writes `data/streaming-cost.json`.

Times differ from run to run, so they are measured by hand and committed; the notebook only reads.
"""

from __future__ import annotations

import datetime as dt
import json
import os
import platform
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from toolcode_conformance.bench.worker import feed_slices, timed
from toolcode_conformance.bench.workloads import block

if TYPE_CHECKING:
    from collections.abc import Callable

TARGET: Final = Path(__file__).resolve().parent / "data" / "streaming-cost.json"
CHARACTERS: Final = 1 << 17
CHUNKS: Final = (1, 2, 4, 8, 16, 64, 256, 1024, 4096)
_ROUNDS: Final = 8
_SECONDS: Final = 0.1


def _filled(piece: str) -> str:
    return (piece * (CHARACTERS // len(piece) + 1))[:CHARACTERS]


TEXTS: Final[dict[str, Callable[[], str]]] = {
    "prose": lambda: _filled("Just some prose, "),
    "string in a block": lambda: block(f'f(x="{_filled("abc def, ")}")'),
    "backticks": lambda: _filled("`a` ``b`` "),
    "thought": lambda: "```thinking\n" + _filled("a thought without a line break, "),
}


def main() -> None:
    """Measure every text at every chunk size."""
    texts = {name: (make(), "reference") for name, make in TEXTS.items()}
    texts["list.append"] = (TEXTS["prose"](), "append")
    best: dict[tuple[str, int], float] = {}
    # Round after round, so that a busy moment of the machine does not fall on one row alone.
    for number in range(_ROUNDS):
        print(f"round {number + 1} of {_ROUNDS}", flush=True)
        for name, (text, parser) in texts.items():
            for chunk in CHUNKS:
                feed = partial(feed_slices, parser, text, chunk)
                took = timed(feed, _SECONDS) * 1e9 / -(-len(text) // chunk)
                best[name, chunk] = min(took, best.get((name, chunk), took))
    rows = [
        {"workload": name, "chunk": chunk, "nanoseconds": round(took, 1)}
        for (name, chunk), took in best.items()
    ]
    machine = f"{platform.machine()}, {os.cpu_count()} cores, CPython {platform.python_version()}"
    found = {
        "date": dt.datetime.now(dt.UTC).date().isoformat(),
        "machine": machine,
        "characters": CHARACTERS,
    }
    lines = ",\n".join(f"  {json.dumps(row)}" for row in rows)
    head = ",\n".join(f" {json.dumps(key)}: {json.dumps(value)}" for key, value in found.items())
    TARGET.parent.mkdir(exist_ok=True)
    TARGET.write_text(f'{{\n{head},\n "rows": [\n{lines}\n ]\n}}\n', "utf-8")


if __name__ == "__main__":
    main()
