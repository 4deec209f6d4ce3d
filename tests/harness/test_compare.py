"""The comparator: exact, but for two declared choices, at any depth."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from toolcode_conformance.compare import Comparison, difference, not_json, shown
from toolcode_conformance.expected import Judging, mismatch, outline
from toolcode_conformance.faults import Fault
from toolcode_conformance.jsonlines import decode, encode
from toolcode_conformance.normal import Normal, from_filter, from_segments, from_steps

DOUBLES = Comparison(doubles=True)
ANY_ORDER = Comparison(any_order=True)
STRICT = Judging(Comparison(), trim=False, diagnostics=False)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (1, 1.0),
        (0.0, -0.0),
        (1, True),
        (0, False),
        (None, False),
        ("1", 1),
        ([], {}),
        ([1], [1, 1]),
        ({"a": 1}, {"b": 1}),
        ({"a": 1}, {"a": 1, "b": 2}),
        ("a", "A"),
        ("e\u0301", "\u00e9"),
        (10**400, 10**400 + 1),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
    ],
)
def test_exactly_different(left: Any, right: Any) -> None:
    assert difference(left, right)
    assert difference(right, left)
    assert difference([{"x": left}], [{"x": right}])
    assert difference(left, left) is None


@pytest.mark.parametrize(("left", "right"), [(1, 1.0), (0.0, -0.0), (2**53, 2**53 + 1)])
def test_doubles(left: float, right: float) -> None:
    assert difference(left, right, DOUBLES) is None
    assert difference(True, 1, DOUBLES)
    assert difference(1, 2.0, DOUBLES)
    assert difference(10**400, 1, DOUBLES)


def test_any_order_is_only_about_keys() -> None:
    assert difference({"a": 1, "b": 2}, {"b": 2, "a": 1}, ANY_ORDER) is None
    assert difference([1, 2], [2, 1], ANY_ORDER)
    assert difference({"a": 1}, {"a": 1, "b": 2}, ANY_ORDER)
    assert difference({"a": 1, "b": 2}, {"a": 1}, ANY_ORDER)


def test_the_place_is_named() -> None:
    assert "at .a[1].b" in str(difference({"a": [0, {"b": 1}]}, {"a": [0, {"b": 2}]}))


def test_depth_is_no_problem() -> None:
    def nested(inner: Any) -> Any:
        for _ in range(100_000):
            inner = [inner]
        return inner

    assert difference(nested(1), nested(1)) is None
    assert difference(nested(1), nested(2))
    assert "nested" in shown(nested(1))
    text = "[" * 100_000 + '{"a": [1, 2.5, null]}' + "]" * 100_000
    assert encode(decode(text)) == text


@pytest.mark.parametrize("text", ["[1,]", "[", '{"a":}', "[1 2]", "{}}", "[,1]", '{"a":1,}', "[1}"])
def test_the_deep_decoder_refuses_what_the_flat_one_refuses(text: str) -> None:
    for prefix, suffix in (("", ""), ("[" * 50_000, "]" * 50_000)):
        with pytest.raises(ValueError, match=r"."):
            decode(prefix + text + suffix)


@pytest.mark.parametrize("value", [math.nan, math.inf, {1: 2}, (1,), {"a": [math.nan]}])
def test_what_is_no_json(value: Any) -> None:
    assert not_json(value)
    assert not_json([1, "a", None, True, {"a": 1.5}]) is None


def text(*parts: str) -> list[dict[str, Any]]:
    return [{"text": part} for part in parts]


CALL: dict[str, Any] = {"call": {"name": "f", "arguments": {}}}


def test_text_merges_and_thinking_never_does() -> None:
    dropped: dict[str, Any] = {"dropped": {"reason": "no-call"}}
    steps = [text("a"), [*text("b"), dropped, *text("c")], [CALL, *text("")]]
    assert from_steps(steps).segments == [*text("abc"), CALL]
    start: dict[str, Any] = {"thinking_start": True}
    end: dict[str, Any] = {"thinking_end": True}
    thought = [start, {"thinking": "x"}, {"thinking": "y"}, end]
    assert from_steps([thought, thought]).segments == [{"thinking": "xy"}] * 2
    assert from_steps([text("a"), [start, end], text("b")]).segments == text("ab")


@pytest.mark.parametrize(
    "events",
    [
        [{"thinking": "x"}],
        [{"thinking_end": True}],
        [{"thinking_start": True}],
        [{"thinking_start": True}, {"text": "x"}, {"thinking_end": True}],
        [{"thinking_start": True}, {"thinking_start": True}, {"thinking_end": True}],
    ],
)
def test_impossible_orders_of_events_break_the_protocol(events: list[dict[str, Any]]) -> None:
    with pytest.raises(Fault, match=r"thinking|thought"):
        from_steps([events])


def test_halves_of_a_surrogate_pair_are_joined() -> None:
    assert from_steps([text("\ud83d"), text("\ude00")]).segments == text("\U0001f600")


def wrong(want: list[dict[str, Any]], got: Normal, judging: Judging = STRICT) -> str | None:
    return mismatch({"segments": want}, got, judging)


def test_trimming_only_when_declared() -> None:
    got = from_segments([*text("a"), CALL])
    want = [*text("a\n"), CALL, *text("\n")]
    assert wrong(want, got)
    assert wrong(want, got, Judging(Comparison(), trim=True, diagnostics=False)) is None
    assert wrong([*text("b"), CALL], got, Judging(Comparison(), trim=True, diagnostics=False))


def test_diagnostics_only_when_offered() -> None:
    full = Judging(Comparison(), trim=False, diagnostics=True)
    marked = {"call": CALL["call"] | {"conditional": True}}
    for want, got in (([CALL], [marked]), ([marked], [CALL])):
        assert wrong(want, from_segments(got)) is None
        assert wrong(want, from_segments(got), full)
    assert wrong([CALL], Normal([CALL], ["cut"])) is None
    assert wrong([CALL], Normal([CALL], ["cut"]), full)


def test_a_plain_filter_has_no_order() -> None:
    got = from_filter({"calls": [CALL["call"]], "text": "ab"})
    assert wrong([*text("a"), CALL, *text("b")], got) is None
    assert wrong([*text("a"), CALL, CALL], got)
    assert wrong([*text("ba"), CALL], got)


def test_json_of_the_protocol_is_ascii() -> None:
    assert json.loads(encode({"a": "\ud83d"})) == {"a": "\ud83d"}
    assert encode("\ud83d\u00e9").isascii()


def test_an_outline_tells_calls_apart_by_their_arguments() -> None:
    calls = [{"call": {"name": "f", "arguments": {"a": value}}} for value in (1, "1", [True])]
    assert outline(calls) == "call f(a=1), call f(a='1'), call f(a=[True])"
    assert outline(calls[:1], arguments=False) == "call f"


def test_an_outline_stays_short_and_visible() -> None:
    given = {"x" * 99: "y" * 999, **{f"k{i}": 0 for i in range(20)}}
    line = outline([{"call": {"name": "f\x1b[2J\n", "arguments": given}}])
    assert line.isprintable()
    assert len(line) < 300
    assert line.endswith("and 13 more)")


def test_what_is_missing_and_what_is_too_much() -> None:
    assert difference({"a": 1}, {}) == "at the top: missing keys ['a']"
    assert difference({}, {"a": 1}) == "at the top: extra keys ['a']"
    assert difference({"a": 1}, {"b": 1}) == "at the top: missing keys ['a'], extra keys ['b']"
