"""`toolcode explain` takes what a newcomer has at hand."""

from __future__ import annotations

import pytest

from toolcode_conformance.cli import main


@pytest.mark.parametrize("given", ["CALL.3", "call.3", "call.strings-and-comments.call-in-string"])
def test_a_clause_or_a_case_of_it(given: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", given]) == 0
    said = capsys.readouterr().out
    assert said.startswith("### CALL.3 ")
    assert "  call.strings-and-comments.call-in-string  " in said


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("ENV.1", "near it are ENV.1a, ENV.1b"),
        ("nonsense", "they are spelt like CALL.4"),
        ("call.strings-and-comments.call-in-strin", "did you mean call.strings-and-comments.call"),
    ],
)
def test_a_wrong_id_gets_a_hint(given: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", given]) == 2
    assert said in capsys.readouterr().err
