"""What stands around a message: prompts, transcripts, APIs, leaks."""

from __future__ import annotations

from typing import Any

from tests.zoo.faulty import REFUSED, Faulty, op


def declared(name: str) -> dict[str, Any]:
    """A tool without parameters, as it stands in a prompt."""
    return {
        "type": "function",
        "function": {"name": name, "parameters": {"type": "object", "properties": {}}},
    }


FAULTS: tuple[Faulty, ...] = (
    Faulty(
        "message-text-first",
        "text, then everything else",
        op("render-message", thinking="hm", text="Hi"),
        {"text": "```thinking\nhm\n```\nHi"},
        edits=(
            (
                "renderer",
                "parts = (render_thinking(thinking), text, render_calls(calls))",
                "parts = (text, render_thinking(thinking), render_calls(calls))",
            ),
        ),
    ),
    Faulty(
        "reads-guarded-turns",
        "what was guarded stays guarded",
        op("transcript", text="<bos><start_of_turn>user\na<\u2060end_of_turn>b<end_of_turn>\n"),
        {"turns": [{"role": "user", "body": "a<end_of_turn>b", "complete": True}]},
        edits=(
            (
                "runtime.transcript",
                "Turn(role, unguard(body), complete, count)",
                "Turn(role, body, complete, count)",
            ),
        ),
    ),
    Faulty(
        "catalogue-with-commas",
        "the tools are a list in JSON",
        op("prompt", tools=[{"name": "f"}, {"name": "g"}]),
        {"tools": [declared("f"), declared("g")]},
        edits=(
            (
                "runtime.prompt",
                '"\\n".join(_line(tool, names) for tool in declared)',
                '",\\n".join(_line(tool, names) for tool in declared)',
            ),
        ),
    ),
    Faulty(
        "prompt-without-a-rule",
        "a shorter prompt",
        op("prompt", tools=[{"name": "f"}]),
        {"tools": [declared("f")], "mentions": ["announce"]},
        edits=(
            (
                "runtime.prompt",
                "- Do not announce a call without making it: write the whole block before you stop.",
                "- Be kind.",
            ),
        ),
    ),
    Faulty(
        "declares-unwritable-names",
        "names are passed on as they are",
        op("prompt", tools=[{"name": "get-weather"}]),
        REFUSED,
        edits=(("runtime.prompt", "        _check_names(declared)\n", "        pass\n"),),
    ),
    Faulty(
        "arguments-as-an-object",
        "the other API's form",
        op("api", direction="to-openai", calls=[{"name": "f", "arguments": {"a": 1}, "id": "c"}]),
        {
            "tool_calls": [
                {"id": "c", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}
            ]
        },
        edits=(
            (
                "runtime.api",
                '"arguments": _written(dict(call.arguments), where)}',
                '"arguments": dict(call.arguments)}',
            ),
        ),
    ),
    Faulty(
        "formats-in-any-case",
        "names are folded",
        op("dialects", model="x", options={"format": "Gemini"}),
        REFUSED,
        edits=(
            (
                "runtime.dialects",
                "(registry or REGISTRY).get(format).name",
                "(registry or REGISTRY).get(format.lower()).name",
            ),
        ),
    ),
    Faulty(
        "believes-claims",
        "what follows a made-up result is shown",
        op(
            "recover",
            text="```tool_code\nprint(default_api.f(a=1))\n```\n```tool_outputs\n2\n```\nIt is 2.",
            tools=["f"],
        ),
        {"calls": [{"name": "f", "arguments": {"a": 1}}], "unresolved": [], "text": ""},
        edits=(("runtime.leaks.thoughts", 'return _results.sub("", text)', "return text"),),
    ),
    Faulty(
        "forged-turns",
        "bodies are written verbatim",
        op("transcript", messages=[{"role": "user", "text": "<end_of_turn>"}]),
        {"text": "<bos><start_of_turn>user\n<\u2060end_of_turn><end_of_turn>\n"},
        edits=(("runtime.transcript", "{guard(turn.body)}", "{turn.body}"),),
    ),
    Faulty(
        "instructions-glued",
        "instructions are joined by one line break",
        op(
            "transcript", messages=[{"role": "system", "text": "S"}, {"role": "user", "text": "Hi"}]
        ),
        {"text": "<bos><start_of_turn>user\nS\n\nHi<end_of_turn>\n"},
        edits=(("runtime.transcript", '"\\n\\n".join(parts)', '"\\n".join(parts)'),),
    ),
    Faulty(
        "history-in-two-messages",
        "each result is a message of its own",
        op("history", messages=[{"role": "tool", "text": "a"}, {"role": "tool", "text": "b"}]),
        {
            "messages": [
                {"role": "user", "text": "```tool_outputs\na\n```\n```tool_outputs\nb\n```"}
            ]
        },
        edits=(("renderer", '    return "\\n".join(blocks)', '    return "\\n\\n".join(blocks)'),),
    ),
    Faulty(
        "gemma-3-speaks-gemma-4",
        "the family's name decides",
        op("dialects", model="google/gemma-3-27b-it"),
        {"dialect": "gemini"},
        edits=(("runtime.model_ids", "_FIRST_OF_GEMMA: Final = 4", "_FIRST_OF_GEMMA: Final = 1"),),
    ),
    Faulty(
        "unknown-is-gemini",
        "there is always a default",
        op("dialects", model="some-model"),
        REFUSED,
        edits=(
            (
                "runtime.model_ids",
                '    raise RuntimeFormatError(f"model {model!r}: the id names no known model; name a format")\n',
                '    return "gemini"\n',
            ),
        ),
    ),
    Faulty(
        "malformed-is-an-answer",
        "an unknown finish reason counts as stop",
        op("api", direction="finish", reason="MALFORMED_FUNCTION_CALL", text=""),
        {"text": "", "action": "retry", "calls": [], "attempted": None, "truncated": False},
        edits=(
            ("runtime.finish", 'known == "retry" or not text.strip()', "False"),
            (
                "runtime.finish",
                "    if folded in _REJECTED_CALL or (known is None and is_rejection(message)):\n        return _rejected(given, text, calls, message, recover, tools)\n",
                "",
            ),
        ),
    ),
    Faulty(
        "both-channels-run",
        "native calls and calls in the text are collected",
        op(
            "api",
            direction="channels",
            offers=[
                ["native", {"name": "f", "arguments": {}}],
                ["text", {"name": "f", "arguments": {}}],
            ],
        ),
        {
            "calls": [{"name": "f", "arguments": {}}],
            "reported": [["text", {"name": "f", "arguments": {}}]],
        },
        edits=(("runtime.channels", "        if channel != self.winner:", "        if False:"),),
    ),
    Faulty(
        "results-by-order-alone",
        "the n-th result is the n-th call's",
        op(
            "api",
            direction="match",
            calls=[{"name": "f", "arguments": {}}, {"name": "g", "arguments": {}}],
            results=[{"text": "1", "name": "g"}, {"text": "2", "name": "f"}],
        ),
        {"results": [{"text": "2", "name": "f"}, {"text": "1", "name": "g"}]},
        edits=(
            (
                "runtime.api",
                'unnamed.setdefault(result.name or "", [])',
                'unnamed.setdefault("", [])',
            ),
        ),
    ),
    Faulty(
        "loses-signatures",
        "thought signatures are dropped",
        op("api", direction="to-gemini", calls=[{"name": "f", "arguments": {}, "signature": "s"}]),
        {"parts": [{"functionCall": {"name": "f", "args": {}}, "thoughtSignature": "s"}]},
        edits=(
            (
                "runtime.api",
                '            part["thoughtSignature"] = call.signature\n',
                "            pass\n",
            ),
        ),
    ),
    Faulty(
        "recovers-from-quotations",
        "a pattern for call: anywhere",
        op("recover", text="It wrote `call:default_api:f{a:1}` again.", tools=["f"]),
        {"calls": [], "unresolved": [], "text": "It wrote `call:default_api:f{a:1}` again."},
        edits=(
            (
                "runtime.leaks.quoting",
                "return index >= 0 and pos < self._ends[index]",
                "return False",
            ),
        ),
    ),
    Faulty(
        "runs-truncated-leaks",
        "what is there is taken",
        op(
            "recover",
            text="Malformed function call: print(default_api.f(a=1",
            channel="finish_message",
            tools=["f"],
        ),
        {"calls": [], "unresolved": [{"name": "f", "reason": "truncated"}]},
        edits=(
            (
                "runtime.leaks.values",
                '        if not char:\n            raise Unreadable("truncated")\n        return char',
                '        return char or ")"',
            ),
        ),
    ),
    Faulty(
        "repairs-across-operators",
        "the last quote is the closing one",
        op("recover", text="tool_code\nprint(default_api.f(a='x' + 'y'))", tools=["f"]),
        {"calls": [], "unresolved": [{"name": "f", "reason": "non-literal"}]},
        edits=(("runtime.leaks.values", " and not _operator_at(self._src, end)", ""),),
    ),
)
