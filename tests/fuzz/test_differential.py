"""The reference against implementations: what counts, what does not, and what comes of it."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import pytest

from toolcode_conformance.errors import StartError
from toolcode_fuzz import differential, findings, inputs, undecided
from toolcode_fuzz.bugs import cut_at
from toolcode_fuzz.differential import Differential

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

BLOCK = "```tool_code\n{}\n```"


@pytest.fixture
def start() -> Iterator[Callable[[str], Differential]]:
    """Starts implementations of `parsers`, and ends them."""
    started: list[Differential] = []

    def one(name: str) -> Differential:
        started.append(Differential.start(f"python:tests.fuzz.parsers:{name}"))
        return started[-1]

    yield one
    for each in started:
        each.close()


def verdict(against: Differential, text: str, place: int = 0) -> findings.Finding | None:
    data = cut_at(text, place)
    return findings.examine(findings.DIFFERENTIAL, data, lambda _, given: against(given))


def test_a_sound_parser_differs_nowhere(start: Callable[[str], Differential]) -> None:
    sound = start("Sound")
    for text in ("plain", BLOCK.format("f(a=1)"), BLOCK.format("f(a=)"), "```thinking\nx\n```\ny"):
        assert verdict(sound, text) is None
    assert sound.asked == 4, "all of these are decided"


def test_a_wrong_value_is_found_grouped_and_shown(start: Callable[[str], Differential]) -> None:
    against = start("TabLoser")
    found = verdict(against, "So:\n" + BLOCK.format(r"f(a=1), g(b='x\ty', c=[1, 2])"))
    assert found is not None
    assert (found.kind, found.signature) == ("wrong-answer", "wrong-answer call Cc/Ll")
    least = findings.minimised(found, lambda _, given: against(given))
    assert least.data[inputs.HEAD :].decode() == BLOCK.format(r"a(a='\t')")
    said = findings.shown(least)
    assert '- {"call"' in said
    assert '+ {"call"' in said
    assert "| ```tool_code" in said


def test_declared_choices_are_honoured(start: Callable[[str], Differential]) -> None:
    doubles = start("Doubles")
    assert verdict(doubles, BLOCK.format("f(a=1)")) is None
    assert doubles.asked == 1, "the harness's own comparison decides"
    first = start("FirstWins")
    assert verdict(first, BLOCK.format("f(a=1, a=2)")) is None
    assert first.asked == 0, "the spec leaves it open"
    assert verdict(first, BLOCK.format("f(a=1, b=2)")) is None
    assert first.asked == 1


def test_a_crash_is_a_finding_and_the_next_input_is_answered(
    start: Callable[[str], Differential],
) -> None:
    raising = start("Raising")
    found = verdict(raising, BLOCK.format("f(a='café')"))
    assert found is not None
    assert found.signature == "error RuntimeError: no word of _ letters"
    assert verdict(raising, BLOCK.format("f(a=1)")) is None


def test_a_hang_is_a_finding(start: Callable[[str], Differential]) -> None:
    hanging = start("Hanging")
    hanging.session.timeout = 0.3
    found = verdict(hanging, BLOCK.format("f(a='café')"))
    assert found is not None
    assert found.kind == "timeout"
    assert verdict(hanging, BLOCK.format("f(a=1)")) is None, "a new thread answers"
    with pytest.raises(differential.Difference) as raised:
        hanging(found.data)
    assert raised.value.hangs, "the engine's process has to be left"


def test_a_difference_of_chunks_says_so(start: Callable[[str], Differential]) -> None:
    forgetful = start("Forgetful")
    found = verdict(forgetful, "x" + BLOCK.format("f(a=1)"), 1)
    assert found is not None
    assert found.kind == "streaming-differs"
    assert "message, in 2 chunks" in findings.shown(found)


def test_an_implementation_that_will_not_start_is_named() -> None:
    with pytest.raises(StartError, match="no-such-module"):
        Differential.start("python:no-such-module:factory")


def test_a_filter_and_an_adapter_are_asked() -> None:
    for impl in ("reference", f"adapter:{sys.executable} -m tests.fuzz.adapter"):
        against = Differential.start(impl)
        try:
            assert verdict(against, BLOCK.format("f(a=1)")) is None
            assert against.asked == 1
        finally:
            against.close()


@pytest.mark.parametrize(
    ("choice", "text"),
    [
        ("opener-position", "so ```tool_code\nf()\n```"),
        ("long-fence", "````\n```tool_code\nf()\n```\n````"),
        ("after-cut", BLOCK.format("f(a=[1") + BLOCK.format("f()")),
        ("other-namespace", BLOCK.format("files.read(a=1)")),
        ("control-flow", BLOCK.format("if x:\n    f(a=1)")),
        ("hyphen-name", BLOCK.format("default_api.get-weather(a=1)")),
        ("duplicate-keyword", BLOCK.format("f(a=1, a=2)")),
        ("double-star", BLOCK.format("f(**{'a': 1})")),
        ("named-escape", BLOCK.format(r"f(a='\N{DASH}')")),
        ("lone-surrogate", BLOCK.format(r"f(a='\ud800')")),
        ("non-finite", BLOCK.format("f(a=1e999)")),
        ("huge-int", BLOCK.format("f(a=" + "9" * 1001 + ")")),
        ("tool-code-in-thinking", "```thinking\n```tool_code\nf()\n```\n```\n"),
    ],
)
def test_what_a_choice_touches_is_left_out(
    start: Callable[[str], Differential], choice: str, text: str
) -> None:
    against = start("Sound")
    against.session.choices[choice] = "another"
    verdict(against, text)
    assert against.asked == 0
    verdict(against, BLOCK.format("f(a=1)"))
    assert against.asked == 1


def test_every_choice_of_scanning_is_looked_at() -> None:
    from toolcode_conformance.tables import choices  # noqa: PLC0415

    known = undecided.DERIVED | undecided.TOUCHES.keys()
    others = {n for n in choices() if n.startswith("gemma") or n == "result-fence"}
    assert known | others == choices().keys(), "a new choice has to be thought about here"


def test_a_kept_finding_says_what_it_is(
    start: Callable[[str], Differential], tmp_path: object
) -> None:
    from pathlib import Path  # noqa: PLC0415

    assert isinstance(tmp_path, Path)
    found = verdict(start("TabLoser"), BLOCK.format(r"f(a='\t')"))
    assert found is not None
    path = findings.keep(found, tmp_path, impl="x")
    about = json.loads(path.with_suffix(".json").read_text("utf-8"))
    assert (about["target"], about["impl"], about["kind"]) == ("differential", "x", "wrong-answer")
