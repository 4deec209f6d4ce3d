"""Edits of a tool block's body, token by token as CPython's own tokenizer cuts it."""

from __future__ import annotations

import ast
import io
import token
import tokenize
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

_PLAIN: Final = frozenset("'\"")


@dataclass(frozen=True, slots=True)
class Message:
    """A message with one block, taken apart."""

    before: str
    body: str
    after: str

    @property
    def text(self) -> str:
        """The message."""
        return f"{self.before}```tool_code\n{self.body}\n```{self.after}"


class NotPythonError(ValueError):
    """The body cannot be taken apart."""


def take_apart(text: str) -> Message:
    """Take a message with one block apart.

    Raises:
        NotPythonError: It has no block or several, or its body is no Python.
    """
    before, label, rest = text.partition("```tool_code\n")
    body, closer, after = rest.rpartition("\n```")
    if not label or not closer or "```" in before + body + after:
        raise NotPythonError("a base is a message with one block")
    if any(char in body for char in "\r\f\0"):
        raise NotPythonError("a base's lines end in LF")
    try:
        ast.parse(body)
    except (SyntaxError, ValueError) as error:
        raise NotPythonError(f"a base's body is Python: {error}") from error
    return Message(before, body, after)


def _tokens(body: str) -> list[tokenize.TokenInfo]:
    return list(tokenize.generate_tokens(io.StringIO(body).readline))


def _rewritten(body: str, change: Callable[[tokenize.TokenInfo, int], str]) -> str:
    """Rewrite a body token by token; `change` is told how many brackets are open before each."""
    lines = body.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    found, at, depth = [], 0, 0
    for one in _tokens(body):
        begin = starts[one.start[0] - 1] + one.start[1] if one.start[0] <= len(lines) else len(body)
        end = begin + len(one.string)
        if one.type in (token.NEWLINE, token.INDENT, token.DEDENT, token.ENDMARKER, tokenize.NL):
            continue
        found += [body[at:begin], change(one, depth)]
        at = end
        depth += (one.string in "([{") - (one.string in ")]}") if one.type == token.OP else 0
    return "".join(found) + body[at:]


def each(
    change: Callable[[str], str | None], kind: int = token.STRING
) -> Callable[[Message], Message | None]:
    """An edit of every token of a kind that `change` takes."""

    def edit(message: Message) -> Message | None:
        body = _rewritten(
            message.body,
            lambda one, _: (change(one.string) if one.type == kind else None) or one.string,
        )
        return None if body == message.body else Message(message.before, body, message.after)

    return edit


def _inside(text: str) -> str | None:
    """The characters of a string that is written as plainly as can be."""
    plain = text[:1] in _PLAIN and not text.startswith(("'''", '"""')) and "\\" not in text
    return text[1:-1] if plain else None


def quoted(quote: str) -> Callable[[str], str | None]:
    """Write plain strings between other quotes."""

    def change(text: str) -> str | None:
        inside = _inside(text)
        if inside is None or quote[0] in inside:
            return None
        return f"{quote}{inside}{quote}"

    return change


def prefixed(prefix: str) -> Callable[[str], str | None]:
    """Put a prefix before plain strings."""

    def change(text: str) -> str | None:
        inside = _inside(text)
        if inside is None or (prefix == "f" and ("{" in inside or "}" in inside)):
            return None
        return prefix + text

    return change


def split(text: str) -> str | None:
    """Write a plain string as two that stand side by side."""
    inside = _inside(text)
    if not inside:
        return None
    half = len(inside) // 2
    return f"{text[0]}{inside[:half]}{text[0]} {text[0]}{inside[half:]}{text[0]}"


def escaped(text: str) -> str | None:
    """Write each character of a plain string as an escape."""
    inside = _inside(text)
    if inside is None or not inside.isascii():
        return None
    return text[0] + "".join(f"\\x{ord(char):02x}" for char in inside) + text[0]


def whole(text: str) -> bool:
    """Whether a number is a plain decimal integer."""
    return text.isdecimal() and text.isascii()


def in_brackets(change: Callable[[tokenize.TokenInfo], str]) -> Callable[[Message], Message]:
    """An edit of the tokens that stand inside brackets, where white space is free."""

    def edit(message: Message) -> Message:
        body = _rewritten(message.body, lambda one, depth: change(one) if depth else one.string)
        return Message(message.before, body, message.after)

    return edit


def spaced(one: tokenize.TokenInfo) -> str:
    """Put a space on both sides of a separator."""
    return f" {one.string} " if one.string in {"=", ",", ":", ")", "]", "}"} else one.string


def broken(one: tokenize.TokenInfo) -> str:
    """Break the line behind a comma."""
    return f"{one.string}\n    " if one.string == "," else one.string


def noted(one: tokenize.TokenInfo) -> str:
    """Write a comment behind a comma."""
    return f"{one.string}  # then f(x=1)\n" if one.string == "," else one.string


def _statements(body: str) -> list[str]:
    """The source of each statement at the margin."""
    return [ast.get_source_segment(body, node) or "" for node in ast.parse(body).body]


def joined(
    separator: str, each: str = "{}", whole: str = "{}"
) -> Callable[[Message], Message | None]:
    """An edit that writes each expression in a form, and joins them."""

    def edit(message: Message) -> Message | None:
        nodes = ast.parse(message.body).body
        if not all(isinstance(node, ast.Expr) for node in nodes):
            return None
        parts = _statements(message.body)
        if (separator != "\n" and len(parts) == 1 and whole == "{}") or (
            each.startswith("print") and any(part.startswith("print") for part in parts)
        ):
            return None
        joined = separator.join(each.replace("{}", part) for part in parts)
        body = whole.replace("{}", joined)
        return Message(message.before, body, message.after)

    return edit


def by_line(change: Callable[[str], str]) -> Callable[[Message], Message]:
    """An edit of each line that is not blank."""

    def edit(message: Message) -> Message:
        lines = [change(line) if line.strip() else line for line in message.body.split("\n")]
        return Message(message.before, "\n".join(lines), message.after)

    return edit


def around(before: str, after: str) -> Callable[[Message], Message]:
    """An edit that puts prose around the block."""
    return lambda message: Message(before + message.before, message.body, message.after + after)


def body(before: str, after: str) -> Callable[[Message], Message]:
    """An edit that puts lines before and behind the body."""
    return lambda message: Message(message.before, before + message.body + after, message.after)


def bare(message: Message) -> Message | None:
    """Take the namespace of the tools away."""
    dropped = False

    def change(one: tokenize.TokenInfo, _: int) -> str:
        nonlocal dropped
        behind, dropped = dropped, one.type == token.NAME and one.string == "default_api"
        return "" if dropped or (behind and one.string == ".") else one.string

    body = _rewritten(message.body, change)
    return None if body == message.body else Message(message.before, body, message.after)


def in_namespace(message: Message) -> Message | None:
    """Put bare calls into the namespace of the tools."""
    nodes = [node.value for node in ast.parse(message.body).body if isinstance(node, ast.Expr)]
    bare = nodes and all(
        isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id != "print"
        for node in nodes
    )
    if not bare:
        return None
    return by_line(lambda line: line if line[0] in " )]}" else f"default_api.{line}")(message)


def crlf(message: Message) -> Message | None:
    """Write CRLF for each line break, unless a string holds one."""
    if any("\n" in one.string for one in _tokens(message.body) if one.type == token.STRING):
        return None
    return Message(message.before, message.body.replace("\n", "\r\n"), message.after)


def json_words(text: str) -> str | None:
    """Write JSON's word for one of Python's."""
    return {"True": "true", "False": "false", "None": "null"}.get(text)


def other_label(message: Message) -> str:
    """Put another label on the fence: the whole message is text then."""
    return message.text.replace("```tool_code", "```python", 1)


def in_a_string(message: Message) -> Message | None:
    """Put the body into a string that is assigned."""
    if "'''" in message.body or "\\" in message.body:
        return None
    return Message(message.before, f"note = '''\n{message.body}\n'''", message.after)


def one_more(message: Message) -> Message | None:
    """An argument more in each call that holds no other call and has arguments."""
    body = message.body
    starts = [0]
    for line in body.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    for node in sorted(ast.walk(ast.parse(body)), key=_end, reverse=True):
        if isinstance(node, ast.Call) and node.keywords and not node.args:
            row, column = _end(node)
            text = message.body[starts[row - 1] : starts[row]]
            at = starts[row - 1] + len(text.encode()[: column - 1].decode())
            comma = "" if body[:at].rstrip().endswith(",") else ", "
            body = f"{body[:at]}{comma}added=0{body[at:]}"
    return None if body == message.body else Message(message.before, body, message.after)


def _end(node: ast.AST) -> tuple[int, int]:
    """Line and column, in bytes, behind a node; nothing is behind one without a place."""
    return getattr(node, "end_lineno", 0), getattr(node, "end_col_offset", 0)


def trailing_comma(message: Message) -> Message | None:
    """Put a comma behind the last argument of each call."""
    added = one_more(message)
    if added is None or ", added=0" not in added.body:
        return None
    return Message(message.before, added.body.replace(", added=0", ","), message.after)
