"""The operations around a message, answered with `toolcode.runtime` (TURN, API, DIALECT, LEAK)."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

from toolcode.runtime import api, dialects, history, leaks, transcript
from toolcode.runtime.channels import Channels
from toolcode.runtime.conversation import (
    ToolResult,
    call_from_json,
    call_to_json,
    message_to_json,
    messages_from_json,
)
from toolcode.runtime.declarations import read_declarations
from toolcode.runtime.finish import judge_finish
from toolcode.runtime.names import NameMap
from toolcode.runtime.prompt import tool_prompt

if TYPE_CHECKING:
    from collections.abc import Callable

CAPABILITIES: Final = (
    "prompt",
    "prompt-aliases",
    "declaration-forms",
    "transcript",
    "transcript-reading",
    "transcript-prompt",
    "history",
    "history-gemini",
    "api",
    "dialects",
    "dialect-formats",
    "recover",
)


def _prompt(request: dict[str, Any]) -> dict[str, Any]:
    names = None
    if (request.get("options") or {}).get("aliases"):
        names = NameMap(read_declarations(request["tools"]))
    return {"text": tool_prompt(request["tools"], names=names)}


def _transcript(request: dict[str, Any]) -> dict[str, Any]:
    if "text" in request:
        turns = [asdict(turn) for turn in transcript.parse_transcript(request["text"])]
        return {"value": {"turns": [{k: v for k, v in t.items() if k in _SHOWN} for t in turns]}}
    options = request.get("options") or {}
    text = transcript.render_transcript(
        messages_from_json(request["messages"]),
        tool_prompt=request.get("tool_prompt", ""),
        add_generation_prompt=bool(options.get("add_generation_prompt")),
    )
    return {"text": text}


_SHOWN: Final = ("role", "body", "complete")


def _history(request: dict[str, Any]) -> dict[str, Any]:
    messages = messages_from_json(request["messages"])
    if (request.get("options") or {}).get("form") == "gemini":
        prompt = request.get("tool_prompt", "")
        return {"value": {"contents": history.gemini_contents(messages, tool_prompt=prompt)}}
    encoded = history.encode_history(messages)
    return {"value": {"messages": [message_to_json(message) for message in encoded]}}


def _api(request: dict[str, Any]) -> dict[str, Any]:
    return {"value": _DIRECTIONS[request["direction"]](request)}


def _calls(request: dict[str, Any]) -> list[Any]:
    return [call_from_json(call, f"calls[{n}]") for n, call in enumerate(request["calls"])]


def _results(request: dict[str, Any]) -> list[ToolResult]:
    items = [{"role": "tool", **item} for item in request["results"]]
    return [message for message in messages_from_json(items) if isinstance(message, ToolResult)]


def _result_json(result: ToolResult) -> dict[str, Any]:
    written = message_to_json(result)
    del written["role"]
    return written


def _to_gemini(request: dict[str, Any]) -> dict[str, Any]:
    options = request.get("options") or {}
    parts = api.to_gemini(
        _calls(request),
        ids=options.get("ids", True),
        missing_signature=options.get("missing_signature", "omit"),
    )
    return {"parts": parts}


def _from(calls: list[Any]) -> dict[str, Any]:
    return {"calls": [call_to_json(call) for call in calls]}


def _finish(request: dict[str, Any]) -> dict[str, Any]:
    verdict = judge_finish(
        request.get("reason"),
        text=request.get("text", ""),
        calls=_calls(request) if "calls" in request else (),
        message=request.get("message", ""),
        open_block=request.get("open_block", False),
    )
    return {
        "action": verdict.action,
        "text": verdict.text,
        "calls": [call_to_json(call) for call in verdict.calls],
        "attempted": verdict.attempted,
        "truncated": verdict.truncated,
    }


def _channels(request: dict[str, Any]) -> dict[str, Any]:
    channels = Channels()
    for index, (channel, call) in enumerate(request["offers"]):
        channels.offer(channel, call_from_json(call, f"offers[{index}]"))
    return {
        "calls": [call_to_json(call) for call in channels.calls],
        "reported": [[channel, call_to_json(call)] for channel, call in channels.reported],
    }


_DIRECTIONS: Final[dict[str, Callable[[dict[str, Any]], dict[str, Any]]]] = {
    "to-openai": lambda request: {"tool_calls": api.to_openai(_calls(request))},
    "from-openai": lambda request: _from(api.from_openai(request["tool_calls"])),
    "to-gemini": _to_gemini,
    "from-gemini": lambda request: _from(api.from_gemini(request["parts"])),
    "results-to-openai": lambda request: {"messages": api.results_to_openai(_results(request))},
    "results-to-gemini": lambda request: {
        "parts": api.results_to_gemini(
            _results(request), ids=(request.get("options") or {}).get("ids", True)
        )
    },
    "results-from-gemini": lambda request: {
        "results": list(map(_result_json, api.results_from_gemini(request["parts"])))
    },
    "match": lambda request: {
        "results": list(map(_result_json, api.match_results(_calls(request), _results(request))))
    },
    "finish": _finish,
    "channels": _channels,
}


def _dialects(request: dict[str, Any]) -> dict[str, Any]:
    options = request.get("options") or {}
    chosen = dialects.select(
        request["model"],
        format=options.get("format", dialects.AUTO),
        native=bool(options.get("native")),
    )
    return {"value": {"dialect": chosen}}


def _recover(request: dict[str, Any]) -> dict[str, Any]:
    found = leaks.recover(
        request["text"],
        tools=request.get("tools"),
        channel=request.get("channel", "text"),
        finish_reason=request.get("finish_reason"),
    )
    return {
        "value": {
            "calls": [{"name": call.name, "arguments": call.arguments} for call in found.calls],
            "unresolved": [asdict(one) for one in found.unresolved],
            "text": found.text,
        }
    }


OPERATIONS: Final[dict[str, Callable[[dict[str, Any]], dict[str, Any]]]] = {
    "prompt": _prompt,
    "transcript": _transcript,
    "history": _history,
    "api": _api,
    "dialects": _dialects,
    "recover": _recover,
}
