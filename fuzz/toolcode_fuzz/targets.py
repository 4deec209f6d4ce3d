"""What must hold for every input: plain functions of bytes, so that any engine can drive them.

Each raises `Broken` where the property does not hold; anything else raised is a finding as well.
Nothing here knows an engine.
"""

from __future__ import annotations

import ast
import json
import warnings
from typing import TYPE_CHECKING, Any, Final

import toolcode
from toolcode.runtime import gemma4, transcript
from toolcode.runtime.leaks import LeakGuard, recover
from toolcode_conformance.oracle import NoLiteralError, parse, to_json
from toolcode_fuzz.broken import Broken, check
from toolcode_fuzz.harness_targets import corpus, protocol
from toolcode_fuzz.inputs import Reader

__all__ = ["RAW", "TARGETS", "Broken", "corpus", "protocol", "replay"]

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import ModuleType


def _normal(events: Iterable[Any]) -> Any:
    events = list(events)
    dropped = [event.reason for event in events if isinstance(event, toolcode.Dropped)]
    return toolcode.segments(events), dropped


def _streamed(scanner: Any, chunks: Iterable[str]) -> list[Any]:
    events = [event for chunk in chunks for event in scanner.feed(chunk)]
    return [*events, *scanner.close()]


def scan(data: bytes, parser: ModuleType = toolcode) -> None:
    """No input raises, every chunking gives the same, and arguments are JSON (STREAM, LIT.9c)."""
    reader = Reader(data)
    options = reader.options()
    chunks = reader.chunks()
    text = "".join(chunks)
    whole = _normal(parser.scan(text, **options))
    check(
        _normal(_streamed(parser.Scanner(**options), chunks)) == whole,
        "cut into pieces it gives something else",
    )
    json.dumps(whole, allow_nan=False)


def literals(data: bytes, parser: ModuleType = toolcode) -> None:
    """Where CPython reads a value, the value is CPython's (LIT)."""
    text = Reader(data).rest()
    if any(char in text for char in "\r\0\f`") or text.count("(") + text.count("[") > 190:  # noqa: PLR2004
        return
    body = f"f(x={text}\n)"
    tree = parse(body)
    match tree and tree.body:
        case [ast.Expr(value=ast.Call(args=[], keywords=[ast.keyword(arg="x")]) as call)]:
            value = call.keywords[0].value
        case _:
            return
    if not _agreed(value):
        return
    try:
        wanted = to_json(value, body)
    except NoLiteralError:
        return
    calls = [e for e in parser.scan(f"```tool_code\n{body}\n```") if isinstance(e, parser.Call)]
    got = calls[0].arguments.get("x") if calls else None
    check(bool(calls), f"no call for {text!r}")
    check(
        json.dumps(got) == json.dumps(wanted) or bool(calls[0].unresolved and _odd(value)),
        f"{text!r} is {wanted!r} for CPython, and {got!r} here",
    )


def _agreed(value: ast.expr) -> bool:
    """Whether the format means to follow CPython on all of a value."""
    return not any(
        (isinstance(node, ast.Constant) and isinstance(node.value, complex | float | type(...)))
        or isinstance(node, ast.Set | ast.JoinedStr)
        for node in ast.walk(value)
    )


def _odd(value: ast.expr) -> bool:
    """Whether a value holds what only the format refuses: a long integer, an odd key."""
    return any(
        isinstance(node, ast.Dict)
        or (
            isinstance(node, ast.Constant) and isinstance(node.value, int) and node.value > 10**4000
        )
        for node in ast.walk(value)
    )


def round_trip(data: bytes, parser: ModuleType = toolcode) -> None:
    """What is rendered scans back (RENDER)."""
    reader = Reader(data)
    calls = reader.calls()
    thinking = reader.rest()
    try:
        text = parser.render_message(thinking=thinking, calls=calls)
    except parser.RenderError:
        return
    for fence in ("string-aware", "first-fence"):
        segments = parser.segments(parser.scan(text, fence=fence))
        found = [part["call"] for part in segments if "call" in part]
        wanted = [{"name": name, "arguments": arguments} for name, arguments in calls]
        check(
            json.dumps(found) == json.dumps(wanted, ensure_ascii=True),
            f"rendered as {text!r} it scans back as {found!r}",
        )


def thinking(data: bytes, parser: ModuleType = toolcode) -> None:
    """A thought is shown or held, never lost, and at any cut the same (THINK, STREAM.2)."""
    reader = Reader(data)
    chunks = ["```thinking\n", *reader.chunks()]
    whole = _normal(parser.scan("".join(chunks)))
    check(_normal(_streamed(parser.Scanner(), chunks)) == whole, "cut otherwise it differs")
    off = "".join(
        event.text
        for event in parser.scan("".join(chunks), parse_thinking=False)
        if isinstance(event, parser.Text)
    )
    check(bool(whole[0]) or bool(whole[1]) or not off.strip("`thinkg\r\n \t"), "a thought is lost")


def gemma(data: bytes, parser: ModuleType = gemma4) -> None:
    """Gemma 4: no input raises, every chunking gives the same (DIALECT.3)."""
    reader = Reader(data)
    chunks = reader.chunks(gemma=True)
    whole = _normal(parser.scan("".join(chunks)))
    check(_normal(_streamed(parser.Scanner(), chunks)) == whole, "cut otherwise it differs")


def transcripts(data: bytes, parser: ModuleType = transcript) -> None:
    """A rendered conversation reads back to its turns (TURN.1)."""
    turns = Reader(data).turns()
    text = parser.render_turns(turns)
    check(parser.parse_transcript(text) == turns, f"{text!r} reads back otherwise")


def leaks(data: bytes, parser: Any = recover) -> None:
    """Recovery never raises, never invents a name, and hides the same at any cut (LEAK)."""
    reader = Reader(data)
    chunks = reader.chunks()
    text = "".join(chunks)
    found = parser(text, tools=["f", "g", "read"], channel=reader.channel())
    for call in found.calls:
        last = call.name.rpartition(".")[2]
        check(last in text or last.replace(".", ":") in text, f"{call.name} is nowhere in the text")
        json.dumps(call.arguments, allow_nan=False)
    guards = [LeakGuard(tools=["f", "g", "read"], cap=64) for _ in range(2)]
    shown = "".join([*map(guards[0].feed, chunks), guards[0].close()])
    check(shown == guards[1].feed(text) + guards[1].close(), "the guard shows otherwise when cut")


TARGETS: Final[dict[str, Callable[[bytes], None]]] = {
    "scan": scan,
    "literals": literals,
    "round-trip": round_trip,
    "thinking": thinking,
    "gemma": gemma,
    "transcripts": transcripts,
    "leaks": leaks,
    "protocol": protocol,
    "corpus": corpus,
}


RAW: Final = frozenset({"protocol", "corpus"})
"""Targets that take their bytes as they are; the others' begin with a head of cuts and options."""


def replay(target: str, data: bytes) -> None:
    """Run one input again.

    Raises:
        KeyError: There is no such target.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # CPython's own, about escapes
        TARGETS[target](data)
