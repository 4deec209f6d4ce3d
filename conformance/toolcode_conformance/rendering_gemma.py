"""Judges what was rendered in Gemma 4's convention (DIALECT.3q to DIALECT.3t).

Spacing and the order of keys are free where the text scans back; results are read here, by a
pattern of their own.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final

from toolcode_conformance.compare import EXACT, difference, shown
from toolcode_conformance.expected import outline
from toolcode_conformance.normal import from_segments

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolcode_conformance.cases import Case
    from toolcode_conformance.compare import Comparison

_RESPONSE: Final = re.compile(
    r"<\|tool_response>response:(?P<name>[^{}]+)\{\w+:"
    r"""(?:<\|"\|>(?P<text>.*?)<\|"\|>|(?P<value>(?:(?!<tool_response\|>).)*))\}<tool_response\|>""",
    re.DOTALL,
)
_TOKEN: Final = re.compile(r'<\|[\w"]+\|?>|<\w+\|>')
_JOINERS: Final = re.compile("(?<=<)\u2060+")


def judge(
    case: Case,
    expect: dict[str, Any],
    text: str,
    choices: Mapping[str, str],
    how: Comparison,
) -> str | None:
    """Return what is wrong with a text rendered with `dialect: gemma`, or None."""
    if case.op == "render-results":
        names = case.input.get("names") or []
        as_value = choices.get("gemma-result") == "value"
        return judge_results(names, case.input["results"], text, as_value=as_value)
    message = case.input
    want = expect.get("segments")
    if want is None:
        want = [{key: message[key]} for key in ("thinking", "text") if message.get(key)]
        want += [{"call": call} for call in message.get("calls", ())]
    open_ended = choices.get("thinking-newline") == "thought"
    return scans_back(text, want, how, open_ended=open_ended)


def judge_results(names: list[str], results: list[str], text: str, *, as_value: bool) -> str | None:
    """Judge rendered results: one block each, in order, none ending itself (DIALECT.3s)."""
    at = 0
    for number, (name, result) in enumerate(zip(names, results, strict=True), 1):
        while text[at : at + 1].isspace():
            at += 1
        block = _RESPONSE.match(text, at)
        if not block:
            return f"result {number}: no response block stands at character {at}"
        at = block.end()
        if block["name"].strip() != name:
            return f"result {number} is of {shown(block['name'])}, want {shown(name)}"
        wrong = _wrong_result(result, block, as_value=as_value)
        if wrong:
            return f"result {number}: {wrong}"
    return f"{shown(text[at:])} stands behind the last result" if text[at:].strip() else None


def _wrong_result(result: str, block: re.Match[str], *, as_value: bool) -> str | None:
    if as_value and (known := _json(result)) is not None:
        return _wrong_value(known, block)
    if block["text"] is None:
        return f"the text stands in no string: {shown(block['value'])}"
    if _TOKEN.search(block["text"]):
        return f"a control token stands in the block: {shown(block['text'])}"
    # Word joiners behind a `<` are what disarms a token, so a text may have gained some.
    if not _TOKEN.search(result) and _plain(block["text"]) != _plain(result):
        return f"it is not verbatim: {shown(block['text'])}"
    return None


def _plain(text: str) -> str:
    return _JOINERS.sub("", text)


def _json(text: str) -> tuple[Any] | None:
    try:
        return (json.loads(text),)
    except ValueError:
        return None


def _wrong_value(known: tuple[Any], block: re.Match[str]) -> str | None:
    from toolcode.literals import NotLiteral  # noqa: PLC0415
    from toolcode.runtime.gemma4_body import STRING, read_value  # noqa: PLC0415

    text = block["text"]
    try:
        value = read_value(block["value"] if text is None else f"{STRING}{text}{STRING}")
    except NotLiteral:
        return f"it is no value: {shown(block['value'])}"
    return difference(known[0], value, EXACT)


def scans_back(
    text: str, segments: list[dict[str, Any]], how: Comparison, *, open_ended: bool = False
) -> str | None:
    """Judge whether the reference reads `text` as these segments and loses nothing.

    Args:
        text: What was rendered.
        segments: What it should be read as.
        how: How values compare.
        open_ended: The writer counts a thought's last line break as part of it (THINK.5), which
            the reference does not: then one does not matter.
    """
    # Imported here: everything else in the harness works without the reference.
    from toolcode import Call, Dropped  # noqa: PLC0415
    from toolcode import segments as normal_form  # noqa: PLC0415
    from toolcode.runtime import gemma4  # noqa: PLC0415

    events = gemma4.scan(text)
    unclean = [event for event in events if isinstance(event, Call) and not event.clean]
    if unclean or any(isinstance(event, Dropped) for event in events):
        return f"scanned back, something is lost or unresolved: {shown(text)}"
    want = from_segments(segments).segments
    got = normal_form(events)
    if open_ended and difference(want, got, how):
        want = _without_last_breaks(want)
    found = difference(want, got, how)
    return f"scanned back it gives {outline(got)}: {found}" if found else None


def _without_last_breaks(segments: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        {"thinking": segment["thinking"].removesuffix("\n")} if "thinking" in segment else segment
        for segment in segments
    ]
