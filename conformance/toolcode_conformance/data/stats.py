"""Small, honest statistics: intervals for shares, pooling of rare groups, and who fails alike."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from collections.abc import Set as AbstractSet

Z95: Final = 1.959963984540054
"""Quantile of the normal distribution for intervals of 95 %."""

POOLED: Final = "pooled (each under {least})"


def wilson(successes: int, trials: int, z: float = Z95) -> tuple[float, float]:
    """Return Wilson's score interval of a share, (0, 1) where nothing was tried.

    Raises:
        ValueError: Not 0 <= successes <= trials.
    """
    if not 0 <= successes <= trials:
        raise ValueError(f"{successes} of {trials} is no share")
    if not trials:
        return 0.0, 1.0
    share = successes / trials
    middle = share + z * z / (2 * trials)
    spread = z * math.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    whole = 1 + z * z / trials
    return max(0.0, (middle - spread) / whole), min(1.0, (middle + spread) / whole)


def pool(values: Iterable[str], least: int = 5) -> list[str]:
    """Return the values, those that occur less often than `least` replaced by one common word."""
    listed = list(values)
    counts = {value: listed.count(value) for value in set(listed)}
    word = POOLED.format(least=least)
    return [value if counts[value] >= least else word for value in listed]


def jaccard(left: AbstractSet[str], right: AbstractSet[str]) -> float:
    """Return 1 - shared / all members: 0 for equal sets, 1 for sets without a common member."""
    union = left | right
    return 1 - len(left & right) / len(union) if union else 0.0


def clusters(
    names: Sequence[str], apart: Mapping[tuple[str, str], float], most: float
) -> list[tuple[list[str], float]]:
    """Join the two nearest groups (by mean distance) while they are nearer than `most`.

    Args:
        names: What is grouped.
        apart: The distance of every pair, in both orders.
        most: Groups that are this far apart, or farther, stay apart.

    Returns:
        Groups with the distance at which each was last joined (0 for single ones), the largest
        first; within a group those that were joined first stand together.
    """
    groups: list[tuple[list[str], float]] = [([name], 0.0) for name in names]
    while len(groups) > 1:
        distance, i, j = _nearest([members for members, _ in groups], apart)
        if distance >= most:
            break
        joined = ([*groups[i][0], *groups[j][0]], distance)
        groups = [group for at, group in enumerate(groups) if at not in {i, j}] + [joined]
    return sorted(groups, key=lambda group: (-len(group[0]), group[0]))


def _nearest(
    groups: Sequence[Sequence[str]], apart: Mapping[tuple[str, str], float]
) -> tuple[float, int, int]:
    return min(
        (
            sum(apart[a, b] for a in groups[i] for b in groups[j])
            / (len(groups[i]) * len(groups[j])),
            i,
            j,
        )
        for i in range(len(groups))
        for j in range(i + 1, len(groups))
    )
