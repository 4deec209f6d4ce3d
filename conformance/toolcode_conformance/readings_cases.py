"""The recorded replies as cases: each streamed as the model wrote it, judged by its golden reading.

A reply is sent whole, token by token, and in bursts of two to eight tokens, as speculative decoding
gives them. Where an implementation made other choices than the reference, its right answer is
derived by the second reading, which knows the choices. Run with `--recorded`.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Final

from toolcode_conformance import places
from toolcode_conformance.cases import Accept, Case
from toolcode_conformance.errors import UsageError
from toolcode_conformance.readings import CHOICES, read
from toolcode_conformance.readings_store import (
    READINGS,
    Reading,
    Reply,
    Shape,
    decisions,
    load,
    replies,
)
from toolcode_conformance.tables import choices as all_choices

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

PREFIX: Final = "recorded.stream."
_MODEL: Final = "Gemma 3 270M, pretrained (not instruction-tuned), Q4_K_M"
_SMALLEST, _SIZES = 2, 7


__all__ = ["PREFIX", "READINGS", "bursts", "case_id", "find", "stream_cases", "stream_ids"]


def case_id(key: str) -> str:
    """Return the id of the case made of a reply."""
    return PREFIX + key.replace(".", "-").replace("/", "-reply-")


def bursts(chunks: Sequence[str], key: str) -> tuple[int, ...]:
    """Return the cuts, in characters, between bursts of two to eight tokens.

    Burst `n` (from 0) has `2 + crc32(f"{key}:{n}") % 7` tokens: any language can make the same.
    """
    cuts: list[int] = []
    at = number = offset = 0
    while at < len(chunks):
        size = _SMALLEST + zlib.crc32(f"{key}:{number}".encode()) % _SIZES
        offset += sum(map(len, chunks[at : at + size]))
        cuts.append(offset)
        at += size
        number += 1
    return tuple(cuts[:-1])


def tokens(chunks: Sequence[str]) -> tuple[int, ...]:
    """Return the cuts, in characters, between tokens."""
    cuts: list[int] = []
    for chunk in chunks[:-1]:
        cuts.append((cuts[-1] if cuts else 0) + len(chunk))
    return tuple(cuts)


def stream_cases(
    folder: Path | None = None,
    choices: Mapping[str, str] | None = None,
) -> list[Case]:
    """Return a case for every reply that has a reading.

    Args:
        folder: The folder of the recording (default: the corpus's).
        choices: Those of the implementation to be judged; the others' answers are not derived.

    Raises:
        CorpusError: A file of the recording is missing or broken.
    """
    folder = folder or places.corpus_dir() / "recorded"
    shapes = {key: shape for shape in decisions(folder) for key in shape.replies}
    stored = load(folder)
    other = {
        name: option
        for name, option in (choices or {}).items()
        if name in CHOICES and option != all_choices()[name].options[0]
    }
    return [
        _case(reply, stored[reply.key], shapes.get(reply.key), other)
        for reply in replies(folder)
        if reply.key in stored
    ]


def stream_ids(folder: Path | None = None) -> list[str]:
    """Return the ids of all these cases, without building them."""
    return [case_id(key) for key in load(folder or places.corpus_dir() / "recorded")]


def find(wanted: str, choices: Mapping[str, str]) -> Case:
    """Return the case of a recorded reply by id, perhaps with `#cut=..` behind it.

    Raises:
        UsageError: There is no such reply.
    """
    plain = wanted.split("#", 1)[0]
    for case in stream_cases(None, choices):
        if case.id == plain:
            return case
    raise UsageError(f"no recorded reply {plain!r}")


def _case(reply: Reply, reading: Reading, shape: Shape | None, other: dict[str, str]) -> Case:
    record = reply.record
    expect = {"segments": reading.segments, "dropped": reading.dropped}
    calls = any("call" in segment for segment in reading.segments)
    thinks = any("thinking" in segment for segment in reading.segments)
    about = f"Reply {reply.number} of recorded transcript {record['id']}"
    return Case(
        id=case_id(reply.key),
        title=f"{about}: {shape.question}" if shape else about,
        clause=shape.clause if shape else "MODEL.1",
        level="should",  # a model was seen to write this; it is judged as a whole
        why="lost-call" if calls else "wrong-call",
        op="scan",
        group="recorded.stream",
        area="recorded",
        path=reply.path,
        text=reply.text,
        chunks=reply.chunks,
        input={},
        options={},
        expect=expect,
        accept=_accept(reply.text, expect, other),
        needs=frozenset({"thinking"} if thinks else ()),
        aliases=(),
        derivation=shape.decided if shape else "",
        oracle_note="",
        source={
            "kind": "recorded",
            "model": _MODEL,
            "prompt": record["prompt"],
            "seed": record["seed"] + reply.number - 1,
            "temperature": record["temperature"],
        },
        raw={},
        cuts=(("tokens", tokens(reply.chunks)), ("bursts", bursts(reply.chunks, reply.key))),
    )


def _accept(text: str, expect: dict[str, object], other: dict[str, str]) -> tuple[Accept, ...]:
    """Return the right answer under other choices, where they change it."""
    if not other:
        return ()
    answer = read(text, other)
    return () if answer == expect else (Accept(other, answer),)
