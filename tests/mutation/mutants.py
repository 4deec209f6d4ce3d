"""Mutants of one module: every place at which a slip of the pen is possible, one at a time."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

_COMPARISONS: Final = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
_OPERATORS: Final = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Mod: ast.Add}
_SILENT: Final = (ast.Raise, ast.Assert, ast.Import, ast.ImportFrom)
_REPEATS: Final = re.compile(r"(?<![\\(])([*+?])(\+?)(?![*+?])|\{(\d+)(?:,(\d+))?\}")
_RANGES: Final = re.compile(r"(?<![\\x])([0-9A-Za-z])-([0-9A-Za-z])")
_LOOKS: Final = re.compile(r"\(\?<?[=!]")


@dataclass(frozen=True)
class Mutant:
    """One changed place.

    Attributes:
        module: The module behind `toolcode.`.
        line: Where.
        what: What was done, in a few words.
        source: The whole changed source.
    """

    module: str
    line: int
    what: str
    source: str

    @property
    def name(self) -> str:
        """A name that stays while the line stays as it is."""
        return f"{self.module}:{self.line} {self.what}"


def mutants(module: str, source: str) -> Iterator[Mutant]:
    """Yield every mutant of a module, in the order of its lines."""
    return iter(sorted(_Mutator(module, source).all(), key=lambda one: (one.line, one.what)))


class _Mutator:
    """Finds places by the syntax tree and changes the text, so that everything else stays."""

    def __init__(self, module: str, source: str) -> None:
        self._module = module
        self._source = source
        self._tree = ast.parse(source)
        self._parents = {
            child: node for node in ast.walk(self._tree) for child in ast.iter_child_nodes(node)
        }
        lines = source.encode().splitlines(keepends=True)
        self._starts = [sum(map(len, lines[:n])) for n in range(len(lines) + 1)]

    def all(self) -> Iterator[Mutant]:
        """Yield the mutants, node by node."""
        for node in ast.walk(self._tree):
            if isinstance(node, ast.expr | ast.stmt) and not self._untouched(node):
                yield from self._of(node)

    def _untouched(self, node: ast.AST) -> bool:
        """Annotations, docstrings, imports and messages of errors change no behaviour we judge."""
        inner: ast.AST | None = node
        while inner is not None:
            outer = self._parents.get(inner)
            if isinstance(inner, _SILENT) or self._is_annotation(inner, outer):
                return True
            if isinstance(inner, ast.If) and ast.unparse(inner.test) == "TYPE_CHECKING":
                return True
            if isinstance(inner, ast.Expr) and isinstance(inner.value, ast.Constant):
                return True
            if isinstance(inner, ast.Assign | ast.AnnAssign) and self._names_types(inner):
                return True
            inner = outer
        return False

    @staticmethod
    def _is_annotation(inner: ast.AST, outer: ast.AST | None) -> bool:
        return (
            isinstance(outer, ast.arg)
            or (isinstance(outer, ast.AnnAssign) and inner is outer.annotation)
            or (isinstance(outer, ast.FunctionDef) and inner is outer.returns)
        )

    @staticmethod
    def _names_types(node: ast.Assign | ast.AnnAssign) -> bool:
        target = node.targets[0] if isinstance(node, ast.Assign) else node.target
        alias = isinstance(node, ast.AnnAssign) and "TypeAlias" in ast.unparse(node.annotation)
        return alias or ast.unparse(target) in ("__all__", "__slots__")

    def _of(self, node: ast.expr | ast.stmt) -> Iterator[Mutant]:
        match node:
            case ast.Compare(ops=[op]) if type(op) in _COMPARISONS:
                yield self._rewritten(node, "comparison", ops=[_COMPARISONS[type(op)]()])
            case ast.BinOp(op=operator) if type(operator) in _OPERATORS:
                yield self._rewritten(node, "operator", op=_OPERATORS[type(operator)]())
            case ast.BoolOp(op=op):
                other = ast.And() if isinstance(op, ast.Or) else ast.Or()
                yield self._rewritten(node, "and/or", op=other)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                yield self._put(node, f"bool({ast.unparse(operand)})", "not dropped")
            case ast.Constant(value=value):
                yield from self._constant(node, value)
            case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
                if not isinstance(node, ast.While):
                    yield self._put(test, "True", "always")
                yield self._put(test, "False", "never")
            case ast.Set(elts=items) | ast.Tuple(elts=items) if len(items) > 1:
                yield from self._shortened(node, items)
        if isinstance(node, ast.Assign | ast.AugAssign | ast.Return | ast.Continue | ast.Break) or (
            isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
        ):
            if isinstance(self._parents.get(node), ast.Module):
                return
            yield self._put(node, "pass", f"{type(node).__name__.lower()} deleted")

    def _shortened(self, node: ast.Set | ast.Tuple, items: list[ast.expr]) -> Iterator[Mutant]:
        parent = self._parents.get(node)
        if isinstance(node.ctx if isinstance(node, ast.Tuple) else None, ast.Store):
            return
        if isinstance(parent, ast.For | ast.comprehension | ast.Subscript | ast.Call | ast.Return):
            return
        for number in range(len(items)):
            kept = [*items[:number], *items[number + 1 :]]
            yield self._rewritten(node, f"item {number} dropped", elts=kept)

    def _constant(self, node: ast.Constant, value: object) -> Iterator[Mutant]:
        if isinstance(self._parents.get(node), ast.JoinedStr | ast.FormattedValue):
            return
        if isinstance(value, bool):
            yield self._put(node, repr(not value), "flipped")
        elif isinstance(value, int):
            yield self._put(node, repr(value + 1), f"{value} + 1")
            yield self._put(node, repr(value - 1), f"{value} - 1")
        elif isinstance(value, str) and value:
            changes = list(_patterns(value)) if _is_pattern(value) else [(value[:-1], "shortened")]
            for changed, what in changes:
                yield self._put(node, repr(changed), what)

    def _rewritten(self, node: ast.expr, what: str, **fields: object) -> Mutant:
        old = {name: getattr(node, name) for name in fields}
        for name, value in fields.items():
            setattr(node, name, value)
        text = f"({ast.unparse(node)})"
        for name, value in old.items():
            setattr(node, name, value)
        return self._put(node, text, what)

    def _put(self, node: ast.expr | ast.stmt, text: str, what: str) -> Mutant:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        data = self._source.encode()
        start = self._starts[node.lineno - 1] + node.col_offset
        end = self._starts[node.end_lineno - 1] + node.end_col_offset
        changed = (data[:start] + text.encode("utf-8", "surrogatepass") + data[end:]).decode()
        return Mutant(self._module, node.lineno, what, changed)


def _is_pattern(value: str) -> bool:
    return any(sign in value for sign in ("(?", "*+", "++", "[^", "{0}", "]*", "\\d", "\\w"))


def _patterns(pattern: str) -> Iterator[tuple[str, str]]:
    """Yield slips in a regular expression: repeats, ranges, looks ahead and behind."""
    for match in _REPEATS.finditer(pattern):
        head, tail = pattern[: match.start()], pattern[match.end() :]
        if match[1]:
            other = {"*": "+", "+": "*", "?": ""}[match[1]]
            yield (
                f"{head}{other}{match[2] if other else ''}{tail}",
                f"at {match.start()}: {match[0]}",
            )
        else:
            last = match[4] or match[3]
            more = match[0].replace(last, str(int(last) + 1))
            yield f"{head}{more}{tail}", f"at {match.start()}: {match[0]}"
    for match in _RANGES.finditer(pattern):
        shorter = f"{match[1]}-{chr(ord(match[2]) - 1)}"
        yield (
            f"{pattern[: match.start()]}{shorter}{pattern[match.end() :]}",
            f"at {match.start()}: -",
        )
    for match in _LOOKS.finditer(pattern):
        turned = match[0][:-1] + ("!" if match[0].endswith("=") else "=")
        yield (
            f"{pattern[: match.start()]}{turned}{pattern[match.end() :]}",
            f"at {match.start()}: ?",
        )
