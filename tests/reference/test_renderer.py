"""The renderer's errors name the place, and nothing comes out half rendered."""

from __future__ import annotations

from collections import OrderedDict
from enum import Enum, IntEnum
from typing import Any

import pytest

from toolcode import (
    Call,
    RenderError,
    render_calls,
    render_message,
    render_results,
    render_thinking,
    scan,
    segments,
)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (float("nan"), r"f\(a=\): nan has no literal"),
        (float("-inf"), r"f\(a=\): -inf has no literal"),
        ([1, {"k": {1, 2}}], r"f\(a=\): set is no JSON value"),
        ({"k": {3: 4}}, r"f\(a=\): key 3 is no string"),
        (10**4300, r"f\(a=\): an integer of more than 4300 digits"),
        (b"x", r"f\(a=\): bytes is no JSON value"),
    ],
    ids=["nan", "infinite", "set", "key", "digits", "bytes"],
)
def test_a_value_that_cannot_be_written_is_named(value: Any, message: str) -> None:
    with pytest.raises(RenderError, match=message):
        render_calls([("g", {}), ("f", {"a": value})])


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth - 1):
        value = [value]
    return value


def test_the_deepest_value_scans_back_and_one_more_is_refused() -> None:
    deepest = nested(198)
    text = render_calls([("f", {"a": deepest}), ("g", {})])
    assert segments(scan(text))[0] == {"call": {"name": "f", "arguments": {"a": deepest}}}
    with pytest.raises(RenderError, match="more than 198 containers deep"):
        render_calls([("f", {"a": nested(199)})])


def test_the_longest_integer_scans_back() -> None:
    longest = 10**4300 - 1
    for value in (longest, -longest):
        text = render_calls([("f", {"a": value})])
        assert segments(scan(text)) == [{"call": {"name": "f", "arguments": {"a": value}}}]


@pytest.mark.parametrize("name", ["print", "class", "None", "", "a-b", "a.b", "1a", "a b"])
def test_a_name_that_would_not_scan_back_is_named(name: str) -> None:
    with pytest.raises(RenderError, match="is no name that scans back"):
        render_calls([(name, {})])


@pytest.mark.parametrize("key", ["", "max-results", "a b", "1", "$ref"])
def test_an_argument_name_that_is_no_identifier_is_named(key: str) -> None:
    with pytest.raises(RenderError, match="f: argument name"):
        render_calls([("f", {key: 1})])


def test_calls_may_be_events() -> None:
    call = Call("f", {"a": [True, None]}, "call_1")
    assert render_calls([call]) == "```tool_code\ndefault_api.f(a=[True, None])\n```"


@pytest.mark.parametrize("option", ["lines", ""])
def test_unknown_options_are_named(option: Any) -> None:
    with pytest.raises(RenderError, match="style must be"):
        render_calls([("f", {})], style=option)
    with pytest.raises(RenderError, match="fence must be"):
        render_results(["x"], fence=option)


def test_an_unclosed_code_block_in_a_thought_swallows_nothing() -> None:
    text = render_message(thinking="Try:\n```python\nx", calls=[("f", {"a": 1})])
    assert segments(scan(text))[-1] == {"call": {"name": "f", "arguments": {"a": 1}}}


@pytest.mark.parametrize(
    "thinking",
    [
        "a\n```python\nx\n```\nb",
        "~~~\n```\n~~~",
        "```",
        "   ```",
        "a\n```Here we go",
        "````x\n```\n````",
    ],
)
def test_a_thought_stays_one_thought(thinking: str) -> None:
    (segment,) = segments(scan(render_thinking(thinking)))
    assert segment["thinking"].replace("    ", "") == thinking.replace("    ", "")


def test_a_result_cannot_close_its_block() -> None:
    assert render_results(["a\n```\nb"]) == "````tool_outputs\na\n```\nb\n````"
    assert render_results(["a", "b"]) == "```tool_outputs\na\n```\n```tool_outputs\nb\n```"
    assert render_results([]) == ""


def test_subclasses_are_written_as_what_they_hold() -> None:
    """A member of an enumeration shows its name, and is its value."""

    class Side(str, Enum):  # noqa: UP042 - its str() is not its value, which is the point
        WEST = "west"

    class Level(IntEnum):
        LOW = 1

    class Odd(float):
        def __repr__(self) -> str:
            return "odd"

    arguments: dict[str, Any] = {
        "side": Side.WEST,
        "level": Level.LOW,
        "odd": Odd(0.5),
        "all": OrderedDict(side=Side.WEST),
    }
    assert render_calls([("f", arguments)]) == (
        '```tool_code\ndefault_api.f(side="west", level=1, odd=0.5, all={"side": "west"})\n```'
    )
