"""All faulty parsers, in the order of the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.zoo import (
    arguments,
    around,
    blocks,
    calls,
    gemma,
    habits,
    leaks,
    literals,
    own,
    promises,
    rendering,
    streams,
    wrapped,
)

if TYPE_CHECKING:
    from tests.zoo.faulty import Faulty

FAULTS: tuple[Faulty, ...] = (
    *blocks.FAULTS,
    *calls.FAULTS,
    *arguments.FAULTS,
    *literals.FAULTS,
    *streams.FAULTS,
    *own.FAULTS,
    *wrapped.FAULTS,
    *habits.FAULTS,
    *promises.FAULTS,
    *rendering.FAULTS,
    *around.FAULTS,
    *leaks.FAULTS,
    *gemma.FAULTS,
)
