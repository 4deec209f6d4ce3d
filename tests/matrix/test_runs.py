"""Running parsers: as expected or not, skipped, too slow; and the reports without running."""

from __future__ import annotations

import contextlib
import datetime as dt
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.harness.helpers import command
from tests.harness.test_command import entry
from tests.matrix.samples import result
from toolcode_conformance.cli import main
from toolcode_conformance.errors import UsageError
from toolcode_conformance.expectations import parse
from toolcode_conformance.formatter import canonical
from toolcode_conformance.matrix import runs, store
from toolcode_conformance.matrix.command import matrix, reports, verdict
from toolcode_conformance.matrix.runs import Settings, Subject
from toolcode_conformance.matrix.store import Failure, Result

KNOWN = "env.made.bad  crash  # ENV.3a: it throws\n"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    cases = [entry("good", "a b"), entry("bad", "BOOM"), entry("absent", "y", needs=["bytes"])]
    path = tmp_path / "corpus" / "env" / "made.json"
    path.parent.mkdir(parents=True)
    group = {"group": "env.made", "description": "d", "clause": "ENV.3a", "cases": cases}
    path.write_text(canonical(group))
    return Settings(tmp_path / "results", "quick", 60.0, 5.0, tmp_path / "corpus")


def subject(tmp_path: Path, mode: str = "throws", known: str = KNOWN, name: str = "") -> Subject:
    path = tmp_path / f"{mode}.txt"
    path.write_text(known)
    words = command("faulty.py", mode, str(tmp_path))
    return Subject(name or mode, f"adapter:{words}", path)


def running(word: str) -> list[bytes]:
    """Return the command lines of processes that were given a word (only Linux tells)."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):  # it has ended since
            found.append(path.read_bytes())
    return [line for line in found if word.encode() in line]


def result_of(settings: Settings, name: str) -> store.Result:
    return store.load((settings.folder / f"{name}.json").read_text(), name)


def test_a_run_as_expected_is_exit_0_and_a_rerun_gives_the_same_bytes(
    settings: Settings, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    texts = []
    for _ in range(2):
        ran = matrix([subject(tmp_path)], settings)
        texts.append((settings.folder / "throws.json").read_bytes())
    assert texts[0] == texts[1]
    assert verdict(ran, asked=False) == 0
    found = result_of(settings, "throws")
    assert found.verdicts == {
        "env.made.good": "pass",
        "env.made.bad": "error",
        "env.made.absent": "not-offered",
    }
    assert found.failures["env.made.bad"].cause == "it throws"
    assert found.date == dt.datetime.now(dt.UTC).date().isoformat()
    said = capsys.readouterr().out
    assert "throws: started" in said
    assert "[1/1] throws: 3 cases, 1 fail, all as expected" in said


@pytest.mark.parametrize(
    ("known", "words"),
    [
        ("", "env.made.bad"),
        ("env.made.bad  timeout  # ENV.3a: it hangs\n", "env.made.bad"),
        (KNOWN + "env.made.good  # ENV.3a: it passes now\n", "env.made.good"),
        (KNOWN + "env.made.gone  # ENV.3a: no such case\n", "expectations"),
    ],
)
def test_a_run_that_is_not_as_expected_is_exit_1_and_named(
    settings: Settings,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    known: str,
    words: str,
) -> None:
    ran = matrix([subject(tmp_path, known=known)], settings)
    assert verdict(ran, asked=False) == 1
    assert f"not as expected: throws: 3 cases, 1 fail, 1 not as expected: {words}" in (
        capsys.readouterr().out
    )
    assert list(result_of(settings, "throws").unexpected) == [words]


def test_one_that_does_not_end_is_named_and_the_others_run_on(
    settings: Settings, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    slow = Settings(settings.folder, "quick", 20.0, 50.0, settings.corpus)
    ran = matrix([subject(tmp_path, "sleep"), subject(tmp_path)], slow)
    assert [one.state for one in ran] == ["broken", "expected"]
    assert verdict(ran, asked=False) == 1
    assert "not as expected: sleep: did not end within 20 s" in capsys.readouterr().out
    assert running(str(tmp_path)) == []
    assert not (settings.folder / "sleep.json").exists()


def test_an_interruption_ends_what_runs_and_starts_no_more(
    settings: Settings, tmp_path: Path
) -> None:
    long = Settings(settings.folder, "quick", 50.0, 90.0, settings.corpus)
    said: list[str] = []

    def say(text: str) -> None:
        said.append(text)
        if text == "second: started":
            time.sleep(4)  # until the first one's parser sleeps
            raise KeyboardInterrupt

    chosen = [subject(tmp_path, "sleep", name=name) for name in ("first", "second", "third")]
    begun = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        runs.run_all(chosen, long, say)
    assert time.monotonic() - begun < 40
    assert "third: started" not in said
    assert running(str(tmp_path)) == []


def test_one_that_is_not_set_up_is_named_and_skipped(
    settings: Settings, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    absent = Subject("absent", "no-such-command-here", None)
    ran = matrix([absent, subject(tmp_path)], settings)
    assert [one.state for one in ran] == ["skipped", "expected"]
    assert verdict(ran, asked=False) == 0
    assert "not set up, and so not run: absent" in capsys.readouterr().out
    assert verdict(ran, asked=True) == 4
    assert verdict(ran[:1], asked=False) == 4


def test_an_unknown_name_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="'nobody' is no adapter; there are"):
        runs.subjects(["nobody"])


def test_the_known_adapters_come_with_their_expectations() -> None:
    found = {one.name: one for one in runs.subjects([])}
    assert found["reference"].expectations is None
    assert found["omp"].expectations is not None
    assert [one.name for one in runs.subjects(["omp"])] == ["omp"]


def made(settings: Settings) -> Result:
    """Leave the result of a run that failed one case, without running."""
    failure = Failure("error", detail="boom", cause="it throws", clause="ENV.3a")
    kept = result("made", {"env.made.good": "pass", "env.made.bad": failure})
    settings.folder.mkdir()
    (settings.folder / "made.json").write_text(store.dump(kept))
    return kept


def test_reports_only_runs_nothing(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    made(settings)

    def refuse(*_: Any) -> None:
        raise AssertionError

    monkeypatch.setattr(runs, "run_all", refuse)
    words = ["--results", str(settings.folder), "--corpus", str(settings.corpus)]
    assert main(["matrix", "--reports-only", *words]) == 0
    assert "| [made](https://example.org/made) |" in (settings.folder / "TABLE.md").read_text()


def test_reports_made_again_have_the_same_bytes(settings: Settings, tmp_path: Path) -> None:
    made(settings)
    texts = []
    for _ in range(2):
        reports(settings.folder, settings.corpus, tmp_path / "junit.xml")
        files = [*settings.folder.rglob("*.*"), tmp_path / "junit.xml"]
        texts.append({path.name: path.read_bytes() for path in files})
    assert texts[0] == texts[1]
    names = {"TABLE.md", "matrix.html", "matrix.md", "made.json", "made.md", "junit.xml"}
    assert set(texts[0]) == names


def test_no_results_are_one_plain_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["matrix", "--reports-only", "--results", str(tmp_path)]) == 2
    assert "holds no results: run toolcode matrix first" in capsys.readouterr().err


def test_findings_of_a_parser_that_fails_no_more_are_removed(settings: Settings) -> None:
    made(settings)
    stale = settings.folder / "findings" / "gone.md"
    stale.parent.mkdir()
    stale.write_text("old")
    reports(settings.folder, settings.corpus)
    assert [path.name for path in stale.parent.iterdir()] == ["made.md"]


def test_a_reason_that_names_another_line_is_told_in_full() -> None:
    lines = parse(
        "lit.a.one  # LIT.1a: tabs are lost\n"
        "lit.a.two  # LIT.1b: as one\n"
        "lit.b.three  # LIT.1b: as a.one, and feeds too\n"
        "lit.b.four  # LIT.1b: as nobody\n",
        "made",
    )
    told = [runs.cause(lines, name) for name in ("lit.a.two", "lit.b.three", "lit.b.four", "x.y.z")]
    assert told == [
        "LIT.1a: tabs are lost",
        "LIT.1a: tabs are lost, and feeds too",
        "LIT.1b: as nobody",
        "",
    ]


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc/meminfo")
def test_no_more_runs_at_a_time_than_memory_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    assert runs.jobs_that_fit(1) == 1
    assert 1 <= runs.jobs_that_fit(10_000) < 10_000
    monkeypatch.setattr(runs, "_PER_RUN", 1 << 60)
    assert runs.jobs_that_fit(8) == 1


def test_one_that_is_installed_but_does_not_start_is_not_skipped(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs, "_installed", lambda name: name == "absent")
    absent = Subject("absent", "no-such-command-here", None)
    ran = matrix([absent], settings)
    assert [one.state for one in ran] == ["broken"]
    assert "is installed, but would not start" in ran[0].text
