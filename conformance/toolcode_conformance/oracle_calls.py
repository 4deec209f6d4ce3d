"""Finds blocks and calls with CPython's parser alone (the oracle's half for CALL and ENV)."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_FENCE: Final = "```"
_OPENER: Final = "```tool_code"
_OTHER_BLOCKS: Final = re.compile(r"```(?:thinking|tool_outputs)|````")
_MAX_CLOSERS: Final = 40
_DEFINITIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


def python_blocks(
    text: str,
    parse: Callable[[str], ast.Module | None],
) -> list[tuple[str, ast.Module]] | str:
    """Return each block's body and tree, or why CPython cannot judge this text.

    The body ends at the first fence up to which it is Python: a fence inside a string leaves the
    string open, so it is passed over without a lexer of our own.
    """
    if _OTHER_BLOCKS.search(text):
        return "other blocks or longer fences decide what is a body"
    blocks: list[tuple[str, ast.Module]] = []
    at = text.find(_OPENER)
    if at < 0:
        return "the text has no tool_code block"
    while at >= 0:
        start = at + len(_OPENER)
        found = _body(text, start, parse)
        if found is None:
            return "a body is no Python that CPython can parse"
        body, tree, end = found
        blocks.append((body, tree))
        at = text.find(_OPENER, end)
    return blocks


def _body(
    text: str,
    start: int,
    parse: Callable[[str], ast.Module | None],
) -> tuple[str, ast.Module, int] | None:
    end = start
    for _ in range(_MAX_CLOSERS):
        end = text.find(_FENCE, end)
        if end < 0:
            return None
        body = text[start:end].strip()
        tree = parse(body)
        if tree is not None:
            return body, tree, end + len(_FENCE)
        end += 1
    return None


def _path(node: ast.expr) -> list[str] | None:
    """Return the identifiers of a dotted path, or None for any other expression."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    return [node.id, *reversed(parts)]


class _Finder(ast.NodeVisitor):
    """Collects the calls that CALL counts, with the reference's choices."""

    def __init__(self, defined: frozenset[str], tools: frozenset[str] | None) -> None:
        self.found: list[tuple[str, ast.Call]] = []
        self.defined = defined
        self.tools = tools

    def visit_Call(self, node: ast.Call) -> None:
        path = _path(node.func)
        if path is None:
            self.generic_visit(node)
            return
        name = path[-1]
        no_tool = name == "print" or (len(path) == 1 and name in self.defined)
        if no_tool or (self.tools is not None and name not in self.tools):
            for child in (*node.args, *node.keywords):
                self.visit(child)
            return
        self.found.append((name, node))

    def generic_visit(self, node: ast.AST) -> None:
        """Go on into anything but a definition: what it defines, it does not call."""
        if not isinstance(node, _DEFINITIONS):
            super().generic_visit(node)


def _defined(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name


def find_calls(
    tree: ast.Module,
    tools: frozenset[str] | None,
) -> list[tuple[str, ast.Call]]:
    """Return `(name, node)` for every call of a body, in source order."""
    finder = _Finder(frozenset(_defined(tree)), tools)
    finder.visit(tree)
    return sorted(finder.found, key=lambda item: (item[1].lineno, item[1].col_offset))


def argument_source(keyword: ast.keyword, body: str) -> str:
    """Return an argument's text as written, its own parentheses included (LIT.6b)."""
    # The keyword's node spans its name, the sign and any parentheses around the value.
    whole = ast.get_source_segment(body, keyword) or ""
    return whole.partition("=")[2].strip()
