"""Cuts at token boundaries: the shipped table, stale entries, and tokenizers that may be absent."""

from __future__ import annotations

import importlib.metadata
import json
import shutil
import sys
from typing import TYPE_CHECKING, Any

import pytest

from tests.harness.helpers import case, python_session
from toolcode_conformance import check, places, token_cuts
from toolcode_conformance.corpus import load_corpus
from toolcode_conformance.errors import CorpusError, StartError
from toolcode_conformance.recorder import model as models
from toolcode_conformance.token_cuts import (
    Entry,
    _table,
    choose,
    crc,
    dump,
    main,
    stale,
    suitable,
    table,
)
from toolcode_conformance.token_cuts_tokenizer import (
    FOLDER,
    PACKAGE,
    LlamaTokenizer,
    NodeTokenizer,
    find,
    node_folder,
    piece_lengths,
    vocabulary_bytes,
)

if TYPE_CHECKING:
    from pathlib import Path

    from toolcode_conformance.cases import Case

_REFERENCE = "toolcode_conformance.reference_handler:string_aware"
_FAKE = """
exports.fromPreTrained = () => ({
  model: { vocab: ["\\u2581", "<0xC3>", "<0xA9>", "a", "```", "\\n"] },
  encode: (text) => {
    const all = { " ": [0], "\\u00e9": [1, 2], a: [3], "`": [4], "\\n": [5] };
    return Array.from(text.replaceAll("```", "`")).flatMap((char) => all[char]);
  },
});
"""


@pytest.fixture
def no_tokenizer(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Hide every tokenizer that this machine may have."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(FOLDER, str(tmp_path))
    monkeypatch.setattr(models, "PACKAGE", "no-such-package-of-weights")
    return tmp_path


@pytest.fixture
def fake_package(no_tokenizer: Path) -> Path:
    """Lay a package with a tiny vocabulary where the real one would be."""
    if not shutil.which("node"):
        pytest.skip("needs Node.js")
    package = no_tokenizer / "node_modules" / PACKAGE
    package.mkdir(parents=True)
    (package / "package.json").write_text('{"version": "9.9", "main": "main.cjs"}')
    (package / "main.cjs").write_text(_FAKE, "utf-8")
    return no_tokenizer


# --- the shipped table ---------------------------------------------------------------------------


def test_the_table_fits_the_corpus() -> None:
    assert stale(load_corpus().cases, table()) == []


def test_the_table_covers_every_area_with_scans() -> None:
    corpus = load_corpus()
    cut = {corpus.by_id[name].area for name in table()}
    assert cut <= {one.area for one in corpus.cases if suitable(one)}
    assert cut >= {"arg", "call", "env", "hostile", "lit", "model", "out", "stream", "think"}
    assert len(table()) >= 150


def test_tokens_of_the_convention_are_the_recorded_ones() -> None:
    """The table's opener is cut as the model itself wrote it: fence, tool, underscore, code."""
    cases = load_corpus().by_id
    opened = [
        entry for name, entry in table().items() if cases[name].text.startswith("```tool_code\n")
    ]
    assert len(opened) > 50
    assert all(entry.lengths[:4] == (3, 4, 1, 4) for entry in opened)


def in_the_table() -> Case:
    """Return a case of the table that is one block with a call."""
    cases = load_corpus().by_id
    return next(
        cases[name]
        for name, entry in table().items()
        if cases[name].text.startswith("```tool_code\n")
        and len(entry.lengths) > 12
        and not cases[name].options
        and "call" in cases[name].expect["segments"][0]
    )


def test_the_default_run_tries_the_tokens_first() -> None:
    session = python_session(_REFERENCE)
    one = in_the_table()
    assert session.named_cuts(one, one.text) == {"tokens": table()[one.id].cuts}
    assert session.named_cuts(one, one.text + "x") == {}


class TokenBreaker:
    """Scans well, unless the first two chunks are those that the tokenizer makes."""

    def __init__(self) -> None:
        from toolcode_conformance.reference_handler import string_aware  # noqa: PLC0415  here only

        self.inner = string_aware()

    def handle(self, request: dict[str, Any]) -> dict[str, Any]:
        chunks = request.get("chunks", [])
        if chunks[:2] == ["```", "tool"]:
            request = request | {"chunks": ["" for _ in chunks]}
        answer = self.inner.handle(request)
        if request["op"] == "hello":
            answer["result"]["capabilities"].remove("cuts")
        return answer


def test_a_parser_that_fails_at_tokens_is_told_so() -> None:
    session = python_session("tests.recorder.test_token_cuts:TokenBreaker")
    outcome = session.run(in_the_table())
    assert (outcome.verdict, outcome.where) == ("streaming-differs", "#cut=tokens")


# --- stale entries -------------------------------------------------------------------------------


def entry(text: str, *lengths: int) -> Entry:
    return Entry(crc(text), lengths)


def test_stale_entries_are_named() -> None:
    same, changed = case("abc", id="env.made.same"), case("abd", id="env.made.changed")
    entries = {
        "env.made.same": entry("abc", 1, 2),
        "env.made.changed": entry("abc", 1, 2),
        "env.made.gone": entry("abc", 3),
        "env.made.short": Entry(crc("abc"), (1, 1)),
    }
    short = case("abc", id="env.made.short")
    found = stale([same, changed, short], entries)
    assert [line.split(": ")[1] for line in found] == [
        "env.made.changed",
        "env.made.gone",
        "env.made.short",
    ]
    assert "there is no such scan case" in found[1]
    assert "text has changed" in found[0]


def test_the_corpus_check_names_them(monkeypatch: pytest.MonkeyPatch) -> None:
    some = [places.corpus_dir() / "out" / "guard.json"]
    assert some[0].is_file()
    monkeypatch.setattr(token_cuts, "table", lambda: {"env.made.gone": entry("abc", 3)})
    monkeypatch.setattr(check, "group_files", lambda _: some)
    (found,) = (line for line in check.check_corpus([])[0] if "env.made.gone" in line)
    assert "there is no such scan case" in found
    assert "token_cuts drop" in found


def test_dropping_needs_no_tokenizer(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], no_tokenizer: Path
) -> None:
    assert no_tokenizer.is_dir()
    path = tmp_path / "cuts.json"
    entries = dict(list(table().items())[:3])
    path.write_text(dump("some", {**entries, "env.made.gone": entry("abc", 3)}), "utf-8")
    words = ["--file", str(path)]
    assert main(["check", *words]) == 1
    assert "stale: token-cuts.json: env.made.gone" in capsys.readouterr().out
    assert main(["drop", *words]) == 0
    _table.cache_clear()
    assert main(["check", *words]) == 0
    assert json.loads(path.read_text("utf-8"))["tokenizer"] == "some"
    assert main(["write", *words]) == 4
    assert "npm install" in capsys.readouterr().err


def test_a_broken_table_is_named(tmp_path: Path) -> None:
    path = tmp_path / "cuts.json"
    for text in ('{"format": 2}', '{"format": 1, "cases": {"a": {}}}', "[]"):
        path.write_text(text)
        _table.cache_clear()
        with pytest.raises(CorpusError, match=r"cuts\.json"):
            table(path)


def test_the_choice_is_spread_over_areas() -> None:
    cases = [case("abc", id=f"env.made.n{n:03d}") for n in range(400)]
    cases += [case("abc", id=f"arg.made.n{n}") for n in range(3)]
    cases += [case("abc", id="env.made.chunked", input={"chunks": ["a", "bc"]})]
    chosen = choose(cases, 40)
    assert sum(one.area == "arg" for one in chosen) == 3
    assert 35 <= len(chosen) <= 45
    # One more case moves no other, but takes the place of one at most.
    more = choose([*cases, case("abc", id="env.made.another")], 40)
    assert len({one.id for one in chosen} - {one.id for one in more}) <= 1


# --- tokenizers ----------------------------------------------------------------------------------


def test_without_a_tokenizer_the_message_says_how_to_get_one(no_tokenizer: Path) -> None:
    assert node_folder() is None
    with pytest.raises(StartError) as caught:
        find()
    for word in ("npm install", "245 MB", "Gemma Terms of Use", FOLDER, "token-cuts.json"):
        assert word in str(caught.value)
    with pytest.raises(StartError):
        token_cuts.compute(["abc"])
    assert no_tokenizer.is_dir()


def test_a_split_character_counts_where_it_is_whole() -> None:
    assert piece_lengths([b"a", b"\xc3", b"\xa9", b" b"], "a\u00e9 b") == [1, 1, 2]
    with pytest.raises(StartError, match="do not add up"):
        piece_lengths([b"a"], "ab")
    with pytest.raises(StartError, match="do not add up"):
        piece_lengths([b"a", b"\xc3"], "a")


@pytest.mark.parametrize(
    ("piece", "data"),
    [("\u2581a", b" a"), ("<0xE3>", b"\xe3"), ("<0xE3", b"<0xE3"), ("\u00e9", b"\xc3\xa9")],
)
def test_vocabulary_entries_as_bytes(piece: str, data: bytes) -> None:
    assert vocabulary_bytes(piece) == data


def test_the_npm_package_cuts_texts(fake_package: Path) -> None:
    found = find()
    assert isinstance(found, NodeTokenizer)
    assert found.about == f"Gemma 3 ({PACKAGE} 9.9)"
    assert found.lengths(["```a \u00e9", "a\n"]) == [[3, 1, 1, 1], [1, 1]]
    assert token_cuts.compute(["```a", "a" * 20_001]) == {"```a": (3,)}
    (fake_package / "node_modules" / PACKAGE / "main.cjs").write_text("throw 'no luck'")
    with pytest.raises(StartError, match="no luck"):
        found.lengths(["a"])


class Llama:
    """A vocabulary of bytes."""

    model = None

    def __init__(self, **options: Any) -> None:
        assert options["vocab_only"]

    def tokenize(self, data: bytes, **_: bool) -> list[int]:
        return list(data)


class Library:
    """What is used of llama-cpp-python."""

    Llama = Llama

    @staticmethod
    def llama_model_get_vocab(_model: None) -> None:
        return None

    @staticmethod
    def llama_token_to_piece(*given: Any) -> int:
        given[2].value = bytes([given[1]])
        return 1


def test_the_model_file_cuts_texts(no_tokenizer: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = no_tokenizer / "gemma.gguf"
    monkeypatch.setattr(models, "find_model", lambda _: path)
    monkeypatch.setitem(sys.modules, "llama_cpp", Library)
    monkeypatch.setattr(importlib.metadata, "version", lambda _: "1.2")
    found = find()
    assert isinstance(found, LlamaTokenizer)
    assert found.about == "Gemma 3 (gemma.gguf, llama-cpp-python 1.2)"
    assert found.lengths(["a\u00e9b"]) == [[1, 1, 1]]


def test_at_level_tokens_every_text_is_cut(fake_package: Path) -> None:
    assert fake_package.is_dir()
    session = python_session(_REFERENCE, level="tokens")
    one = case("a \u00e9", needs=[])
    session.find_tokens([one, case("a" * 20_001)])
    assert session.named_cuts(one, one.text) == {"tokens": (1, 2)}
    outcome = session.run(one)
    assert (outcome.verdict, session.scans) == ("pass", 4)
