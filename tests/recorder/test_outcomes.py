"""Outcome marks: each shape is seen where it is, and nowhere else."""

from __future__ import annotations

import pytest

from toolcode_conformance.recorder.outcomes import OUTCOMES, outcomes

F = "```"


@pytest.mark.parametrize(
    ("text", "finish", "marks"),
    [
        (f"{F}tool_code\nf(a=1)\n{F}", "stop", {"well-formed"}),
        ("Hello.", "eos", {"no tool block"}),
        (f"{F}tool_code\nf(a=1))\n{F}", "stop", {"body is no Python"}),
        (f"{F}tool_code\nf(a=1)", "stop", {"unterminated"}),
        (f"{F}tool_code\nf(a=1", "limit", {"unterminated", "cut by the limit"}),
        (f"{F}tool_code\n{F}tool_code\nf(a=1)\n{F}", "stop", {"two openers in a row"}),
        (f"{F}tool_codes\n{F}", "stop", {"fence glued to a word"}),
        (f"{F}\ntool_code\nf(a=1)\n{F}", "stop", {"no tool block", "label below its fence"}),
        (f"{F}tool_code\nf(a=1)\n{F}yaml\na: 1\n", "stop", {"foreign fence"}),
        (
            f"{F}tool_code\nf(a=1)\n{F}\n{F}tool_outputs\n3\n{F}",
            "stop",
            {"made-up result"},
        ),
        ("no, " * 9, "limit", {"no tool block", "repetition", "cut by the limit"}),
    ],
)
def test_marks(text: str, finish: str, marks: set[str]) -> None:
    found = outcomes({"tokens": [text], "finish": finish})
    assert found == marks
    assert found <= set(OUTCOMES)
