"""The shipped recording: its size, cases that are replies of it, and a current card."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

from toolcode_conformance import places
from toolcode_conformance.readings_store import decisions, replies
from toolcode_conformance.recorder.card import promoted
from toolcode_conformance.recorder.cli import main
from toolcode_conformance.recorder.outcomes import OUTCOMES, outcomes
from toolcode_conformance.recorder.pieces import full_text
from toolcode_conformance.recorder.store import load_packed

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

_FOLDER = places.corpus_dir() / "recorded"
_BESIDE = ("README.md", "readings.jsonl.gz", "decisions.toml", "undecided/questions.toml")


def test_the_data_card_is_current(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["card", "--check"]) == 0, capsys.readouterr().out


def test_a_stale_card_is_seen_and_renewed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "undecided").mkdir()
    for name in ("transcripts-05.jsonl.gz", *_BESIDE):
        shutil.copy(_FOLDER / name, tmp_path / name)
    card = tmp_path / "README.md"
    words = ["card", "--from", str(tmp_path)]
    assert main([*words, "--check"]) == 1
    assert main(words) == 0
    assert main([*words, "--check"]) == 0
    whole = card.read_text("utf-8")
    assert "| transcripts | 80 |" in whole
    card.write_text(whole.replace("<!-- made: counts -->", "<!-- made: count -->"), "utf-8")
    assert main([*words, "--check"]) == 1
    assert "has the parts" in capsys.readouterr().err


def test_every_case_is_a_reply_of_the_recording() -> None:
    known = {reply.key: reply for reply in replies(_FOLDER)}
    for path in sorted(_FOLDER.glob("*.json")):
        for entry in json.loads(path.read_text(encoding="utf-8"))["cases"]:
            source = entry["source"]
            number = source.get("reply", 1)
            key = source["transcript"] + (f"/{number}" if number > 1 else "")
            assert tuple(entry["input"]["chunks"]) == known[key].chunks, entry["id"]
            record = known[key].record
            assert source["temperature"] == record["temperature"], entry["id"]
            assert source["prompt"] == record["prompt"], entry["id"]


def test_every_shape_has_a_named_case() -> None:
    cases = promoted(_FOLDER)
    assert sum(map(len, cases.values())) >= 60
    for shape in decisions(_FOLDER):
        assert any(key in cases for key in shape.replies), shape.id
    marks = {
        mark
        for reply in replies(_FOLDER)
        if reply.key in cases
        for mark in outcomes(reply.record["replies"][reply.number - 1])
    }
    assert marks == set(OUTCOMES)


def test_the_transcripts_are_as_many_as_asked_for() -> None:
    records = [record for _, record in load_packed(_FOLDER)]
    assert len(records) >= 1500
    assert len({record["id"] for record in records}) == len(records)
    assert sum(record["replies"][-1]["finish"] == "limit" for record in records) >= 200
    assert any(len(record["replies"]) == 2 for record in records)
    files = [path for path in _FOLDER.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < 4_000_000
    assert all(full_text(reply["tokens"]) for reply in records[0]["replies"])
