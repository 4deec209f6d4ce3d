"""Every faulty parser is wrong on its witness, and the corpus says so."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.zoo import pages
from tests.zoo.parsers import FAULTS
from tests.zoo.run import corpus, reference_session, session, witness
from tests.zoo.variants import handler

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.zoo.faulty import Faulty

CATCHERS: Mapping[str, list[str]] = json.loads(pages.CATCHERS.read_text("utf-8"))


def by_fault(fault: Faulty) -> str:
    return fault.name


@pytest.mark.parametrize("fault", FAULTS, ids=by_fault)
def test_its_witness_is_answered_wrongly(fault: Faulty) -> None:
    """And rightly by the reference, as the right answer was written by hand."""
    made = witness(fault)
    right = reference_session().run(made)
    assert right.verdict == "pass", right.detail
    assert session(fault).run(made).failed


@pytest.mark.parametrize("fault", FAULTS, ids=by_fault)
def test_the_corpus_catches_it(fault: Faulty) -> None:
    """By the cases of the generated page, which is stale where they no longer do."""
    assert CATCHERS[fault.name], "no case catches it; run: make zoo"
    run = session(fault)
    for case_id in CATCHERS[fault.name]:
        assert run.run(corpus().find(case_id)).failed, f"{case_id} passes; run: make zoo"


def test_the_pages_name_what_there_is() -> None:
    assert list(CATCHERS) == [fault.name for fault in FAULTS], "run: make zoo"
    zoo = pages.ZOO.read_text("utf-8")
    assert all(f"| {fault.name} | {fault.like} |" in zoo for fault in FAULTS), "run: make zoo"


def coverage() -> dict[str, pages.Count]:
    """The numbers of the page that is checked in."""
    rows = [
        line.strip("| ").split(" | ") for line in pages.COVERAGE.read_text("utf-8").splitlines()
    ]
    return {
        row[0].partition("[")[2].partition("]")[0]: pages.Count(*map(int, row[2:]))
        for row in rows
        if len(row) == 5 and row[0].startswith("[")
    }


def test_every_clause_has_its_row() -> None:
    """How many cases each has, only `make full` compares: a new case needs no run of the zoo."""
    assert coverage().keys() == pages.counts({}).keys(), "run: make zoo"


def test_every_clause_is_decided_by_some_case() -> None:
    assert list(pages.undecided(coverage())) == []


def test_an_edit_has_to_find_its_place() -> None:
    with pytest.raises(ValueError, match="0 places read 'nowhere'"):
        handler([("calls", "nowhere", "x")])


def test_a_copy_leaves_the_reference_alone() -> None:
    def value(made: Any) -> Any:
        request = {"id": 1, "op": "scan", "chunks": ["```tool_code\nf(a=[[1]])\n```"]}
        return made.handle(request)["result"]["steps"][0][0]["call"]["arguments"]["a"]

    before = handler()
    broken = handler([("literals", "MAX_DEPTH: Final = 200", "MAX_DEPTH: Final = 1")])
    assert value(broken) == "[[1]]"
    assert value(before) == value(handler()) == [[1]]


def test_stale_pages_are_noticed(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(pages, "ROOT", tmp_path)
    for name in ("ZOO", "COVERAGE", "CATCHERS"):
        monkeypatch.setattr(pages, name, tmp_path / name)
    found = {fault.name: ["env.opener.wrong-case"] for fault in FAULTS}
    assert pages.settle(found, check=False) == 1, "most clauses have no deciding case then"
    assert pages.settle({**found, FAULTS[0].name: []}, check=True) == 1
    said = capsys.readouterr().err
    assert f"{FAULTS[0].name} is caught by no case" in said
    assert "ZOO is stale" in said
    assert "no case decides MODEL.1 (must, of " in said


def test_a_clause_without_a_case_is_noticed() -> None:
    counted = coverage()
    del counted["ENV.1a"]
    counted["MODEL.1"] = pages.Count(0, 3, 1)
    assert list(pages.undecided(counted)) == [
        "MODEL.1 (must, of 4 cases)",
        "ENV.1a (must, without a case)",
    ]
