"""Times one Python parser inside its own process: a request a line in, the best seconds out.

A request is `{"text", "chunk", "seconds"}`: the text is fed whole (chunk 0) or in pieces, again and
again until `seconds` are spent, at least once. Building the pieces is not timed.
"""

from __future__ import annotations

import ast
import json
import re
import sys
import time
import tracemalloc
from typing import TYPE_CHECKING, Any, Final

import toolcode

if TYPE_CHECKING:
    from collections.abc import Callable

_BLOCK: Final = re.compile(r"```tool_code\s*(.*?)```", re.DOTALL)


def reference(chunks: list[str], fence: Any = "string-aware") -> list[Any]:  # noqa: ANN401
    """Scan with the reference."""
    scanner = toolcode.Scanner(fence=fence)
    feed = scanner.feed
    events: list[Any] = []
    for chunk in chunks:
        found = feed(chunk)
        if found:
            events += found
    return events + scanner.close()


def first_fence(chunks: list[str]) -> list[Any]:
    """Scan with the reference, the first fence closing."""
    return reference(chunks, "first-fence")


def by_ast(chunks: list[str]) -> list[Any]:
    """What many write: a pattern for the block, CPython's parser for the rest."""
    calls = []
    for body in _BLOCK.findall("".join(chunks)):
        for node in ast.walk(ast.parse(body)):
            if isinstance(node, ast.Call) and node.keywords:
                values = {word.arg: ast.literal_eval(word.value) for word in node.keywords}
                calls.append((ast.unparse(node.func), values))
    return calls


def append(chunks: list[str]) -> list[Any]:
    """The least that a buffer can cost."""
    kept: list[str] = []
    add = kept.append
    for chunk in chunks:
        add(chunk)
    return kept


PARSERS: Final[dict[str, Callable[[list[str]], list[Any]]]] = {
    "reference": reference,
    "first-fence": first_fence,
    "ast": by_ast,
    "append": append,
}


def timed(parse: Callable[[list[str]], Any], chunks: list[str], seconds: float) -> float:
    """Return the best of as many runs as fit into `seconds`, of one at least."""
    best = float("inf")
    spent = 0.0
    while spent < seconds or best == float("inf"):
        start = time.perf_counter()
        parse(chunks)
        took = time.perf_counter() - start
        best = min(best, took)
        spent += took
    return best


def memory(chunks: list[str]) -> dict[str, int]:
    """Return the peak of a scan and the size of the events it returns, in bytes."""
    tracemalloc.start()
    events = reference(chunks)
    returned, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return {"peak": peak, "returned": returned, "events": len(events)}


def rendering(seconds: float) -> dict[str, float]:
    """Time `render_calls` beside `repr` of the same calls."""
    calls: list[tuple[str, dict[str, toolcode.JSON]]] = [
        (f"tool_{n % 7}", {"path": f"src/f{n}.ts", "count": n, "ok": True, "items": [n, None, "x"]})
        for n in range(3000)
    ]
    rendered = timed(lambda _: toolcode.render_calls(calls), [], seconds)
    written = timed(lambda _: repr(calls), [], seconds)
    return {"render": rendered, "repr": written, "characters": len(toolcode.render_calls(calls))}


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Carry out one request."""
    if "render" in request:
        return rendering(request["render"])
    text, size = request["text"], request["chunk"]
    chunks = [text[at : at + size] for at in range(0, len(text), size)] if size else [text]
    if request.get("memory"):
        return memory(chunks)
    return {"seconds": timed(PARSERS[request["parser"]], chunks, request["seconds"])}


def main() -> None:
    """Answer requests until the input ends."""
    for line in sys.stdin:
        try:
            result = answer(json.loads(line))
        except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
            result = {"error": f"{type(error).__name__}: {error}"[:200]}
        print(json.dumps(result), flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
