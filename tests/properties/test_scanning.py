"""STREAM and LIT as properties."""

from __future__ import annotations

import ast
import json
import warnings
from typing import Any

from hypothesis import assume, example, given, reject
from hypothesis import strategies as st

from tests.properties.strategies import almost, blocks, literals, options, same, texts
from toolcode import Call, Dropped, Event, Scanner, Text, ThinkingDelta, scan, segments
from toolcode_conformance.oracle import NoLiteralError, to_json

OPENERS = ("```tool_code", "```tool_outputs", "```thinking\n", "```thinking\r\n")


def reading(events: list[Event]) -> tuple[Any, ...]:
    """Return all that chunks may not change: segments, diagnostics, announcements."""
    calls = [
        (event.callee, event.source, event.unresolved, event.skipped, event.conditional)
        for event in events
        if isinstance(event, Call)
    ]
    return (
        json.dumps(segments(events)),
        calls,
        [event.reason for event in events if isinstance(event, Dropped)],
    )


def streamed(chunks: list[str], how: dict[str, Any]) -> list[Event]:
    scanner = Scanner(**how)
    events = [event for chunk in chunks for event in scanner.feed(chunk)]
    return events + scanner.close()


@given(texts, options, st.lists(st.integers(0, 120), max_size=6))
@example("```tool_code\nf(a=1)\n```", {}, [21, 21])
def test_chunks_change_nothing(text: str, how: dict[str, Any], cuts: list[int]) -> None:
    """STREAM.1a: whole, by character, and in random pieces with empty ones among them."""
    whole = reading(scan(text, **how))
    assert reading(streamed(list(text), how)) == whole
    places = sorted(min(cut, len(text)) for cut in cuts)
    pieces = [text[a:b] for a, b in zip([0, *places], [*places, len(text)], strict=True)]
    assert reading(streamed(pieces, how)) == whole


@given(almost | texts, options)
def test_what_is_held_back_could_still_be_a_marker(text: str, how: dict[str, Any]) -> None:
    """STREAM.2: outside a block, what has not come out is the start of an opener or of a label."""
    scanner = Scanner(**how)
    shown = ""
    for at, char in enumerate(text, 1):
        events = scanner.feed(char)
        if not all(isinstance(event, Text) for event in events):
            return  # a block began: other rules hold there
        shown += "".join(event.text for event in events if isinstance(event, Text))
        held = text[len(shown) : at]
        assert text[:at] == shown + held
        assert not held or any(opener.startswith(held) for opener in OPENERS)
        if any(opener in text[:at] for opener in OPENERS):
            return


@given(texts, options)
def test_arguments_are_always_json(text: str, how: dict[str, Any]) -> None:
    """LIT.9c."""
    for event in scan(text, **how):
        if isinstance(event, Call):
            json.dumps(event.arguments, allow_nan=False)
            assert set(event.unresolved) <= set(event.arguments)


@given(blocks)
def test_declared_tools_only_leave_calls_out(text: str) -> None:
    """CALL.9: with a declaration, every call has a declared name; all else is unchanged text."""
    told = scan(text, tools=["f"])
    assert {event.name for event in told if isinstance(event, Call)} <= {"f"}
    assert "".join(e.text for e in told if isinstance(e, Text | ThinkingDelta)) == "".join(
        e.text for e in scan(text, tools=["f", "g"]) if isinstance(e, Text | ThinkingDelta)
    )


@given(literals)
def test_values_are_cpythons(written: str) -> None:
    """LIT: where CPython reads a literal, so does the scan, and the value is the same."""
    body = f"f(a={written}\n)"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            tree = ast.parse(body, mode="eval")
        except (SyntaxError, ValueError):
            reject()
    assert isinstance(tree.body, ast.Call)
    assume(len(tree.body.keywords) == 1 and not tree.body.args)
    (call,) = [event for event in scan(f"```tool_code\n{body}\n```") if isinstance(event, Call)]
    try:
        value = to_json(tree.body.keywords[0].value, body)
    except NoLiteralError:
        assert call.unresolved == ("a",)
    else:
        assert call.unresolved == ()
        assert same(call.arguments["a"], value)
