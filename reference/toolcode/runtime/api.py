"""Calls and results in the structured forms of OpenAI and Gemini (API.1, API.2).

Error contract: what a form cannot carry, and what is not in it, raises RuntimeFormatError with the
place. Nothing is repaired: arguments that are half a JSON text are no arguments.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final, Literal, NoReturn, TypeAlias, get_args

from .conversation import ToolCall, ToolResult
from .errors import RuntimeFormatError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from toolcode import JSON

MissingSignature: TypeAlias = Literal["omit", "placeholder", "error"]

PLACEHOLDER: Final = "skip_thought_signature_validator"
"""The value that Google documents for a call that no model signed."""

_lone_surrogate: Final = re.compile("[\ud800-\udfff]")


def to_openai(calls: Iterable[ToolCall]) -> list[dict[str, Any]]:
    """Write calls as OpenAI's `tool_calls` (API.1).

    Raises:
        RuntimeFormatError: A call has no id, or arguments that are no JSON.
    """
    return [_openai_call(call, f"calls[{index}]") for index, call in enumerate(calls)]


def _openai_call(call: ToolCall, where: str) -> dict[str, Any]:
    if not call.id:
        raise RuntimeFormatError(f"{where}: a call needs an id here")
    function = {"name": call.name, "arguments": _written(dict(call.arguments), where)}
    return {"id": call.id, "type": "function", "function": function}


def _written(arguments: JSON, where: str) -> str:
    """Write arguments as JSON that any UTF-8 channel carries."""
    try:
        text = json.dumps(arguments, ensure_ascii=False, allow_nan=False)
    except (ValueError, TypeError) as error:
        raise RuntimeFormatError(f"{where}.arguments: {error}") from None
    except RecursionError:
        raise RuntimeFormatError(f"{where}.arguments: nested too deeply") from None
    return _lone_surrogate.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def from_openai(tool_calls: Iterable[Any]) -> list[ToolCall]:
    """Read OpenAI's `tool_calls`; empty `arguments` are no arguments.

    Raises:
        RuntimeFormatError: One is not in that form; the message names its index.
    """
    return [_from_openai(item, f"tool_calls[{index}]") for index, item in enumerate(tool_calls)]


def _from_openai(item: Any, where: str) -> ToolCall:  # noqa: ANN401 - JSON from anywhere
    function: Any = item.get("function") if isinstance(item, dict) else None
    name = _name(function, f"{where}.function")
    place = f"{where}.function.arguments"
    written = function.get("arguments")
    if isinstance(written, str) and written.strip():
        written = _read(written, place)
    elif written is None or isinstance(written, str):
        written = {}
    if not isinstance(written, dict):
        raise RuntimeFormatError(f"{place}: an object is wanted")
    return ToolCall(name, written, _optional(item, "id", where))


def _read(written: str, where: str) -> Any:  # noqa: ANN401
    try:
        return json.loads(written, parse_constant=_refuse_constant)
    except ValueError as error:
        raise RuntimeFormatError(f"{where}: no JSON: {error}") from None
    except RecursionError:
        raise RuntimeFormatError(f"{where}: nested too deeply") from None


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def _name(function: Any, where: str) -> str:  # noqa: ANN401
    name = function.get("name") if isinstance(function, dict) else None
    if not isinstance(name, str) or not name:
        raise RuntimeFormatError(f"{where}.name: a string is wanted")
    return name


def _optional(fields: dict[str, Any], key: str, where: str) -> str | None:
    """A text that may be missing; the empty one counts as missing."""
    found = fields.get(key)
    if found is not None and not isinstance(found, str):
        raise RuntimeFormatError(f"{where}.{key}: a string is wanted")
    return found or None


def to_gemini(
    calls: Iterable[ToolCall], *, ids: bool = True, missing_signature: MissingSignature = "omit"
) -> list[dict[str, Any]]:
    """Write calls as Gemini parts with `functionCall` (API.2).

    Args:
        calls: The calls.
        ids: Whether to write ids; Vertex has none.
        missing_signature: What the first call gets when it has no thought signature, as one has
            that was read from text: nothing, the documented placeholder, or an error. Models sign
            only the first of parallel calls, so the others are left as they are.

    Raises:
        RuntimeFormatError: A signature is missing, and that was to be an error; arguments are no
            JSON; `missing_signature` is unknown.
    """
    if missing_signature not in get_args(MissingSignature):
        raise RuntimeFormatError(
            f"missing_signature must be one of {get_args(MissingSignature)}, "
            f"not {missing_signature!r}"
        )
    parts = []
    for index, call in enumerate(calls):
        _written(dict(call.arguments), f"calls[{index}]")
        function: dict[str, Any] = {"name": call.name, "args": dict(call.arguments)}
        if ids and call.id:
            function["id"] = call.id
        part: dict[str, Any] = {"functionCall": function}
        if call.signature is not None:
            part["thoughtSignature"] = call.signature
        elif index == 0 and missing_signature == "placeholder":
            part["thoughtSignature"] = PLACEHOLDER
        elif index == 0 and missing_signature == "error":
            raise RuntimeFormatError(f"calls[{index}]: {call.name} has no thought signature")
        parts.append(part)
    return parts


def from_gemini(parts: Iterable[Any]) -> list[ToolCall]:
    """Read the calls among Gemini parts; parts of other kinds are passed over.

    The names of the Python SDK (`function_call`, `thought_signature`) are read as well.

    Raises:
        RuntimeFormatError: A `functionCall` is malformed, or a piece of one that is still being
            streamed; the message names its index.
    """
    calls = []
    for index, part in enumerate(parts):
        function = _part(part, "functionCall", "function_call")
        if function is None:
            continue
        where = f"parts[{index}].functionCall"
        name = _name(function, where)
        if function.get("willContinue") or function.get("partialArgs"):
            raise RuntimeFormatError(f"{where}: a piece of a streamed call; put them together")
        arguments = function.get("args")
        if arguments is None:
            arguments = {}
        if not isinstance(arguments, dict):
            raise RuntimeFormatError(f"{where}.args: an object is wanted")
        key = "thoughtSignature" if "thoughtSignature" in part else "thought_signature"
        signature = _optional(part, key, f"parts[{index}]")
        calls.append(ToolCall(name, arguments, _optional(function, "id", where), signature))
    return calls


def _part(part: Any, key: str, sdk_key: str) -> Any:  # noqa: ANN401 - JSON from anywhere
    """The part's content under the name in REST or in the SDK; None where it has none."""
    if not isinstance(part, dict):
        return None
    return part.get(key) if part.get(key) is not None else part.get(sdk_key)


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
        response = _part(part, "functionResponse", "function_response")
        if response is None:
            continue
        where = f"parts[{index}].functionResponse"
        name = _name(response, where)
        body = response.get("response")
        if not isinstance(body, dict):
            raise RuntimeFormatError(f"{where}.response: an object is wanted")
        error = set(body) == {"error"}
        value = body[next(iter(body))] if set(body) in ({"output"}, {"error"}) else body
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        results.append(ToolResult(text, name, _optional(response, "id", where), error))
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
    by_id = _indexed(calls)
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
    # Names first: results without one answer what is then still open.
    for name, group in sorted(unnamed.items(), key=lambda item: not item[0]):
        _by_order(calls, name, group, found)
    missing = [call.name for index, call in enumerate(calls) if index not in found]
    if missing:
        raise RuntimeFormatError(f"no result for {', '.join(missing)}")
    return [_named(calls[index], found[index]) for index in range(len(calls))]


def _indexed(calls: Sequence[ToolCall]) -> dict[str, int]:
    """The calls' places by id; two calls with one id are an error."""
    by_id: dict[str, int] = {}
    for index, call in enumerate(calls):
        if call.id and by_id.setdefault(call.id, index) != index:
            raise RuntimeFormatError(f"calls[{index}]: a second call has the id {call.id!r}")
    return by_id


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
