"""The golden readings: whole, by two readers, for every cut, and every dissent decided."""

from __future__ import annotations

import gzip
import json
import shutil
import zlib
from typing import TYPE_CHECKING, Any

import pytest

from tests.harness.helpers import python_session
from toolcode import scan_stream, segments
from toolcode_conformance import places
from toolcode_conformance.chunking import split
from toolcode_conformance.cli import main as toolcode
from toolcode_conformance.errors import CorpusError, UsageError
from toolcode_conformance.expectations import read as read_expectations
from toolcode_conformance.readings import read
from toolcode_conformance.readings_cases import (
    PREFIX,
    bursts,
    case_id,
    find,
    stream_cases,
    stream_ids,
)
from toolcode_conformance.readings_store import (
    Reply,
    ast_says,
    decisions,
    dump,
    load,
    make,
    reference_reading,
    replies,
    undecided,
)
from toolcode_conformance.recorder.cli import main
from toolcode_conformance.reference_handler import Reference, first_fence, string_aware
from toolcode_conformance.tables import clauses

if TYPE_CHECKING:
    from pathlib import Path

_FOLDER = places.corpus_dir() / "recorded"
# Replies are read in a few items, not one each: their count is no measure of what is tested.
_PARTS = 4


@pytest.fixture(scope="module")
def all_replies() -> list[Reply]:
    return list(replies(_FOLDER))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the recording's last, small part, with its readings."""
    folder = tmp_path_factory.mktemp("recorded")
    (folder / "undecided").mkdir()
    for name in ("transcripts-05.jsonl.gz", "decisions.toml", "undecided/questions.toml"):
        shutil.copy(_FOLDER / name, folder / name)
    rows, problems = make(folder, string_aware())
    assert not problems
    (folder / "readings.jsonl.gz").write_bytes(dump(rows))
    return folder


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    """Return a copy of that folder, to be spoiled."""
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    return tmp_path


# --- the shipped readings ------------------------------------------------------------------------


def test_every_reply_has_a_reading_or_a_question(all_replies: list[Reply]) -> None:
    keys = [reply.key for reply in all_replies]
    read_ones, open_ones = set(load(_FOLDER)), set(undecided(_FOLDER))
    assert len(set(keys)) == len(keys)
    assert not read_ones & open_ones
    assert read_ones | open_ones == set(keys)


def test_the_readings_are_those_of_both_readers(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["readings", "--check"]) == 0, capsys.readouterr().out


@pytest.mark.parametrize("part", range(_PARTS))
def test_the_reference_gives_the_reading_for_tokens_and_bursts(
    part: int, all_replies: list[Reply]
) -> None:
    stored = load(_FOLDER)
    for reply in [one for one in all_replies if one.key in stored][part::_PARTS]:
        wanted = [_plain(segment) for segment in stored[reply.key].segments]
        for chunks in (reply.chunks, split(reply.text, bursts(reply.chunks, reply.key))):
            assert segments(list(scan_stream(chunks))) == wanted, reply.key


def _plain(segment: dict[str, Any]) -> dict[str, Any]:
    if "call" not in segment:
        return segment
    return {"call": {key: segment["call"][key] for key in ("name", "arguments")}}


def test_the_second_reading_knows_the_other_fence_rule_too(all_replies: list[Reply]) -> None:
    handler = first_fence()
    for reply in all_replies:
        answer = handler.handle({"id": 1, "op": "scan", "chunks": [reply.text], "options": {}})
        events = [event for step in answer["result"]["steps"] for event in step]
        calls = [event["call"] for event in events if "call" in event]
        found = read(reply.text, {"fence-in-string": "first-fence"})["segments"]
        second = [segment["call"] for segment in found if "call" in segment]
        assert [(c["name"], c["arguments"]) for c in calls] == [
            (c["name"], c["arguments"]) for c in second
        ], reply.key


@pytest.mark.parametrize("tail", ["", "\n```"])
def test_both_readers_agree_where_a_reply_breaks_off(tail: str, all_replies: list[Reply]) -> None:
    """Each reply once, cut behind a token that its key decides."""
    handler = string_aware()
    for reply in all_replies:
        kept = zlib.crc32(reply.key.encode()) % len(reply.chunks)
        text = "".join(reply.chunks[:kept]) + tail
        assert reference_reading(text, handler) == read(text), (reply.key, kept)


def test_cpython_speaks_of_enough_replies(all_replies: list[Reply]) -> None:
    spoken = [reading.second for reading in load(_FOLDER).values()].count("ast")
    assert spoken >= 300
    lying = {"segments": [{"call": {"name": "f", "arguments": {"a": 2}}}], "dropped": []}
    assert ast_says("```tool_code\nf(a=1)\n```", lying)
    assert ast_says(all_replies[0].text, {"segments": [], "dropped": []})


def test_every_dissent_of_oh_my_pi_is_decided() -> None:
    """Its known failures are exactly the decided replies, each under the clause that decides."""
    decided = {case_id(key): shape.clause for shape in decisions(_FOLDER) for key in shape.replies}
    listed = read_expectations(places.adapters_dir() / "omp" / "expectations.txt")
    known = {
        one.glob: one.reason.partition(":")[0] for one in listed if one.glob.startswith(PREFIX)
    }
    assert known == decided
    assert set(decided) <= set(stream_ids())


def test_every_decision_names_a_clause_and_a_reason() -> None:
    for shape in decisions(_FOLDER):
        assert shape.clause in clauses(), shape.id
        assert shape.question.endswith("?"), shape.id
        assert len(shape.decided.split()) > 5, shape.id
        assert shape.replies, shape.id
        assert all(shape.replies.values()), shape.id


# --- making and loading --------------------------------------------------------------------------


class Liar(Reference):
    """Gives every call another name."""

    def handle(self, request: dict[str, Any]) -> dict[str, Any]:
        answer = string_aware().handle(request)
        for step in answer["result"]["steps"]:
            for event in step:
                if "call" in event:
                    event["call"]["name"] += "x"
        return answer


def test_a_reply_on_which_readers_differ_has_no_reading(folder: Path) -> None:
    rows, problems = make(folder, Liar.__new__(Liar))
    calls = sum(any("call" in s for s in r.segments) for r in load(folder).values())
    assert len(problems) == calls > 20
    assert len(rows) + len(problems) == len(load(folder))
    assert problems[0].endswith(": the second reading differs from the reference's")


def test_an_undecided_reply_is_judged_by_nobody(folder: Path) -> None:
    key = next(iter(load(folder)))
    path = folder / "undecided" / "questions.toml"
    path.write_text(f'format = 1\n[questions]\n"{key}" = "What is it?"\n', "utf-8")
    words = ["readings", "--from", str(folder)]
    assert main([*words, "--check"]) == 1
    assert main(words) == 0
    assert main([*words, "--check"]) == 0
    assert undecided(folder) == {key: "What is it?"}
    assert key not in load(folder)
    assert case_id(key) not in [case.id for case in stream_cases(folder)]


_SHAPE = """
[[shapes]]
id = "{}"
clause = "c"
question = "q?"
decided = "d"
other = "o"
[shapes.replies]
"a.b.00" = "n"
"""
_TWICE = "format = 1" + _SHAPE.format("x") + _SHAPE.format("y")


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("decisions.toml", "format = 2", "must be 1"),
        ("decisions.toml", "format = ", "is no TOML"),
        ("decisions.toml", "format = 1\n[[shapes]]\nid = 'x'", "clause"),
        ("decisions.toml", _TWICE, "names a.b.00 twice"),
        ("undecided/questions.toml", None, "cannot be read"),
        ("readings.jsonl.gz", None, "cannot be read"),
        ("readings.jsonl.gz", "{}", "is no recording"),
    ],
)
def test_a_broken_file_is_named(folder: Path, name: str, text: str | None, said: str) -> None:
    path = folder / name
    if text is None:
        path.unlink()
    elif path.suffix == ".gz":
        path.write_bytes(gzip.compress(text.encode()))
    else:
        path.write_text(text, "utf-8")
    with pytest.raises(CorpusError) as caught:
        decisions(folder), undecided(folder), load(folder)
    assert said in str(caught.value)
    assert path.name in str(caught.value)


# --- as cases ------------------------------------------------------------------------------------


def test_bursts_hold_two_to_eight_tokens_and_depend_on_the_key_alone() -> None:
    chunks = [f"{number:02d}" for number in range(99)]
    cuts = bursts(chunks, "a.b.00")
    assert cuts == bursts(chunks, "a.b.00") != bursts(chunks, "a.b.01")
    sizes = [len(part) // 2 for part in split("".join(chunks), cuts)]
    assert sum(sizes) == 99
    assert set(sizes[:-1]) <= set(range(2, 9))
    assert len(set(sizes)) > 4
    assert bursts(["a"], "x") == bursts([], "x") == ()


def test_a_stream_case_is_sent_whole_by_token_and_in_bursts() -> None:
    case = find(f"{PREFIX}music-print-05#cut=bursts", {})
    session = python_session("toolcode_conformance.reference_handler:string_aware")
    assert session.run(case).verdict == "pass"
    assert session.scans == 3
    assert list(session.named_cuts(case, case.text)) == ["tokens", "bursts"]
    with pytest.raises(UsageError, match="no recorded reply"):
        find(f"{PREFIX}nothing-print-05", {})


LONGEST = 13


class BurstBreaker(Reference):
    """Loses everything when a chunk of a stream is longer than a token of this reply ever is."""

    def __init__(self) -> None:
        self.inner = string_aware()

    def handle(self, request: dict[str, Any]) -> dict[str, Any]:
        chunks = request.get("chunks", [])
        if "cuts" in request:
            return {"id": request["id"], "unsupported": "cuts"}
        if len(chunks) > 1 and any(len(chunk) > LONGEST for chunk in chunks):
            request = request | {"chunks": ["" for _ in chunks]}
        answer = self.inner.handle(request)
        if request["op"] == "hello":
            answer["result"]["capabilities"].remove("cuts")
        return answer


def test_a_parser_that_fails_in_bursts_only_is_told_so() -> None:
    session = python_session("tests.recorder.test_readings:BurstBreaker")
    case = find(f"{PREFIX}lighthouse-print-00", {})
    assert max(map(len, case.chunks or ())) <= LONGEST
    outcome = session.run(case)
    assert outcome.verdict == "streaming-differs"
    assert outcome.where == "#cut=bursts"


def test_other_choices_have_other_right_answers() -> None:
    wanted = f"{PREFIX}clinic-list-03"
    assert find(wanted, {"after-cut": "stop", "numbers": "double"}).accept == ()
    (other,) = find(wanted, {"after-cut": "continue", "numbers": "double"}).accept
    assert other.when == {"after-cut": "continue"}
    assert json.dumps(other.expect).count('"call"') == 3


def test_the_command_runs_replies_when_asked(capsys: pytest.CaptureFixture[str]) -> None:
    name = f"{PREFIX}lighthouse-print-0"
    words = ["conformance", "--recorded", "-k", f"{name}0 or {name}1", "-p", "no:cacheprovider"]
    assert toolcode(words) == 0
    assert "2 of " in capsys.readouterr().out
    assert toolcode(["replay", f"{name}0#cut=tokens"]) == 0
    said = capsys.readouterr().out
    assert f"{name}0: pass" in said
    assert '"chunks": [' in said
