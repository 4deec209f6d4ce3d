"""Growth cases: does the time stay linear in the length of the text (STREAM.4)?

A case is a shape, not a text. It is scanned at n, 2n, 4n and 8n characters, where n doubles until
the largest takes long enough to be timed, and a line is fitted through the logarithms. A slow
machine moves that line, it does not turn it, so the verdict depends on no machine. No answer is
compared here; an implementation is judged by its own times alone, and by still answering.
"""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final

from toolcode_conformance.cases import expand_text
from toolcode_conformance.faults import Fault

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

STEEPEST: Final = 1.5
"""The exponent past which time is not linear: n log n stays under 1.1, a quadratic is at 2."""

MEASURABLE: Final = 0.03
"""Seconds that the largest text has to take, so that noise is small beside it."""

_DOUBLINGS: Final = 3
_REPEATS: Final = 3
_FIRST: Final = {False: 8 << 10, True: 32 << 10}
_LAST: Final = {False: 1 << 20, True: 256 << 10}
_LEAST: Final = 1e-5


@dataclass(frozen=True, slots=True)
class Shape:
    """A text of any length.

    Attributes:
        before: What it begins with.
        piece: What it is filled with.
        after: What it ends with.
        chunk: Characters per chunk; 0 feeds it whole.
    """

    before: str
    piece: str
    after: str
    chunk: int = 0

    @classmethod
    def of(cls, given: dict[str, Any]) -> Shape:
        """Return the shape that a case's input describes."""
        before, piece, after = (
            expand_text(given.get(key, "")) for key in ("before", "piece", "after")
        )
        return cls(before, piece, after, given.get("chunk", 0))

    def text(self, size: int) -> str:
        """Return a text of about `size` characters."""
        # What quotes and brackets amount to depends on how many there are: a multiple of 12 keeps
        # every size the same kind of text.
        times = size // len(self.piece) // 12 * 12
        return self.before + self.piece * times + self.after

    def chunks(self, size: int) -> list[str]:
        """Return that text as it is fed."""
        text = self.text(size)
        step = self.chunk or len(text)
        return [text[at : at + step] for at in range(0, len(text), step)]


def judge(shape: Shape, ask: Callable[[list[str]], object]) -> str | None:
    """Measure how the time grows.

    Args:
        shape: What is scanned.
        ask: Has the chunks scanned; only its time counts.

    Returns:
        What is wrong, or None where the time is linear or too short to tell.

    Raises:
        Fault: The implementation broke off; the message says at which size.
    """
    clock = _Clock(shape, ask)
    smallest = _FIRST[bool(shape.chunk)]
    while True:
        sizes = [smallest << step for step in range(_DOUBLINGS + 1)]
        times = clock.series(sizes)
        if times[-1] >= MEASURABLE:
            break
        if sizes[-1] >= _LAST[bool(shape.chunk)]:
            return None
        smallest *= 2
    runs = [times, *(clock.series(sizes) for _ in range(_REPEATS - 1))]
    steep = [run for run in runs if max(fitted(sizes, run), last(sizes, run)) > STEEPEST]
    return _told(sizes, steep[0]) if len(steep) > _REPEATS // 2 else None


def fitted(sizes: Sequence[int], times: Sequence[float]) -> float:
    """Return the exponent over the whole range."""
    logs = [math.log(size) for size in sizes], [math.log(took) for took in times]
    return statistics.linear_regression(*logs).slope


def last(sizes: Sequence[int], times: Sequence[float]) -> float:
    """Return the exponent of the last doubling: a parser may stay linear up to some size."""
    return fitted(sizes[-2:], times[-2:])


def _told(sizes: Sequence[int], times: Sequence[float]) -> str:
    shown = ", ".join(
        f"{size // 1024} Ki {took * 1000:.0f} ms" for size, took in zip(sizes, times, strict=True)
    )
    return (
        f"the time grows with exponent {fitted(sizes, times):.2f}, in the last doubling "
        f"{last(sizes, times):.2f}; at most {STEEPEST} is linear: {shown}"
    )


class _Clock:
    """Times scans, less what an exchange costs by itself."""

    def __init__(self, shape: Shape, ask: Callable[[list[str]], object]) -> None:
        self._shape = shape
        self._ask = ask
        self._done: tuple[int, float] | None = None
        self._idle = min(self._took([""]) for _ in range(_REPEATS))

    def series(self, sizes: Sequence[int]) -> list[float]:
        """Return the seconds of each size."""
        return [self._seconds(size) for size in sizes]

    def _seconds(self, size: int) -> float:
        try:
            took = self._took(self._shape.chunks(size))
        except Fault as fault:
            reached = f", {self._done[0]} took {self._done[1]:.2f} s" if self._done else ""
            verdict = "slow" if fault.verdict == "timeout" else fault.verdict
            raise Fault(verdict, f"at {size} characters{reached}: {fault}") from None
        self._done = size, took
        return max(took - self._idle, _LEAST)

    def _took(self, chunks: list[str]) -> float:
        start = perf_counter()
        self._ask(chunks)
        return perf_counter() - start
