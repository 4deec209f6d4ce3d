"""Every shipped transcript: the same reading for every chunking, and CPython's where it speaks."""

from __future__ import annotations

import json
import random
import re
from typing import TYPE_CHECKING, Any

import pytest

from tests.harness.helpers import case
from toolcode import scan, scan_stream, segments
from toolcode.events import Call
from toolcode_conformance import places
from toolcode_conformance.oracle import opinion
from toolcode_conformance.recorder.outcomes import table
from toolcode_conformance.recorder.pieces import full_text, text_chunks
from toolcode_conformance.recorder.store import load_packed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolcode.events import Event

_FOLDER = places.corpus_dir() / "recorded"
# Replies are read in a few items, not one each: their count is no measure of what is tested.
_PARTS = 4
_REOPENED = re.compile(r"```tool_code(?:(?!```).)*```tool_code", re.DOTALL)


def replies() -> Iterator[tuple[str, list[str]]]:
    """Yield (transcript, token texts) of every reply."""
    for _, record in load_packed(_FOLDER):
        for number, reply in enumerate(record["replies"], start=1):
            yield f"{record['id']} reply {number}", text_chunks(reply["tokens"])


def bursts(chunks: list[str], seed: str) -> Iterator[str]:
    """Yield runs of two to eight tokens, as speculative decoding gives them."""
    generator = random.Random(seed)  # noqa: S311  a sample, no secret
    at = 0
    while at < len(chunks):
        size = generator.randint(2, 8)
        yield "".join(chunks[at : at + size])
        at += size


def reading(events: list[Event]) -> dict[str, Any]:
    """Return the calls with their diagnostics, in the form of a case's `expect`."""
    return {
        "segments": [
            {
                "call": {
                    "name": event.name,
                    "arguments": event.arguments,
                    "unresolved": list(event.unresolved),
                }
            }
            for event in events
            if isinstance(event, Call)
        ]
    }


@pytest.mark.parametrize("part", range(_PARTS))
def test_tokens_and_bursts_read_like_the_whole(part: int) -> None:
    for name, chunks in list(replies())[part::_PARTS]:
        whole = segments(scan("".join(chunks)))
        assert segments(list(scan_stream(chunks))) == whole, name
        assert segments(list(scan_stream(bursts(chunks, name)))) == whole, name


def test_cpython_reads_the_same_calls_where_every_body_is_python() -> None:
    spoken = 0
    for name, chunks in replies():
        text = "".join(chunks)
        if _REOPENED.search(text):
            # A fence that closes one block and opens the next is none of the oracle's rules.
            continue
        said = opinion(case(text, reading(scan(text))))
        assert not said.differs, f"{name}: {said.differs}"
        spoken += not said.silent
    assert spoken >= 300


def test_the_data_card_shows_the_counts_of_these_transcripts() -> None:
    records = [record for _, record in load_packed(_FOLDER)]
    card = (_FOLDER / "README.md").read_text(encoding="utf-8")
    assert table(records) in card
    count = sum(len(record["replies"]) for record in records)
    assert f"{len(records):,} transcripts ({count:,} replies," in card


def test_every_case_is_a_reply_of_the_recording() -> None:
    known = dict(replies())
    for path in sorted(_FOLDER.glob("*.json")):
        for entry in json.loads(path.read_text(encoding="utf-8"))["cases"]:
            source = entry["source"]
            name = f"{source['transcript']} reply {source.get('reply', 1)}"
            assert entry["input"]["chunks"] == known[name], entry["id"]


def test_the_transcripts_are_as_many_as_asked_for() -> None:
    records = [record for _, record in load_packed(_FOLDER)]
    assert len(records) >= 1500
    assert len({record["id"] for record in records}) == len(records)
    assert sum(record["replies"][-1]["finish"] == "limit" for record in records) >= 200
    assert any(len(record["replies"]) == 2 for record in records)
    assert sum(path.stat().st_size for path in _FOLDER.glob("*.gz")) < 4_000_000
    assert all(full_text(reply["tokens"]) for reply in records[0]["replies"])
