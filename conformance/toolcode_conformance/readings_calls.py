"""Second reading, part 2: the calls of a body (CALL, ARG), its literals through CPython (LIT)."""

from __future__ import annotations

import ast
import keyword
import re
import warnings
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from toolcode_conformance.oracle import NoLiteralError, parse, to_json
from toolcode_conformance.readings_lexer import Body, Token, lex

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_CONTROL: Final = frozenset(
    ("if", "elif", "else", "for", "while", "try", "except", "finally", "with")
)
_IMPORTS: Final = frozenset(("import", "from"))
_DEFINES: Final = frozenset(("def", "class"))


@dataclass(slots=True)
class Reading:
    """What a body gives: calls in a case's form, and whether it ended inside something."""

    calls: list[dict[str, Any]] = field(default_factory=list)
    cut: bool = False


def read_body(text: str, choices: Mapping[str, str]) -> Reading:
    """Return the calls of a body.

    Args:
        text: What stands between opener and closer.
        choices: Options of the may-clauses that differ from the reference's.
    """
    body = lex(text)
    return Reading(list(_Walk(body, choices).calls()), body.cut)


class _Walk:
    """One pass over the tokens of a body."""

    def __init__(self, body: Body, choices: Mapping[str, str]) -> None:
        self.body, self.tokens, self.choices = body, body.tokens, choices
        self.lines = list(_lines(body))
        self.skipped = self._skipped()
        self.defined = {name for name, _ in self._bound()}
        self.imported = {name for name, imported in self._bound() if imported}

    # --- lines -----------------------------------------------------------------------------------

    def _skipped(self) -> set[int]:
        """Return the tokens of definitions, decorators, imports and lambdas (CALL.7b)."""
        found: set[int] = set()
        inside: int | None = None
        for line in self.lines:
            if inside is not None and line.indent > inside:
                found.update(range(line.first, line.end))
                continue
            head = self._head(line)
            inside = line.indent if head in _DEFINES else None
            if inside is not None or head == "@":
                found.update(range(line.first, line.end))
            elif head in _IMPORTS:
                found.update(range(line.first, self._segment_end(line.first)))
        for index, token in enumerate(self.tokens):
            if token.kind != "name" or self._continues(index):
                continue
            if token.text == "lambda":
                found.update(range(index, self._segment_end(self._colon(index))))
            elif token.text in _DEFINES and self._path_end(index) == index + 1:
                found.update(range(index, self._header_end(index)))
        return found

    def _header_end(self, index: int) -> int:
        """Return where a definition's header ends: with its line, or the bracket around it."""
        around = self.tokens[index].parent
        if around >= 0 and self.tokens[around].match >= 0:
            return self.tokens[around].match
        return next(line.end for line in self.lines if index < line.end)

    def _colon(self, index: int) -> int:
        """Return where a lambda's head ends; its commas part no segment."""
        parent = self.tokens[index].parent
        places = range(index, len(self.tokens))
        at_level = (i for i in places if self.tokens[i].parent == parent)
        return next((i for i in at_level if self.tokens[i].text == ":"), index)

    def _head(self, line: _Line) -> str:
        """Return a line's first word, if it stands alone: `def.x` and `if-x` are names."""
        first = line.first + (self.tokens[line.first].text == "async")
        alone = first < line.end and self._path_end(first) == first + 1
        return self.tokens[first].text if alone else ""

    def _bound(self) -> Iterator[tuple[str, bool]]:
        """Yield each name that the body defines, and whether it comes by an import."""
        for line in self.lines:
            words = [token.text for token in self.tokens[line.first : line.end]]
            words = words[1:] if words[0] == "async" else words
            if len(words) > 1 and words[0] in _DEFINES:
                yield words[1], False
            elif words and words[0] in _IMPORTS and words[:2] != ["from", "default_api"]:
                yield from ((name, True) for name in _imported(words))

    def _conditional(self, index: int) -> bool:
        """Tell whether a token stands under control flow or in a conditional part (CALL.7a)."""
        at = index
        while at >= 0:
            if self._in_conditional_part(at):
                return True
            at = self.tokens[at].parent
        heads: list[tuple[int, str]] = []
        for line in self.lines:
            while heads and heads[-1][0] >= line.indent:
                heads.pop()
            heads.append((line.indent, self._head(line)))
            if line.first <= index < line.end:
                return any(head in _CONTROL for _, head in heads)
        return False

    def _in_conditional_part(self, index: int) -> bool:
        parent = self.tokens[index].parent
        siblings = [i for i, token in enumerate(self.tokens) if token.parent == parent]
        if parent >= 0 and any(self._word(i, "for") for i in siblings):
            return True
        start, end = self._segment_start(index), self._segment_end(index)
        # Half of a conditional expression makes no call sure either.
        words = [i for i in siblings if start <= i < end]
        return any(self._word(i, "if") or self._word(i, "else") for i in words)

    def _word(self, index: int, word: str) -> bool:
        token = self.tokens[index]
        return token.kind == "name" and token.text == word and not self._continues(index)

    def _ends_segment(self, index: int, parent: int) -> bool:
        token = self.tokens[index]
        if token.parent != parent:
            return token.kind == "close" and parent >= 0 and self.tokens[parent].match == index
        return token.text in {",", ";"} or (token.kind == "break" and parent < 0)

    def _segment_end(self, index: int) -> int:
        parent = self.tokens[index].parent
        places = range(index, len(self.tokens))
        return next((i for i in places if self._ends_segment(i, parent)), len(self.tokens))

    def _segment_start(self, index: int) -> int:
        parent = self.tokens[index].parent
        places = range(index - 1, parent, -1)
        return next((i + 1 for i in places if self._ends_segment(i, parent)), parent + 1)

    # --- calls -----------------------------------------------------------------------------------

    def calls(self) -> Iterator[dict[str, Any]]:
        """Yield the calls in order."""
        at = 0
        while at < len(self.tokens):
            if at in self.skipped or self.tokens[at].kind != "name" or self._continues(at):
                at += 1
                continue
            after = self._path_end(at)
            opener = self._opener(after)
            if opener is None or not self._is_tool(at, after):
                at = after
                continue
            end = self.tokens[opener].match
            if end < 0:
                return  # CALL.5: everything behind it stands inside it
            call = None if self.tokens[opener].broken else self._call(at, after, opener, end)
            if call is not None:
                yield call
            at = end + 1

    def _continues(self, at: int) -> bool:
        """Tell whether a name goes on from something else: an attribute, or glued to a number."""
        if at == 0:
            return False
        before, token = self.tokens[at - 1], self.tokens[at]
        if before.text == ".":
            return True
        hyphen = before.text == "-" and before.end == token.start and at > 1
        first = self.tokens[at - 2]
        return hyphen and first.kind == "name" and first.end == before.start

    def _path_end(self, at: int) -> int:
        """Return the index behind a dotted path, hyphens included (CALL.2, CALL.10)."""
        end = at + 1
        while end + 1 < len(self.tokens) and self.tokens[end + 1].kind == "name":
            glue = self.tokens[end]
            touching = self.tokens[end - 1].end == glue.start
            if glue.text != "." and not (
                glue.text == "-" and touching and glue.end == self.tokens[end + 1].start
            ):
                break
            end += 2
        return end

    def _opener(self, at: int) -> int | None:
        found = at < len(self.tokens) and self.tokens[at].text == "("
        return at if found and self.tokens[at].kind == "open" else None

    def _is_tool(self, at: int, after: int) -> bool:
        words = [token.text for token in self.tokens[at:after:2]]
        if words[-1] == "print":
            return False
        if words[0] in self.imported:
            return False
        return len(words) > 1 or not (keyword.iskeyword(words[0]) or words[0] in self.defined)

    def _call(self, at: int, after: int, opener: int, end: int) -> dict[str, Any] | None:
        callee = "".join(token.text for token in self.tokens[at:after])
        conditional = self._conditional(at)
        if conditional and self.choices.get("control-flow") == "none":
            return None
        if "-" in callee and self.choices.get("hyphen-name") == "none":
            return None
        call: dict[str, Any] = {"name": self._name(callee), "arguments": {}}
        unresolved: list[str] = []
        skipped: list[str] = []
        for first, last in self._segments(opener, end):
            if not self._argument(first, last, call["arguments"], unresolved):
                skipped.append(self._source(first, last))
        if any(value is _Twice for value in call["arguments"].values()):
            return None
        if unresolved:
            call["unresolved"] = unresolved
        if skipped:
            call["skipped"] = skipped
        if conditional and self.choices.get("control-flow", "mark") == "mark":
            call["conditional"] = True
        return call

    def _name(self, callee: str) -> str:
        if self.choices.get("other-namespace") == "kept":
            return callee.removeprefix("default_api.")
        return callee.rpartition(".")[2]

    def _segments(self, opener: int, end: int) -> Iterator[tuple[int, int]]:
        """Yield the first and last-but-one token of each segment that holds a token."""
        first = opener + 1
        commas = [
            i
            for i in range(opener + 1, end)
            if self.tokens[i].text == "," and self.tokens[i].parent == opener
        ]
        for place in [*commas, end]:
            if first < place:
                yield first, place
            first = place + 1

    def _argument(
        self, first: int, last: int, arguments: dict[str, Any], unresolved: list[str]
    ) -> bool:
        inner = list(range(first, last))
        key = self.tokens[inner[0]]
        if key.text == "**":
            return self._spread(inner[1:], last, arguments)
        if key.kind != "name" or not inner[2:] or self.tokens[inner[1]].text != "=":
            return False
        name = key.text
        if name in arguments and self.choices.get("duplicate-keyword", "last") != "last":
            if self.choices["duplicate-keyword"] == "refuse":
                arguments[name] = _Twice
            return True
        if name in unresolved:
            unresolved.remove(name)
        try:
            arguments[name] = literal(self.body, inner[2], last)
        except NoLiteralError:
            arguments[name] = self._source(inner[2], last)
            unresolved.append(name)
        return True

    def _spread(self, inner: list[int], last: int, arguments: dict[str, Any]) -> bool:
        """Do with `**{..}` what the choice says (ARG.5b); False means that it is skipped."""
        option = self.choices.get("double-star", "skip")
        if option == "refuse":
            arguments["**"] = _Twice
        if option != "expand" or not inner:
            return option == "refuse"
        try:
            value = literal(self.body, inner[0], last)
        except NoLiteralError:
            return False
        if isinstance(value, dict):
            arguments.update(value)
        return isinstance(value, dict)

    def _source(self, first: int, last: int) -> str:
        return self.body.text[self.tokens[first].start : self.tokens[last - 1].end]


class _Twice:
    """The value of an argument that refuses its call (ARG.5a, ARG.5b)."""


@dataclass(frozen=True, slots=True)
class _Line:
    first: int
    end: int
    indent: int


def _lines(body: Body) -> Iterator[_Line]:
    """Yield the logical lines that hold a token: a break inside brackets ends none."""
    first = 0
    ends = [i for i, token in enumerate(body.tokens) if token.kind == "break" and token.parent < 0]
    for end in [*ends, len(body.tokens)]:
        if end > first:
            start = body.tokens[first].start
            line = re.split(r"[\r\n]", body.text[:start])[-1]
            yield _Line(first, end, len(line.expandtabs()))
        first = end + 1


def _imported(words: list[str]) -> Iterator[str]:
    """Yield the names that an import binds: the alias, else the first of a dotted path."""
    names = " ".join(words[words.index("import") + 1 :] if "import" in words else [])
    for part in names.partition(";")[0].strip("() ").split(","):
        path, _, alias = part.partition(" as ")
        module = path.partition(".")[0].strip()
        if module != "default_api":
            yield alias.strip() or module


def literal(body: Body, first: int, last: int) -> Any:  # noqa: ANN401  any JSON value
    """Return the JSON value of the tokens from `first` to before `last`, as CPython reads it.

    Raises:
        NoLiteralError: They are no literal as a whole (LIT.6a).
    """
    words: list[str] = []
    for token in body.tokens[first:last]:
        if token.broken or token.kind == "stray" or token.text == "\\":
            raise NoLiteralError
        words.append(_string(token) if token.kind == "string" else token.text)
    # Parentheses of our own, so that a line break inside the value is none.
    source = f"({' '.join(words)}\n)"
    tree = parse(source)
    match tree and tree.body:
        case [ast.Expr(value=node)]:
            return to_json(node, source)
    raise NoLiteralError


def _string(token: Token) -> str:
    """Return a string token as an equal literal without line breaks and broken escapes."""
    at = token.text.find(token.text[-1])
    prefix, quoted = token.text[:at].lower(), token.text[at:]
    size = 3 if len(quoted) >= 6 and quoted[:3] == quoted[0] * 3 else 1  # noqa: PLR2004  quotes
    inner = quoted[size:-size]
    if "f" in prefix and ("{" in inner or "}" in inner):
        raise NoLiteralError
    value = inner if "r" in prefix else _decode(inner, "b" if "b" in prefix else "")
    if "b" not in prefix:
        return repr(value)
    try:
        return repr(value.encode("latin-1"))
    except UnicodeEncodeError:
        raise NoLiteralError from None


def _decode(inner: str, prefix: str) -> str:
    """Return a string's value, escape by escape; what CPython refuses stays (LIT.7b)."""
    return _ESCAPE.sub(lambda found: _escape(found[0], prefix), inner)


_ESCAPE: Final = re.compile(
    r"\\(?:[0-7]{1,3}|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|N\{[^}]*\}|\r\n|.)", re.DOTALL
)


def _escape(text: str, prefix: str) -> str:
    if text[1] in "\r\n":
        return ""
    if prefix == "b" and text[1] in "uUN":
        return text
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            value = ast.literal_eval(f'{prefix}"{text}"' if text != '\\"' else '"\\""')
    except (SyntaxError, ValueError):
        return text
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)
