"""CPython's `ast` as a second oracle for the corpus, independent of the reference.

Nothing is evaluated: a body is parsed, calls are read off the tree by the rules of CALL, and each
argument's own node is carried to JSON by the rules of LIT. Where CPython cannot speak (the body is
no Python, or the format deliberately differs) the oracle is silent and says why.
"""

from __future__ import annotations

import ast
import json
import math
import sys
import unicodedata
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from toolcode_conformance.cases import join_surrogates
from toolcode_conformance.compare import difference, shown
from toolcode_conformance.oracle_calls import argument_source, find_calls, python_blocks

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolcode_conformance.cases import Case

MAX_DIGITS: Final = 4300
_JSON_NAMES: Final = {"true": True, "false": False, "null": None}


@dataclass(frozen=True, slots=True)
class Opinion:
    """What CPython says of a case: `silent` (why), else `differs` (how), else it agrees."""

    silent: str = ""
    differs: str = ""


class NoLiteralError(Exception):
    """The node stands for no JSON value."""


def parse(text: str) -> ast.Module | None:
    """Return the tree of a text, or None if it is no Python CPython can parse."""
    sys.set_int_max_str_digits(0)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def to_json(node: ast.expr, source: str) -> Any:  # noqa: ANN401  any JSON value
    """Return the JSON value of a literal's node (LIT).

    Raises:
        NoLiteralError: It is no literal, or one that JSON cannot carry.
    """
    match node:
        case ast.Constant():
            return _constant(node.value)
        case ast.Name(id=name) if name in _JSON_NAMES:
            return _JSON_NAMES[name]
        case ast.List(elts=items) | ast.Tuple(elts=items) | ast.Set(elts=items):
            return [to_json(item, source) for item in items]
        case ast.Dict():
            return {
                _key(key, source): to_json(value, source)
                for key, value in zip(node.keys, node.values, strict=True)
            }
        case ast.UnaryOp(op=ast.UAdd() | ast.USub()):
            return _signed(node)
        case ast.JoinedStr():
            return _plain_f_string(node, source)
    raise NoLiteralError


def _constant(value: object) -> Any:  # noqa: ANN401  any JSON scalar
    if isinstance(value, bytes):
        return value.decode("latin-1")
    if isinstance(value, str):
        return join_surrogates(value)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int) and abs(value) < 10**MAX_DIGITS:
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    raise NoLiteralError


def _signed(node: ast.UnaryOp) -> Any:  # noqa: ANN401  a JSON number
    try:
        value = ast.literal_eval(node)
    except ValueError:
        raise NoLiteralError from None
    return _constant(value)


def _key(node: ast.expr | None, source: str) -> str:
    if node is None:
        raise NoLiteralError
    value = to_json(node, source)
    if isinstance(value, list | dict):
        raise NoLiteralError
    return value if isinstance(value, str) else json.dumps(value)


def _plain_f_string(node: ast.JoinedStr, source: str) -> str:
    segment = ast.get_source_segment(source, node) or "{"
    parts = [part.value for part in node.values if isinstance(part, ast.Constant)]
    if "{" in segment or "}" in segment or len(parts) != len(node.values):
        raise NoLiteralError
    return join_surrogates("".join(str(part) for part in parts))


def _folds(text: str) -> bool:
    """Tell whether CPython would not keep the text as written (ENV.7)."""
    return any(char in text for char in "\r\0\f")


def _arguments(call: ast.Call, body: str) -> tuple[dict[str, Any], list[str]]:
    arguments: dict[str, Any] = {}
    unresolved: list[str] = []
    for keyword in call.keywords:
        if keyword.arg is None:
            continue
        if keyword.arg in unresolved:  # repeated: its last value counts
            unresolved.remove(keyword.arg)
        try:
            arguments[keyword.arg] = to_json(keyword.value, body)
        except NoLiteralError:
            arguments[keyword.arg] = argument_source(keyword, body)
            unresolved.append(keyword.arg)
    return arguments, unresolved


def opinion(case: Case) -> Opinion:
    """Return what CPython says of a case's expected answer."""
    try:
        return _opinion(case)
    except RecursionError:  # CPython's parser takes more than its own tree walkers bear
        return Opinion(silent="nested deeper than CPython's tree walkers go")


def _opinion(case: Case) -> Opinion:
    if case.expect.get("any"):
        return Opinion(silent="no answer is stated")
    if case.options.get("dialect") == "gemma":
        return Opinion(silent="Gemma 4's convention is no Python")
    if case.op == "literal":
        return _literal_opinion(case)
    if case.op == "scan":
        return _scan_opinion(case)
    return Opinion(silent=f"operation {case.op} is not about reading Python")


def _literal_opinion(case: Case) -> Opinion:
    body = f"f(x={case.text}\n)"
    tree = None if _folds(case.text) else parse(body)
    match tree and tree.body:
        case [ast.Expr(value=ast.Call(args=[], keywords=[ast.keyword(arg="x")]) as call)]:
            arguments, unresolved = _arguments(call, body)
        case _:
            return Opinion(silent="the value is no Python that CPython can parse")
    if unresolved:
        said: dict[str, Any] = {"nonliteral": arguments["x"]}
    else:
        said = {"value": arguments["x"]}
    return Opinion(differs=difference(said, case.expect) or "")


def _scan_opinion(case: Case) -> Opinion:
    blocks = python_blocks(case.text, parse)
    if isinstance(blocks, str):
        return Opinion(silent=blocks)
    if any(_folds(body) for body, _ in blocks):
        return Opinion(silent="CPython folds line breaks or refuses a character of the body")
    tools = case.options.get("tools")
    said = []
    for body, tree in blocks:
        for name, call in find_calls(tree, None if tools is None else frozenset(tools)):
            arguments, unresolved = _arguments(call, body)
            said.append({"name": name, "arguments": arguments, "unresolved": unresolved})
    wanted = [
        {
            "name": call["name"],
            "arguments": call["arguments"],
            "unresolved": call.get("unresolved", []),
        }
        for call in _expected_calls(case.expect)
    ]
    found = difference(_folded(said), _folded(wanted))
    if found:
        return Opinion(differs=f"{found} (CPython reads {shown([c['name'] for c in said])})")
    return Opinion()


def _expected_calls(expect: dict[str, Any]) -> Iterable[dict[str, Any]]:
    return (segment["call"] for segment in expect.get("segments", []) if "call" in segment)


def _folded(calls: list[dict[str, Any]]) -> list[Any]:
    """CPython folds identifiers by NFKC, the format keeps them: compare both folded."""
    return [
        {
            "name": unicodedata.normalize("NFKC", call["name"]),
            "arguments": {
                unicodedata.normalize("NFKC", name): value
                for name, value in call["arguments"].items()
            },
            "unresolved": [unicodedata.normalize("NFKC", name) for name in call["unresolved"]],
        }
        for call in calls
    ]
