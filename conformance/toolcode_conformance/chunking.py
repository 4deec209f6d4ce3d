"""Where a text is cut: the matrix of chunkings for the streaming clauses (STREAM.1).

A chunking is a tuple of ascending offsets in code points. An offset that is repeated, 0, or the
length makes an empty chunk. Two-way cuts and single characters each miss a class of bugs, three-way
cuts with empty chunks catch what is left; in long texts the places that matter are around fences,
quotes, escapes and ends.
"""

from __future__ import annotations

import random
import re
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Cuts = tuple[int, ...]

PLACES: Final = 64
SEEDED: Final = 16
_QUICK_PLACES: Final = 12
_FEW: Final = 4
_LABEL: Final = 15
_NOTABLE: Final = re.compile(r"`+\w*|['\"]+|\\.|[\r\n]+|[()\[\]{}#=]|[^\x00-\x7f]+", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Level:
    """How much is cut: the longest text, in characters, for which each kind is complete.

    Beyond `single` a text is there for its size: it is cut at a few places only, since a scan of it
    costs as much as a thousand small ones.
    """

    two_way: int
    three_way: int
    single: int


LEVELS: Final = {
    "quick": Level(two_way=0, three_way=0, single=4_000),
    "standard": Level(two_way=400, three_way=40, single=20_000),
    "full": Level(two_way=4_000, three_way=90, single=200_000),
    # Only at token boundaries, which a tokenizer finds (see token_cuts).
    "tokens": Level(two_way=0, three_way=0, single=0),
}


def split(text: str, cuts: Sequence[int]) -> list[str]:
    """Return the `len(cuts) + 1` chunks of `text`; chunks may be empty."""
    ends = [*cuts, len(text)]
    return [text[start:end] for start, end in zip([0, *cuts], ends, strict=True)]


def cuts_of(chunks: Sequence[str]) -> Cuts:
    """Return the offsets at which these chunks were cut from their join."""
    offsets, at = [], 0
    for chunk in chunks[:-1]:
        at += len(chunk)
        offsets.append(at)
    return tuple(offsets)


def single_characters(text: str) -> Cuts:
    """Return the chunking into single characters."""
    return tuple(range(1, len(text)))


def two_way(text: str) -> Iterator[Cuts]:
    """Yield every cut in two, those with an empty half included."""
    return ((at,) for at in range(len(text) + 1))


def three_way(text: str) -> Iterator[Cuts]:
    """Yield every cut in three, empty chunks included."""
    size = len(text) + 1
    return ((one, two) for one in range(size) for two in range(one, size))


def notable_places(text: str, limit: int = PLACES) -> list[int]:
    """Return up to `limit` offsets in and around fences, quotes, escapes, line ends and the ends.

    When there are more, those nearest to the two ends of the text and then an even sample of the
    rest are taken, so that a long text's middle is never left out.
    """
    found = {0, 1, len(text) - 1, len(text)}
    for match in _NOTABLE.finditer(text):
        start, end = match.span()
        # Inside a fence and its label every place is its own state.
        every = min(end, start + _LABEL) if match.group()[0] == "`" else start + 1
        found.update(range(start, every + 1))
        found.update((end - 1, end))
        if len(found) > limit * 200:
            break
    places = sorted(place for place in found if 0 <= place <= len(text))
    if len(places) <= limit:
        return places
    edge = limit // 4
    middle = places[edge:-edge]
    wanted = limit - 2 * edge
    sample = [middle[index * len(middle) // wanted] for index in range(wanted)]
    return places[:edge] + sample + places[-edge:]


def seeded_places(text: str, name: str, count: int = SEEDED) -> list[int]:
    """Return `count` offsets that depend on nothing but `name` and the text's length."""
    generator = random.Random(zlib.crc32(name.encode()))  # noqa: S311  a sample, no secret
    return sorted(generator.randrange(len(text) + 1) for _ in range(count))


def matrix(
    text: str,
    name: str,
    level: str,
    stated: Sequence[str] | None = None,
) -> Iterator[Cuts]:
    """Yield each chunking of a level once: the stated one, single characters, then the cuts.

    Args:
        text: The whole text.
        name: The case's id; it seeds the sample.
        level: A key of `LEVELS`.
        stated: The chunks the case itself states, if any.
    """
    seen: set[Cuts] = {()}
    for cuts in _all(text, name, level, stated):
        if cuts not in seen:
            seen.add(cuts)
            yield cuts


def _all(text: str, name: str, level: str, stated: Sequence[str] | None) -> Iterator[Cuts]:
    sizes = LEVELS[level]
    if stated is not None:
        yield cuts_of(stated)
    if len(text) <= sizes.single:
        yield single_characters(text)
    if level == "tokens":
        return
    if level == "quick":
        yield from ((at,) for at in notable_places(text, _QUICK_PLACES))
        return
    if len(text) <= sizes.two_way:
        yield from two_way(text)
    else:
        few = len(text) > sizes.single
        yield from ((at,) for at in notable_places(text, _QUICK_PLACES if few else PLACES))
        yield from ((at,) for at in seeded_places(text, name, _FEW if few else SEEDED))
    if len(text) <= sizes.three_way:
        yield from three_way(text)


def left_out(text: str, level: str) -> bool:
    """Tell whether some two-way cut of this text is not tried at this level."""
    return len(text) > LEVELS[level].two_way


def byte_cuts(text: str, limit: int) -> Iterator[list[bytes]]:
    """Yield chunkings of the UTF-8 bytes: single bytes, then cuts inside characters.

    Args:
        text: The text; it must hold no half surrogate pair.
        limit: The most cuts inside characters.
    """
    data = text.encode()
    yield [data[at : at + 1] for at in range(len(data))]
    inside = [at for at in range(1, len(data)) if data[at] & 0xC0 == 0x80]  # noqa: PLR2004  UTF-8
    for at in inside[:limit]:
        yield [data[:at], data[at:]]


def surrogate_cuts(text: str, limit: int) -> Iterator[list[str]]:
    """Yield chunkings between the two halves of up to `limit` surrogate pairs."""
    places = [at for at, char in enumerate(text) if char > "\uffff"]
    for at in places[:limit]:
        units = text[at].encode("utf-16-be")
        high, low = chr(int.from_bytes(units[:2])), chr(int.from_bytes(units[2:]))
        yield [text[:at] + high, low + text[at + 1 :]]
