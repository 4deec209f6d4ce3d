"""Calls, results and thinking as text that scans back (RENDER, OUT.1, OUT.2).

Error contract: a value that the format cannot carry raises RenderError before anything is
returned; nothing is half rendered.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from .body import FENCE
from .calls import KEYWORDS
from .events import JSON, Call
from .literals import MAX_DIGITS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

Style: TypeAlias = Literal["list", "print-per-line"]
ResultFence: TypeAlias = Literal["longer", "verbatim"]

MAX_RENDER_DEPTH: Final = 198
"""Containers within containers: with the call and the list around them, what CPython reads."""

_BEYOND: Final = 10**MAX_DIGITS
_NAMED: Final = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}
_to_escape: Final = re.compile('[\\\\"\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]|`{3,}')
_fence_line_at: Final = re.compile(
    r" {0,3}(?P<run>`{3,}+|~{3,}+)(?:(?P<word>[A-Za-z0-9_+#-]*+)[ \t]*+\r?(?P<end>$))?+"
).match


class RenderError(ValueError):
    """A value that the format cannot carry; the message names the place (RENDER.5)."""


def render_calls(
    calls: Iterable[Call | tuple[str, Mapping[str, JSON]]], *, style: Style = "list"
) -> str:
    """Render calls as one tool block (RENDER.1).

    Args:
        calls: `Call` events, or pairs of name and arguments.
        style: `list`: one call stands bare, several in one list. `print-per-line`: each in a
            `print` on a line of its own, as hosted Gemini writes them.

    Returns:
        The block without a final line break; no calls give the empty string.

    Raises:
        RenderError: A name, keyword or value would not scan back.
    """
    written = [
        _call(call.name, call.arguments) if isinstance(call, Call) else _call(*call)
        for call in calls
    ]
    if not written:
        return ""
    if style == "print-per-line":
        body = "\n".join(f"print({call})" for call in written)
    elif style == "list":
        body = written[0] if len(written) == 1 else f"[{', '.join(written)}]"
    else:
        raise RenderError(f"style must be 'list' or 'print-per-line', not {style!r}")
    return f"{FENCE}tool_code\n{body}\n{FENCE}"


def render_results(results: Iterable[str], *, fence: ResultFence = "longer") -> str:
    """Render results in call order, one block each, the text verbatim (OUT.1).

    Args:
        results: The results' texts.
        fence: `longer`: a result with a fence in it gets a longer one around it, so that it
            cannot close its own block (OUT.2). `verbatim`: three backticks in any case.

    Raises:
        RenderError: `fence` is unknown.
    """
    if fence not in ("longer", "verbatim"):
        raise RenderError(f"fence must be 'longer' or 'verbatim', not {fence!r}")
    blocks = []
    for result in results:
        ticks = FENCE
        if fence == "longer" and FENCE in result:
            ticks = "`" * (max(map(len, re.findall(r"`+", result))) + 1)
        blocks.append(f"{ticks}tool_outputs\n{result}\n{ticks}")
    return "\n".join(blocks)


def render_thinking(thinking: str) -> str:
    """Render a thinking block; empty thinking gives none (RENDER.4a).

    A line that would close the block, or open a code block that nothing closes, is indented by
    four spaces: it comes back as thinking, though not equal (RENDER.4b).
    """
    if not thinking:
        return ""
    return f"{FENCE}thinking\n{_guarded(thinking)}\n{FENCE}"


def render_message(
    *,
    thinking: str = "",
    text: str = "",
    calls: Iterable[Call | tuple[str, Mapping[str, JSON]]] = (),
) -> str:
    """Render one assistant message: thinking, then text, then calls (RENDER.4a).

    Raises:
        RenderError: A call cannot be written.
    """
    parts = (render_thinking(thinking), text, render_calls(calls))
    return "\n".join(part for part in parts if part)


def _guarded(thinking: str) -> str:
    """Indent what would end the thought early or swallow what follows it."""
    lines = thinking.split("\n")
    heads = [_fence_line_at(line) for line in lines]
    closable = _longest_closers(heads)
    nested = ""
    for number, head in enumerate(heads):
        if head is None:
            continue
        run, bare = head["run"], head["end"] is not None and not head["word"]
        if nested:
            if bare and run.startswith(nested):
                nested = ""
        elif head["end"] is not None and (head["word"] or run[0] == "~"):
            if closable[number + 1][run[0]] >= len(run):
                nested = run
            else:
                lines[number] = "    " + lines[number]
        elif run[0] == "`":
            lines[number] = "    " + lines[number]
    return "\n".join(lines)


def _longest_closers(heads: list[re.Match[str] | None]) -> list[dict[str, int]]:
    """For each line, the longest bare fence from there on, of either kind."""
    longest = {"`": 0, "~": 0}
    result = [longest]
    for head in reversed(heads):
        if head and head["end"] is not None and not head["word"]:
            run = head["run"]
            longest = {**longest, run[0]: max(longest[run[0]], len(run))}
        result.append(longest)
    return result[::-1]


def _call(name: str, arguments: Mapping[str, JSON]) -> str:
    if not name.isidentifier() or name in KEYWORDS or name == "print":
        raise RenderError(f"{name!r} is no name that scans back: an identifier, no keyword")
    written = []
    for key, value in arguments.items():
        if not key.isidentifier():
            raise RenderError(f"{name}: argument name {key!r} is no identifier")
        try:
            written.append(f"{key}={_WRITERS.get(type(value), _other)(value, 0)}")
        except RenderError as error:
            raise RenderError(f"{name}({key}=): {error}") from None
    return f"default_api.{name}({', '.join(written)})"


def _string(text: str, _depth: int = 0) -> str:
    # What has to be escaped is unprintable, or one of three: most strings need no pattern.
    if text.isprintable() and not ('"' in text or "\\" in text or FENCE in text):
        return f'"{text}"'
    return f'"{_to_escape.sub(_escape, text)}"'


def _integer(value: int, _depth: int) -> str:
    if not -_BEYOND < value < _BEYOND:
        raise RenderError(f"an integer of more than {MAX_DIGITS} digits")
    return f"{value}"


def _float(value: float, _depth: int) -> str:
    if not math.isfinite(value):
        raise RenderError(f"{value} has no literal")
    return repr(value)


def _word(value: bool | None, _depth: int) -> str:
    return f"{value}"


def _list(value: list[JSON], depth: int) -> str:
    if depth == MAX_RENDER_DEPTH:
        raise RenderError(f"more than {MAX_RENDER_DEPTH} containers deep")
    depth += 1
    return f"[{', '.join([_WRITERS.get(type(item), _other)(item, depth) for item in value])}]"


def _dict(value: dict[str, JSON], depth: int) -> str:
    if depth == MAX_RENDER_DEPTH:
        raise RenderError(f"more than {MAX_RENDER_DEPTH} containers deep")
    depth += 1
    for key in value:
        if not isinstance(key, str):
            raise RenderError(f"key {key!r} is no string")
    items = [
        f"{_string(key)}: {_WRITERS.get(type(item), _other)(item, depth)}"
        for key, item in value.items()
    ]
    return f"{{{', '.join(items)}}}"


# By exact type: with a chain of `isinstance` a body of calls takes 1.1 times as long.
_WRITERS: Final[dict[type, Callable[[Any, int], str]]] = {
    str: _string,
    int: _integer,
    float: _float,
    bool: _word,
    type(None): _word,
    list: _list,
    tuple: _list,
    dict: _dict,
}


# What a subclass holds, whatever it shows: `str()` of an enumeration's member is its name.
_PLAIN: Final[dict[type, Callable[[Any], JSON]]] = {
    str: str.__str__,
    int: int.__int__,
    float: float.__float__,
    list: list,
    tuple: list,
    dict: dict,
}


def _other(value: object, depth: int) -> str:
    """Write a value of a subclass as what it holds."""
    for kind, plain in _PLAIN.items():
        if isinstance(value, kind):
            return _WRITERS[kind](plain(value), depth)
    raise RenderError(f"{type(value).__name__} is no JSON value")


def _escape(match: re.Match[str]) -> str:
    found = match[0]
    if found.startswith("`"):
        return r"\x60" * len(found)  # a fence must not stand in the block, string or not
    named = _NAMED.get(found)
    if named:
        return named
    code = ord(found)
    return f"\\x{code:02x}" if code <= 0xFF else f"\\u{code:04x}"  # noqa: PLR2004
