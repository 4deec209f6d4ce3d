"""The reference behind a layer that handles chunks badly, or rewrites them first."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from tests.zoo.faulty import Faulty, block, call, cut, gives, reference
from toolcode_conformance.chunking import split

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.zoo.faulty import Steps

_CLOSER: Final = "\n```"
_SIZE: Final = 60_000
_DEPTH: Final = 1_000
_RUN: Final = re.compile(r"[(\[{]{1000}|(?:\{'a': ){1000}|(?:f\(){1000}")


def _read(chunks: list[str], options: dict[str, Any]) -> Steps:
    request = {"id": 1, "op": "scan", "chunks": chunks, "options": options}
    steps: Steps = reference().handle(request)["result"]["steps"]
    return steps


class Layer:
    """Hands every run of a scan to a function, and everything else to the reference."""

    def __init__(self, scan: Callable[[list[str], dict[str, Any]], Steps]) -> None:
        self._scan = scan

    def handle(self, request: dict[str, Any]) -> dict[str, Any]:
        """Answer one message."""
        if request["op"] == "hello":
            return _without_bytes(reference().handle(request))
        if request["op"] != "scan":
            answer: dict[str, Any] = reference().handle(request)
            return answer
        options = request.get("options") or {}
        if "cuts" not in request:
            return {
                "id": request["id"],
                "result": {"steps": self._scan(request["chunks"], options)},
            }
        runs = [self._scan(split(request["text"], cuts), options) for cuts in request["cuts"]]
        return {"id": request["id"], "result": {"runs": [{"steps": steps} for steps in runs]}}


def _without_bytes(answer: dict[str, Any]) -> dict[str, Any]:
    capabilities = answer["result"]["capabilities"]
    answer["result"]["capabilities"] = [name for name in capabilities if name != "bytes"]
    return answer


class Remembers:
    """Keeps what a run left unread, and puts it in front of the next one."""

    def __init__(self) -> None:
        self._left = ""

    def __call__(self, chunks: list[str], options: dict[str, Any]) -> Steps:
        steps = _read([self._left + (chunks[0] if chunks else ""), *chunks[1:]], options)
        unread = {"dropped": {"reason": "unterminated"}} in steps[-1]
        self._left = (
            "```tool_code" + "".join(chunks).rpartition("```tool_code")[2] if unread else ""
        )
        return steps


def _each_chunk_alone(chunks: list[str], options: dict[str, Any]) -> Steps:
    """Read every chunk as if it were a message."""
    return [*([e for step in _read([chunk], options) for e in step] for chunk in chunks), []]


def _as_if_complete(chunks: list[str], options: dict[str, Any]) -> Steps:
    """After each chunk read everything again with the closer added; show what is new."""
    steps: Steps = []
    shown = 0
    text = ""
    for chunk in chunks:
        text += chunk
        last = text.rfind("```")
        open_block = last >= 0 and text.startswith("```tool_code", last)
        events = [e for step in _read([text + _CLOSER * open_block], options) for e in step]
        calls = [event for event in events if "call" in event]
        steps.append(calls[shown:])
        shown = max(shown, len(calls))
    rest = [e for step in _read([text], options) for e in step if "call" not in e]
    return [*steps, rest]


def _whole_lines(chunks: list[str], options: dict[str, Any]) -> Steps:
    """Read lines; what has no line break at the end is never read."""
    whole, _, _ = "".join(chunks).rpartition("\n")
    steps = _read([whole], options)
    return [*([] for _ in chunks), [e for step in steps for e in step]]


def _rewritten(pattern: str, by: str, chunks: list[str], options: dict[str, Any]) -> Steps:
    return _read([re.sub(pattern, by, chunk) for chunk in chunks], options)


def _blocks_as_one(chunks: list[str], options: dict[str, Any]) -> Steps:
    """Give all text, then all calls, as an object with two fields would."""
    steps = _read(chunks, options)
    events = [event for step in steps for event in step]
    calls = [event for event in events if "call" in event]
    shown = [[event for event in step if "call" not in event] for step in steps]
    return [*shown[:-1], shown[-1] + calls]


def _bounded(chunks: list[str], options: dict[str, Any]) -> Steps:
    if sum(map(len, chunks)) > _SIZE:
        raise MemoryError("the buffer is full")
    return _read(chunks, options)


def _by_recursion(chunks: list[str], options: dict[str, Any]) -> Steps:
    if _RUN.search("".join(chunks)):
        raise RecursionError("maximum recursion depth exceeded")
    return _read(chunks, options)


def layer(scan: Callable[[list[str], dict[str, Any]], Steps]) -> Callable[[], Layer]:
    """Return a factory of a layer around a function."""
    return partial(Layer, scan)


FAULTS: tuple[Faulty, ...] = (
    Faulty(
        "remembers-the-last-message",
        "one parser object for all messages, and its buffer is not cleared",
        cut("Hi ```tool_code\nf(a=1)\n", 5),
        gives("Hi ", dropped="unterminated"),
        own=lambda: Layer(Remembers()),
        remembers=True,
    ),
    Faulty(
        "each-chunk-alone",
        "the parser for whole messages is called on every delta",
        cut(block("f(a=1)"), 14),
        gives(call("f", a=1)),
        own=layer(_each_chunk_alone),
    ),
    Faulty(
        "reads-prefixes-as-complete",
        "closers are added to what is there, and the calls that are new are sent",
        "```tool_code\nf(a=1)\n",
        gives(dropped="unterminated"),
        own=layer(_as_if_complete),
    ),
    Faulty(
        "loses-the-last-line",
        "a reader of lines, which waits for a line break",
        "Hello\nworld",
        gives("Hello\nworld"),
        own=layer(_whole_lines),
    ),
    Faulty(
        "text-then-calls",
        "an answer with one field for text and one for calls",
        block("f(a=1)", after="\nDone."),
        gives(call("f", a=1), "\nDone."),
        own=layer(_blocks_as_one),
    ),
    Faulty(
        "separators-are-line-breaks",
        "splitlines() and join",
        "a\u2028b",
        gives("a\u2028b"),
        own=layer(partial(_rewritten, "[\u2028\u2029\x85]", "\n")),
    ),
    Faulty(
        "typographic-quotes-are-quotes",
        "some clients replace quotes, so they are replaced back",
        block("f(a='\u201cx\u201d')"),
        gives(call("f", a="\u201cx\u201d")),
        own=layer(partial(_rewritten, "[\u201c\u201d]", '"')),
    ),
    Faulty(
        "drops-byte-order-marks",
        "a mark is taken away wherever it stands",
        "\ufeffHi",
        gives("\ufeffHi"),
        own=layer(partial(_rewritten, "\ufeff", "")),
    ),
    Faulty(
        "ends-at-nul",
        "texts are C's",
        "a\0" + block("f(a=1)"),
        gives("a\0", call("f", a=1)),
        own=layer(partial(_rewritten, r"(?s)\0.*", "")),
    ),
    Faulty(
        "tabs-are-blanks",
        "expandtabs",
        "a\tb",
        gives("a\tb"),
        own=layer(partial(_rewritten, "\t", "    ")),
    ),
    Faulty(
        "collapses-empty-lines",
        "text is tidied",
        "a\n\n\n\nb",
        gives("a\n\n\n\nb"),
        own=layer(partial(_rewritten, "\n{3,}", "\n\n")),
    ),
    Faulty(
        "a-buffer-of-a-fixed-size",
        "longer messages are refused",
        "word " * 13_000,
        gives("word " * 13_000),
        own=layer(_bounded),
        large=True,
    ),
    Faulty(
        "a-stack-for-brackets",
        "every bracket is a function's call",
        block("[" * _DEPTH),
        gives(dropped="cut"),
        own=layer(_by_recursion),
        large=True,
    ),
)
