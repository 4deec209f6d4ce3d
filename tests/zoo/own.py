"""Small parsers of their own, each around the one shortcut that it is named after."""

from __future__ import annotations

import ast
import contextlib
import json
import re
import warnings
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from tests.zoo.faulty import Faulty, block, call, gives

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.zoo.faulty import Event

Found = tuple[str, dict[str, Any]]

_FENCED: Final = re.compile(r"```tool_code(.*?)```", re.DOTALL)
_GREEDY: Final = re.compile(r"```tool_code(.*)```", re.DOTALL)
_WITH_BREAK: Final = re.compile(r"```tool_code\n(.*?)\n```", re.DOTALL)


class Small:
    """Offers scanning and nothing else: a pattern for blocks, a function for what is in them."""

    def __init__(
        self, parse: Callable[[str], list[Found]], pattern: re.Pattern[str] = _FENCED
    ) -> None:
        self._parse = parse
        self._pattern = pattern

    def handle(self, request: dict[str, Any]) -> dict[str, Any]:
        """Answer one message."""
        number = request["id"]
        if request["op"] == "hello":
            who = {"protocol": 1, "implementation": {"name": "small"}, "capabilities": ["scan"]}
            return {"id": number, "result": who}
        text = "".join(request["chunks"])
        return {"id": number, "result": {"steps": [list(self._events(text)), []]}}

    def _events(self, text: str) -> Iterator[Event]:
        end = 0
        for match in self._pattern.finditer(text):
            yield {"text": text[end : match.start()]}
            for name, arguments in self._parse(match[1]):
                yield {"call": {"name": name, "arguments": arguments}}
            end = match.end()
        yield {"text": text[end:].partition("```tool_code")[0]}


# --- by way of CPython's ast; what a body says is never run


def _tree(source: str) -> ast.Module | None:
    with warnings.catch_warnings(), contextlib.suppress(SyntaxError, ValueError, RecursionError):
        warnings.simplefilter("ignore")
        return ast.parse(source)
    return None


def _top(nodes: list[Any]) -> Iterator[ast.Call]:
    """Yield the calls of statements, lists, assignments and prints."""
    for node in nodes:
        if isinstance(node, (ast.Expr, ast.Assign)):
            yield from _top([node.value])
        elif isinstance(node, (ast.List, ast.Tuple)):
            yield from _top(node.elts)
        elif isinstance(node, ast.Call) and _name(node.func) == "print":
            yield from _top(node.args)
        elif isinstance(node, ast.Call):
            yield node


def _name(node: ast.expr) -> str:
    return ast.unparse(node).rpartition(".")[2]


def _json(value: Any) -> Any:
    if isinstance(value, (list, tuple, set)):
        return [_json(item) for item in value]
    if isinstance(value, dict):
        return {str(key): _json(item) for key, item in value.items()}
    return value.decode("latin-1") if isinstance(value, bytes) else value


def _literal(node: ast.expr) -> Any:
    try:
        return _json(ast.literal_eval(node))
    except ValueError:
        return ast.unparse(node)


def by_ast(
    body: str,
    *,
    value: Callable[[ast.expr], Any] = _literal,
    name: Callable[[ast.expr], str] = _name,
) -> list[Found]:
    """Return the calls of a body that is Python as a whole, and none of any other."""
    tree = _tree(body.strip())
    return [
        (name(node.func), {key.arg: value(key.value) for key in node.keywords if key.arg})
        for node in _top(tree.body if tree else [])
    ]


def each_line(body: str) -> list[Found]:
    """Every line is a call of its own."""
    return [found for line in body.split("\n") for found in by_ast(line)]


def lists_only(body: str) -> list[Found]:
    """What is no list in brackets is no call."""
    return by_ast(body) if body.strip().startswith("[") else []


def prints_cut_out(body: str) -> list[Found]:
    """A pattern takes `print(...)` away, wherever it stands."""
    return by_ast(re.sub(r"print\((?:default_api\.)?(.+\(.*\))\)", r"\1", body))


def lines_joined(body: str) -> list[Found]:
    """Line breaks are made commas, so that one call per line is a list."""
    return by_ast("[" + ", ".join(body.strip().splitlines()) + "]")


def label_stripped(body: str) -> list[Found]:
    """The label is taken off with `lstrip`, which strips characters."""
    return by_ast(body.lstrip("`tool_code"))  # noqa: B005, PLE1310 - that is the mistake


def _identifier(node: ast.expr) -> str:
    return str(node.id)  # type: ignore[attr-defined]  # that is the mistake


def _attribute(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else "print"


def _plus_is_minus(node: ast.expr) -> Any:
    if isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant):
        return -node.operand.value if isinstance(node.operand.value, int) else ast.unparse(node)
    return _literal(node)


def _tuple_as_text(node: ast.expr) -> Any:
    return ast.unparse(node) if isinstance(node, ast.Tuple) else _literal(node)


def _constructor(node: ast.expr) -> Any:
    if not isinstance(node, ast.Call):
        return _literal(node)
    return {"__type__": _name(node.func)} | {k.arg: _constructor(k.value) for k in node.keywords}


def _strict(node: ast.expr) -> Any:
    return _json(ast.literal_eval(node))


# --- by hand


def by_pattern(body: str) -> list[Found]:
    """One pattern for calls, one for arguments; every value is a string."""
    return [
        (name, {key: value.strip("\"' ") for key, value in re.findall(r"(\w+)=([^,]*)", inside)})
        for name, inside in re.findall(r"(\w+)\((\w+=.*?|)\)", body)
    ]


def _value(text: str) -> Any:
    try:
        return _json(ast.literal_eval(text.strip()))
    except (ValueError, SyntaxError):
        return text.strip()


def split_at_commas(body: str) -> list[Found]:
    """What stands between the outermost parentheses is split at commas."""
    match = re.search(r"(\w+)\((\w+ ?=.*|)\)", body.strip().removesuffix("])"), re.DOTALL)
    if not match:
        return []
    pairs = [part.partition("=") for part in match[2].split(",")]
    return [(match[1], {key.strip(): _value(text) for key, equals, text in pairs if equals})]


def by_json(body: str) -> list[Found]:
    """Keywords and quotes are rewritten until a JSON parser takes the arguments."""
    found = []
    for name, inside in re.findall(r"(\w+)\((\w+=[^()]*|)\)", body):
        written = re.sub(r"\b(\w+)=", r'"\1": ', inside.replace("'", '"'))
        for python, word in (("True", "true"), ("False", "false"), ("None", "null")):
            written = written.replace(python, word)
        with contextlib.suppress(ValueError):
            found.append((name, json.loads("{" + written + "}")))
    return found


def _end(body: str, at: int, closes: Callable[[str, int], bool] | None) -> int:
    """Return where the bracket that opens at `at` is closed, or -1."""
    depth, quote = 0, ""
    for place in range(at, len(body)):
        char = body[place]
        if quote:
            quote = "" if char in quote and closes and closes(body, place) else quote
        elif closes and char in "\"'":
            quote = "\"'" if closes is _any_quote else char
        elif char in "([{":
            depth += 1
        elif char in ")]}":
            depth -= 1
            if not depth:
                return place + 1
    return -1


def _any_quote(_body: str, _place: int) -> bool:
    return True


def _same_quote(_body: str, _place: int) -> bool:
    return True


def _one_backslash(body: str, place: int) -> bool:
    return body[place - 1] != "\\"


def by_brackets(body: str, closes: Callable[[str, int], bool] | None = None) -> list[Found]:
    """Find each call's end by counting brackets; `closes` says which quotes end a string."""
    found, at = [], 0
    opener = re.compile(r"([A-Za-z_][\w.]*)\(")
    while match := opener.search(body, at):
        end = _end(body, match.end() - 1, closes)
        if match[1] == "print" or end < 0:
            at = match.end()
            continue
        found += by_ast(body[match.start() : end])
        at = end
    return found


FAULTS: tuple[Faulty, ...] = (
    Faulty(
        "python-or-nothing",
        "ast.parse takes the body, and nothing is found where it raises",
        block('f(from="a")'),
        gives(call("f", **{"from": "a"})),
        own=partial(Small, by_ast),
    ),
    Faulty(
        "calls-by-pattern",
        "a fallback for what ast refuses: name, parenthesis, anything, parenthesis",
        block("f(a=1)"),
        gives(call("f", a=1)),
        own=partial(Small, by_pattern),
    ),
    Faulty(
        "splits-at-commas",
        "the text between the parentheses, split",
        block('f(a="x, y")'),
        gives(call("f", a="x, y")),
        own=partial(Small, split_at_commas),
    ),
    Faulty(
        "arguments-by-json",
        "quotes are replaced until json.loads is content",
        block('f(a="it\'s")'),
        gives(call("f", a="it's")),
        own=partial(Small, by_json),
    ),
    Faulty(
        "brackets-in-strings-count",
        "a depth counter that knows no strings",
        block('f(a="(")'),
        gives(call("f", a="(")),
        beside="python-or-nothing",
        own=partial(Small, by_brackets),
    ),
    Faulty(
        "any-quote-closes",
        "one flag for being in a string",
        block('f(a="it\'s (")'),
        gives(call("f", a="it's (")),
        beside="python-or-nothing",
        own=partial(Small, partial(by_brackets, closes=_any_quote)),
    ),
    Faulty(
        "escaped-quote-closes",
        "a string ends at the next quote of its kind",
        block(r'f(a="x\")")'),
        gives(call("f", a='x")')),
        beside="python-or-nothing",
        own=partial(Small, partial(by_brackets, closes=_same_quote)),
    ),
    Faulty(
        "backslash-before-quote-escapes",
        "only one character in front of the quote is looked at",
        block(r'f(a="x\\", b=")")'),
        gives(call("f", a="x\\", b=")")),
        beside="python-or-nothing",
        own=partial(Small, partial(by_brackets, closes=_one_backslash)),
    ),
    Faulty(
        "prints-cut-out-of-strings",
        "a filter rewrites each line before it is parsed",
        block("f(a='print(default_api.g(b=2))')"),
        gives(call("f", a="print(default_api.g(b=2))")),
        beside="python-or-nothing",
        own=partial(Small, prints_cut_out),
    ),
    Faulty(
        "lists-only",
        "the grammar begins with a bracket",
        block("f(a=1)"),
        gives(call("f", a=1)),
        beside="python-or-nothing",
        own=partial(Small, lists_only),
    ),
    Faulty(
        "one-call-one-line",
        "the body is split into lines, and each is parsed",
        block("f(\n  a=1,\n)"),
        gives(call("f", a=1)),
        beside="python-or-nothing",
        own=partial(Small, each_line),
    ),
    Faulty(
        "breaks-become-commas",
        "a body of lines is made a list before it is parsed",
        block("f(a='''x\ny''')"),
        gives(call("f", a="x\ny")),
        beside="python-or-nothing",
        own=partial(Small, lines_joined),
    ),
    Faulty(
        "strips-the-label-by-characters",
        "lstrip in place of removeprefix",
        "```tool_codelook(a=1)```",
        gives(call("look", a=1)),
        beside="python-or-nothing",
        own=partial(Small, label_stripped),
    ),
    Faulty(
        "greedy-block",
        "a pattern with .* in place of .*?",
        block("f(a=1)") + " and " + block("g(b=2)"),
        gives(call("f", a=1), " and ", call("g", b=2)),
        beside="python-or-nothing",
        own=partial(Small, by_ast, _GREEDY),
    ),
    Faulty(
        "block-wants-its-line-breaks",
        "a pattern with \\n behind the label and before the fence",
        "```tool_code f(a=1)```",
        gives(call("f", a=1)),
        beside="python-or-nothing",
        own=partial(Small, by_ast, _WITH_BREAK),
    ),
    Faulty(
        "throws-at-a-dotted-callee",
        "node.func.id, which an attribute does not have",
        block("default_api.f(a=1)"),
        gives(call("f", a=1)),
        beside="python-or-nothing",
        own=partial(Small, partial(by_ast, name=_identifier)),
    ),
    Faulty(
        "wants-the-namespace",
        "node.func.attr, which a plain name does not have",
        block("f(a=1)"),
        gives(call("f", a=1)),
        beside="python-or-nothing",
        own=partial(Small, partial(by_ast, name=_attribute)),
    ),
    Faulty(
        "plus-is-minus",
        "any sign negates",
        block("f(a=+7)"),
        gives(call("f", a=7)),
        beside="python-or-nothing",
        own=partial(Small, partial(by_ast, value=_plus_is_minus)),
    ),
    Faulty(
        "tuples-are-texts",
        "str() of whatever JSON has no word for",
        block("f(a=(1, 'x'))"),
        gives(call("f", a=[1, "x"])),
        beside="python-or-nothing",
        own=partial(Small, partial(by_ast, value=_tuple_as_text)),
    ),
    Faulty(
        "nested-calls-are-objects",
        "a call as a value is taken for a constructor",
        block("f(a=g(b=2))"),
        gives(call("f", {"unresolved": ["a"]}, a="g(b=2)")),
        beside="python-or-nothing",
        own=partial(Small, partial(by_ast, value=_constructor)),
    ),
    Faulty(
        "throws-at-a-name",
        "literal_eval, and nobody catches its ValueError",
        block("f(a=x)"),
        gives(call("f", {"unresolved": ["a"]}, a="x")),
        beside="python-or-nothing",
        own=partial(Small, partial(by_ast, value=_strict)),
    ),
)
