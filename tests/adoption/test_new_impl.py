"""`toolcode new-impl` writes what the suite can run at once."""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING

import pytest

from toolcode_conformance.cli import main
from toolcode_conformance.implementation import connect

if TYPE_CHECKING:
    from pathlib import Path

ENDINGS = {"python": "py", "node": "mjs"}


def program(language: str) -> str:
    found = sys.executable if language == "python" else shutil.which("node")
    if not found:
        pytest.skip("Node.js is not installed")
    return found


@pytest.mark.parametrize("kind", ["filter", "adapter"])
@pytest.mark.parametrize("language", ["python", "node"])
def test_what_it_writes_answers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], language: str, kind: str
) -> None:
    runs = program(language)
    file = tmp_path / f"mine.{ENDINGS[language]}"
    assert main(["new-impl", language, f"--{kind}", str(file)]) == 0
    assert "toolcode conformance --impl" in capsys.readouterr().out
    impl = connect(f"{runs} {file}")
    try:
        assert impl.mode == kind
        request = {"op": "scan", "chunks": ["héllo\n", "", "🙂"], "options": {}}
        result = impl.client.ask(request, 20)
    finally:
        impl.client.close()
    if kind == "filter":
        assert result == {"segments": [{"text": "héllo\n🙂"}]}
    else:
        assert impl.name == "my-parser"
        assert result == {"steps": [[{"text": "héllo\n"}], [], [{"text": "🙂"}], []]}


def test_a_filter_is_what_it_writes_unasked(tmp_path: Path) -> None:
    assert main(["new-impl", "python", str(tmp_path / "mine.py")]) == 0
    assert "A filter" in (tmp_path / "mine.py").read_text("utf-8")


def test_an_existing_file_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "mine.py"
    file.write_text("precious", "utf-8")
    assert main(["new-impl", "python", str(file)]) == 2
    assert "mine.py: not written: File exists" in capsys.readouterr().err
    assert file.read_text("utf-8") == "precious"


def test_the_ending_must_fit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["new-impl", "node", str(tmp_path / "mine.py")]) == 2
    assert "ends in .mjs" in capsys.readouterr().err
