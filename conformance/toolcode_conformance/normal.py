"""The normal form of an answer (MODEL.1): what all comparisons look at."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from toolcode_conformance.cases import join_surrogates
from toolcode_conformance.faults import Fault

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(slots=True)
class Normal:
    """An answer in normal form.

    Attributes:
        segments: `{"text"}`, `{"thinking"}` or `{"call"}` objects; calls keep every key they had.
        dropped: Reasons, in order.
        ordered: False when the order between text and calls is not known (a plain filter).
    """

    segments: list[dict[str, Any]] = field(default_factory=list)
    dropped: list[str] = field(default_factory=list)
    ordered: bool = True

    def add_text(self, text: str) -> None:
        """Append text; it merges with text, because a block that left nothing does not part it."""
        if not text:
            return
        if self.segments and "text" in self.segments[-1]:
            text = self.segments.pop()["text"] + text
        self.segments.append({"text": text})

    def add_thinking(self, text: str) -> None:
        """Append one whole thought; an empty one vanishes."""
        if text:
            self.segments.append({"thinking": text})

    def joined(self) -> Normal:
        """Return self with surrogate pairs joined in text and thinking."""
        for segment in self.segments:
            for key in ("text", "thinking"):
                if key in segment:
                    segment[key] = join_surrogates(segment[key])
        return self


def from_steps(steps: Iterable[Iterable[dict[str, Any]]]) -> Normal:
    """Return the normal form of a scan's events.

    Raises:
        Fault: The order of events is impossible (thinking outside a thought, text inside one).
    """
    normal = Normal()
    texts: list[str] = []
    thought: list[str] | None = None
    for event in (event for step in steps for event in step):
        key, value = next(iter(event.items()))
        if (thought is None) == (key in {"thinking", "thinking_end"}) and key != "dropped":
            where = "outside" if thought is None else "inside"
            raise Fault("protocol", f"a {key} event came {where} a thought")
        if key == "text":
            texts.append(value)
            continue
        normal.add_text("".join(texts))
        texts.clear()
        if key == "thinking_start":
            thought = []
        elif key == "thinking" and thought is not None:
            thought.append(value)
        elif key == "thinking_end":
            normal.add_thinking("".join(thought or ()))
            thought = None
        elif key == "call":
            normal.segments.append({"call": value})
        else:
            normal.dropped.append(value["reason"])
    if thought is not None:
        raise Fault("protocol", "a thinking_start had no thinking_end by the close")
    normal.add_text("".join(texts))
    return normal.joined()


def from_segments(segments: Iterable[dict[str, Any]]) -> Normal:
    """Return the normal form of segments, a filter's or a case's."""
    normal = Normal()
    for segment in segments:
        if "text" in segment:
            normal.add_text(segment["text"])
        elif "thinking" in segment:
            normal.add_thinking(segment["thinking"])
        else:
            normal.segments.append(segment)
    return normal.joined()


def from_filter(answer: dict[str, Any]) -> Normal:
    """Return the normal form of what a filter printed, `{segments}` or `{calls, text?}`."""
    if "segments" in answer:
        return from_segments(answer["segments"])
    calls = [{"call": call} for call in answer["calls"]]
    return Normal([*calls, {"text": answer.get("text", "")}], ordered=False).joined()
