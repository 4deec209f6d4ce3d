"""The lists of known failures in this repository: each line covers a case and gives a reason."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from tests.harness.helpers import case, python_session
from toolcode_conformance import places
from toolcode_conformance.corpus import load_corpus
from toolcode_conformance.expectations import Expectation, read, unknown
from toolcode_conformance.readings_cases import stream_ids
from toolcode_conformance.tables import clauses

if TYPE_CHECKING:
    from pathlib import Path

LISTS = sorted(places.adapters_dir().glob("*/expectations.txt"))


def about(path: Path) -> str:
    return path.parent.name


@pytest.mark.parametrize("path", LISTS, ids=about)
def test_every_line_covers_a_case(path: Path) -> None:
    assert unknown(read(path), load_corpus(), stream_ids()) == []


@pytest.mark.parametrize("path", LISTS, ids=about)
def test_every_reason_begins_with_a_clause(path: Path) -> None:
    known = set(clauses())
    for line in read(path):
        clause, colon, cause = line.reason.partition(": ")
        assert colon, f"{path}:{line.line}"
        assert clause in known, f"{path}:{line.line}: {clause}"
        assert len(cause) > 5, f"{path}:{line.line}"


@pytest.mark.parametrize("path", LISTS, ids=about)
def test_every_reason_that_names_another_line_finds_it(path: Path) -> None:
    """`as x` names a line of the same group, `as group.x` one of the same area."""
    lines = read(path)
    by_glob = {line.glob: line for line in lines}
    for line in lines:
        if named := re.match(r"\S+: as (?:in )?([a-z0-9.*-]+)", line.reason):
            other = by_glob.get(_whole(line, named[1]))
            assert other, f"{path}:{line.line}: {named[1]}"
            assert ": as " not in other.reason, f"{path}:{line.line}: {named[1]}"


def _whole(line: Expectation, name: str) -> str:
    given = name.split(".")
    return ".".join([*line.glob.split(".")[: 3 - len(given)], *given])


class ListOnly:
    """Renders calls, but knows the first style alone."""

    def handle(self, request: dict[str, Any]) -> dict[str, Any]:
        if request["op"] != "hello":
            return {"id": request["id"], "result": {"text": "anything"}}
        result = {
            "protocol": 1,
            "implementation": {"name": "list only"},
            "capabilities": ["scan", "render"],
        }
        return {"id": request["id"], "result": result}


def test_a_style_that_is_not_offered_is_no_failure() -> None:
    run = python_session("tests.harness.test_known_failures:ListOnly")
    keys: dict[str, Any] = {"op": "render", "expect": {"text": ""}}
    calls = {"calls": [{"name": "f", "arguments": {}}]}
    other = run.run(case(input=calls, options={"style": "print-per-line"}, **keys))
    assert (other.verdict, other.detail) == ("not-offered", "render-print-per-line")
    assert run.run(case(input=calls, options={"style": "list"}, **keys)).verdict == "rendering"
