"""Calls in JSON and in what stands near it: objects, lists, `=>`, a YAML mapping (LEAK.1)."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final

from .braces import read_bare
from .model import Options, RecoveredCall
from .names import NAME, Names
from .values import Unreadable, ValueReader

if TYPE_CHECKING:
    from collections.abc import Iterator

_yaml: Final = re.compile(
    rf"\s*({NAME}):[ \t]*\n((?:[ \t]+{NAME}:[ \t]+[^\n]+(?:\n|\Z))+)\s*"
).fullmatch
_json_call: Final = re.compile(rf"\s*({NAME})\s*(?=\{{)").match
_cut_call: Final = re.compile(
    r"""\s*(?:```(?:json)?\s*)?\[?\s*\{\s*"(?:name|tool|tool_name|function|action)"\s*:\s*"""
    r""""([^"\n]+)"\s*,\s*"(?:arguments|args|parameters|params|input|action_input)"\s*:\s*[{"]"""
).match
_NAME_KEYS: Final = ("name", "tool", "tool_name", "function", "action")
_ARGUMENT_KEYS: Final = ("arguments", "args", "parameters", "params", "input", "action_input")
_WRAPPERS: Final = frozenset(
    {"functionCall", "function_call", "toolCall", "tool_call", "function", "call"}
)
_LISTS: Final = frozenset({"tool_calls", "toolCalls", "function_calls", "functionCalls", "calls"})
_BESIDE: Final = frozenset({"id", "type", "index", "thought", "thoughtSignature"})
_TYPES: Final = frozenset(["object", "array", "string", "number", "integer", "boolean", "null"])


def loads(text: str) -> Any:  # noqa: ANN401 - JSON from anywhere
    """A JSON text's value, None where it is none."""
    try:
        return json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return None


def leading(text: str, pos: int) -> tuple[Any, int]:
    """The JSON value that begins at `pos` and where it ends; (None, pos) where none does."""
    try:
        return json.JSONDecoder(parse_constant=_refuse).raw_decode(text, pos)
    except (ValueError, RecursionError):
        return None, pos


def _refuse(name: str) -> Any:  # noqa: ANN401 - never returns
    raise ValueError(name)


def is_schema(value: Any) -> bool:  # noqa: ANN401 - JSON
    """Whether an object declares parameters instead of giving arguments: `type` and `properties`.

    What is wrapped in `parameters` counts as well, for that is how a declaration is written.
    """
    if not isinstance(value, dict):
        return False
    inner = value.get("parameters", value)
    if not isinstance(inner, dict):
        return False
    typed = str(inner.get("type", "")).lower() in _TYPES
    return typed and isinstance(inner.get("properties"), dict)


def named_call(name: str, arguments: dict[str, Any], names: Names) -> RecoveredCall:
    """A call whose name stands beside its arguments."""
    shown, tool, how = names.resolve(name) or (name, None, "undeclared")
    return RecoveredCall(shown, arguments, tool, how)


def json_calls(text: str, names: Names) -> list[RecoveredCall]:
    """Read `{"name": .., "arguments": {..}}`, a list of these, or `name {..}`."""
    headed = _json_call(text)
    if headed and names.declared(headed[1]):
        arguments = loads(text[headed.end() :])
        return [named_call(headed[1], arguments, names)] if isinstance(arguments, dict) else []
    return calls_of(lenient(text), names)


def lenient(text: str) -> Any:  # noqa: ANN401 - JSON
    """A value in JSON, or as Python writes it; None where it is neither."""
    value = loads(text)
    if value is not None or not text.lstrip().startswith(("{'", '{"', "[{")):
        return value
    reader = ValueReader(f"f({text.strip()},0)", Names(Options()), (), repair=False)
    try:
        values, _ = reader.arguments(2)
    except Unreadable:
        return None
    return values[0] if isinstance(values, list) else None


def calls_of(value: Any, names: Names) -> list[RecoveredCall]:  # noqa: ANN401 - JSON
    """The calls that a JSON value is; nothing where a part of it is none."""
    calls = [_call_of(one, names, 0) for one in _listed(value)]
    return [call for call in calls if call] if calls and all(calls) else []


def _listed(value: Any) -> list[Any]:  # noqa: ANN401 - JSON
    if isinstance(value, dict) and len(value) == 1:
        ((key, inner),) = value.items()
        if key in _LISTS and isinstance(inner, list):
            return inner
    return value if isinstance(value, list) else [value]


def _call_of(value: Any, names: Names, depth: int) -> RecoveredCall | None:  # noqa: ANN401
    if not isinstance(value, dict):
        return None
    keys = value.keys() - _BESIDE
    if len(keys) == 1 and keys <= _WRAPPERS and depth < 2:  # noqa: PLR2004 - one in another
        return _call_of(value[keys.pop()], names, depth + 1)
    name = next((value[key] for key in _NAME_KEYS if isinstance(value.get(key), str)), None)
    arguments = next((value[key] for key in _ARGUMENT_KEYS if key in value), None)
    if isinstance(arguments, str):
        arguments = loads(arguments)
    if name is None or not isinstance(arguments, dict) or not names.resolve(name):
        return None
    if is_schema(arguments) or "description" in value:
        return None
    return named_call(name, arguments, names)


def cut_call(text: str, names: Names) -> str | None:
    """The declared name of a JSON call that never ends."""
    match = _cut_call(text)
    if match is None or not names.declared(match[1]):
        return None
    return match[1] if text.count("{") > text.count("}") else None


def rocket_calls(text: str, names: Names) -> list[RecoveredCall]:
    """Read `{tool => 'name', args => '{..}'}`."""
    if "=>" not in text:
        return []
    values = ValueReader(f"f({text.replace('=>', ':')})", names, (), repair=False)
    try:
        arguments, _ = values.arguments(2)
    except Unreadable:
        return []
    call = _call_of(arguments, names, 0)
    return [call] if call else []


def yaml_calls(text: str, names: Names) -> Iterator[RecoveredCall]:
    """Read a mapping whose only key is a tool and whose entries are scalars."""
    match = _yaml(text)
    if match and names.declared(match[1]):
        lines = (line.partition(":") for line in match[2].splitlines() if line.strip())
        arguments = {key.strip(): read_bare(value.strip()) for key, _, value in lines}
        yield named_call(match[1], arguments, names)
