"""Is an answer what the protocol asks for? By hand, because a run reads a hundred thousand.

`corpus/schema/protocol-answer.schema.json` says the same for other languages; a test holds the two
together.
"""

from __future__ import annotations

import itertools
from typing import Any, Final

from toolcode_conformance.compare import not_json, shown
from toolcode_conformance.faults import Fault, NotOfferedError

REASONS: Final = frozenset({"unterminated", "cut", "no-call", "fabricated"})
_CALL_KEYS: Final = {
    "name": str,
    "arguments": dict,
    "id": str,
    "callee": str,
    "source": str,
    "unresolved": list,
    "skipped": list,
    "conditional": bool,
}
_TEXTS: Final = frozenset({"text", "thinking"})
_MARKS: Final = frozenset({"thinking_start", "thinking_end"})


def _broken(text: str) -> Fault:
    return Fault("protocol", f"the adapter broke the protocol: {text}")


def result_of(answer: object, request_id: object) -> Any:  # noqa: ANN401  checked by the caller
    """Return the `result` of an answer.

    Raises:
        Fault: It answers another request, reports an error, or is no answer.
        NotOfferedError: It says `unsupported`.
    """
    if not isinstance(answer, dict):
        raise _broken(f"an answer is an object, not {shown(answer)}")
    if answer.get("id") != request_id or isinstance(answer.get("id"), bool):
        got = shown(answer.get("id"))
        raise Fault("wrong-id", f"answered id {got} to the request with id {shown(request_id)}")
    extra = answer.keys() - {"id", "result", "unsupported", "error"}
    kinds = answer.keys() & {"result", "unsupported", "error"}
    if len(kinds) != 1 or extra:
        raise _broken(f"one of result, unsupported, error is wanted, not {shown(list(answer))}")
    if "unsupported" in answer:
        raise NotOfferedError(str(answer["unsupported"]))
    if "error" in answer:
        raise Fault("error", f"the implementation threw: {str(answer['error'])[:500]}")
    if not isinstance(answer["result"], dict):
        raise _broken(f"a result is an object, not {shown(answer['result'])}")
    return answer["result"]


def check_runs(result: dict[str, Any], chunk_counts: list[int], *, batch: bool) -> list[Any]:
    """Return the steps of each run: one list of events per chunk and one for the close.

    Raises:
        Fault: The result is not in that form.
    """
    runs = result.get("runs") if batch else [result]
    if not isinstance(runs, list) or len(runs) != len(chunk_counts):
        raise _broken(f"{len(chunk_counts)} cuts want as many runs, not {shown(runs)}")
    return [_check_run(run, count) for run, count in zip(runs, chunk_counts, strict=True)]


def _check_run(run: Any, chunks: int) -> list[list[dict[str, Any]]]:  # noqa: ANN401  checked here
    steps = run.get("steps") if isinstance(run, dict) else None
    if not isinstance(steps, list) or not all(isinstance(step, list) for step in steps):
        raise _broken(f"a scan's result is {{steps: [[event..]..]}}, not {shown(run)}")
    if len(steps) != chunks + 1:
        raise _broken(
            f"{chunks} chunks want {chunks + 1} steps (the last for the close), not {len(steps)}"
        )
    listed: list[list[Any]] = steps
    for event in itertools.chain.from_iterable(listed):
        problem = event_problem(event)
        if problem:
            raise _broken(f"{problem}: {shown(event)}")
    return listed


def event_problem(event: object) -> str | None:
    """Return what is wrong with an event's form, or None."""
    if not isinstance(event, dict) or len(event) != 1:
        return "an event is an object with one key"
    key, value = next(iter(event.items()))
    if key in _TEXTS:
        return None if isinstance(value, str) else f"{key} wants a string"
    if key in _MARKS:
        return None if value is True else f"{key} wants true"
    if key == "call":
        return call_problem(value)
    if key == "dropped":
        known = isinstance(value, dict) and value.get("reason") in REASONS and len(value) == 1
        return None if known else f"dropped wants a reason of {', '.join(sorted(REASONS))}"
    return f"unknown event {key!r}"


def call_problem(call: object) -> str | None:
    """Return what is wrong with a call's form, or None."""
    if not isinstance(call, dict) or "name" not in call or "arguments" not in call:
        return "a call wants name and arguments"
    for key, value in call.items():
        kind = _CALL_KEYS.get(key)
        if kind is None:
            return f"unknown key {key!r} in a call"
        if not isinstance(value, kind):
            return f"{key} of a call wants {kind.__name__}"
        if isinstance(value, list) and not all(isinstance(item, str) for item in value):
            return f"{key} of a call wants strings"
    wrong = not_json(call["arguments"])
    return f"the arguments hold {wrong} (LIT.9c)" if wrong else None


def check_filter(value: object) -> dict[str, Any]:
    """Return a filter's answer, checked.

    Raises:
        Fault: It is neither `{segments}` nor `{calls, text?}`.
    """
    if not isinstance(value, dict):
        raise _broken(f"a filter prints an object with segments or calls, not {shown(value)}")
    if isinstance(value.get("segments"), list):
        for segment in value["segments"]:
            problem = _segment_problem(segment)
            if problem:
                raise _broken(f"{problem}: {shown(segment)}")
        return value
    if isinstance(value.get("calls"), list) and isinstance(value.get("text", ""), str):
        for call in value["calls"]:
            problem = call_problem(call)
            if problem:
                raise _broken(f"{problem}: {shown(call)}")
        return value
    raise _broken(f"a filter prints segments or calls, not {shown(value)}")


def _segment_problem(segment: object) -> str | None:
    if (
        isinstance(segment, dict)
        and len(segment) == 1
        and next(iter(segment))
        in {
            "text",
            "thinking",
            "call",
        }
    ):
        return event_problem(segment)
    return "a segment is {text}, {thinking} or {call}"
