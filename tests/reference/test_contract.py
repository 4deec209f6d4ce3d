"""What the reference promises beside the format: errors, events, options, independence."""

from __future__ import annotations

import ast
import sys
from pathlib import Path
from typing import Any

import pytest

import toolcode
from toolcode import (
    ByteScanner,
    Call,
    Dropped,
    Scanner,
    Text,
    ThinkingDelta,
    ThinkingEnd,
    ThinkingStart,
    scan,
    scan_stream,
    segments,
)

BLOCK = "```tool_code\nprint(default_api.f(a=1))\n```"
CORE = Path(toolcode.__file__).parent


def test_feeding_a_closed_scanner_is_an_error() -> None:
    scanner = Scanner()
    scanner.close()
    with pytest.raises(ValueError, match="after close"):
        scanner.feed("x")
    with pytest.raises(ValueError, match="after close"):
        scanner.feed("")


def test_closing_twice_gives_nothing_more() -> None:
    scanner = Scanner()
    scanner.feed("text ``")
    assert scanner.close() == [Text("``")]
    assert scanner.close() == []


@pytest.mark.parametrize("fence", ["", "first", None, 3])
def test_an_unknown_fence_mode_is_named(fence: Any) -> None:
    with pytest.raises(ValueError, match="fence must be one of"):
        Scanner(fence=fence)


def test_events_of_a_whole_message() -> None:
    events = scan(f"```thinking\nplan\n```\nSure.\n{BLOCK} done")
    assert [type(event) for event in events] == [
        ThinkingStart, ThinkingDelta, ThinkingEnd, Text, Call, Text
    ]  # fmt: skip
    call = next(event for event in events if isinstance(event, Call))
    assert (call.callee, call.source) == ("default_api.f", "default_api.f(a=1)")
    assert call.clean


def test_a_call_comes_with_the_chunk_that_closes_its_block() -> None:
    scanner = Scanner()
    assert scanner.feed(BLOCK[:-1]) == []
    assert [event for event in scanner.feed("`") if isinstance(event, Call)]


@pytest.mark.parametrize(
    "body", ["f(a=x)", "f(1, a=2)", "if x:\n f(a=1)"], ids=["unresolved", "skipped", "conditional"]
)
def test_a_doubtful_call_is_not_clean(body: str) -> None:
    (call,) = [event for event in scan(f"```tool_code\n{body}\n```") if isinstance(event, Call)]
    assert not call.clean


def test_ids_are_fresh_unique_and_filled() -> None:
    message = f"{BLOCK}\n{BLOCK}"
    ids = [event.id for _ in range(3) for event in scan(message) if isinstance(event, Call)]
    assert len(set(ids)) == len(ids) == 6
    assert all(ids)


def test_two_scanners_share_nothing() -> None:
    one, other = Scanner(), Scanner()
    one.feed("```tool_code\nf(a='")
    assert other.feed("plain") == [Text("plain")]
    assert one.close() == [Dropped("unterminated")]


def test_scan_stream_yields_as_it_reads() -> None:
    seen: list[str] = []

    def chunks() -> Any:
        for chunk in ("a", "b"):
            seen.append(chunk)
            yield chunk

    events = scan_stream(chunks())
    assert next(events) == Text("a")
    assert seen == ["a"]
    assert list(events) == [Text("b")]


def test_bytes_may_be_cut_inside_a_character() -> None:
    message = f"größe 😀 {BLOCK} é".encode()
    for cut in range(len(message) + 1):
        scanner = ByteScanner()
        events = scanner.feed(message[:cut]) + scanner.feed(message[cut:]) + scanner.close()
        assert segments(events) == segments(scan(message.decode()))


def test_bytes_that_are_no_text_never_raise() -> None:
    scanner = ByteScanner()
    events = scanner.feed(b"a\xff") + scanner.feed(b"\xf0\x9f") + scanner.close()
    assert segments(events) == [{"text": "a\ufffd\ufffd"}]


def test_options_reach_the_scanner() -> None:
    outputs = "```tool_outputs\n1\n```"
    assert segments(scan(outputs)) == [{"text": outputs}]
    assert scan(outputs, stop_on_tool_outputs=True) == [Dropped("fabricated")]
    assert segments(scan("```thinking\na\n```", parse_thinking=False))[0].keys() == {"text"}
    assert segments(scan(BLOCK, tools=["g"])) == []


def test_a_large_chunk_is_read_like_small_ones() -> None:
    message = f"{BLOCK} and text " * 2_000
    assert segments(scan(message)) == segments(
        scan_stream(message[at : at + 7] for at in range(0, len(message), 7))
    )


def test_the_core_needs_the_standard_library_only() -> None:
    """It imports nothing else, and nothing of `toolcode.runtime`."""
    for path in CORE.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                modules = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                assert node.level <= 1, path
                assert not (node.level == 1 and (node.module or "").startswith("runtime")), path
                modules = [node.module or ""] if node.level == 0 else []
            else:
                continue
            for module in modules:
                assert module.split(".")[0] in sys.stdlib_module_names, f"{path.name}: {module}"


def test_nothing_in_the_reference_evaluates() -> None:
    paths = list(CORE.rglob("*.py"))
    assert paths
    for path in paths:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                assert node.func.id not in {"eval", "exec", "compile", "__import__"}, path
