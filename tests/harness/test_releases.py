"""Frozen lists, disputed cases and the corpus as one file."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from tests.harness.helpers import command
from toolcode_conformance import check, places, releases
from toolcode_conformance.cli import main
from toolcode_conformance.corpus import load_corpus
from toolcode_conformance.errors import CorpusError

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    real, root = places.corpus_dir(), tmp_path / "corpus"
    for area in ("env", "schema"):
        shutil.copytree(real / area, root / area)
    for name in ("clauses.json", "choices.json"):
        shutil.copy(real / name, root / name)
    monkeypatch.setattr(places, "corpus_dir", lambda: root)
    return root


def test_a_list_is_written_once(copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["corpus", "release", "0.1"]) == 0
    ids = (copy / "released" / "0.1.txt").read_text("utf-8").split()
    assert ids == sorted(case.id for case in load_corpus(copy).cases)
    assert main(["corpus", "release", "0.1"]) == 2
    assert "a list never changes" in capsys.readouterr().err
    assert main(["corpus", "release", "soon"]) == 2
    assert "soon: a version is two or three numbers" in capsys.readouterr().err


def test_a_released_case_that_is_gone_is_named(copy: Path) -> None:
    (copy / "released").mkdir()
    (copy / "released" / "0.1.txt").write_text("env.text.that-was\n", "utf-8")
    assert (
        "env.text.that-was: was released with 0.1 and is gone; keep it as an alias"
        in (check.check_corpus([])[0])
    )


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run the command against a parser that gives all text, and every block, as text."""
    return subprocess.run(
        [
            *(sys.executable, "-m", "toolcode_conformance", "conformance", "-q"),
            *("--corpus", str(folder), "--impl", command("faulty.py", "garbage"), *words),
        ],
        capture_output=True,
        text=True,
        check=False,
    )


def test_only_the_cases_of_a_release_run(copy: Path) -> None:
    (copy / "released").mkdir()
    (copy / "released" / "0.1.txt").write_text("env.text.no-block\n", "utf-8")
    ran = run(copy, "--release", "0.1")
    assert ran.returncode == 0, ran.stdout
    assert re.search(r"core .* 1 of  +1 pass", ran.stdout)
    ran = run(copy, "--release", "0.7")
    assert ran.returncode == 2
    assert "there is no such release; there are: 0.1" in ran.stderr


def errata(copy: Path, *entries: dict[str, Any]) -> None:
    (copy / releases.ERRATA).write_text(json.dumps({"errata": list(entries)}), "utf-8")


DISPUTE = {"case": "env.text.no-block", "since": "0.1", "question": "Is it text at all?"}


def test_a_disputed_case_does_not_count_until_it_is_settled(copy: Path) -> None:
    """The parser shows the block as text, so the case fails."""
    dispute = {**DISPUTE, "case": "env.unterminated.opener-only"}
    words = ("-k", dispute["case"])
    assert run(copy, *words).returncode == 1
    errata(copy, dispute)
    ran = run(copy, *words)
    assert ran.returncode == 0
    assert "1 expected failures" in ran.stdout
    errata(copy, {**dispute, "settled": "It is."})
    assert run(copy, *words).returncode == 1


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({"case": "x"}, "erratum number 1 needs"),
        ({**DISPUTE, "mood": "bad"}, "unknown keys: mood"),
    ],
)
def test_broken_errata_are_named(copy: Path, entry: dict[str, Any], said: str) -> None:
    errata(copy, entry)
    with pytest.raises(CorpusError, match=said):
        releases.disputed(copy)
    assert any(said in line for line in check.check_corpus([])[0])
    errata(copy, {**DISPUTE, "case": "env.text.that-was"})
    assert "errata.json: env.text.that-was is no case" in check.check_corpus([])[0]


def test_the_corpus_in_one_file(copy: Path, tmp_path: Path) -> None:
    path = tmp_path / "corpus.json"
    assert main(["corpus", "export", str(path)]) == 0
    value = json.loads(path.read_text("ascii"))
    cases = load_corpus(copy).cases
    assert [case["id"] for case in value["cases"]] == [case.id for case in cases]
    assert [case["input"] for case in value["cases"]] == [case.text for case in cases]
    assert value["clauses"]
    assert value["choices"]
    assert main(["corpus", "export", str(tmp_path / "none" / "x.json")]) == 2
