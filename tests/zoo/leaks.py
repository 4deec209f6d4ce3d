"""Recovery from bare text: what is read before the reference reads it, and what is made of it."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Any

from tests.zoo.faulty import Faulty, op, reference

if TYPE_CHECKING:
    from collections.abc import Callable

    Json = dict[str, Any]


class Recovering:
    """The reference, with recovery changed before or after."""

    def __init__(
        self,
        before: Callable[[Json], Json] = lambda request: request,
        after: Callable[[Json, Json], Json] = lambda value, _: value,
    ) -> None:
        self._before = before
        self._after = after

    def handle(self, request: Json) -> Json:
        """Answer one message; only recovery and greeting are offered."""
        if request["op"] != "recover":
            answer: Json = reference().handle(request)
            if request["op"] == "hello":
                answer["result"]["capabilities"] = ["scan", "recover"]
            return answer
        answer = reference().handle(self._before(request))
        value = answer.get("result", {}).get("value")
        if value is not None:
            answer["result"]["value"] = self._after(value, request)
        return answer


def reads(pattern: str, by: str | Callable[[re.Match[str]], str]) -> Callable[[], Recovering]:
    """Return a factory that rewrites the text first."""
    return partial(
        Recovering, lambda request: {**request, "text": re.sub(pattern, by, request["text"])}
    )


def forgets(field: str) -> Callable[[], Recovering]:
    """Return a factory that does not pass on a field."""
    return partial(Recovering, lambda request: {k: v for k, v in request.items() if k != field})


def makes(after: Callable[[Json, Json], Json]) -> Callable[[], Recovering]:
    """Return a factory that changes what was recovered."""
    return partial(Recovering, after=after)


def _exact_names(value: Json, request: Json) -> Json:
    known = [one for one in value["calls"] if one["name"] in request.get("tools", ())]
    lost = [one for one in value["calls"] if one not in known]
    told = [{"name": one["name"], "reason": "undeclared"} for one in lost]
    return {**value, "calls": known, "unresolved": [*value["unresolved"], *told]}


def _runs_what_was_read(value: Json, _: Json) -> Json:
    guessed = [
        {"name": one["name"], "arguments": {}}
        for one in value["unresolved"]
        if one["reason"] == "truncated"
    ]
    return {**value, "calls": [*value["calls"], *guessed], "unresolved": []}


def _keeps_leaks(value: Json, request: Json) -> Json:
    return {**value, "text": request["text"]} if value["calls"] else value


def _silent_when_called(value: Json, _: Json) -> Json:
    return {**value, "text": ""} if value["calls"] else value


def _without_reasons(value: Json, _: Json) -> Json:
    return {**value, "unresolved": []}


NOTHING: Json = {"calls": [], "unresolved": []}

FAULTS: tuple[Faulty, ...] = (
    Faulty(
        "leaks-by-exact-name",
        "the callee is looked up among the tools as it stands",
        op("recover", text="tool_code\nprint(default_api.keep_route(a=1))", tools=["keepRoute"]),
        {
            "calls": [{"name": "keep_route", "arguments": {"a": 1}}],
            "unresolved": [],
            "text": "",
        },
        own=makes(_exact_names),
    ),
    Faulty(
        "leaks-without-constructors",
        "a call as a value is never a literal",
        op(
            "recover",
            text="tool_code\nprint(default_api.f(at=default_api.Point(x=1)))",
            tools=["f"],
        ),
        {
            "calls": [{"name": "f", "arguments": {"at": {"x": 1}}}],
            "unresolved": [],
            "text": "",
        },
        own=reads(r"\.([A-Z])(?=\w*\()", lambda match: "." + match[1].lower()),
    ),
    Faulty(
        "leaks-in-python-fences",
        "a Python block is taken for a block of calls, wherever it stands",
        op("recover", text="Write it so:\n```python\nf(a=1)\n```\nThat is all.", tools=["f"]),
        NOTHING | {"text": "Write it so:\n```python\nf(a=1)\n```\nThat is all."},
        own=reads("```python", "```tool_code"),
    ),
    Faulty(
        "leaks-in-block-quotes",
        "what is quoted is read without its marks",
        op(
            "recover",
            text="It answered:\n> tool_code\n> print(default_api.f(a=1))\nStrange.",
            tools=["f"],
        ),
        NOTHING | {"text": "It answered:\n> tool_code\n> print(default_api.f(a=1))\nStrange."},
        own=reads(r"(?m)^> ?", ""),
    ),
    Faulty(
        "leaks-in-inline-code",
        "backticks are formatting and go",
        op("recover", text="It wrote `call:default_api:f{a:1}` again.", tools=["f"]),
        NOTHING | {"text": "It wrote `call:default_api:f{a:1}` again."},
        own=reads(r"(?<!`)`(?!`)", ""),
    ),
    Faulty(
        "leaks-in-comments",
        "comment marks are blanks",
        op("recover", text="# print(default_api.f(a=1))\nx = 1", tools=["f"]),
        NOTHING | {"text": "# print(default_api.f(a=1))\nx = 1"},
        own=reads(r"(?m)^(?:#|//) ?", ""),
    ),
    Faulty(
        "leaks-of-any-tool",
        "the declared tools are not passed on",
        op("recover", text="Sure.\ntool_code\nprint(default_api.g(a=1))", tools=["f"]),
        NOTHING | {"text": "Sure.\ntool_code\nprint(default_api.g(a=1))"},
        own=forgets("tools"),
    ),
    Faulty(
        "leaks-in-any-channel",
        "a file's content is read like an answer",
        op(
            "recover",
            text="```tool_code\nprint(default_api.f(a=1))\n```",
            channel="tool_argument",
            tools=["f"],
        ),
        NOTHING | {"text": "```tool_code\nprint(default_api.f(a=1))\n```"},
        own=forgets("channel"),
    ),
    Faulty(
        "leaks-for-any-reason",
        "the finish reason is not passed on",
        op(
            "recover",
            text="tool_code\nprint(default_api.f(a=1))",
            finish_reason="SAFETY",
            tools=["f"],
        ),
        {"calls": [], "unresolved": [{"name": "f", "reason": "withheld"}]},
        own=forgets("finish_reason"),
    ),
    Faulty(
        "truncated-leaks-run-bare",
        "a name is enough, and arguments that cannot be read are left out",
        op("recover", text="tool_code\nprint(default_api.f(a=1", tools=["f"]),
        {"calls": [], "unresolved": [{"name": "f", "reason": "truncated"}]},
        own=makes(_runs_what_was_read),
    ),
    Faulty(
        "leaks-lost-silently",
        "what cannot be read is not mentioned",
        op("recover", text="tool_code\nprint(default_api.f(a=x))", tools=["f"]),
        {"calls": [], "unresolved": [{"name": "f", "reason": "non-literal"}]},
        own=makes(_without_reasons),
    ),
    Faulty(
        "leaks-stay-visible",
        "the text is passed on as it came",
        op("recover", text="tool_code\nprint(default_api.f(a=1))", tools=["f"]),
        {"calls": [{"name": "f", "arguments": {"a": 1}}], "unresolved": [], "text": ""},
        own=makes(_keeps_leaks),
    ),
    Faulty(
        "prose-lost-with-leaks",
        "a message with a call has no text",
        op("recover", text="Sure.\n```tool_call\nprint(default_api.f(a=1))\n```", tools=["f"]),
        {"calls": [{"name": "f", "arguments": {"a": 1}}], "unresolved": [], "text": "Sure."},
        own=makes(_silent_when_called),
    ),
)
