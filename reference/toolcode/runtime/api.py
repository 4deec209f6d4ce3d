"""Calls and results in the structured forms of OpenAI and Gemini (API.1, API.2)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from .conversation import ToolCall, ToolResult
from .errors import RuntimeFormatError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

MissingSignature: TypeAlias = Literal["omit", "placeholder", "error"]

PLACEHOLDER: Final = "skip_thought_signature_validator"
"""The value that Google documents for a call that no model signed."""


def to_openai(calls: Iterable[ToolCall]) -> list[dict[str, Any]]:
    """Write calls as OpenAI's `tool_calls` (API.1).

    Raises:
        RuntimeFormatError: A call has no id, or arguments that are no JSON.
    """
    return [_openai_call(call, f"calls[{index}]") for index, call in enumerate(calls)]


def _openai_call(call: ToolCall, where: str) -> dict[str, Any]:
    if not call.id:
        raise RuntimeFormatError(f"{where}: a call needs an id here")
    try:
        arguments = json.dumps(dict(call.arguments), ensure_ascii=False, allow_nan=False)
    except (ValueError, TypeError) as error:
        raise RuntimeFormatError(f"{where}.arguments: {error}") from None
    function = {"name": call.name, "arguments": arguments}
    return {"id": call.id, "type": "function", "function": function}


def from_openai(tool_calls: Iterable[Any]) -> list[ToolCall]:
    """Read OpenAI's `tool_calls`; empty `arguments` are no arguments.

    Raises:
        RuntimeFormatError: One is not in that form; the message names its index.
    """
    return [_from_openai(item, f"tool_calls[{index}]") for index, item in enumerate(tool_calls)]


def _from_openai(item: Any, where: str) -> ToolCall:  # noqa: ANN401 - JSON from anywhere
    function = item.get("function") if isinstance(item, dict) else None
    if not isinstance(function, dict) or not isinstance(function.get("name"), str):
        raise RuntimeFormatError(f"{where}.function.name: a string is wanted")
    written = function.get("arguments") or "{}"
    try:
        arguments = json.loads(written) if isinstance(written, str) else written
    except ValueError as error:
        raise RuntimeFormatError(f"{where}.function.arguments: no JSON: {error}") from None
    if not isinstance(arguments, dict):
        raise RuntimeFormatError(f"{where}.function.arguments: an object is wanted")
    return ToolCall(function["name"], arguments, item.get("id"))


def to_gemini(
    calls: Iterable[ToolCall], *, ids: bool = True, missing_signature: MissingSignature = "omit"
) -> list[dict[str, Any]]:
    """Write calls as Gemini parts with `functionCall` (API.2).

    Args:
        calls: The calls.
        ids: Whether to write ids; Vertex has none.
        missing_signature: What a call without a thought signature gets, as one has that was read
            from text: nothing, the documented placeholder, or an error.

    Raises:
        RuntimeFormatError: A signature is missing, and that was to be an error.
    """
    parts = []
    for index, call in enumerate(calls):
        function: dict[str, Any] = {"name": call.name, "args": dict(call.arguments)}
        if ids and call.id:
            function["id"] = call.id
        part: dict[str, Any] = {"functionCall": function}
        if call.signature is not None:
            part["thoughtSignature"] = call.signature
        elif missing_signature == "placeholder":
            part["thoughtSignature"] = PLACEHOLDER
        elif missing_signature == "error":
            raise RuntimeFormatError(f"calls[{index}]: {call.name} has no thought signature")
        parts.append(part)
    return parts


def from_gemini(parts: Iterable[Any]) -> list[ToolCall]:
    """Read the calls among Gemini parts; parts of other kinds are passed over.

    Raises:
        RuntimeFormatError: A `functionCall` is malformed; the message names its index.
    """
    calls = []
    for index, part in enumerate(parts):
        function = part.get("functionCall") if isinstance(part, dict) else None
        if function is None:
            continue
        where = f"parts[{index}].functionCall"
        if not isinstance(function, dict) or not isinstance(function.get("name"), str):
            raise RuntimeFormatError(f"{where}.name: a string is wanted")
        arguments = function.get("args") or {}
        if not isinstance(arguments, dict):
            raise RuntimeFormatError(f"{where}.args: an object is wanted")
        signature = part.get("thoughtSignature")
        calls.append(ToolCall(function["name"], arguments, function.get("id"), signature))
    return calls


def results_to_openai(results: Iterable[ToolResult]) -> list[dict[str, Any]]:
    """Write results as OpenAI's tool messages.

    Raises:
        RuntimeFormatError: A result does not say which call it answers.
    """
    written = []
    for index, result in enumerate(results):
        if not result.call_id:
            raise RuntimeFormatError(f"results[{index}]: a result needs its call's id here")
        written.append({"role": "tool", "tool_call_id": result.call_id, "content": result.text})
    return written


def results_to_gemini(results: Iterable[ToolResult], *, ids: bool = True) -> list[dict[str, Any]]:
    """Write results as Gemini parts with `functionResponse`, the call's id echoed.

    Raises:
        RuntimeFormatError: A result does not name its tool.
    """
    parts = []
    for index, result in enumerate(results):
        if not result.name:
            raise RuntimeFormatError(f"results[{index}]: a result needs its tool's name here")
        response: dict[str, Any] = {
            "name": result.name,
            "response": {"error" if result.error else "output": result.text},
        }
        if ids and result.call_id:
            response["id"] = result.call_id
        parts.append({"functionResponse": response})
    return parts


def results_from_gemini(parts: Iterable[Any]) -> list[ToolResult]:
    """Read the results among Gemini parts.

    A response with other fields than `output` or `error` comes as its JSON text.

    Raises:
        RuntimeFormatError: A `functionResponse` is malformed; the message names its index.
    """
    results = []
    for index, part in enumerate(parts):
        response = part.get("functionResponse") if isinstance(part, dict) else None
        if response is None:
            continue
        where = f"parts[{index}].functionResponse"
        if not isinstance(response, dict) or not isinstance(response.get("name"), str):
            raise RuntimeFormatError(f"{where}.name: a string is wanted")
        body = response.get("response")
        if not isinstance(body, dict):
            raise RuntimeFormatError(f"{where}.response: an object is wanted")
        error = set(body) == {"error"}
        value = body[next(iter(body))] if set(body) in ({"output"}, {"error"}) else body
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        results.append(ToolResult(text, response["name"], response.get("id"), error))
    return results


def match_results(calls: Sequence[ToolCall], results: Sequence[ToolResult]) -> list[ToolResult]:
    """Put results into the order of their calls, each with its call's name and id.

    A result with an id answers the call with that id. One without, as on Vertex, answers the call
    at its place among the calls of its name, which takes as many results of that name as calls.

    Raises:
        RuntimeFormatError: An id or name is unknown, a call is answered twice or not at all, or
            it cannot be told which call a result answers.
    """
    found: dict[int, ToolResult] = {}
    by_id = {call.id: index for index, call in enumerate(calls) if call.id}
    unnamed: dict[str, list[tuple[int, ToolResult]]] = {}
    for number, result in enumerate(results):
        where = f"results[{number}]"
        if result.call_id:
            if result.call_id not in by_id:
                raise RuntimeFormatError(f"{where}: no call has the id {result.call_id!r}")
            index = by_id[result.call_id]
            if result.name not in (None, calls[index].name):
                raise RuntimeFormatError(
                    f"{where}: id {result.call_id!r} is a call of {calls[index].name}, "
                    f"not of {result.name}"
                )
            if index in found:
                raise RuntimeFormatError(f"{where}: call {result.call_id!r} is answered twice")
            found[index] = result
        else:
            unnamed.setdefault(result.name or "", []).append((number, result))
    for name, group in unnamed.items():
        _by_order(calls, name, group, found)
    missing = [call.name for index, call in enumerate(calls) if index not in found]
    if missing:
        raise RuntimeFormatError(f"no result for {', '.join(missing)}")
    return [_named(calls[index], found[index]) for index in range(len(calls))]


def _by_order(
    calls: Sequence[ToolCall],
    name: str,
    group: list[tuple[int, ToolResult]],
    found: dict[int, ToolResult],
) -> None:
    """Give the results of one name (or of none) to its open calls, one by one."""
    free = [i for i, call in enumerate(calls) if i not in found and name in ("", call.name)]
    if len(free) != len(group):
        whose = f"of {name}" if name else "without a name"
        raise RuntimeFormatError(
            f"results[{group[0][0]}]: {len(group)} results {whose} for {len(free)} open calls: "
            "it cannot be told which answers which"
        )
    for index, (_, result) in zip(free, group, strict=True):
        found[index] = result


def _named(call: ToolCall, result: ToolResult) -> ToolResult:
    return ToolResult(result.text, call.name, call.id, result.error, result.images)
