"""Token pieces: text, or the bytes of a token that holds only part of a character."""

from __future__ import annotations

import codecs
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

Piece = str | dict[str, str]
"""A token's text, or `{"bytes": hex}` where its bytes are no UTF-8 on their own."""


def to_piece(data: bytes) -> Piece:
    """Return one token's bytes as a piece."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return {"bytes": data.hex()}


def to_bytes(piece: Piece) -> bytes:
    """Return the bytes of a piece."""
    return piece.encode() if isinstance(piece, str) else bytes.fromhex(piece["bytes"])


def text_chunks(pieces: Iterable[Piece]) -> list[str]:
    """Return the pieces as text chunks, a split character whole in the chunk that completes it.

    Bytes that never become a character are replaced by U+FFFD, as a runtime's decoder does.
    """
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    chunks = [decoder.decode(to_bytes(piece)) for piece in pieces]
    rest = decoder.decode(b"", final=True)
    return [chunk for chunk in [*chunks, rest] if chunk]


def full_text(pieces: Iterable[Piece]) -> str:
    """Return the whole text of a reply."""
    return b"".join(to_bytes(piece) for piece in pieces).decode("utf-8", "replace")


def cut_at_stop(tokens: list[bytes], stops: Iterable[bytes], fresh: int) -> list[bytes] | None:
    """Return the tokens up to the earliest stop text, or None if there is none.

    The token in which the stop begins is shortened. Only the last `fresh` tokens are new; a stop
    that ended before them would have been found before.
    """
    whole = b"".join(tokens)
    start = len(whole) - sum(map(len, tokens[-fresh:])) if fresh else len(whole)
    found = [whole.find(stop, max(0, start - len(stop) + 1)) for stop in stops]
    hits = [place for place in found if place >= 0]
    return None if not hits else _take(tokens, min(hits))


def _take(tokens: list[bytes], length: int) -> list[bytes]:
    kept: list[bytes] = []
    for token in tokens:
        if length <= 0:
            break
        kept.append(token[:length])
        length -= len(token)
    return kept
