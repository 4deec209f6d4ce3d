"""`python -m tests.zoo [--check]`: which cases catch which faulty parser, as pages."""

from __future__ import annotations

import sys
from concurrent.futures import ProcessPoolExecutor

from tests.zoo import pages
from tests.zoo.parsers import FAULTS
from tests.zoo.run import catchers


def main() -> int:
    """Run everything, then write the pages or compare them."""
    names = [fault.name for fault in FAULTS]
    found: dict[str, tuple[str, ...]] = {}
    with ProcessPoolExecutor() as pool:
        for name, ids in zip(names, pool.map(catchers, names), strict=True):
            found[name] = ids
            print(f"{len(found):3} of {len(FAULTS)}  {name:40} {len(ids):4} cases", flush=True)  # noqa: T201
    return pages.settle(found, check="--check" in sys.argv)


if __name__ == "__main__":
    sys.exit(main())
