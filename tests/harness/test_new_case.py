"""From a transcript to a checked case, and what the check finds in a corpus that was damaged."""

from __future__ import annotations

import io
import json
import shutil
import sys
from typing import TYPE_CHECKING, Any

import pytest

from toolcode_conformance import check, places, tables, twins
from toolcode_conformance.cli import main
from toolcode_conformance.corpus import load_corpus
from toolcode_conformance.formatter import canonical

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

AREAS = ("call", "lit", "env")
CALL = "Sure.\n```tool_code\nprint(default_api.f(a=[1, 'x']))\n```"
WORDS = ["--title", "A list in a print", "--why", "lost-call"]


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A copy of a part of the corpus, in the real one's place."""
    real = places.corpus_dir()
    root = tmp_path / "corpus"
    for area in (*AREAS, "schema"):
        shutil.copytree(real / area, root / area)
    for name in ("clauses.json", "choices.json"):
        shutil.copy(real / name, root / name)
    monkeypatch.setattr(places, "corpus_dir", lambda: root)
    tables.clauses.cache_clear()
    yield root
    tables.clauses.cache_clear()


def new(copy: Path, text: str, *words: str, case_id: str = "call.forms.mine") -> int:
    message = copy.parent / "message.txt"
    message.write_text(text, "utf-8")
    return main(["corpus", "new", str(message), "--id", case_id, *words])


def test_a_transcript_becomes_a_case(copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert new(copy, CALL, *WORDS) == 0
    said = capsys.readouterr().out
    assert "CPython agrees" in said
    assert '+   "id": "call.forms.mine"' in said
    case = load_corpus(copy).find("call.forms.mine")
    assert (case.text, case.level, case.clause) == (CALL, "must", "CALL.1")
    assert case.expect["segments"][1] == {"call": {"name": "f", "arguments": {"a": [1, "x"]}}}
    assert check.check_corpus([case.path])[0] == []


def test_standard_input_and_a_new_group(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(CALL.encode())))
    words = ["--clause", "CALL.1", "--describe", "Made by a test.", *WORDS]
    assert main(["corpus", "new", "-", "--id", "call.made.one", *words]) == 0
    assert load_corpus(copy).find("call.made.one").path == copy / "call" / "made.json"


CUT = "```tool_code\nf(a='it"


@pytest.mark.parametrize(
    ("text", "words", "said"),
    [
        (CUT, WORDS, "derive the answer from the clause by hand"),
        ("```tool_code\nf(a=1, a=2)\n```", [], "--title is missing"),
        (CALL, ["--title", "t"], "--why is missing"),
        (CALL, [*WORDS, "--clause", "CALL.99"], "SPEC.md has no such clause"),
        (CALL, [*WORDS, "--source", "{"], "--source: neither a known word nor JSON"),
        (CALL, [*WORDS, "--source", '{"kind": "gossip"}'], "nothing was written"),
        ("", WORDS, "is empty"),
    ],
)
def test_what_is_missing_is_named_and_nothing_is_written(
    copy: Path, capsys: pytest.CaptureFixture[str], text: str, words: list[str], said: str
) -> None:
    before = {path: path.read_bytes() for path in copy.rglob("*.json")}
    assert new(copy, text, *words) == 2
    assert said in capsys.readouterr().err
    assert {path: path.read_bytes() for path in copy.rglob("*.json")} == before


@pytest.mark.parametrize(
    ("case_id", "said"),
    [
        ("call.forms", "three parts"),
        ("call.forms.plain-list", "there is such a case"),
        ("call.unknown.one", "group call.unknown is new"),
    ],
)
def test_ids_are_checked_first(
    copy: Path, capsys: pytest.CaptureFixture[str], case_id: str, said: str
) -> None:
    assert new(copy, CALL, *WORDS, case_id=case_id) == 2
    assert said in capsys.readouterr().err


def test_a_disagreement_needs_a_reason(copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "```tool_code\nset-lamp(a=1)\n```"  # a minus in Python
    assert new(copy, text, *WORDS) == 2
    assert "the two oracles differ" in capsys.readouterr().err
    assert new(copy, text, *WORDS, "--oracle-note", "A tool's name is never cut.") == 0
    assert new(copy, CUT, *WORDS, "--derivation", "It never closes.", case_id="call.forms.cut") == 0
    assert load_corpus(copy).find("call.forms.cut").expect["dropped"] == ["unterminated"]


def test_twins_are_found_and_linked_both_ways(copy: Path) -> None:
    assert new(copy, CALL, *WORDS) == 0
    case = load_corpus(copy).find("call.forms.mine")
    (name,) = twins.names_of(case)
    twin = load_corpus(copy).find(name)
    assert case.id in twins.names_of(twin)
    assert twin.expect != case.expect


def test_a_case_that_nothing_is_near_needs_a_reason(
    copy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    far = CALL.replace("Sure.", "Words, and more words, that no other case has. " * 9)
    assert new(copy, far, *WORDS) == 2
    assert "--twinless" in capsys.readouterr().err
    assert new(copy, far, *WORDS, "--twinless", "nothing is near") == 0
    assert load_corpus(copy).find("call.forms.mine").raw["twinless"] == "nothing is near"


def test_a_dry_run_writes_nothing(copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert new(copy, CALL, *WORDS, "--dry-run") == 0
    assert "call.forms.mine" in capsys.readouterr().out
    assert "call.forms.mine" not in load_corpus(copy).by_id


# --- ten kinds of damage


def edited(change: Callable[[dict[str, Any]], object]) -> Callable[[Path], None]:
    """Change the first case of a group, and write the file as the formatter would."""

    def damage(root: Path) -> None:
        path = root / "call" / "forms.json"
        group = json.loads(path.read_text("utf-8"))
        change(group["cases"][0])
        path.write_text(canonical(group), "utf-8")

    return damage


def add_copy(root: Path) -> None:
    path = root / "call" / "forms.json"
    group = json.loads(path.read_text("utf-8"))
    group["cases"].append({**group["cases"][0], "id": "call.forms.copy", "title": "Another title"})
    path.write_text(canonical(group), "utf-8")


def reuse_id(root: Path) -> None:
    path = root / "call" / "forms.json"
    group = json.loads(path.read_text("utf-8"))
    group["cases"].append({**group["cases"][0], "clause": "CALL.3"})
    path.write_text(canonical(group), "utf-8")


def lose_byte(root: Path) -> None:
    path = root / "call" / "forms.json"
    path.write_bytes(path.read_bytes()[:-1])


def lose_released(root: Path) -> None:
    (root / "released").mkdir()
    (root / "released" / "0.1.txt").write_text("call.forms.that-was\n", "utf-8")


DAMAGE: dict[str, tuple[Callable[[Path], None], str]] = {
    "bad schema": (edited(lambda case: case.update(needs=["magic"])), "needs"),
    "reused id": (reuse_id, "is used twice"),
    "wrong oracle": (edited(lambda case: case["expect"].update(segments=[])), "CPython disagrees"),
    "missing twin": (
        edited(lambda case: case.update(twin="call.forms.none")),
        "twin call.forms.none does not exist",
    ),
    "no twin": (edited(lambda case: case.pop("twin")), "asks for a twin"),
    "twin of another kind": (
        edited(lambda case: case.update(twin="call.keywords.class")),
        "twin call.keywords.class is another text",
    ),
    "stale clause": (edited(lambda case: case.update(clause="CALL.99")), "is not in SPEC.md"),
    "duplicate": (add_copy, "asks the same as"),
    "unknown choice": (
        edited(lambda case: case.update(accept=[{"when": {"x": "y"}, "expect": case["expect"]}])),
        "unknown choice x",
    ),
    "lost byte": (lose_byte, "is not canonical"),
    "missing source": (edited(lambda case: case.pop("source")), "source"),
    "missing derivation": (
        edited(
            lambda case: (
                case.update(input=CUT, expect={"segments": []}) or case.pop("derivation", 0)
            )
        ),
        "needs a derivation",
    ),
    "lost id": (lose_released, "was released with 0.1 and is gone"),
    "wrong level": (edited(lambda case: case.update(level="may")), "level may, but clause"),
}


@pytest.mark.parametrize("kind", DAMAGE)
def test_damage_is_found(copy: Path, kind: str) -> None:
    damage, said = DAMAGE[kind]
    elsewhere = ("probe case", "twin")
    found = check.check_corpus([])[0]
    assert [line for line in found if not any(word in line for word in elsewhere)] == []
    damage(copy)
    assert any(said in line for line in check.check_corpus([])[0])
