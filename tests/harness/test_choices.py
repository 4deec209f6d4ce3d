"""Choices: probed when undeclared, held to when declared, and the answers they change."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pytest

from tests.harness.helpers import case, python_session
from toolcode_conformance.expected import expectation
from toolcode_conformance.tables import choices as all_choices

if TYPE_CHECKING:
    from collections.abc import Iterator

KEPT = {"segments": [{"call": {"name": "files.read", "arguments": {}}}]}
LAST = {"segments": [{"call": {"name": "read", "arguments": {}}}]}


class Fixed:
    """Answers every scan alike."""

    def __init__(self, call: str, declared: dict[str, str]) -> None:
        self.call = call
        self.declared = declared

    def handle(self, request: dict[str, Any]) -> dict[str, Any]:
        if request["op"] == "hello":
            result: dict[str, Any] = {
                "protocol": 1,
                "implementation": {"name": "fixed"},
                "capabilities": ["scan"],
                "choices": self.declared,
            }
        else:
            result = {"steps": [[{"call": {"name": self.call, "arguments": {}}}], []]}
        return {"id": request["id"], "result": result}


def keeps() -> Fixed:
    return Fixed("files.read", {})


def says_last_but_keeps() -> Fixed:
    return Fixed("files.read", {"other-namespace": "last"})


def does_neither() -> Fixed:
    return Fixed("nonsense", {})


class OneProbe:
    """A corpus with a single case, the probe of `other-namespace`."""

    def __init__(self) -> None:
        self.probe = case(
            "x",
            LAST,
            id=all_choices()["other-namespace"].probe or "no.probe.yet",
            accept=[{"when": {"other-namespace": "kept"}, "expect": KEPT}],
        )
        self.by_id = {self.probe.id: self.probe}


def settled(factory: str) -> tuple[Any, OneProbe]:
    run = python_session(f"tests.harness.test_choices:{factory}")
    corpus = OneProbe()
    run.settle_choices(corpus)  # type: ignore[arg-type]
    return run, corpus


def test_an_undeclared_choice_is_found_by_its_probe() -> None:
    run, corpus = settled("keeps")
    assert run.choices["other-namespace"] == "kept"
    assert run.settled["other-namespace"] == corpus.probe.id
    assert run.run(corpus.probe).verdict == "pass"


def test_a_declared_choice_that_is_not_kept_fails_its_probe_with_both_ids() -> None:
    run, corpus = settled("says_last_but_keeps")
    assert run.choices["other-namespace"] == "last"
    outcome = run.run(corpus.probe)
    assert outcome.verdict == "contradicts-choice"
    assert "other-namespace=kept" in outcome.detail
    assert corpus.probe.id in outcome.detail
    other = case("y", LAST, id="call.other.case", accept=corpus.probe.raw["accept"])
    contradiction = run.run(other)
    assert contradiction.verdict == "contradicts-choice"
    assert contradiction.case.id == "call.other.case"
    assert corpus.probe.id in contradiction.detail


def test_what_was_never_declared_nor_probed_is_no_contradiction() -> None:
    run = python_session("tests.harness.test_choices:keeps")
    made = case("x", LAST, accept=[{"when": {"other-namespace": "kept"}, "expect": KEPT}])
    outcome = run.run(made)
    assert outcome.verdict == "wrong-answer"
    assert "the answer of other-namespace=kept, which was neither" in outcome.detail


def test_an_answer_that_fits_no_option_is_plainly_wrong() -> None:
    run, corpus = settled("does_neither")
    assert run.settled["other-namespace"] == "assumed"
    assert run.run(corpus.probe).verdict == "wrong-answer"


def call(arguments: dict[str, Any]) -> Any:
    return {"name": "f", "arguments": arguments}


@pytest.mark.parametrize(
    ("clause", "chosen", "calls"),
    [
        ("LIT.6b", {}, [call({"x": "a + 1"})]),
        ("LIT.6b", {"non-literal": "omit"}, [call({})]),
        ("LIT.6b", {"non-literal": "refuse-call"}, []),
        ("LIT.9a", {"non-literal": "omit"}, [call({"x": "a + 1"})]),
        ("LIT.9a", {"non-finite": "null"}, [call({"x": None})]),
        ("LIT.9a", {"non-finite": "refuse-call"}, []),
    ],
)
def test_derived_literal_answers(clause: str, chosen: dict[str, str], calls: list[Any]) -> None:
    made = case("a + 1", {"nonliteral": "a + 1"}, op="literal", clause=clause)
    segments = expectation(made, chosen)["segments"]
    assert [{key: s["call"][key] for key in ("name", "arguments")} for s in segments] == calls


def test_the_most_specific_accept_wins() -> None:
    accept = [
        {"when": {"a": "1"}, "expect": {"segments": []}},
        {"when": {"a": "1", "b": "2"}, "expect": LAST},
    ]
    made = case("x", KEPT, accept=accept)
    assert expectation(made, {"a": "1", "b": "2"}) == LAST
    assert expectation(made, {"a": "1"}) == {"segments": []}
    assert expectation(made, {"b": "2"}) == KEPT


@pytest.fixture
def limited_digits() -> Iterator[None]:
    """Python's own limit, which whatever ran before may have lifted."""
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(4300)
    yield
    sys.set_int_max_str_digits(before)


@pytest.mark.usefixtures("limited_digits")
def test_an_integer_past_the_limit_of_python_can_be_expected() -> None:
    made = case(
        "9" * 4301, {"nonliteral": "9" * 4301}, op="literal", clause="LIT.9b", id="lit.made.one"
    )
    found = expectation(made, {"huge-int": "exact"})
    assert found["segments"][0]["call"]["arguments"] == {"x": 10**4301 - 1}
