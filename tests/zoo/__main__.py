"""`python -m tests.zoo [--check] [--again]`: which cases catch which faulty parser, as pages.

What a run finds lies in out/zoo.json; `--again` makes the pages of it without another run.
"""

from __future__ import annotations

import json
import sys
from concurrent.futures import ProcessPoolExecutor

from tests.zoo import pages
from tests.zoo.parsers import FAULTS
from tests.zoo.run import catchers


def main() -> int:
    """Run everything, then write the pages or compare them."""
    kept = pages.ROOT / "out" / "zoo.json"
    if "--again" in sys.argv:
        return pages.settle(json.loads(kept.read_text("utf-8")), check="--check" in sys.argv)
    names = [fault.name for fault in FAULTS]
    found: dict[str, tuple[str, ...]] = {}
    with ProcessPoolExecutor() as pool:
        for name, ids in zip(names, pool.map(catchers, names), strict=True):
            found[name] = ids
            print(f"{len(found):3} of {len(FAULTS)}  {name:40} {len(ids):4} cases", flush=True)  # noqa: T201
    kept.parent.mkdir(exist_ok=True)
    kept.write_text(json.dumps(found) + "\n", "utf-8")
    return pages.settle(found, check="--check" in sys.argv)


if __name__ == "__main__":
    sys.exit(main())
