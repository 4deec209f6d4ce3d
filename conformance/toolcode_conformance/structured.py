"""Judges the operations around a message: plain JSON answers (TURN, API, DIALECT, LEAK)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from toolcode_conformance.compare import Comparison, difference, shown
from toolcode_conformance.faults import Fault

if TYPE_CHECKING:
    from toolcode_conformance.cases import Case

# The fields of a message or a request have no order.
_ANY_ORDER: Final = Comparison(any_order=True)


def judge(case: Case, expect: dict[str, Any], answer: dict[str, Any]) -> str | None:
    """Return what is wrong with an answer, or None; `expect` fits the choices.

    Raises:
        Fault: The answer is in none of the forms that the protocol has for it.
    """
    if isinstance(answer.get("refused"), str):
        if "refused" in expect:
            return None
        return f"it was refused: {shown(answer['refused'])}"
    if "refused" in expect:
        return f"this must be refused, but {shown(answer)} came"
    if case.op == "prompt":
        return judge_prompt(expect, _text(answer))
    if expect.keys() == {"text"}:
        return difference(expect, {"text": _text(answer)})
    if "value" not in answer:
        raise Fault("protocol", f"{case.op} wants {{value}} or {{refused}}, not {shown(answer)}")
    value = answer["value"]
    recovers = case.op == "recover"
    return judge_recovery(expect, value) if recovers else difference(expect, value, _ANY_ORDER)


def _text(answer: dict[str, Any]) -> str:
    text = answer.get("text")
    if not isinstance(text, str):
        raise Fault("protocol", f"{{text}} or {{refused}} is wanted, not {shown(answer)}")
    return text


def judge_recovery(expect: dict[str, Any], value: Any) -> str | None:  # noqa: ANN401
    """Judge what was recovered: calls exactly, what must not run by name, text but for blanks.

    A reason is judged only where the case states one.
    """
    if not isinstance(value, dict) or not value.keys() >= {"calls", "unresolved"}:
        raise Fault("protocol", f"{{calls, unresolved, text}} is wanted, not {shown(value)}")
    wrong = difference(expect["calls"], value["calls"], _ANY_ORDER)
    if wrong:
        return f"calls: {wrong}"
    told = [
        {key: one.get(key) for key in wanted} if isinstance(one, dict) else one
        for wanted, one in zip(expect["unresolved"], value["unresolved"], strict=False)
    ]
    told += value["unresolved"][len(told) :]
    wrong = difference(expect["unresolved"], told, _ANY_ORDER)
    if wrong:
        return f"unresolved: {wrong}"
    if "text" not in expect:
        return None
    wrong = difference(_pieces(expect["text"]), _pieces(value.get("text") or ""))
    return f"text: {wrong}" if wrong else None


def _pieces(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def judge_prompt(expect: dict[str, Any], text: str) -> str | None:
    """Judge a system prompt: its catalogue exactly, its wording by what it has to mention."""
    if not expect["tools"]:
        return f"no tools want no prompt, got {shown(text)}" if text else None
    found = _catalogue(text)
    if isinstance(found, str):
        wrong: str | None = found
    else:
        wrong = difference(expect["tools"], list(map(_undescribed, found)), _ANY_ORDER)
    if wrong:
        return f"between <tools> and </tools>: {wrong}"
    missing = [phrase for phrase in expect.get("mentions", ()) if phrase not in text.lower()]
    return f"the prompt does not mention {missing[0]!r}" if missing else None


def _undescribed(declared: Any) -> Any:  # noqa: ANN401 - JSON from anywhere
    """Take an empty description for none."""
    function = declared.get("function") if isinstance(declared, dict) else None
    if not isinstance(function, dict) or function.get("description") != "":
        return declared
    return {**declared, "function": {k: v for k, v in function.items() if k != "description"}}


def _catalogue(text: str) -> list[Any] | str:
    """Return the declarations of a prompt, one per line, or what is wrong with them."""
    _, opener, rest = text.partition("<tools>\n")
    catalogue, closer, _ = rest.partition("\n</tools>")
    if not opener or not closer:
        return "there are no lines"
    try:
        return [json.loads(line) for line in catalogue.split("\n")]
    except ValueError as error:
        return f"a line is no JSON: {error}"
