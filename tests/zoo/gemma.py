"""Gemma 4's own convention."""

from __future__ import annotations

from tests.zoo.faulty import (
    REFUSED,
    Faulty,
    call,
    drop_keys,
    each_call,
    gemma,
    gives,
    keep,
    op,
    set_name,
    thought,
)

FAULTS: tuple[Faulty, ...] = (
    Faulty(
        "gemma-closes-inside-strings",
        "a search for the closing token",
        op(
            "scan",
            chunks=['<|tool_call>call:f{a:<|"|><tool_call|><|"|>}<tool_call|>'],
            options={"dialect": "gemma"},
        ),
        gives(call("f", a="<tool_call|>")),
        edits=(
            (
                "runtime.gemma4",
                "                self._string = not self._string\n",
                "                pass\n",
            ),
        ),
    ),
    Faulty(
        "gemma-names-keep-the-namespace",
        "everything up to the brace is the name",
        gemma("<|tool_call>call:f{a:1}<tool_call|>"),
        gives(call("f", a=1)),
        steps=set_name(lambda call: "call:" + str(call["name"])),
        dialect="gemma",
    ),
    Faulty(
        "gemma-keys-are-identifiers",
        "a pattern for ASCII keys",
        gemma("<|tool_call>call:f{max-results:1}<tool_call|>"),
        gives(call("f", **{"max-results": 1})),
        steps=drop_keys(lambda key: not (key.isascii() and key.isidentifier())),
        dialect="gemma",
    ),
    Faulty(
        "gemma-loses-silently",
        "a block that gives nothing is nothing",
        gemma("<|tool_call>call:f{a:1"),
        gives(dropped="unterminated"),
        steps=keep(lambda event, _: "dropped" not in event),
        dialect="gemma",
    ),
    Faulty(
        "gemma-says-nothing-of-unresolved",
        "whatever stands there is a string",
        gemma("<|tool_call>call:f{a:[1,,2]}<tool_call|>"),
        gives(call("f", {"unresolved": ["a"]}, a="[1,,2]")),
        steps=each_call(lambda call: call.update(unresolved=[])),
        dialect="gemma",
    ),
    Faulty(
        "gemma-drops-thoughts",
        "thinking is thrown away",
        gemma("<|channel>thought\nhm<channel|>Hi"),
        gives(thought("hm"), "Hi"),
        steps=keep(
            lambda event, _: not event.keys() & {"thinking", "thinking_start", "thinking_end"}
        ),
        dialect="gemma",
    ),
    Faulty(
        "gemma-loses-the-second-chunk",
        "a buffer of one",
        op("scan", chunks=["a", "b", "c"], options={"dialect": "gemma"}),
        gives("abc"),
        steps=lambda steps: [
            [] if n == 1 and len(steps) > 3 else step for n, step in enumerate(steps)
        ],
        dialect="gemma",
    ),
    Faulty(
        "gemma-calls-on-lines",
        "blocks are joined by line breaks",
        op(
            "render",
            calls=[{"name": "f", "arguments": {}}, {"name": "g", "arguments": {}}],
            options={"dialect": "gemma"},
        ),
        {"text": "<|tool_call>call:f{}<tool_call|><|tool_call>call:g{}<tool_call|>"},
        edits=(
            (
                "runtime.gemma4_render",
                '    return "".join(\n        _call(call.name',
                '    return "\\n".join(\n        _call(call.name',
            ),
        ),
    ),
    Faulty(
        "gemma-renders-any-name",
        "names are not checked",
        op("render", calls=[{"name": "a{b", "arguments": {}}], options={"dialect": "gemma"}),
        REFUSED,
        edits=(("runtime.gemma4_render", "    if not _name(name):\n", "    if False:\n"),),
    ),
    Faulty(
        "gemma-thoughts-verbatim",
        "thinking is written verbatim",
        op("render-thinking", thinking="a<channel|>b", options={"dialect": "gemma"}),
        {
            "text": "<|channel>thought\na<\u2060channel|>b\n<channel|>",
            "segments": [thought("a<\u2060channel|>b")],
        },
        edits=(
            (
                "runtime.gemma4_render",
                "{_disarmed(thinking)}{line_break}",
                "{thinking}{line_break}",
            ),
        ),
    ),
    Faulty(
        "gemma-markers-in-rendered-strings",
        "strings are written verbatim",
        op("render-results", results=['<|"|>'], names=["f"], options={"dialect": "gemma"}),
        {"text": '<|tool_response>response:f{output:<|"|><\u2060|"|><|"|>}<tool_response|>'},
        edits=(
            ("runtime.gemma4_render", "{STRING}{disarm(text)}{STRING}", "{STRING}{text}{STRING}"),
        ),
    ),
    Faulty(
        "gemma-results-are-parsed",
        "a result that looks like JSON is written as a value, against what is declared",
        op("render-results", results=["[1]"], names=["f"], options={"dialect": "gemma"}),
        {"text": '<|tool_response>response:f{output:<|"|>[1]<|"|>}<tool_response|>'},
        edits=(
            (
                "runtime.gemma4_render",
                '        f"{{{key}:{STRING}{disarm(text)}{STRING}}}{RESPONSE_CLOSE}"\n',
                '        + (f"{{{key}:{text}}}{RESPONSE_CLOSE}" if text[:1] in ("[", "{") else f"{{{key}:{STRING}{disarm(text)}{STRING}}}{RESPONSE_CLOSE}")\n',
            ),
        ),
    ),
)
