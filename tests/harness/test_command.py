"""The command from outside: exit codes, selection, expectations, files, workers."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from tests.harness.helpers import case, command
from toolcode_conformance.errors import UsageError
from toolcode_conformance.expectations import compile_glob, parse, violated
from toolcode_conformance.formatter import canonical
from toolcode_conformance.replay import Recorder
from toolcode_conformance.report import _listed
from toolcode_conformance.runner import Outcome

if TYPE_CHECKING:
    from pathlib import Path

ECHO = command("faulty.py", "garbage")


def entry(slug: str, text: str, **keys: Any) -> dict[str, Any]:
    return {
        "id": f"env.made.{slug}",
        "title": "t",
        "level": "must",
        "why": "crash",
        "input": text,
        "expect": {"segments": [{"text": text}]},
        "derivation": "d",
        "source": {"kind": "spec"},
        "since": "0.1",
    } | keys


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    cases = [
        entry("good", "a b"),
        entry("last", "c"),
        entry("bad", "BOOM"),
        entry("wrong", "z", expect={"segments": []}, level="should", why="slow"),
        entry("absent", "y", needs=["bytes"]),
    ]
    path = tmp_path / "corpus" / "env" / "made.json"
    path.parent.mkdir(parents=True)
    path.write_text(
        canonical({"group": "env.made", "description": "d", "clause": "ENV.3a", "cases": cases})
    )
    return tmp_path / "corpus"


def run(folder: Path, *words: str, impl: str = ECHO) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [
            sys.executable,
            "-m",
            "toolcode_conformance",
            "conformance",
            "--impl",
            impl,
            "--corpus",
            str(folder),
            "--timeout",
            "5",
            *words,
        ],
        capture_output=True,
        text=True,
        cwd=folder.parent,
        check=False,
        timeout=120,
    )


def test_failures_are_exit_1_and_say_how_to_go_on(corpus: Path) -> None:
    done = run(corpus)
    assert done.returncode == 1, done.stdout
    assert "toolcode replay env.made.bad --impl" in done.stdout
    assert "garbage" in done.stdout
    assert "not offered: bytes 1" in done.stdout
    line = next(line for line in done.stdout.splitlines() if line.startswith("core "))
    assert " ".join(line.split("%")[1].split()) == "2 of 3 pass, 1 failed, 1 not offered"
    assert "Traceback (most" not in done.stdout


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["-k", "good"], 0),
        (["-k", "no_such_case"], 2),
        (["--area", "nowhere"], 2),
        (["--bogus"], 2),
        (["--level", "should"], 1),
        (["-k", "good or wrong", "--fail-on", "must"], 0),
        (["-k", "good", "-n", "2"], 0),
        (["-n", "2"], 1),
    ],
)
def test_exit_codes(corpus: Path, words: list[str], code: int) -> None:
    done = run(corpus, *words)
    assert done.returncode == code, done.stdout + done.stderr


def test_nothing_selected_is_one_plain_sentence(corpus: Path) -> None:
    done = run(corpus, "-k", "no_such_case")
    assert done.stderr == "toolcode: no case was selected\n"
    assert "pass" not in done.stdout


def test_a_reader_that_has_seen_enough_gets_no_traceback(corpus: Path) -> None:
    """As in `toolcode conformance | head -1`."""
    words = ["-m", "toolcode_conformance", "conformance", "--corpus", str(corpus)]
    with subprocess.Popen(
        [sys.executable, *words], cwd=corpus.parent, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as done:
        assert done.stdout
        assert done.stderr
        done.stdout.close()
        assert b"Traceback" not in done.stderr.read()
    assert done.returncode == 3


class Infinite:
    """Answers what no JSON writer writes: 1e999, as an adapter may send it."""

    exchanges = 0

    def ask(self, request: dict[str, Any], timeout: float) -> dict[str, Any]:
        return {"asked": request, "within": timeout, "value": float("inf")}

    def settle(self) -> None: ...

    def close(self) -> None: ...


def test_replay_shows_an_infinite_number() -> None:
    recorder = Recorder(Infinite())
    recorder.ask({"op": "scan"}, 1.0)
    assert "inf" in recorder.answer


def test_lists_in_the_summary_fit_a_terminal() -> None:
    lines = list(_listed("choices", [f"name-{number}=option" for number in range(40)]))
    assert max(map(len, lines)) <= 100
    assert "".join(lines).count("name-") == 40
    assert all(line.startswith("  name-") for line in lines[1:])


@pytest.mark.parametrize(
    "impl",
    [
        "no-such-command-here",
        "adapter:no-such-command-here",
        "cat",
        "python:no_such_module:x",
        "filter:false",
    ],
)
def test_what_does_not_start_is_exit_4_in_one_line(corpus: Path, impl: str) -> None:
    done = run(corpus, impl=impl)
    assert done.returncode == 4, done.stdout + done.stderr
    assert len((done.stdout + done.stderr).strip().splitlines()) == 1


def test_the_json_file_is_the_same_every_time_and_for_any_number_of_workers(corpus: Path) -> None:
    texts = []
    for words in ([], [], ["-n", "2"]):
        run(corpus, "--json", "out.json", *words)
        texts.append((corpus.parent / "out.json").read_text())
    assert texts[0] == texts[1] == texts[2]
    verdicts = {r["id"]: r["verdict"] for r in json.loads(texts[0])["results"]}
    assert verdicts == {
        "env.made.good": "pass",
        "env.made.last": "pass",
        "env.made.bad": "garbage",
        "env.made.wrong": "wrong-answer",
        "env.made.absent": "not-offered",
    }


def test_listing_and_help_start_nothing(corpus: Path) -> None:
    for words, said in ((["--collect-only"], "env.made.good"), (["--help"], "--fail-on")):
        done = run(corpus, *words, impl="no-such-command-here")
        assert done.returncode == 0, done.stdout + done.stderr
        assert said in done.stdout


def test_pages(corpus: Path) -> None:
    run(corpus, "--markdown", "out.md", "--html", "out.html")
    table, page = ((corpus.parent / name).read_text() for name in ("out.md", "out.html"))
    assert "| core | 2 | 1 | 0 | 1 |" in table
    assert "| `env.made.bad` |" in table
    assert '["env.made.bad","t",' in page
    assert page.count("</script>") == 2


def test_recorded_streams_run_only_when_asked_for(corpus: Path) -> None:
    path = corpus / "recorded" / "one.json"
    path.parent.mkdir()
    path.write_text(
        canonical(
            {
                "group": "recorded.one",
                "description": "d",
                "clause": "STREAM.1a",
                "cases": [entry("x", "a") | {"id": "recorded.one.x"}],
            }
        )
    )
    for words, count in (([], 5), (["--recorded"], 6), (["--area", "recorded"], 1)):
        assert f"{count} of 6 cases" in run(corpus, *words).stdout


def test_expectations_from_generator_to_green_and_back(corpus: Path) -> None:
    target = corpus.parent / "known.txt"
    run(corpus, "--write-expectations", "known.txt")
    text = target.read_text()
    assert "env.made.bad  undecodable  # TODO (ENV.3a" in text
    assert run(corpus, "--expectations", "known.txt").returncode == 2
    target.write_text(text.replace("# TODO", "# known"))
    assert run(corpus, "--expectations", "known.txt").returncode == 0

    target.write_text("env.made.*  # all of them\n")
    done = run(corpus, "--expectations", "known.txt")
    assert done.returncode == 1
    assert "expected to fail (all of them), but it passes" in done.stdout
    assert "expected to fail (all of them), but: garbage (undecodable)" in done.stdout
    assert run(corpus, "--expectations", "known.txt", "-k", "wrong").returncode == 0

    target.write_text("env.gone.one  # gone\n")
    done = run(corpus, "--expectations", "known.txt", "-k", "good")
    assert done.returncode == 1
    assert "env.gone.one matches no case" in done.stdout


def test_a_glob_does_not_cross_a_dot() -> None:
    assert compile_glob("env.*.one").fullmatch("env.made.one")
    assert not compile_glob("env.*").fullmatch("env.made.one")


@pytest.mark.parametrize(
    "text",
    [
        "a.b.c",
        "a.b.c  # TODO x",
        "a.b.c explode # x",
        "a # x\na # y",
        "a.b flaky # x",
        "a.growth.b crash|flaky # x",
        "a.b.c crash| # x",
    ],
)
def test_expectations_that_are_refused(text: str) -> None:
    with pytest.raises(UsageError, match="name:"):
        parse(text, "name")


def test_a_failure_that_depends_on_the_machine() -> None:
    (either,) = parse("env.made.one crash|timeout  # ENV.3a: slow, then too deep", "name")
    assert violated(either, Outcome(case(), "error")) is None
    assert violated(either, Outcome(case(), "timeout")) is None
    assert "to crash or time out" in str(violated(either, Outcome(case(), "wrong-answer")))
    assert "it passes" in str(violated(either, Outcome(case(), "pass")))


def test_a_flaky_cost() -> None:
    (flaky,) = parse("stream.size.calls flaky  # STREAM.4: quadratic", "name")
    assert violated(flaky, Outcome(case(), "timeout")) is None
    assert violated(flaky, Outcome(case(), "pass")) is None


def test_junit_and_last_failed(corpus: Path) -> None:
    run(corpus, "--junitxml", str(corpus.parent / "out.xml"))
    assert 'name="env.made.bad"' in (corpus.parent / "out.xml").read_text()
    done = run(corpus, "--lf")
    assert "2 of 5 cases" in done.stdout
