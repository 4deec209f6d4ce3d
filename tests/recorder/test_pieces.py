"""Token pieces: bytes in, text or bytes out, nothing lost."""

from __future__ import annotations

import pytest

from toolcode_conformance.recorder import pieces
from toolcode_conformance.recorder.session import take_reply


def test_a_token_with_half_a_character_keeps_its_bytes() -> None:
    tokens = [b"na", "ï".encode()[:1], "ï".encode()[1:], "ve 味".encode()]
    kept = [pieces.to_piece(token) for token in tokens]
    assert kept == ["na", {"bytes": "c3"}, {"bytes": "af"}, "ve 味"]
    assert [pieces.to_bytes(piece) for piece in kept] == tokens
    assert pieces.full_text(kept) == "naïve 味"


def test_text_chunks_give_a_split_character_to_the_chunk_that_completes_it() -> None:
    assert pieces.text_chunks(["a", {"bytes": "c3"}, {"bytes": "af"}, "b"]) == ["a", "ï", "b"]


def test_bytes_that_never_become_a_character_are_replaced() -> None:
    assert pieces.text_chunks(["a", {"bytes": "e591"}]) == ["a", "\ufffd"]
    assert pieces.full_text(["a", {"bytes": "e591"}]) == "a\ufffd"


@pytest.mark.parametrize(
    ("tokens", "kept", "finish"),
    [
        ([b"a", b"b", None, b"c"], [b"a", b"b"], "eos"),
        ([b"a", b"\nUs", b"er:", b"x"], [b"a"], "stop"),
        ([b"a\nUser: x"], [b"a"], "stop"),
        ([b"\nUser:"], [], "stop"),
        ([b"\nUse", b"rs", b"c", b"d"], [b"\nUse", b"rs", b"c"], "limit"),
        ([b"a", b"b"], [b"a", b"b"], "limit"),
    ],
)
def test_a_reply_ends_at_its_end_at_a_stop_or_at_the_limit(
    tokens: list[bytes | None], kept: list[bytes], finish: str
) -> None:
    assert take_reply(iter(tokens), 3, ["\nUser:"]) == (kept, finish)


def test_the_earliest_of_several_stops_counts() -> None:
    tokens: list[bytes | None] = [b"x<b>", b"<a>"]
    assert take_reply(iter(tokens), 9, ["<a>", "<b>"]) == ([b"x"], "stop")
    assert take_reply(iter([b"x<b><a>"]), 9, ["<a>", "<b>"]) == ([b"x"], "stop")
