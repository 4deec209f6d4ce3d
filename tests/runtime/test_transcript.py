"""TURN under hypothesis: transcripts come back, markers forge nothing, aliases lead back."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.properties.strategies import keywords, messages, names, values
from toolcode import JSON, scan, segments
from toolcode.runtime import transcript
from toolcode.runtime.conversation import (
    Assistant,
    Developer,
    Message,
    System,
    ToolCall,
    ToolResult,
    User,
    message_to_json,
    messages_from_json,
)
from toolcode.runtime.declarations import Declaration, read_declarations
from toolcode.runtime.errors import RuntimeFormatError
from toolcode.runtime.history import encode_history, gemini_contents
from toolcode.runtime.names import NameMap
from toolcode.runtime.prompt import tool_prompt

MARKERS = ("<start_of_turn>user\n", "<end_of_turn>\n", "<bos>", "<start_of_image>", "\u2060")
bodies = st.lists(st.sampled_from(MARKERS) | messages, max_size=4).map("".join)
calls = st.builds(ToolCall, names, st.dictionaries(keywords, values, max_size=3))
spoken: st.SearchStrategy[Message] = st.one_of(
    st.builds(System, bodies),
    st.builds(Developer, bodies),
    st.builds(User, bodies),
    st.builds(Assistant, bodies, bodies, st.lists(calls, max_size=2).map(tuple)),
    st.builds(ToolResult, bodies, st.none() | names, st.none() | names, st.booleans()),
)


@given(st.lists(spoken, max_size=6), st.sampled_from(["", "TOOLS"]), st.booleans())
def test_a_transcript_reads_back_to_its_turns(
    conversation: list[Message], prompt: str, opened: bool
) -> None:
    """TURN.1c, and TURN.1b: whatever stands in a body, there are no more turns than were said."""
    folded = transcript.turns(conversation, tool_prompt=prompt)
    text = transcript.render_transcript(
        conversation, tool_prompt=prompt, add_generation_prompt=opened
    )
    wanted = list(folded)
    if opened and folded:
        wanted.append(transcript.Turn("model", "", complete=False))
    assert transcript.parse_transcript(text) == wanted


@given(bodies)
def test_guarding_is_undone(text: str) -> None:
    guarded = transcript.guard(text)
    assert transcript.unguard(guarded) == text
    assert not any(f"<{word}>" in guarded for word in ("start_of_turn", "end_of_turn", "bos"))


@given(st.lists(bodies, min_size=1, max_size=3))
def test_results_read_back(texts: list[str]) -> None:
    """OUT.2 and TURN.1c: a user turn of result blocks gives the results again."""
    (turn,) = transcript.turns([ToolResult(text) for text in texts])
    assert transcript.read_results(turn.body) == texts


@given(st.lists(spoken, max_size=6))
def test_messages_survive_json(conversation: list[Message]) -> None:
    written = json.loads(json.dumps([message_to_json(message) for message in conversation]))
    assert messages_from_json(written) == conversation


@given(st.lists(spoken, max_size=6))
def test_history_holds_no_calls_and_no_results(conversation: list[Message]) -> None:
    """TURN.2: what is neither stays the same object."""
    encoded = encode_history(conversation)
    assert not any(isinstance(message, ToolResult) for message in encoded)
    assert not any(message.calls for message in encoded if isinstance(message, Assistant))
    plain = [
        m for m in conversation if not isinstance(m, ToolResult) and not getattr(m, "calls", ())
    ]
    assert [id(m) for m in encoded if any(m is p for p in plain)] == [id(m) for m in plain]


def test_a_conversation_reads_back_as_messages() -> None:
    conversation: list[Message] = [
        User("Warm?"),
        Assistant("Let me look.", "Ask first.", (ToolCall("now", {"a": 1}),)),
        ToolResult("18"),
        ToolResult("```x"),
        Assistant("Yes."),
        User("look", (None, None)),
    ]
    text = transcript.render_transcript(conversation)
    assert transcript.messages(transcript.parse_transcript(text)) == conversation


def test_images_of_contents_stand_with_their_turn() -> None:
    one: JSON = {"inlineData": {"data": "a"}}
    two: JSON = {"inlineData": {"data": "b"}}
    contents = gemini_contents([User("x", (one,)), Assistant("y"), ToolResult("1", images=(two,))])
    assert [len(content["parts"]) for content in contents] == [2, 1, 2]
    assert contents[0]["parts"][1] == one
    assert contents[2]["parts"][1] == two


odd_names = st.text(
    st.sampled_from("ab-_./$é1 ") | st.characters(codec="utf-8", max_codepoint=0x2FF),
    min_size=1,
    max_size=6,
)


@given(
    st.lists(
        st.tuples(odd_names, st.lists(odd_names, unique=True, max_size=4)),
        unique_by=lambda t: t[0],
        max_size=5,
    )
)
def test_aliases_are_identifiers_and_lead_back(tools: list[tuple[str, list[str]]]) -> None:
    """RENDER.5, TURN.3c."""
    declared = [
        Declaration(name, None, {"properties": {key: {} for key in keys}}) for name, keys in tools
    ]
    names_map = NameMap(declared)
    aliases = [names_map.tool(tool.name) for tool in declared]
    assert len(set(aliases)) == len(aliases)
    for tool in declared:
        call = ToolCall(tool.name, dict.fromkeys(tool.properties, 1), "id", "sig")
        there = names_map.to_model(call)
        text = transcript.render_transcript([Assistant(calls=(there,))])
        (turn,) = transcript.parse_transcript(text)
        (segment,) = segments(scan(turn.body))
        found = segment["call"]
        back = names_map.from_model(ToolCall(found["name"], found["arguments"], "id", "sig"))
        assert back == call
        assert list(back.arguments) == list(call.arguments)


@given(st.lists(st.tuples(names, st.text()), unique_by=lambda t: t[0], min_size=1, max_size=4))
def test_the_catalogue_is_one_line_per_tool(tools: list[tuple[str, str]]) -> None:
    """TURN.3a: no description can end it or add a line."""
    text = tool_prompt([{"name": name, "description": said} for name, said in tools])
    catalogue = text.partition("<tools>\n")[2].partition("\n</tools>")[0]
    lines = [json.loads(line)["function"] for line in catalogue.splitlines()]
    assert [(line["name"], line["description"]) for line in lines] == tools


@pytest.mark.parametrize(
    ("item", "place"),
    [
        ("x", r"messages\[0\]\.role"),
        ({"role": "user", "text": 1}, r"messages\[0\]\.text"),
        ({"role": "user", "txt": "a"}, r"unknown field 'txt'"),
        ({"role": "assistant", "calls": {}}, r"messages\[0\]\.calls: a list"),
        ({"role": "assistant", "calls": [{"name": 1}]}, r"messages\[0\]\.calls\[0\]\.name"),
        (
            {"role": "assistant", "calls": [{"name": "f", "arguments": []}]},
            r"calls\[0\]\.arguments",
        ),
    ],
)
def test_a_malformed_message_is_named(item: Any, place: str) -> None:
    with pytest.raises(RuntimeFormatError, match=place):
        messages_from_json([item])


@pytest.mark.parametrize("tool", ["x", {}, {"name": ""}, {"name": "f", "description": 1}])
def test_a_malformed_declaration_is_named(tool: Any) -> None:
    with pytest.raises(RuntimeFormatError, match=r"tools\[0\]"):
        read_declarations([tool])
