"""The table of recorded replies: what was asked, what came, and its golden reading in numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolcode_conformance import readings_store as store
from toolcode_conformance.places import corpus_dir
from toolcode_conformance.recorder.outcomes import outcomes
from toolcode_conformance.recorder.store import load_packed

if TYPE_CHECKING:
    from pathlib import Path

STAGES: Final = {
    "no-block": "no tool block is opened",
    "open-at-limit": "the block is open when the token limit comes",
    "open-at-end": "the block is open when the model stops by itself",
    "no-call": "a block closes and holds no call",
    "doubt": "a call comes, and something in it is unresolved, skipped or conditional",
    "call": "at least one call comes and each is clean",
}
"""Where a reply leaves the convention, the first place that fits; each reply has one."""

_UNSURE: Final = frozenset({"unresolved", "skipped", "conditional"})
_OPENER: Final = "```tool_code"


def stage(text: str, finish: str, calls: list[dict[str, Any]]) -> str:
    """Return where a reply leaves the convention, a key of `STAGES`.

    Args:
        text: The whole reply.
        finish: How it ended: eos, stop or limit.
        calls: The calls of its reading.
    """
    if calls:
        return "doubt" if any(call.keys() & _UNSURE for call in calls) else "call"
    at = text.rfind(_OPENER)
    if at < 0:
        return "no-block"
    if "```" in text[at + len(_OPENER) :]:
        return "no-call"
    return "open-at-limit" if finish == "limit" else "open-at-end"


def rows(folder: Path | None = None) -> list[dict[str, Any]]:
    """Return a row for every reply, in the recording's order."""
    folder = folder or corpus_dir() / "recorded"
    readings = store.load(folder)
    models = {record["id"]: header["model"] for header, record in load_packed(folder)}
    return [
        _row(reply, readings.get(reply.key), models[reply.record["id"]])
        for reply in store.replies(folder)
    ]


def _row(reply: store.Reply, reading: store.Reading | None, model: str) -> dict[str, Any]:
    raw = reply.record["replies"][reply.number - 1]
    domain, form, _ = reply.record["id"].split(".")
    segments = reading.segments if reading else []
    calls = [segment["call"] for segment in segments if "call" in segment]
    found = outcomes(raw)
    return {
        "reply": reply.key,
        "model": model,
        "domain": domain,
        "form": form,
        "template": "gemma" if form.endswith("-gemma") else "plain",
        "turn": reply.number,
        "temperature": reply.record["temperature"],
        "limit": reply.record["limit"],
        "seed": reply.record["seed"] + reply.number - 1,
        "finish": raw["finish"],
        "tokens": len(raw["tokens"]),
        "characters": len(reply.text),
        "outcomes": ";".join(sorted(found)),
        "well_formed": "well-formed" in found,
        "opened": "no tool block" not in found,
        "has_reading": reading is not None,
        "calls": len(calls),
        "clean_calls": sum(not call.keys() & _UNSURE for call in calls),
        "thoughts": sum("thinking" in segment for segment in segments),
        "dropped": " ".join(reading.dropped if reading else ()),
        "stage": stage(reply.text, raw["finish"], calls),
    }
