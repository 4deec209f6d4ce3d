"""What a score is: raw, by module, and beside what was reviewed and found to be no difference."""

from __future__ import annotations

import collections
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tests.mutation.score import Result

REVIEWED: Final = Path(__file__).parent / "reviewed.toml"


def reviewed() -> dict[str, dict[str, str]]:
    """Survivors that were looked at: equivalent ones, and ones that only change the cost."""
    with REVIEWED.open("rb") as file:
        return tomllib.load(file)


def lines(results: Sequence[Result]) -> Iterator[str]:
    """Yield the report."""
    tally: dict[str, list[int]] = collections.defaultdict(lambda: [0, 0])
    for result in results:
        tally[result.mutant.module][0] += result.killed
        tally[result.mutant.module][1] += 1
    for module, (killed, total) in sorted(tally.items()):
        yield f"  {module:10} {100 * killed / total:5.1f} %  {killed:4} of {total}"
    killed = sum(result.killed for result in results)
    yield f"raw kill rate {100 * killed / len(results):.1f} %  {killed} of {len(results)}"
    known = reviewed()
    by_kind = {kind: _known(results, names) for kind, names in known.items() if kind != "ratchet"}
    for kind, count in by_kind.items():
        yield f"reviewed as {kind}: {count} ({100 * count / len(results):.1f} %)"


def _known(results: Sequence[Result], names: dict[str, str]) -> int:
    return sum(not result.killed and result.mutant.name in names for result in results)


def judged(results: Sequence[Result], *, whole: bool) -> int:
    """0 where the score is no worse than the ratchet, which is only ever raised."""
    known = reviewed()
    floor = float(known["ratchet"]["whole" if whole else "sample"])
    score = 100 * sum(result.killed for result in results) / len(results)
    if score < floor:
        sys.stderr.write(f"the kill rate {score:.1f} % is below the ratchet {floor} %\n")
        return 1
    return 0
