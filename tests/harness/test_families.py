"""Variants that the harness derives: every relation is used, and a broken one is noticed."""

from __future__ import annotations

import dataclasses
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from toolcode_conformance import check, families, places
from toolcode_conformance.cases import make_case
from toolcode_conformance.corpus import load_corpus, load_families, read_json
from toolcode_conformance.edits import NotPythonError, take_apart
from toolcode_conformance.errors import CorpusError
from toolcode_conformance.oracle import opinion
from toolcode_conformance.relations import RELATIONS, Answer, variant

if TYPE_CHECKING:
    from pathlib import Path

    from toolcode_conformance.cases import Case
    from toolcode_conformance.edits import Message

CORPUS = load_corpus()
VARIANTS = {case.id: case for case in CORPUS.cases if case.area == families.AREA}
FORMS_ALONE = {"json-words", "crlf", "other-label"}
"""Relations whose variants CPython cannot read: no Python, or a message without a block."""


def of(relation: str) -> list[Case]:
    return [case for case in VARIANTS.values() if case.source["relation"] == relation]


def test_there_are_families_and_every_relation_serves_in_some() -> None:
    data = read_json(places.corpus_dir() / families.FILE)
    used = Counter(name for family in data["families"] for name in family["relations"])
    assert len(data["families"]) >= 12
    assert sum(used.values()) == len(VARIANTS) >= 150
    assert set(used) == set(RELATIONS)


@pytest.mark.parametrize("case", VARIANTS.values(), ids=VARIANTS)
def test_cpython_reads_the_variant_as_the_relation_says(case: Case) -> None:
    said = opinion(case)
    assert said.differs == ""
    if said.silent:
        assert case.source["relation"] in FORMS_ALONE | {"comments-inside", "spaced"}, said.silent


@pytest.mark.parametrize("name", sorted(set(RELATIONS) - FORMS_ALONE))
def test_an_edit_that_does_more_than_it_says_is_noticed(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A call too many in the edited body."""
    relation = RELATIONS[name]

    def more(message: Message) -> Message | None:
        edited = relation.edit(message)
        if edited is None or isinstance(edited, str):
            return None
        return dataclasses.replace(edited, body=edited.body + "\nextra(z=9)")

    monkeypatch.setitem(RELATIONS, name, dataclasses.replace(relation, edit=more))
    broken = [again(case) for case in of(name)]
    assert any(opinion(case).differs for case in broken if case)


@pytest.mark.parametrize("name", [name for name in RELATIONS if RELATIONS[name].answer])
def test_an_answer_that_stays_as_it_was_is_noticed(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    import toolcode  # noqa: PLC0415 - the reader that knows text as well as calls

    monkeypatch.setitem(RELATIONS, name, dataclasses.replace(RELATIONS[name], answer=None))
    broken = [case for case in map(again, of(name)) if case]
    assert broken
    assert all(
        toolcode.segments(toolcode.scan(case.text)) != case.expect["segments"] for case in broken
    )


def again(case: Case) -> Case | None:
    """Derive a variant anew, by the relations as they are now."""
    base = CORPUS.find(case.source["base"])
    answer = Answer(base.expect["segments"], tuple(base.expect.get("dropped", ())))
    found = variant(case.source["relation"], base.text, answer)
    if found is None:
        return None
    text, right = found
    raw: dict[str, Any] = {**case.raw, "input": text, "expect": {"segments": right.segments}}
    return make_case(raw, group=case.group, clause=case.clause, path=case.path)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("no block", "one block"),
        ("```tool_code\nf(a=1)\n```\n```tool_code\ng(b=2)\n```", "one block"),
        ("```tool_code\nf(from=1)\n```", "is Python"),
        ("```tool_code\nf(a=1)\r\n```", "end in LF"),
    ],
)
def test_a_base_is_one_block_of_python(text: str, said: str) -> None:
    with pytest.raises(NotPythonError, match=said):
        take_apart(text)


@pytest.mark.parametrize(
    ("family", "said"),
    [
        ({"base": "call.forms.none", "relations": []}, "is no scan case"),
        ({"base": "call.nesting.as-value", "relations": []}, "depends on a choice"),
        ({"base": "call.forms.print", "relations": ["upside-down"]}, "does not exist"),
        ({"base": "call.forms.print", "relations": ["printed"]}, "finds nothing to edit"),
        ({"base": "arg.reserved-words.all-kinds", "relations": ["listed"]}, "is Python"),
    ],
)
def test_what_is_wrong_with_a_family_is_named(family: dict[str, Any], said: str) -> None:
    raw = {"families": [{"name": "made", **family}]}
    with pytest.raises(CorpusError, match=said):
        list(families.derived(places.corpus_dir() / families.FILE, raw, CORPUS.by_id))


def test_the_check_reads_families_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / families.FILE).write_text('{"families": [], "more": 1}', "utf-8")
    assert load_families(tmp_path, {}) == []
    monkeypatch.setattr(places, "corpus_dir", lambda: tmp_path)
    assert any("is not canonical" in line for line in check._families([]))
