"""Runs from their beginning to a case: what a newcomer does, Ctrl-C, several processes."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from toolcode_conformance import new_case, places
from toolcode_conformance.corpus import load_corpus
from toolcode_fuzz import bugs, campaign, engine, findings, inputs, promote, reporting, seeds
from toolcode_fuzz.targets import Broken, replay

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parents[2]
BLOCK = "```tool_code\n{}\n```"


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "toolcode_fuzz", *words]


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT / "fuzz")}


def test_a_newcomer_gets_a_small_finding_and_the_line_that_makes_it_a_case(tmp_path: Path) -> None:
    theirs = f"{sys.executable} {ROOT / 'tests/fuzz/number_filter.py'}"
    words = ["run", "--impl", theirs, "--time", "15", "--plain", "--seed", "1", "--first-only"]
    done = subprocess.run(
        command(*words, "--out", str(tmp_path)),
        cwd=ROOT,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
        timeout=170,
    )
    assert done.returncode == 1, done.stderr
    assert "without coverage" in done.stdout
    assert "the reference against number_filter.py (filter)" in done.stdout
    assert "  signature: wrong-answer call int/str" in done.stdout
    line = next(x for x in done.stdout.splitlines() if "make it a case: " in x)
    given = shlex.split(line.partition("make it a case: make fuzz-promote ")[2])
    found = {word.partition("=")[0]: word.partition("=")[2] for word in given}
    assert len(Path(found["FINDING"]).read_bytes()) < 60, "it was made small"
    promoted = [found["FINDING"], *shlex.split(found["ARGS"]), "--derivation", "by hand"]
    assert promote.main([*promoted, "--dry-run"]) == 0


def test_ctrl_c_ends_two_processes_in_good_order(tmp_path: Path) -> None:
    words = command("run", "scan", "--time", "60", "--plain", "--jobs", "2", "--out", str(tmp_path))
    with subprocess.Popen(
        words,
        cwd=ROOT,
        env=environment(),
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        until = time.monotonic() + 40
        while not (tmp_path / "scan" / "seeds").is_dir() and time.monotonic() < until:
            time.sleep(0.1)
        time.sleep(3)
        os.killpg(process.pid, signal.SIGINT)
        said, _ = process.communicate(timeout=20)
    assert process.returncode == campaign.INTERRUPTED
    assert "the same command goes on from here" in said
    assert {p.name for p in (tmp_path / "scan").glob("job-*")} == {"job-0", "job-1"}


def test_what_processes_found_is_merged(tmp_path: Path) -> None:
    (tmp_path / "corpus").mkdir()
    for number, name in ((0, "a"), (0, "b"), (1, "b"), (1, "c")):
        (tmp_path / f"job-{number}").mkdir(exist_ok=True)
        (tmp_path / f"job-{number}" / name).write_bytes(name.encode())
    campaign.merge(tmp_path)
    assert sorted(p.name for p in (tmp_path / "corpus").iterdir()) == ["a", "b", "c"]
    assert not list((tmp_path / "job-0").iterdir())


def test_an_engine_that_cannot_run_is_reported(tmp_path: Path) -> None:
    setting = campaign.Setting(
        "differential", tmp_path, impl="python:nothing:x", seconds=30, coverage=False
    )
    began = time.monotonic()
    tally = campaign.run(setting)
    assert tally.code not in (0, campaign.INTERRUPTED)
    assert any("nothing" in line for line in tally.last_words)
    assert time.monotonic() - began < 20


class Hangs(Broken):
    hangs = True


@pytest.fixture
def recorder(tmp_path: Path) -> engine.Recorder:
    def run(data: bytes) -> None:
        if b"x" in data:
            raise Broken(f"{len(data)} bytes")
        if b"y" in data:
            raise ValueError("no y")

    return engine.Recorder("scan", run, tmp_path)


def test_the_shortest_input_of_each_kind_is_kept(recorder: engine.Recorder) -> None:
    head = bytes(inputs.HEAD)
    for text in (b"", b"xxx", b"x", b"xx", b"y", b"x#"):
        recorder(head + text)
    kept = {p.read_bytes()[inputs.HEAD :] for p in recorder.folder.iterdir()}
    assert kept == {b"x", b"y", b"x#"}, "a comment may be another cause"
    assert recorder.runs == 6


def test_a_hang_ends_the_process_and_is_not_run_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left: list[int] = []
    monkeypatch.setattr(os, "_exit", left.append)

    def run(_: bytes) -> None:
        raise Hangs("for good")

    engine.Recorder("scan", run, tmp_path)(b"hang")
    assert left == [engine.FOUND]
    again = engine.Recorder("scan", run, tmp_path)
    again(b"hang")
    assert left == [engine.FOUND], "the next process knows it"
    assert len(campaign.raw_findings(tmp_path.parent)) == 0


def test_what_ended_an_engine_is_shown_and_not_run(tmp_path: Path) -> None:
    (tmp_path / "raw-0").mkdir()
    (tmp_path / "raw-0" / "timeout-abc").write_bytes(bytes(inputs.HEAD) + b"slow")

    def never(_: str, __: bytes) -> None:
        raise AssertionError("it might hang again")

    found = findings.grouped("scan", campaign.raw_findings(tmp_path), never)
    assert [one.signature for one in found] == ["timeout"]
    assert findings.minimised(found[0], never) == found[0]


def test_findings_that_were_mended_go(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    raw = tmp_path / "raw-0"
    raw.mkdir()
    (raw / "ab-cd").write_bytes(bytes(inputs.HEAD) + b"fine")
    assert reporting.report("scan", tmp_path, "") == 0
    assert not list(raw.iterdir())
    assert "all mended" in capsys.readouterr().out


# Promotion.


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """Keeps a finding and moves what would be written out of the tree."""
    monkeypatch.setattr(findings, "KEPT", tmp_path / "kept")

    def keep(text: str, target: str = "differential", **about: str) -> Path:
        data = bytes(inputs.HEAD) + text.encode()
        finding = findings.Finding(target, data, "wrong-answer call Cc/Ll", "why", "", "exit")
        return findings.keep(finding, tmp_path / "small", date="2026-01-02", **about)

    return keep


def test_a_case_is_made_with_its_source(
    kept: Callable[..., Path], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    made: list[object] = []
    monkeypatch.setattr(new_case, "run", made.append)
    path = kept(BLOCK.format("f(a=1)"), impl="omp")
    words = [str(path), "--id", "fuzz.found.x", "--title", "t", "--why", "crash"]
    assert promote.main([*words, "--clause", "CALL.1"]) == 0
    (options,) = made
    assert json.loads(vars(options)["source"]) == {
        "kind": "fuzz",
        "target": "differential",
        "date": "2026-01-02",
    }
    assert Path(vars(options)["file"]).read_text("utf-8") == BLOCK.format("f(a=1)")
    assert "--expectation fuzz.found.x" in capsys.readouterr().out, "the other way to use it"


def test_nothing_is_written_where_only_the_reference_has_read_it(
    kept: Callable[..., Path], capsys: pytest.CaptureFixture[str]
) -> None:
    before = {p: p.read_bytes() for p in places.corpus_dir().glob("fuzz/*.json")}
    path = kept(BLOCK.format("f(a=1"))
    words = ["--id", "fuzz.found.x", "--title", "t", "--why", "crash", "--clause", "CALL.5"]
    assert promote.main([str(path), *words, "--describe", "d"]) == 2
    assert "--derivation" in capsys.readouterr().out
    assert {p: p.read_bytes() for p in places.corpus_dir().glob("fuzz/*.json")} == before


def test_without_an_id_it_says_how(
    kept: Callable[..., Path], capsys: pytest.CaptureFixture[str]
) -> None:
    path = kept(BLOCK.format("f(a=1)"), target="scan")
    assert promote.main([str(path)]) == 0
    said = capsys.readouterr().out
    assert "kept for replay" in said
    assert "ARGS='--id fuzz.found." in said
    assert findings.kept() == [("scan", findings.KEPT / path.name)]


def test_an_expectation_line_is_written(kept: Callable[..., Path], tmp_path: Path) -> None:
    path, file = kept("x"), tmp_path / "expectations.txt"
    words = [str(path), "--expectation", "call.forms.bare", "--expectations", str(file)]
    assert promote.main(words) == 2, "a reason is wanted"
    assert promote.main([*words, "--reason", "CALL.1: it ends"]) == 0
    assert file.read_text("utf-8") == "call.forms.bare  crash  # CALL.1: it ends\n"


def test_seeds_are_few_and_cover_the_same() -> None:
    def run(data: bytes) -> None:
        replay("thinking", data)

    everything = [data for data in seeds.seeds("thinking") if len(data) < 120][:300]
    few = seeds.smallest(everything, run)
    assert len(few) < len(everything) / 3
    steps = [seeds.covered(data, run) for data in everything]
    assert set().union(*steps) == set().union(*(seeds.covered(data, run) for data in few))


def test_few_seeds_hold_one_of_each_group() -> None:
    groups = {case.group for case in load_corpus().cases if case.op == "scan"}
    few = seeds.few("scan", lambda data: replay("scan", data))
    assert len(few) >= len(groups) * 0.9
    assert len(few) < len(list(seeds.seeds("scan"))) / 3


# The bench's bugs.


@pytest.mark.parametrize("bug", bugs.BUGS, ids=lambda bug: bug.name)
def test_a_bug_is_shown_by_its_witness(bug: bugs.Bug, tmp_path: Path) -> None:
    replay(bug.target, bug.witness)  # the reference is sound
    code = (
        "import sys; from toolcode_fuzz import findings; "
        "found = findings.examine(sys.argv[1], bytes.fromhex(sys.argv[2])); "
        "print(found.signature if found else 'nothing')"
    )
    path = os.pathsep.join([str(bug.plant(tmp_path)), str(ROOT / "fuzz")])
    done = subprocess.run(
        [sys.executable, "-c", code, bug.target, bug.witness.hex()],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() != "nothing"


def test_a_bug_that_the_reference_has_outgrown_is_an_error(tmp_path: Path) -> None:
    gone = bugs.Bug("gone", "scan", "body.py", ("not there", "x"), b"", "")
    with pytest.raises(ValueError, match="gone: 'not there' is not once in"):
        gone.plant(tmp_path)
