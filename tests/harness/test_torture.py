"""Whatever an implementation does costs its own case a named verdict, and nobody else."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.harness.helpers import case, command, session
from toolcode_conformance import implementation
from toolcode_conformance.errors import StartError
from toolcode_conformance.faults import KINDS
from toolcode_conformance.implementation import connect
from toolcode_conformance.runner import Session

if TYPE_CHECKING:
    from collections.abc import Sequence

SLEEP = f"67.{os.getpid():07}"
MODES = {
    "hang": ("timeout", "no answer within"),
    "drip": ("no-newline", "no line: flush?"),
    "signal": ("exit", "exit code -11"),
    "duplicate-id": ("extra-line", "answers nothing"),
    "unasked": ("wrong-id", "answered id"),
    "text-id": ("wrong-id", "answered id"),
    "no-json": ("garbage", "no JSON"),
    "no-object": ("protocol", ""),
    "empty-line": ("garbage", ""),
    "nul": ("garbage", "no JSON"),
    "invalid-utf-8": ("undecodable", "no UTF-8"),
    "huge-line": ("wrong-answer", ""),
    "orphan": ("timeout", ""),  # its child holds the pipe
    "both": ("protocol", ""),
    "neither": ("protocol", ""),
    "unknown-event": ("protocol", ""),
    "echo": ("protocol", ""),
    "deep": ("wrong-answer", ""),
}


def verdicts(mode: str, texts: Sequence[str], *words: str) -> list[tuple[str, str]]:
    run = session("torture.py", mode, *words, timeout=2.0)
    run.impl.capabilities = frozenset({"scan"})
    try:
        return [(one.verdict, one.detail) for one in (run.run(case(text)) for text in texts)]
    finally:
        run.close()


@pytest.mark.parametrize("mode", MODES)
def test_its_verdict_and_no_other(mode: str) -> None:
    verdict, said = MODES[mode]
    before, wrong, *after = verdicts(mode, ("before", "BOOM", "after", "last"), SLEEP)
    assert before[0] == "pass"
    assert wrong[0] == verdict
    assert verdict in KINDS
    assert said in wrong[1]
    assert [one[0] for one in after] == ["pass", "pass"]


def test_nobody_outlives_the_run() -> None:
    verdicts("orphan", ("BOOM", "after"), SLEEP)
    listed = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True)
    assert SLEEP not in listed.stdout, "it is an argument of the adapter and of its child"


def test_slow_answers_are_right_answers() -> None:
    assert {one[0] for one in verdicts("slow-but-right", ("a", "b", "BOOM"))} == {"pass"}


def test_state_from_the_case_before_is_seen() -> None:
    told = verdicts("leaks-state", ("one", "two", "two"))
    assert [one[0] for one in told] == ["pass", "wrong-answer", "pass"]


def test_an_answer_before_the_question_belongs_to_nobody() -> None:
    told = verdicts("answers-before-asked", ("a", "b"))
    assert told[0][0] in ("extra-line", "wrong-answer")


@pytest.mark.parametrize(
    ("mode", "said"),
    [
        ("hangs-at-hello", "did not answer the greeting"),
        ("unknown-capability", "its hello breaks the schema"),
        ("unknown-choice", "declares numbers='roman'"),
    ],
)
def test_what_greets_wrongly_does_not_start(
    mode: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(implementation, "START_TIMEOUT", 0.5)
    with pytest.raises(StartError, match=said):
        Session(connect(f"adapter:{command('torture.py', mode)}"))
