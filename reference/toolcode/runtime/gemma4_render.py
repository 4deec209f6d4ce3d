"""Calls, results and thoughts in Gemma 4's convention, as text that scans back (DIALECT.3).

Error contract: what the convention cannot carry raises `toolcode.RenderError` before anything is
returned; nothing is half rendered. Results are tool output, which is hostile: they never raise,
their control tokens are disarmed instead.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Final

from toolcode.events import JSON, Call
from toolcode.literals import MAX_DEPTH, MAX_DIGITS
from toolcode.renderer import RenderError

from .gemma4 import RESPONSE_OPEN, THOUGHT_CLOSE, THOUGHT_OPEN, TURN_CLOSE
from .gemma4_body import CALL_CLOSE, CALL_OPEN, STRING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

RESPONSE_CLOSE: Final = "<tool_response|>"
WORD_JOINER: Final = "\u2060"

_BEYOND: Final = 10**MAX_DIGITS
_MEMBER: Final = "output"
_name: Final = re.compile(r"""[^\W\d][^\s{}\[\](),;"'`<>=|\\]*+""").fullmatch
_bare_key: Final = re.compile(r"\w[\w$./-]*+(?: [\w$./-]++)*+").fullmatch
_token: Final = re.compile(rf'<({WORD_JOINER}*+)(?=\|[\w"]++\|?>|\w++\|>)')
_opens: Final = re.compile("|".join(map(re.escape, (CALL_OPEN, THOUGHT_OPEN, RESPONSE_OPEN))))


def render_calls(calls: Iterable[Call | tuple[str, Mapping[str, JSON]]]) -> str:
    """Render calls, one block each, nothing between them (DIALECT.3q).

    Args:
        calls: `Call` events, or pairs of name and arguments.

    Raises:
        RenderError: A name or value would not scan back (DIALECT.3r).
    """
    return "".join(
        _call(call.name, call.arguments) if isinstance(call, Call) else _call(*call)
        for call in calls
    )


def render_results(results: Iterable[tuple[str, str]], *, member: str = _MEMBER) -> str:
    """Render results in call order, one response block each (DIALECT.3s).

    Args:
        results: Pairs of the called tool's name and the result's text. A control token in a text
            gets a word joiner behind its `<`, so it can neither end its block nor forge a turn.
        member: The name under which the text stands. The chat template that Google published
            writes `value` for a result that is a text.

    Raises:
        RenderError: A name cannot be written.
    """
    key = _key(member, "member")
    return "".join(
        f"{RESPONSE_OPEN}response:{_checked(name)}"
        f"{{{key}:{STRING}{disarm(text)}{STRING}}}{RESPONSE_CLOSE}"
        for name, text in results
    )


def render_thinking(thinking: str) -> str:
    """Render a thought channel; empty thinking gives none (DIALECT.3t).

    A closer inside the thought is disarmed: it comes back as thinking, though not equal.
    """
    if not thinking:
        return ""
    # Behind a CR, a lone LF would take it along: a closer's line break may be CRLF.
    line_break = "\r\n" if thinking.endswith("\r") else "\n"
    return f"{THOUGHT_OPEN}{_disarmed(thinking)}{line_break}{THOUGHT_CLOSE}"


def render_message(
    *,
    thinking: str = "",
    text: str = "",
    calls: Iterable[Call | tuple[str, Mapping[str, JSON]]] = (),
) -> str:
    """Render one assistant message: thinking, then text, then calls, joined by nothing.

    Raises:
        RenderError: A call cannot be written, or the text would open a block or end the message.
    """
    blocks = render_calls(calls)
    found = _opens.search(text)
    if found:
        raise RenderError(f"the text holds {found[0]!r}, which would be read as a block")
    if not blocks and text.endswith(TURN_CLOSE):
        raise RenderError(f"the text ends in {TURN_CLOSE!r}, which would be read as its end")
    return render_thinking(thinking) + text + blocks


def disarm(text: str) -> str:
    """Put a word joiner behind the `<` of every control token; `rearm` takes one away again."""
    return _token.sub(rf"<\g<1>{WORD_JOINER}", text)


def rearm(text: str) -> str:
    """Undo `disarm`."""
    return _token.sub(lambda match: "<" + match[1][1:], text)


def _disarmed(thinking: str) -> str:
    return thinking.replace(THOUGHT_CLOSE, f"<{WORD_JOINER}{THOUGHT_CLOSE[1:]}")


def _checked(name: str) -> str:
    if not _name(name):
        raise RenderError(f"{name!r} is no name that scans back")
    return name


def _call(name: str, arguments: Mapping[str, JSON]) -> str:
    written = (
        f"{_key(key, name)}:{_value(value, f'{name}({key})')}" for key, value in arguments.items()
    )
    return f"{CALL_OPEN}call:{_checked(name)}{{{','.join(written)}}}{CALL_CLOSE}"


def _key(key: object, where: str) -> str:
    """Write a key, bare where that reads back and between string tokens elsewhere."""
    if not isinstance(key, str):
        raise RenderError(f"{where}: key {key!r} is no string")
    return key if _bare_key(key) else _string(key, f"{where}: key {key!r}")


def _value(value: JSON, where: str) -> str:
    """Write a value; an explicit stack keeps deep ones off the interpreter's."""
    pieces: list[str] = []
    stack: list[tuple[Iterator[tuple[str, JSON]], str]] = []
    entry: tuple[str, JSON] | None = ("", value)
    while True:
        if entry is not None:
            prefix, item = entry
            pieces.append(prefix)
            if isinstance(item, list | tuple | dict):
                if len(stack) == MAX_DEPTH:
                    raise RenderError(f"{where}: more than {MAX_DEPTH} containers deep")
                entries, opener, closer = _entries(item, where)
                pieces.append(opener)
                stack.append((entries, closer))
            else:
                pieces.append(_scalar(item, where))
        if not stack:
            return "".join(pieces)
        entry = next(stack[-1][0], None)
        if entry is None:
            pieces.append(stack.pop()[1])


def _entries(
    container: list[JSON] | tuple[JSON, ...] | dict[str, JSON], where: str
) -> tuple[Iterator[tuple[str, JSON]], str, str]:
    """A container's entries, each with what is written before it, and its brackets."""
    if isinstance(container, dict):
        return (
            (
                (f"{',' if i else ''}{_key(key, where)}:", item)
                for i, (key, item) in enumerate(container.items())
            ),
            "{",
            "}",
        )
    return (("," if i else "", item) for i, item in enumerate(container)), "[", "]"


def _scalar(value: object, where: str) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _string(value, where)
    if isinstance(value, int):
        if abs(value) >= _BEYOND:
            raise RenderError(f"{where}: an integer of more than {MAX_DIGITS} digits")
        return repr(int(value))
    if isinstance(value, float):
        if not math.isfinite(value):
            raise RenderError(f"{where}: {value} has no literal")
        return repr(float(value))
    raise RenderError(f"{where}: {type(value).__name__} is no JSON value")


def _string(text: str, where: str) -> str:
    if STRING in text:
        raise RenderError(f"{where}: a string cannot hold {STRING}, and nothing can escape it")
    return f"{STRING}{text}{STRING}"
