"""The rendering judge: any right text passes, each rule that is broken fails."""

from __future__ import annotations

from typing import Any

import pytest

from toolcode_conformance import rendering
from toolcode_conformance.rendering import judge_calls, judge_results

F = {"name": "f", "arguments": {"a": 1, "b": "x"}}
G = {"name": "g", "arguments": {}}
FENCED = {"name": "f", "arguments": {"a": "```"}}
WORD = {"name": "f", "arguments": {"from": 1, "class": [True, None, -1.5]}}


def block(body: str) -> str:
    return f"```tool_code\n{body}\n```"


@pytest.fixture(autouse=True)
def _no_reference(monkeypatch: pytest.MonkeyPatch) -> None:
    """Scanning back is tested with the reference; here it is the structure."""
    monkeypatch.setattr(rendering, "scans_back", lambda *_: None)


@pytest.mark.parametrize(
    ("calls", "style", "text"),
    [
        ([], "list", ""),
        ([F], "list", block("default_api.f(a=1, b='x')")),
        ([F], "list", block('default_api.f(a = 1,b="x",)')),
        ([F, G], "list", block("[default_api.f(a=1, b='x'), default_api.g()]")),
        (
            [F, G],
            "print-per-line",
            block("print(default_api.f(a=1, b='x'))\nprint(default_api.g())"),
        ),
        ([FENCED], "list", block("default_api.f(a='\\x60``')")),
        ([WORD], "list", block("default_api.f(from=1, class=[True, None, -1.5])")),
    ],
)
def test_right_texts(calls: list[dict[str, Any]], style: str, text: str) -> None:
    assert judge_calls(calls, style, text) is None


@pytest.mark.parametrize(
    ("calls", "style", "text"),
    [
        ([], "list", block("")),
        ([F], "list", "default_api.f(a=1, b='x')"),
        ([F], "list", block("f(a=1, b='x')")),
        ([F], "list", block("default_api.f(b='x', a=1)")),
        ([F], "list", block("default_api.f(a=1.0, b='x')")),
        ([F], "list", block("default_api.f(a=1, b=x)")),
        ([F], "list", block("default_api.f(1, b='x')")),
        ([F], "list", block("default_api.f(2, a=1, b='x')")),
        ([F], "list", block("[default_api.f(a=1, b='x')]")),
        ([F, G], "list", block("default_api.f(a=1, b='x')\ndefault_api.g()")),
        ([F, G], "list", block("[default_api.g(), default_api.f(a=1, b='x')]")),
        ([F, G], "print-per-line", block("[default_api.f(a=1, b='x'), default_api.g()]")),
        ([FENCED], "list", block("default_api.f(a='```')")),
        ([F], "list", block("default_api.f(a=1, b='x'")),
        ([F], "list", "Sure.\n" + block("default_api.f(a=1, b='x')")),
    ],
)
def test_wrong_texts(calls: list[dict[str, Any]], style: str, text: str) -> None:
    assert judge_calls(calls, style, text)


def test_results() -> None:
    plain = "```tool_outputs\nok\n```"
    assert judge_results(["ok"], plain, longer=True) is None
    assert judge_results(["ok", "ok"], f"{plain}\n{plain}", longer=True) is None
    assert judge_results([], "", longer=True) is None
    assert judge_results(["ok", "ok"], plain, longer=True)
    assert judge_results(["ok"], f"{plain}\n{plain}", longer=True)
    assert judge_results(["OK"], plain, longer=True)
    assert judge_results(["ok "], plain, longer=True)
    assert judge_results([], plain, longer=True)


def test_a_result_must_not_close_its_own_block() -> None:
    hostile = "a\n```\nb"
    short, long = (f"{fence}tool_outputs\n{hostile}\n{fence}" for fence in ("```", "````"))
    assert judge_results([hostile], long, longer=True) is None
    assert "OUT.2" in str(judge_results([hostile], short, longer=True))
    assert judge_results([hostile], short, longer=False) is None
