"""Gemma 4's dialect: chunk invariance, the inverse, growth (DIALECT.3)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolcode import Call, Dropped, RenderError, Text, segments
from toolcode.events import ThinkingDelta, join_surrogates
from toolcode.literals import MAX_DEPTH, NotLiteral
from toolcode.runtime import gemma4, gemma4_render
from toolcode.runtime.gemma4_body import STRING, read_value
from toolcode_conformance.emission import Rules, late, visible

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolcode import Event

Steps: TypeAlias = "list[list[dict[str, Any]]]"

PIECES = [
    "<|tool_call>",
    "<tool_call|>",
    STRING,
    "call:",
    "call:f{",
    "f",
    "get-x",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "a:",
    "a:1",
    "null",
    "-2.5",
    "1e999",
    "word",
    " ",
    "\n",
    "\r",
    "\r\n",
    "<|channel>thought\n",
    "<|channel>",
    "<channel|>",
    "<|tool_response>",
    "<tool_response|>",
    "<turn|>",
    "<",
    "<|",
    "|>",
    '"',
    "\u00e9",
    "\U0001f600",
    "\ud83d",
]
messages = st.lists(st.sampled_from(PIECES), max_size=30).map("".join)
options = st.fixed_dictionaries(
    {
        "parse_thinking": st.booleans(),
        "stop_on_tool_outputs": st.booleans(),
        "tools": st.sampled_from([None, ["f"]]),
    }
)
texts = st.text(st.characters(exclude_categories=()), max_size=12) | st.lists(
    st.sampled_from([*PIECES, "\u2060"]), max_size=6
).map("".join)
strings = texts.filter(lambda text: STRING not in text)
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | strings,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(strings, inner, max_size=3),
    max_leaves=12,
)
names = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]*", fullmatch=True) | st.sampled_from(
    ["get-weather", "ns:create", "a/b.c", "\u00fcber", "e\u0301"]
)
calls = st.lists(st.tuples(names, st.dictionaries(strings, values, max_size=3)), max_size=3)


def outcome(events: list[Event]) -> tuple[Any, ...]:
    """What must not depend on the chunking: normal form, announcements, diagnostics."""
    dropped = [event.reason for event in events if isinstance(event, Dropped)]
    told = [
        (event.callee, event.source, event.unresolved, event.skipped)
        for event in events
        if isinstance(event, Call)
    ]
    return segments(events), dropped, told


def fed(chunks: list[str], **given_options: Any) -> list[Event]:
    return list(gemma4.scan_stream(chunks, **given_options))


@given(messages, options, st.lists(st.integers(0, 200), max_size=6))
def test_every_chunking_gives_the_same(text: str, how: dict[str, Any], cuts: list[int]) -> None:
    whole = outcome(fed([text], **how))
    assert outcome(fed(list(text), **how)) == whole
    ends = [*sorted(cuts), len(text)]
    chunks = [text[start:end] for start, end in zip([0, *ends], ends, strict=False)]
    assert outcome(fed(chunks, **how)) == whole


@given(messages, options)
def test_no_event_is_empty_and_ids_are_fresh(text: str, how: dict[str, Any]) -> None:
    events = fed(list(text), **how)
    assert all(event.text for event in events if isinstance(event, Text))
    ids = [event.id for event in events if isinstance(event, Call)]
    assert all(ids)
    assert len(set(ids)) == len(ids)


@given(messages)
def test_no_call_is_made_up(text: str) -> None:
    for event in fed([text]):
        if isinstance(event, Call):
            assert event.source in text
            assert event.source.startswith(event.callee)
            assert event.name == event.callee


@given(calls)
def test_rendered_calls_scan_back(pairs: list[tuple[str, dict[str, Any]]]) -> None:
    events = gemma4.scan(gemma4_render.render_calls(pairs))
    found = [event for event in events if isinstance(event, Call)]
    assert len(found) == len(events)
    assert all(call.clean for call in found)
    for call, (name, arguments) in zip(found, pairs, strict=True):
        assert call.name == name
        assert repr(call.arguments) == repr(arguments)


@given(texts, texts, calls)
def test_a_rendered_message_scans_back_or_is_refused(
    thinking: str, text: str, pairs: list[tuple[str, dict[str, Any]]]
) -> None:
    want: list[dict[str, Any]] = []
    if thinking:
        want.append({"thinking": thinking.replace("<channel|>", "<\u2060channel|>")})
    if text:
        want.append({"text": text})
    want += [{"call": {"name": name, "arguments": arguments}} for name, arguments in pairs]
    try:
        written = gemma4_render.render_message(thinking=thinking, text=text, calls=pairs)
    except RenderError:
        reread = segments(gemma4.scan(text))
        assert reread != [{"text": text}] or "<|tool_response>" in text
        return
    assert repr(segments(gemma4.scan(written))) == repr(segments_joined(want))


def segments_joined(want: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Join surrogate pairs in text, as the normal form does."""
    return [
        {key: join_surrogates(value) if isinstance(value, str) else value}
        for segment in want
        for key, value in segment.items()
    ]


@given(st.lists(st.tuples(names, texts), max_size=3))
def test_results_cannot_leave_their_blocks(results: list[tuple[str, str]]) -> None:
    written = gemma4_render.render_results(results)
    assert written.count("<|tool_response>") == len(results)
    assert written.count("<tool_response|>") == len(results)
    assert written.count(STRING) == 2 * len(results)
    for token in ("<|tool_call>", "<turn|>", "<|channel>", "<channel|>"):
        assert token not in written
    at = 0
    for name, text in results:
        start = written.index(STRING, at) + len(STRING)
        end = written.index(STRING, start)
        assert written[at:start] == f"<|tool_response>response:{name}{{output:{STRING}"
        assert gemma4_render.rearm(written[start:end]) == text
        at = end + len(f"{STRING}}}<tool_response|>")


@given(texts)
def test_disarming_is_undone(text: str) -> None:
    assert gemma4_render.rearm(gemma4_render.disarm(text)) == text


@pytest.mark.parametrize(
    "arguments",
    [
        {"a": math.nan},
        {"a": [math.inf]},
        {"a": 10**4300},
        {"a": {"b": STRING}},
        {f"x{STRING}": 1},
        {"a": {1: 2}},
        {"a": object()},
        {"a": b"x"},
    ],
)
def test_what_cannot_be_carried_is_refused(arguments: dict[str, Any]) -> None:
    with pytest.raises(RenderError, match=r"^f"):
        gemma4_render.render_calls([("f", arguments)])


@pytest.mark.parametrize("name", ["", "2fa", "a b", "f{", "f}", "f\n", "a|b", 'f"', "f<", "f("])
def test_a_name_that_would_not_scan_back_is_refused(name: str) -> None:
    with pytest.raises(RenderError, match="name"):
        gemma4_render.render_calls([(name, {})])
    with pytest.raises(RenderError, match="name"):
        gemma4_render.render_results([(name, "x")])


def nested(depth: int) -> Any:
    value: Any = []
    for _ in range(depth - 1):
        value = [value]
    return value


def test_the_depth_limit_is_the_same_both_ways() -> None:
    written = gemma4_render.render_calls([("f", {"a": nested(MAX_DEPTH)})])
    (call,) = gemma4.scan(written)
    assert isinstance(call, Call)
    assert call.clean
    with pytest.raises(RenderError, match="deep"):
        gemma4_render.render_calls([("f", {"a": nested(MAX_DEPTH + 1)})])
    with pytest.raises(NotLiteral):
        read_value("[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1))


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_reading_a_value_ends_for_any_text(text: str) -> None:
    try:
        read_value(text)
    except NotLiteral:
        return
    assert text.strip()


def test_feeding_a_closed_scanner_is_an_error() -> None:
    scanner = gemma4.Scanner()
    scanner.feed("a<|tool")
    assert scanner.close() == [Text("<|tool")]
    assert scanner.close() == []
    for text in ("", "x"):
        with pytest.raises(ValueError, match="after close"):
            scanner.feed(text)


@given(messages.filter(lambda text: Dropped("cut") not in gemma4.scan(text)), options)
def test_the_scanner_shows_all_that_the_suite_asks_for(text: str, how: dict[str, Any]) -> None:
    """The suite's own reading of a prefix, which knows no cut blocks, against the scanner."""
    how["tools"] = None
    rules = Rules(how["parse_thinking"], how["stop_on_tool_outputs"], gemma=True)
    scanner = gemma4.Scanner(**how)
    shown = {Text: 0, ThinkingDelta: 0}
    for at, char in enumerate(text, 1):
        for event in scanner.feed(char):
            if isinstance(event, Text | ThinkingDelta):
                shown[type(event)] += len(event.text)
        must = visible(text[:at], rules)
        assert (must.text, must.thinking) == (shown[Text], shown[ThinkingDelta]), text[:at]


def test_a_scanner_that_waits_is_late() -> None:
    text = "Hi <|tool_call>call:f{}<tool_call|> there"
    call: dict[str, Any] = {"call": {"name": "f", "arguments": {}}}
    prompt: Steps = [[{"text": "Hi "}], [], [call, {"text": " there"}], []]
    waits: Steps = [[{"text": "Hi "}], [], [], [call, {"text": " there"}]]
    early: Steps = [[{"text": "Hi "}], [call], [{"text": " there"}], []]
    cuts = [4, 24]
    assert late(text, cuts, prompt, Rules(gemma=True)) is None
    assert "held back" in (late(text, cuts, waits, Rules(gemma=True)) or "")
    assert "no closing" in (late(text, cuts, early, Rules(gemma=True)) or "")


GROWTH: dict[str, Callable[[int], str]] = {
    "brackets": lambda n: "<|tool_call>call:f{a:" + "[" * n + "}<tool_call|>",
    "arguments": lambda n: "<|tool_call>call:f{" + "a:1," * n + "}<tool_call|>",
    "strings": lambda n: "<|tool_call>call:f{a:[" + f"{STRING}x{STRING}," * n + "]}<tool_call|>",
    "calls": lambda n: "<|tool_call>call:f{}<tool_call|>" * n,
    "openers": lambda n: "<|tool_call>" * n,
    "thought": lambda n: "<|channel>thought\n" + "\n<channel" * n,
    "turns": lambda n: "<turn|>" * n,
    "key": lambda n: "<|tool_call>call:f{a:{" + "k " * n + "}}<tool_call|>",
    "name": lambda n: "<|tool_call>call:" + "f" * n + "<tool_call|>",
    "maps": lambda n: "<|tool_call>call:f{a:" + "{b:" * n + "<tool_call|>",
}


@pytest.mark.parametrize("make", GROWTH.values(), ids=list(GROWTH))
def test_large_inputs_end_alike(make: Callable[[int], str]) -> None:
    """Time is judged by the growth cases of the corpus, never by a clock in a test."""
    text = make(8_000)
    assert outcome(fed(list(text))) == outcome(fed([text]))
