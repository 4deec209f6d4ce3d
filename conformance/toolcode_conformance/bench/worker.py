"""Times one Python parser inside its own process: a request a line in, the best seconds out.

`{"parser", "messages", "seconds"}` scans messages, each a list of chunks that was made beforehand,
again and again until `seconds` are spent, at least once. `{"parser", "text", "chunk"}` instead cuts
one text inside the timed loop: what a feed costs beside `list.append` is asked about fresh strings,
as a stream brings them. `{"render"}` and `{"memory"}` are the other questions.
"""

from __future__ import annotations

import ast
import gc
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
    """Scan one message with the reference."""
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


PARSERS: Final[dict[str, Callable[[list[str]], list[Any]]]] = {
    "reference": reference,
    "first-fence": first_fence,
    "ast": by_ast,
}

FEEDS: Final[dict[str, Callable[[], Callable[[str], object]]]] = {
    "reference": lambda: toolcode.Scanner().feed,
    "first-fence": lambda: toolcode.Scanner(fence="first-fence").feed,
    "append": lambda: list[str]().append,
}


def scan_all(name: str, messages: list[list[str]]) -> None:
    """Scan messages one after the other."""
    parse = PARSERS[name]
    for chunks in messages:
        parse(chunks)


def feed_slices(name: str, text: str, size: int) -> None:
    """Feed a text in slices; `append` is the least that keeping them can cost."""
    feed = FEEDS[name]()
    for at in range(0, len(text), size):
        feed(text[at : at + size])


def timed(run: Callable[[], object], seconds: float) -> float:
    """Return the best of as many runs as fit into `seconds`, of one at least.

    The garbage collector rests, as it does under `timeit`: its pauses belong to whoever keeps the
    objects, and grow with everything else that is alive.
    """
    gc.collect()
    gc.disable()
    best = float("inf")
    spent = 0.0
    while spent < seconds or best == float("inf"):
        start = time.perf_counter()
        run()
        took = time.perf_counter() - start
        best = min(best, took)
        spent += took
    gc.enable()
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
    rendered = timed(lambda: toolcode.render_calls(calls), seconds)
    written = timed(lambda: repr(calls), seconds)
    return {"render": rendered, "repr": written, "characters": len(toolcode.render_calls(calls))}


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Carry out one request."""
    if "render" in request:
        return rendering(request["render"])
    name, seconds = request["parser"], request.get("seconds", 0.0)
    if "chunk" in request:
        text, size = request["text"], request["chunk"]
        return {"seconds": timed(lambda: feed_slices(name, text, size), seconds)}
    messages = request["messages"]
    if request.get("memory"):
        return memory(messages[0])
    return {"seconds": timed(lambda: scan_all(name, messages), seconds)}


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
