"""Every way of going wrong is one named verdict for that case, and the run goes on."""

from __future__ import annotations

import os
import subprocess
import time
from typing import TYPE_CHECKING

import pytest

from tests.harness.helpers import case, command, session
from toolcode_conformance.errors import StartError
from toolcode_conformance.faults import KINDS
from toolcode_conformance.implementation import connect

if TYPE_CHECKING:
    from pathlib import Path

MODES = {
    "exit": ("exit", "exit code 3"),
    "sleep": ("timeout", "flush"),
    "garbage": ("garbage", "no JSON"),
    "wrong-id": ("wrong-id", "answered id"),
    "extra-line": ("extra-line", "answers nothing"),
    "flood": ("stderr-flood", "stderr"),
    "no-newline": ("no-newline", "bytes, no line: flush?"),
    "no-flush": ("timeout", "does it flush each line?"),
    "undecodable": ("undecodable", "no UTF-8"),
    "nan": ("garbage", "NaN is no JSON"),
    "lie": ("claims-capability", "claims scan but answered unsupported"),
    "missing-step": ("protocol", "want 2 steps"),
    "throws": ("error", "ValueError: boom"),
    "wrong-when-cut": ("streaming-differs", "in one piece it is right"),
}


@pytest.mark.parametrize("mode", MODES)
def test_one_verdict_and_the_run_goes_on(mode: str) -> None:
    verdict, said = MODES[mode]
    run = session("faulty.py", mode, timeout=0.6)
    try:
        texts = ("before", "BOOM", "after", "last")
        outcomes = [run.run(case(text)) for text in texts]
    finally:
        run.close()
    assert [outcome.verdict for outcome in outcomes] == ["pass", verdict, "pass", "pass"]
    assert said in outcomes[1].detail
    assert verdict in KINDS


def test_an_extra_line_belongs_to_the_case_that_caused_it() -> None:
    run = session("faulty.py", "extra-line")
    run.impl.capabilities = frozenset({"scan"})
    try:
        verdicts = [run.run(case(text)).verdict for text in ("BOOM", "after")]
    finally:
        run.close()
    assert verdicts == ["extra-line", "pass"]


def test_a_line_that_comes_in_halves_is_whole() -> None:
    run = session("faulty.py", "halves", timeout=0.6)
    run.impl.capabilities = frozenset({"scan"})
    try:
        verdicts = [run.run(case(text)).verdict for text in ("BOOM", "BOOM SLEEP")]
    finally:
        run.close()
    assert verdicts == ["pass", "timeout"]


def test_the_first_differing_cut_is_named() -> None:
    run = session("faulty.py", "wrong-when-cut", level="standard")
    try:
        outcome = run.run(case("BOOM"))
    finally:
        run.close()
    assert outcome.where == "#cut=char"


def test_a_process_that_cannot_be_restarted_fails_each_case_without_hanging(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("FAULTY_MARK", str(tmp_path / "mark"))
    run = session("faulty.py", "cannot-restart", timeout=5)
    began = time.monotonic()
    try:
        verdicts = [run.run(case(text)).verdict for text in ("a", "BOOM", "b", "c", "d", "e", "f")]
    finally:
        run.close()
    assert verdicts == ["pass", "exit", *["would-not-restart"] * 5]
    assert time.monotonic() - began < 20


@pytest.mark.skipif(os.name == "nt", reason="process groups are POSIX")
def test_no_process_is_left_behind(tmp_path: Path) -> None:
    """The adapter is a shell that keeps a child of its own."""
    script = tmp_path / "nested.sh"
    sleep = f"sleep 61.{os.getpid():07}"
    script.write_text(f"{command('faulty.py', 'sleep')}\n{sleep}\n")
    run = session("faulty.py", "sleep", timeout=0.3)
    run.close()
    impl = connect(f"adapter:sh {script}")
    impl.client.close()
    listed = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True)
    assert sleep not in listed.stdout
    assert str(script) not in listed.stdout


def test_a_bare_command_is_told_apart() -> None:
    adapter = connect(command("ten_line_adapter.py"))
    adapter.client.close()
    assert (adapter.mode, adapter.name) == ("adapter", "ten")
    assert connect(command("ten_line_filter.py")).mode == "filter"


def test_what_is_neither_is_refused_with_what_was_seen() -> None:
    with pytest.raises(StartError, match=r"neither adapter nor filter.*hi there.*filter:CMD"):
        connect("echo hi there")


def test_a_missing_command_is_refused() -> None:
    with pytest.raises(StartError, match="cannot start 'no-such-command'"):
        connect("adapter:no-such-command")
    with pytest.raises(StartError, match=r"neither a command nor one of.*reference"):
        connect("no-such-command")
