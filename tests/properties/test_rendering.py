"""RENDER.3 as a property: what is rendered scans back, by us and by CPython."""

from __future__ import annotations

import ast
from keyword import kwlist
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.properties.strategies import calls, messages, same
from toolcode import render_calls, render_message, render_results, render_thinking, scan, segments
from toolcode.events import join_surrogates

FENCES = ("string-aware", "first-fence")


def joined(value: Any) -> Any:
    """Return a value as any JSON reader has it: surrogate pairs are one character."""
    if isinstance(value, str):
        return join_surrogates(value)
    if isinstance(value, list):
        return [joined(item) for item in value]
    if isinstance(value, dict):
        return {joined(key): joined(item) for key, item in value.items()}
    return value


@given(st.lists(calls, min_size=1, max_size=3), st.sampled_from(["list", "print-per-line"]))
def test_calls_scan_back(given_calls: list[tuple[str, dict[str, Any]]], style: Any) -> None:
    text = render_calls(given_calls, style=style)
    wanted = [{"call": {"name": n, "arguments": joined(a)}} for n, a in given_calls]
    for fence in FENCES:
        assert same(segments(scan(text, fence=fence)), wanted)  # type: ignore[arg-type]
    body = text.removeprefix("```tool_code\n").removesuffix("\n```")
    assert "```" not in body
    if not any(key in kwlist for _, arguments in given_calls for key in arguments):
        ast.parse(body)


@given(messages)
def test_a_thought_stays_a_thought(thinking: str) -> None:
    """RENDER.4b: nothing of it gets out, whatever fences it holds."""
    assert {key for part in segments(scan(render_thinking(thinking))) for key in part} <= {
        "thinking"
    }


@given(messages, st.lists(calls, min_size=1, max_size=2))
def test_a_thought_swallows_no_call(
    thinking: str, given_calls: list[tuple[str, dict[str, Any]]]
) -> None:
    found = segments(scan(render_message(thinking=thinking, calls=given_calls)))
    assert [part["call"]["name"] for part in found if "call" in part] == [n for n, _ in given_calls]


@given(st.lists(messages, max_size=4))
def test_no_result_closes_its_own_block(results: list[str]) -> None:
    """OUT.2: the blocks can be told apart again, in order, with their texts."""
    text = render_results(results)
    for result in results:
        opener, _, rest = text.partition("\n")
        ticks = opener.removesuffix("tool_outputs")
        assert set(ticks) == {"`"}
        assert rest.startswith(f"{result}\n{ticks}")
        assert ticks not in result
        text = rest[len(result) + 1 + len(ticks) :].removeprefix("\n")
    assert text == ""
