"""Result files: their form, the same bytes for the same result, and what they refuse."""

from __future__ import annotations

from typing import Any

import jsonschema
import pytest

from tests.matrix.samples import CASES, RESULTS, result
from toolcode_conformance import places
from toolcode_conformance.errors import UsageError
from toolcode_conformance.faults import KINDS
from toolcode_conformance.matrix import store
from toolcode_conformance.matrix.store import Failure

COMMITTED = sorted(places.results_dir().glob("*.json"))


@pytest.mark.parametrize("made", RESULTS, ids=lambda made: made.name)
def test_what_is_written_is_read_back(made: store.Result) -> None:
    text = store.dump(made)
    assert store.load(text, "made") == made
    assert store.dump(store.load(text, "made")) == text


def test_the_order_in_which_cases_ran_changes_no_byte() -> None:
    verdicts = dict.fromkeys((case.id for case in CASES), "pass")
    backwards = dict(reversed(verdicts.items()))
    assert list(backwards) != list(verdicts)
    assert store.dump(result("x", {**verdicts})) == store.dump(result("x", {**backwards}))


def test_one_failure_is_one_line() -> None:
    lines = store.dump(RESULTS[1]).splitlines()
    assert sum("env.made.cut" in line for line in lines) == 1
    assert all(line.isascii() for line in lines)


def test_the_schema_knows_every_verdict_that_is_a_failure() -> None:
    failures = store.schema()["properties"]["failures"]["additionalProperties"]
    assert set(failures["properties"]["verdict"]["enum"]) == set(KINDS)
    jsonschema.Draft202012Validator.check_schema(store.schema())


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "made:1: no JSON"),
        ("[]", "is not of type 'object'"),
        (store.dump(RESULTS[0]).replace('"format": 1', '"format": 2'), "format: 1 was expected"),
        (store.dump(RESULTS[1]).replace("wrong-answer", "odd"), "'odd' is not one of"),
        (store.dump(RESULTS[0]).replace('"pass"', '"passed"'), "not a result file: cases/"),
    ],
)
def test_what_is_no_result_file_is_refused_with_the_place(text: str, words: str) -> None:
    with pytest.raises(UsageError, match="made") as caught:
        store.load(text, "made")
    assert words in str(caught.value)


def test_what_differs_from_run_to_run_is_taken_out() -> None:
    first = "Error at 0x7f3a9c001230 in /tmp/a1/b2/file.py after 10.31 s, pid 4711"
    second = "Error at 0x55d0c4b1a8e0 in /tmp/zz/yy/file.py after 9.87 s, pid 4"
    assert store.steady(first, "exit") == store.steady(second, "exit")
    ids = ["{'call': {'id': 'ptc_a1', 'name': 'f'}}", "{'call': {'id': 'ptc_b2', 'name': 'f'}}"]
    assert len({store.steady(text, "protocol") for text in ids}) == 1


def test_what_an_argument_holds_is_kept() -> None:
    text = "call f(path='/etc/apt/sources', address='0x7f3a9c001230')"
    assert store.steady(text, "wrong-answer") == text


def run_value(**keys: Any) -> dict[str, Any]:
    found = {"id": "env.made.x", "verdict": "pass", "outcome": "passed"} | keys
    about = {"spec": "/some/path/x.py", "name": "X", "version": "1", "mode": "adapter"}
    about |= {"language": "", "url": ""}
    return {
        "toolcode": "0.1.0",
        "implementation": {**about, "capabilities": ["scan"], "features": []},
        "choices": {"numbers": "exact", "text-trim": "exact"},
        "choices_known_by": {"numbers": "declared", "text-trim": "assumed"},
        "results": [found],
    }


def from_run(value: dict[str, Any], cause: str = "") -> store.Result:
    return store.from_run(
        value, name="x", date="2026-01-02", chunks="quick", cause_of=lambda _: cause
    )


def test_a_run_becomes_a_result_without_the_command_that_was_typed() -> None:
    made = from_run(run_value())
    assert made.verdicts == {"env.made.x": "pass"}
    assert made.assumed == ["text-trim"]
    assert "/some/path" not in store.dump(made)


def test_an_expected_failure_brings_its_cause_and_clause() -> None:
    keys = {"verdict": "wrong-answer", "outcome": "skipped", "expected": "as other", "got": "no"}
    made = from_run(run_value(**keys), "LIT.1a: tabs are lost")
    assert made.failures["env.made.x"] == Failure(
        "wrong-answer", got="no", cause="tabs are lost", clause="LIT.1a"
    )
    assert not made.unexpected


def test_a_failure_nobody_expected_and_a_pass_nobody_expected_are_told() -> None:
    failed = from_run(run_value(verdict="wrong-answer", outcome="failed", detail="want a, got b"))
    passed = from_run(run_value(outcome="failed", unexpected="expected to fail, but it passes"))
    assert failed.unexpected == {"env.made.x": "want a, got b"}
    assert passed.unexpected == {"env.made.x": "expected to fail, but it passes"}
    assert passed.failures == {}


@pytest.mark.parametrize("path", COMMITTED, ids=lambda path: path.stem)
def test_the_committed_results_are_in_canonical_form(path: Any) -> None:
    text = path.read_text("ascii")
    made = store.load(text, path.name)
    assert store.dump(made) == text
    assert made.name == path.stem
