"""Loader, formatter, oracle and check: clear errors, one canonical form, two oracles."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.harness.helpers import case
from toolcode_conformance import check as checker
from toolcode_conformance.cases import expand_text, expand_value
from toolcode_conformance.corpus import load_corpus, load_group
from toolcode_conformance.errors import CorpusError, UsageError
from toolcode_conformance.features import features
from toolcode_conformance.formatter import canonical, escape, format_file
from toolcode_conformance.oracle import opinion

if TYPE_CHECKING:
    from pathlib import Path


def entry(**keys: Any) -> dict[str, Any]:
    return {
        "id": "env.made.one",
        "title": "t",
        "level": "must",
        "why": "crash",
        "input": "hello",
        "expect": {"segments": [{"text": "hello"}]},
        "derivation": "plain text",
        "source": {"kind": "spec"},
        "since": "0.1",
    } | keys


def written(folder: Path, *cases: dict[str, Any], name: str = "made.json") -> Path:
    path = folder / "env" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(
        canonical(
            {"group": "env.made", "description": "d", "clause": "ENV.3a", "cases": list(cases)}
        ),
        "utf-8",
    )
    return path


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("a", "a"),
        ({"lines": ["a", "b"]}, "a\nb"),
        ({"chunks": ["a", "", "b"]}, "ab"),
        ({"parts": ["a", {"repeat": "xy", "times": 3}, {"lines": ["b", "c"]}]}, "axyxyxyb\nc"),
        ({"chunks": ["\ud83d", "\ude00"]}, "\U0001f600"),
    ],
)
def test_expanded_texts(form: Any, text: str) -> None:
    assert expand_text(form) == text


@pytest.mark.parametrize(
    "form",
    [
        1,
        None,
        {},
        {"lines": [1]},
        {"parts": [{"repeat": "a"}]},
        {"lines": [], "parts": []},
        {"repeat": "a", "times": -1},
    ],
)
def test_other_forms_are_refused(form: Any) -> None:
    with pytest.raises(ValueError, match="a part is"):
        expand_text(form)


def test_parts_inside_values() -> None:
    value = {"a": [{"$parts": ["x", {"repeat": "y", "times": 2}]}], "$parts": 1}
    assert expand_value(value) == {"a": ["xyy"], "$parts": 1}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"level": "perhaps"}, "key 'level'"),
        ({"why": "bad"}, "key 'why'"),
        ({"colour": "red"}, "unknown key"),
        ({"input": 3}, "key 'input'"),
        ({"expect": []}, "key 'expect'"),
        ({"accept": [{}]}, "key 'accept'"),
    ],
)
def test_errors_name_file_case_and_key(tmp_path: Path, change: dict[str, Any], said: str) -> None:
    path = written(tmp_path, entry())
    raw = json.loads(path.read_text())
    raw["cases"][0] |= change
    path.write_text(json.dumps(raw))
    with pytest.raises(CorpusError) as caught:
        load_group(path)
    assert said in str(caught.value)
    assert "made.json" in str(caught.value)
    assert "env.made.one" in str(caught.value)


def test_files_that_are_no_json_are_named(tmp_path: Path) -> None:
    path = tmp_path / "bad.json"
    for data, said in ((b"{", "line 1"), (b"\xff", "UTF-8"), (b'{"a": 1, "a": 2}', "stands twice")):
        path.write_bytes(data)
        with pytest.raises(CorpusError, match=said):
            load_group(path)


def test_an_id_used_twice_and_an_empty_corpus_are_errors(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="no case"):
        load_corpus(tmp_path)
    written(tmp_path, entry())
    written(tmp_path, entry(), name="other.json")
    with pytest.raises(CorpusError, match="used twice"):
        load_corpus(tmp_path)


def test_aliases_and_derived_ids_find_their_case(tmp_path: Path) -> None:
    written(tmp_path, entry(aliases=["env.old.one"]))
    corpus = load_corpus(tmp_path)
    for name in ("env.made.one", "env.old.one", "env.made.one#cut=3,4", "env.made.one@variant"):
        assert corpus.find(name).id == "env.made.one"
    with pytest.raises(UsageError, match=r"did you mean env\.made\.one"):
        corpus.find("made.one")


@pytest.mark.parametrize(
    "char",
    [
        "\u00a0",
        "\u0301",
        "\u200b",
        "\ufeff",
        "\u2028",
        "\x7f",
        "\u3000",
        "\ud83d",
        "\ue000",
        "\U000e0041",
    ],
)
def test_what_cannot_be_seen_is_escaped(char: str) -> None:
    escaped = escape(f"a{char}b")
    assert escaped.isascii()
    assert json.loads(f'"{escaped}"') == f"a{char}b"


def test_what_can_be_seen_stays() -> None:
    assert escape("a b\u00e9\u4e2d\U0001f600") == "a b\u00e9\u4e2d\U0001f600"


def test_canonical_form(tmp_path: Path) -> None:
    raw = {
        "cases": [
            {
                "since": "0.1",
                "id": "x",
                "derivation": "",
                "options": {},
                "expect": {"segments": [{"call": {"arguments": {"b": 1, "a": 2}, "name": "f"}}]},
            }
        ],
        "group": "g",
    }
    text = canonical(raw)
    assert text.index('"group"') < text.index('"cases"')
    assert text.index('"id"') < text.index('"since"')
    assert text.index('"name"') < text.index('"arguments"')
    assert text.index('"b"') < text.index('"a"'), "the order of arguments is data"
    assert "options" not in text
    assert canonical(json.loads(text)) == text
    path = tmp_path / "x.json"
    path.write_text(json.dumps(raw), "utf-8")
    assert not format_file(path, write=False)
    assert not format_file(path, write=True)
    assert format_file(path, write=False)


def scan(body: str, *calls: dict[str, Any]) -> Any:
    return case(f"```tool_code\n{body}\n```", {"segments": [{"call": call} for call in calls]})


F1 = {"name": "f", "arguments": {"a": 1}}


@pytest.mark.parametrize(
    "body",
    [
        "f(a=1)",
        "default_api.f(a=1)",
        "x = print(f(a=1))",
        "[f(a=1)]",
        "files.f(a=1)",
        "f(a=1).then()",
        "if x:\n  f(a=1)",
        "def g():\n  h()\nf(a=1)",
        "# f()\nf(a=1)",
        "f(2, a=1)",
    ],
)
def test_the_oracle_agrees(body: str) -> None:
    said = opinion(scan(body, F1))
    assert (said.silent, said.differs) == ("", "")
    assert opinion(scan(body, F1, F1)).differs
    assert opinion(scan(body, {"name": "f", "arguments": {"a": 1.0}})).differs
    assert opinion(scan(body, {"name": "g", "arguments": {"a": 1}})).differs


def test_the_oracle_reads_fences_in_strings_and_source_text() -> None:
    call = {"name": "f", "arguments": {"a": "```", "b": "(x + 1)"}, "unresolved": ["b"]}
    assert opinion(scan("f(a='```', b= (x + 1) )", call)).differs == ""


@pytest.mark.parametrize("body", ["f(from='a')", "f(a=[1)", "f(a=1", "Let's go"])
def test_the_oracle_is_silent_where_python_is(body: str) -> None:
    assert opinion(scan(body, F1)).silent


@pytest.mark.parametrize(
    ("text", "expect"),
    [
        ("1", {"value": 1}),
        ("{1: 2, None: 3}", {"value": {"1": 2, "null": 3}}),
        ("{1e3: (1, 2)}", {"value": {"1000.0": [1, 2]}}),
        ("b'\\xff'", {"value": "\u00ff"}),
        ("true", {"value": True}),
        ("x + 1", {"nonliteral": "x + 1"}),
        ("1e400", {"nonliteral": "1e400"}),
        ("1j", {"nonliteral": "1j"}),
        ("[x]", {"nonliteral": "[x]"}),
        ("{[1]: 2}", {"nonliteral": "{[1]: 2}"}),
        ("f'a'", {"value": "a"}),
        ("f'{a}'", {"nonliteral": "f'{a}'"}),
        ("-(5)", {"value": -5}),
        ("9" * 4300, {"value": 10**4300 - 1}),
        ("9" * 4301, {"nonliteral": "9" * 4301}),
        ("'a' # c", {"value": "a"}),
        ("{[1]}", {"value": [[1]]}),
    ],
)
def test_literals_by_the_oracle(text: str, expect: dict[str, Any]) -> None:
    made = case(text, expect, op="literal")
    assert (opinion(made).silent, opinion(made).differs) == ("", "")
    assert opinion(case(text, {"value": "other"}, op="literal")).differs


def problems(path: Path) -> list[str]:
    return checker.check_corpus([path])[0]


def test_check_passes_a_good_case_and_names_what_is_wrong(tmp_path: Path) -> None:
    assert problems(written(tmp_path, entry())) == []
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"since": "soon"}, "since"),
        ({"expect": {"segments": [{"txt": "a"}]}}, "segments"),
        ({"needs": ["magic"]}, "needs"),
        ({"id": "env.other.one"}, "group's name"),
        ({"derivation": ""}, "needs a derivation"),
        ({"accept": [{"when": {"x": "y"}, "expect": {"segments": []}}]}, "unknown choice x"),
        ({"accept": [{"when": {"numbers": "y"}, "expect": {"segments": []}}]}, "unknown option"),
        ({"input": "```tool_code\nf(a=1)\n```", "expect": {"segments": []}}, "CPython disagrees"),
        ({"input": "\ud83d"}, "needs utf16"),
    ]
    for change, said in wrong:
        found = problems(written(tmp_path, entry(**change)))
        assert any(said in line for line in found), (change, found)


def test_check_wants_canonical_files(tmp_path: Path) -> None:
    path = written(tmp_path, entry())
    path.write_text(path.read_text() + "\n")
    assert any("not canonical" in line for line in problems(path))


def test_features_are_computed() -> None:
    found = features(scan("print(default_api.f(a=true))", F1))
    assert found == {"fence", "print", "prefix", "json-literals"}
    assert "list" in features(scan("[f(a=1)]", F1))
    assert "lines" in features(scan("f(a=1)\nf(a=1)", F1, F1))
    assert features(case("\ud83d")) == {"prose", "utf16", "non-ascii"}
