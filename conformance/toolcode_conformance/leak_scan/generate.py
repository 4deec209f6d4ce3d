"""Logs to scan: the corpus' leaks amid ordinary text, made from a seed.

`python -m toolcode_conformance.leak_scan.generate FOLDER --rows 1000000`
"""

from __future__ import annotations

import argparse
import random
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pandas as pd

from toolcode_conformance.corpus import load_corpus

if TYPE_CHECKING:
    from collections.abc import Iterator

LEAKS: Final = 0.1
BAD: Final = 0.001
_NUMBER: Final = "{n}"
_SENTENCES: Final = (
    "The ferry leaves at {n} past the hour and comes back before dusk.",
    "I found {n} entries in the register; the oldest is from the spring.",
    "You can call the harbour office (room {n}) when the gate is closed.",
    "Set `retries={n}` in the file, then start the service again.",
    "```python\nfor row in range({n}):\n    print(row)\n```",
    'The reply was {{"status": "ok", "count": {n}}}, as it should be.',
    "- first, weigh the flour\n- then add {n} spoons of water\n- let it rest",
    "Ja, das dauert etwa {n} Minuten, danach ist der Teig fertig.",
    "はい、{n}番の窓口です。",
    "See https://example.org/notes/{n} for what was agreed.",
)


def leak_texts() -> list[str]:
    """Return the texts of the corpus' leaks of all families, in the order of their ids."""
    cases = sorted(load_corpus().cases, key=lambda case: case.id)
    texts = [
        case.input.get("text") for case in cases if case.op == "recover" and case.raw.get("leak")
    ]
    return [text for text in texts if isinstance(text, str) and text]


def rows(count: int, seed: int) -> Iterator[dict[str, str | None]]:
    """Yield rows of `id`, `model` and `text`; a thousandth has no text."""
    chance = random.Random(seed)  # noqa: S311  a seed is the point
    leaks = leak_texts()
    for number in range(count):
        text: str | None = _prose(chance)
        drawn = chance.random()
        if drawn < BAD:
            text = None
        elif drawn < BAD + LEAKS:
            leak = chance.choice(leaks)
            text = leak if chance.random() < 0.5 else f"{text}\n\n{leak}"  # noqa: PLR2004
        # Half a surrogate pair cannot be written; the corpus has a few.
        safe = text.encode("utf-8", "replace").decode() if text is not None else None
        yield {"id": f"r{number:08d}", "model": f"model-{number % 7}", "text": safe}


def _prose(chance: random.Random) -> str:
    chosen = chance.choices(_SENTENCES, k=chance.randint(1, 6))
    return " ".join(one.format(n=chance.randint(2, 990)) for one in chosen)


def write(folder: Path, count: int, seed: int, *, per_file: int = 100_000) -> list[Path]:
    """Write Parquet files of `per_file` rows, in row groups of a quarter of that."""
    folder.mkdir(parents=True, exist_ok=True)
    source, paths = rows(count, seed), []
    for number, first in enumerate(range(0, count, per_file)):
        batch = [next(source) for _ in range(min(per_file, count - first))]
        path = folder / f"log-{number:03d}.parquet"
        pd.DataFrame(batch).to_parquet(path, index=False, row_group_size=max(1, per_file // 4))
        paths.append(path)
    return paths


def main() -> int:
    """Write the files and name the folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    paths = write(options.folder, options.rows, options.seed)
    sys.stdout.write(f"{options.folder}: {options.rows:,} rows in {len(paths)} files\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
