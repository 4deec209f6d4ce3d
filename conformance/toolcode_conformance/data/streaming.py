"""The tables of streaming: when calls come out, and what is held back on the way.

Both feed every recorded reply to the reference and count characters and tokens; nothing is timed,
so the same recording gives the same rows everywhere.
"""

from __future__ import annotations

import bisect
import itertools
from typing import TYPE_CHECKING, Any, Final

from toolcode import Call, Scanner, Text, ThinkingDelta, ThinkingEnd, ThinkingStart
from toolcode_conformance import readings_store as store
from toolcode_conformance.places import corpus_dir

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from toolcode import Event

CHUNKINGS: Final = {"1 character": 0, "1 token": 1, "4 tokens": 4, "16 tokens": 16}
"""Ways to cut a reply: tokens in a chunk, 0 for single characters."""


def call_rows(folder: Path | None = None) -> list[dict[str, Any]]:
    """Return a row for every call of every reply, for each way to cut it."""
    return [
        row
        for reply in store.replies(folder or corpus_dir() / "recorded")
        if "```tool_code" in reply.text
        for row in _calls(reply.key, reply.chunks)
    ]


def text_rows(folder: Path | None = None) -> list[dict[str, Any]]:
    """Return a row for every reply: what was held back after which token."""
    return [
        {"reply": reply.key, **_held(reply.chunks)}
        for reply in store.replies(folder or corpus_dir() / "recorded")
    ]


def chunks_of(tokens: tuple[str, ...], size: int) -> list[str]:
    """Return a reply in chunks of `size` tokens, or of one character where that is 0."""
    if not size:
        return list("".join(tokens))
    return ["".join(tokens[at : at + size]) for at in range(0, len(tokens), size)]


def events_at(chunks: Iterable[str]) -> Iterator[tuple[int, Event]]:
    """Yield every event with the number of characters that were fed when it came."""
    scanner, fed = Scanner(), 0
    for chunk in chunks:
        fed += len(chunk)
        for event in scanner.feed(chunk):
            yield fed, event
    for event in scanner.close():
        yield fed, event


def _calls(key: str, tokens: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    text = "".join(tokens)
    ends = list(itertools.accumulate(map(len, tokens)))
    by_character = [at for at, event in events_at(text) if isinstance(event, Call)]
    for chunking, size in CHUNKINGS.items():
        came = [
            (at, event)
            for at, event in events_at(chunks_of(tokens, size))
            if isinstance(event, Call)
        ]
        together = [at for at, _ in came]
        behind = 0
        for number, (at, call) in enumerate(came):
            behind = text.index(call.source, behind) + len(call.source)
            yield {
                "reply": key,
                "chunking": chunking,
                "call": number,
                "name": call.name,
                "calls_in_block": together.count(at),
                "argument_end": behind,
                "fence_end": by_character[number],
                "event_at": at,
                "wait_characters": at - behind,
                "wait_rule": by_character[number] - behind,
                "wait_chunk": at - by_character[number],
                # The token that holds a character is the first whose end is not before it.
                "wait_tokens": bisect.bisect_left(ends, at) - bisect.bisect_left(ends, behind),
            }


def _visible(events: Iterable[Event]) -> int:
    return sum(len(event.text) for event in events if isinstance(event, Text | ThinkingDelta))


def held_after(tokens: tuple[str, ...]) -> list[int]:
    """Return, for each token, the characters that would come out if the stream ended behind it."""
    scanner, prefix, held, found = Scanner(), "", 0, list[int]()
    thought = block = False
    for token in tokens:
        prefix += token
        events = scanner.feed(token)
        for event in events:
            if isinstance(event, ThinkingStart | ThinkingEnd):
                thought = isinstance(event, ThinkingStart)
        # A tool block opens without an event, and until one comes nothing in it is text.
        block = block and not events
        if not block:
            held += len(token) - _visible(events)
            if held:
                # Held back, or part of a block: a second scanner is asked, which ends here.
                other = Scanner()
                other.feed(prefix)
                held = _visible(other.close())
                block = not (held or events or thought)
        found.append(held)
    return found


def _held(tokens: tuple[str, ...]) -> dict[str, int]:
    held = held_after(tokens)
    runs = [len(list(group)) for kept, group in itertools.groupby(held, bool) if kept]
    return {
        "tokens": len(tokens),
        "visible": _visible(event for _, event in events_at(tokens)),
        "steps_held": sum(map(bool, held)),
        "longest_held": max(held, default=0),
        "held_sum": sum(held),
        "longest_run": max(runs, default=0),
    }
