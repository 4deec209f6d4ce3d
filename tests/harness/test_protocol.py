"""The checks by hand and the published JSON Schemas say the same."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.harness.helpers import case, python_session
from toolcode_conformance import places
from toolcode_conformance.answers import call_problem, check_filter, event_problem, result_of
from toolcode_conformance.faults import Fault, NotOfferedError
from toolcode_conformance.plan import options_for, other_request, wrap_literal
from toolcode_conformance.schemas import part_problems, problems

CALL: dict[str, Any] = {"name": "f", "arguments": {"a": [1, None]}}
EVENTS: list[tuple[Any, bool]] = [
    ({"text": "a"}, True),
    ({"text": 1}, False),
    ({"thinking": "a"}, True),
    ({}, False),
    ({"thinking_start": True}, True),
    ({"thinking_start": False}, False),
    ("text", False),
    ({"thinking_end": True}, True),
    ({"thinking_end": 1}, False),
    ({"text": "a", "thinking": "b"}, False),
    ({"dropped": {"reason": "cut"}}, True),
    ({"dropped": {"reason": "tired"}}, False),
    ({"dropped": "cut"}, False),
    ({"call": CALL}, True),
    ({"call": {"name": "f"}}, False),
    ({"call": CALL | {"arguments": []}}, False),
    (
        {
            "call": CALL
            | {
                "id": "1",
                "callee": "f",
                "source": "f()",
                "unresolved": ["a"],
                "skipped": [],
                "conditional": False,
            }
        },
        True,
    ),
    ({"call": CALL | {"unresolved": [1]}}, False),
    ({"call": CALL | {"colour": 1}}, False),
    ({"call": CALL | {"conditional": "no"}}, False),
    ({"other": "a"}, False),
]


@pytest.mark.parametrize(("event", "good"), EVENTS)
def test_events(event: Any, good: bool) -> None:
    assert (event_problem(event) is None) == good
    assert (part_problems("protocol-answer", "event", event) == []) == good


@pytest.mark.parametrize(
    ("answer", "good"),
    [
        ({"segments": [{"text": "a"}, {"call": CALL}]}, True),
        ({"calls": [CALL]}, True),
        ({"calls": [CALL], "text": "a"}, True),
        ({"calls": [CALL], "text": 1}, False),
        ({"segments": [{"text": "a", "call": CALL}]}, False),
        ({"segments": {}}, False),
        ({"segments": [{"dropped": {"reason": "cut"}}]}, False),
        ([], False),
        ({}, False),
        ({"calls": [{"name": "f"}]}, False),
    ],
)
def test_filter_answers(answer: Any, good: bool) -> None:
    assert (problems("filter-answer", answer) == []) == good
    if good:
        assert check_filter(answer) == answer
    else:
        with pytest.raises(Fault):
            check_filter(answer)


@pytest.mark.parametrize(
    ("answer", "verdict"),
    [
        ({"id": 2, "result": {}}, "wrong-id"),
        ({"result": {}}, "wrong-id"),
        ([], "protocol"),
        ({"id": True, "result": {}}, "wrong-id"),
        ({"id": 1}, "protocol"),
        ({"id": 1, "result": {}, "error": "x"}, "protocol"),
        ({"id": 1, "result": 3}, "protocol"),
        ({"id": 1, "result": {}, "note": "x"}, "protocol"),
        ({"id": 1, "error": "x"}, "error"),
    ],
)
def test_answers_that_are_none(answer: Any, verdict: str) -> None:
    with pytest.raises(Fault) as caught:
        result_of(answer, 1)
    assert caught.value.verdict == verdict


def test_unsupported_is_no_fault() -> None:
    with pytest.raises(NotOfferedError, match="why"):
        result_of({"id": 1, "unsupported": "why"}, 1)


def test_arguments_must_be_json() -> None:
    assert "LIT.9c" in str(call_problem({"name": "f", "arguments": {"a": float("inf")}}))


class Recording:
    """Passes requests on to a list and answers with the text."""

    requests: list[dict[str, Any]] = []  # noqa: RUF012  one list for the whole test

    def handle(self, request: dict[str, Any]) -> dict[str, Any]:
        self.requests.append(request)
        if request["op"] == "hello":
            result: dict[str, Any] = {
                "protocol": 1,
                "implementation": {"name": "recording"},
                "capabilities": ["scan", "streaming", "cuts", "bytes", "utf16", "thinking"],
            }
        elif "cuts" in request:
            runs = [
                {"steps": [[{"text": request["text"]}], *([[]] * (len(cuts) + 1))]}
                for cuts in request["cuts"]
            ]
            result = {"runs": runs}
        else:
            chunks = request.get("chunks") or [b""] * len(request["chunks_b64"])
            result = {"steps": [[{"text": "\u00e9\U0001f600"}], *([[]] * len(chunks))]}
        return {"id": request["id"], "result": result}


def test_every_request_fits_its_schema_and_never_holds_the_answer() -> None:
    Recording.requests.clear()
    run = python_session("tests.harness.test_protocol:Recording", "standard")
    outcome = run.run(case("\u00e9\U0001f600", options={"parse_thinking": False}))
    assert outcome.verdict == "pass"
    kinds = {key for request in Recording.requests for key in request}
    assert {"chunks", "cuts", "chunks_b64", "options"} <= kinds
    for request in Recording.requests:
        assert problems("protocol-request", request) == []
        assert not {"expect", "accept"} & request.keys()
    for made in (
        case(op="render", input={"calls": [CALL]}, expect={"text": ""}),
        case(op="render-message", input={"text": "a"}, expect={"text": "a"}),
    ):
        assert problems("protocol-request", {"id": 1, **other_request(made)}) == []


def test_an_option_that_switches_off_what_is_not_offered_is_left_out() -> None:
    run = python_session("tests.harness.test_protocol:Recording")
    made = case(options={"parse_thinking": False, "stop_on_tool_outputs": False})
    assert options_for(made, run.impl) == {"parse_thinking": False}


@pytest.mark.parametrize(
    ("forms", "text"),
    [
        ((), "```tool_code\nprint(default_api.f(x=1))\n```"),
        (("fence",), "```tool_code\nf(x=1)\n```"),
        (("prefix",), "default_api.f(x=1)"),
        (("list-only",), "[f(x=1)]"),
    ],
)
def test_a_literal_is_written_in_a_form_that_is_offered(forms: tuple[str, ...], text: str) -> None:
    assert wrap_literal("1", frozenset(forms)) == text


def test_a_comment_does_not_hide_the_parenthesis() -> None:
    assert "# c\n)" in wrap_literal("1 # c", frozenset())


@pytest.mark.parametrize("path", sorted(places.adapters_dir().glob("*/adapter.json")), ids=str)
def test_manifests_fit_their_schema(path: Any) -> None:
    assert problems("adapter", json.loads(path.read_text("utf-8"))) == []
