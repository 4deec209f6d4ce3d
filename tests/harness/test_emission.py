"""The emission judge accepts the earliest emission and catches each way of being late."""

from __future__ import annotations

from typing import Any

import pytest

from toolcode_conformance.chunking import single_characters, split
from toolcode_conformance.emission import Rules, late, visible

RULES = Rules()
CALL = {"call": {"name": "f", "arguments": {}}}

Steps = list[list[dict[str, Any]]]


@pytest.mark.parametrize(
    ("prefix", "text", "held"),
    [
        ("", 0, ""),
        ("abc", 3, ""),
        ("abc`", 3, "`"),
        ("abc``", 3, "``"),
        ("abc```", 3, "```"),
        ("abc```t", 3, "```t"),
        ("abc```tool_cod", 3, "```tool_cod"),
        ("abc```tx", 8, ""),
        ("abc```python", 12, ""),
        ("a `b` c", 7, ""),
        ("abc```tool_code", 3, ""),
        ("abc```tool_code\nf()\n``", 3, ""),
        ("abc```tool_code\nf()\n```", 3, ""),
        ("abc```tool_code\nf()\n```d", 4, ""),
        ("abc```tool_code\nf()\n```t", 3, "t"),
        ("abc```tool_code\nf()\n```tool_code\ng()```x", 4, ""),
        ("```thinking", 0, "```thinking"),
        ("```thinkingx", 12, ""),
        ("```thinking\nab", 0, ""),
        ("````\n```tool_code\nf()\n", 22, ""),
        ("````\n```tool_code\n````\nx", 24, ""),
        ("```tool_code\nf(x='```y", 0, ""),
        ("```tool_code\nf(x='```')\n```zz", 2, ""),
        ("```tool_code\nf() # it's ```zz", 2, ""),
        ('```tool_code\n# a """\n```zz', 2, ""),
        ('```tool_code\nf(x="""\n```\n', 0, ""),
    ],
)
def test_visible_text(prefix: str, text: int, held: str) -> None:
    seen = visible(prefix, RULES)
    assert (seen.text, seen.held) == (text, held)


def test_the_guards_label_waits_only_with_the_guard() -> None:
    assert visible("a```tool_outp", RULES).text == 13
    assert visible("a```tool_outp", Rules(guard=True)).text == 1
    assert visible("a```tool_outputs\nx", Rules(guard=True)).text == 1


def test_a_first_fence_closes_inside_strings() -> None:
    assert visible("```tool_code\nf(x='```y", Rules(string_aware=False)).text == 1


@pytest.mark.parametrize(
    ("content", "thinking"),
    [
        ("ab", 2),
        ("ab\n", 2),
        ("ab\n  ", 2),
        ("ab\n``", 2),
        ("ab\n```", 2),
        ("ab\n```\n", 2),
        ("ab\n``x", 6),
        ("ab\nc", 4),
        ("ab\r\n", 2),
        ("ab ```", 6),
        ("ab\n```py\n", 9),
        ("ab\n```py\nc\n```\nd", 16),
        ("ab\n```Here is", 2),
        ("ab\n    `", 8),
        ("ab\n```py\nc\n", 11),
        ("ab\n```py\nc\n  ``", 15),
        ("ab\n~~~\n```\nc", 12),
    ],
)
def test_visible_thinking(content: str, thinking: int) -> None:
    assert visible("```thinking\n" + content, RULES).thinking == thinking


def test_the_reply_after_a_thought_is_text() -> None:
    assert visible("```thinking\nab\n```\nreply", RULES).text == 6
    assert visible("```thinking\nab\n```the reply", RULES).text == 9
    assert visible("```thinking\nab\n```word", RULES).held == "\n```word"


def one_by_one(text: str, emitted: dict[int, list[dict[str, Any]]]) -> Steps:
    """Return steps for single characters; `emitted` maps a character's number to its events."""
    return [emitted.get(number, []) for number in range(len(text) + 1)]


def test_earliest_emission_passes() -> None:
    text = "ab```tool_code\nf()```"
    steps = one_by_one(text, {0: [{"text": "a"}], 1: [{"text": "b"}], len(text) - 1: [CALL]})
    assert late(text, single_characters(text), steps, RULES) is None


def test_late_text_fails_with_the_held_characters() -> None:
    steps: Steps = [[], [{"text": "abcd"}], []]
    found = late("abcd", (2,), steps, RULES)
    assert found is not None
    assert "2 characters of text were held back" in found


def test_late_thinking_fails() -> None:
    text = "```thinking\nabcd\n```"
    steps: Steps = [[{"thinking_start": True}], [{"thinking": "abcd"}, {"thinking_end": True}], []]
    assert "thinking" in str(late(text, (14,), steps, RULES))


def test_a_call_at_the_close_is_late() -> None:
    text = "```tool_code\nf()```"
    assert "with the close" in str(late(text, (), [[], [CALL]], RULES))


def test_a_call_after_its_fence_is_late() -> None:
    text = "```tool_code\nf()``` and more"
    steps: Steps = [[], [CALL, {"text": " and more"}], []]
    assert "no closing fence was completed" in str(late(text, (19,), steps, RULES))


def test_a_call_before_its_fence_is_early() -> None:
    text = "```tool_code\nf()```"
    assert late(text, (16,), [[CALL], [], []], RULES)


def test_empty_chunks_do_no_harm() -> None:
    assert split("ab", (0, 1, 1)) == ["", "a", "", "b"]
    steps: Steps = [[], [{"text": "a"}], [], [{"text": "b"}], []]
    assert late("ab", (0, 1, 1), steps, RULES) is None


def test_trimmed_white_space_is_not_missed() -> None:
    text = "ab \n```tool_code\nf()```"
    steps: Steps = [[{"text": "ab"}], [CALL], []]
    assert late(text, (4,), steps, Rules(trim=True)) is None
    assert late(text, (4,), steps, RULES)
    assert late(text, (4,), [[{"text": "a"}], [CALL], []], Rules(trim=True))
