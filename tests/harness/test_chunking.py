"""The chunk matrix: complete where it says so, and every chunking adds up to the text."""

from __future__ import annotations

import pytest

from toolcode_conformance import chunking

FENCED = "a```tool_code\nf(x='\\n')\n```b"


@pytest.mark.parametrize("level", chunking.LEVELS)
@pytest.mark.parametrize("text", ["", "a", "ab", FENCED, FENCED * 40])
def test_every_chunking_adds_up(text: str, level: str) -> None:
    seen = set()
    for cuts in chunking.matrix(text, "name", level):
        assert cuts not in seen
        seen.add(cuts)
        assert list(cuts) == sorted(cuts)
        assert "".join(chunking.split(text, cuts)) == text
        assert len(chunking.split(text, cuts)) == len(cuts) + 1


def test_two_way_cuts_are_all_there_with_both_empty_halves() -> None:
    found = set(chunking.matrix("x" * 400, "name", "standard"))
    assert {(at,) for at in range(401)} <= found


def test_three_way_cuts_with_empty_chunks_up_to_40_characters() -> None:
    found = set(chunking.matrix("x" * 40, "name", "standard"))
    wanted = {(one, two) for one in range(41) for two in range(one, 41)}
    assert wanted <= found
    assert not any(len(cuts) == 2 for cuts in chunking.matrix("x" * 41, "name", "standard"))


def test_single_characters() -> None:
    assert chunking.split("abc", chunking.single_characters("abc")) == ["a", "b", "c"]
    assert chunking.single_characters("abc") in set(chunking.matrix("abc", "name", "quick"))


def test_long_texts_are_cut_around_fences_and_at_seeded_places() -> None:
    text = "x" * 300 + FENCED + "y" * 300
    places = chunking.notable_places(text)
    fence = text.index("```")
    assert {0, 1, len(text), len(text) - 1, fence, fence + 1, fence + 3} <= set(places)
    assert len(chunking.notable_places(FENCED * 50)) == chunking.PLACES
    cuts = [cut for cut in chunking.matrix(text, "name", "standard") if len(cut) == 1]
    assert 16 <= len(cuts) <= chunking.PLACES + chunking.SEEDED
    assert list(chunking.matrix(text, "a", "standard")) == list(
        chunking.matrix(text, "a", "standard")
    )
    assert chunking.seeded_places(text, "a") != chunking.seeded_places(text, "b")


def test_stated_chunks_are_tried() -> None:
    assert chunking.cuts_of(["ab", "", "c"]) == (2, 2)
    assert (2, 2) in set(chunking.matrix("abc" * 200, "name", "quick", ["ab", "", "c" * 598]))


def test_byte_cuts_fall_inside_characters() -> None:
    chunkings = list(chunking.byte_cuts("a\u00e9\U0001f600", 9))
    assert all(b"".join(chunks).decode() == "a\u00e9\U0001f600" for chunks in chunkings)
    assert [b"a\xc3", b"\xa9\xf0\x9f\x98\x80"] in chunkings
    assert len(chunkings) == 1 + 1 + 3


def test_surrogate_cuts_fall_between_halves() -> None:
    assert list(chunking.surrogate_cuts("a\U0001f600b", 9)) == [["a\ud83d", "\ude00b"]]
