"""Gemma 3's turn template, in both directions (TURN.1).

A body is written as it is, but for the turn markers in it: they get a word joiner behind their
`<`, so that no text can forge a turn, and reading takes one off again.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from toolcode.events import segments
from toolcode.renderer import render_message, render_results
from toolcode.scanner import scan

from .conversation import Assistant, Developer, System, ToolCall, ToolResult, User
from .errors import RuntimeFormatError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .conversation import Message

BOS: Final = "<bos>"
_START: Final = "<start_of_turn>"
_END: Final = "<end_of_turn>"
IMAGE: Final = "<start_of_image>"
JOINER: Final = "\u2060"
_MARKERS: Final = r"(start_of_turn|end_of_turn|start_of_image|bos|eos)>"
_forged: Final = re.compile(rf"<(?={JOINER}*+{_MARKERS})")
_guarded: Final = re.compile(rf"<{JOINER}(?={JOINER}*+{_MARKERS})")
_opener_at: Final = re.compile(rf"{_START}(user|model)\n").match
_images_at_end: Final = re.compile(rf"\n((?:{IMAGE})++)\Z").search
_result_at: Final = re.compile(r"(`{3,}+)tool_outputs\n").match


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of the template.

    Attributes:
        role: Who speaks.
        body: What is said, markers in it unguarded.
        complete: The turn has its end marker; the last one of a prompt has none.
        images: How many images stand behind the body.
    """

    role: Literal["user", "model"]
    body: str
    complete: bool = True
    images: int = 0


def turns(conversation: Iterable[Message], *, tool_prompt: str = "") -> list[Turn]:
    """Fold messages into turns.

    System text, developer text and the tool prompt go in front of the next user turn, each behind
    a blank line; where the model speaks first, or nothing follows, they are a user turn of their
    own. A run of results is one user turn.

    Raises:
        RenderError: A call cannot be written.
    """
    folded: list[Turn] = []
    before: list[str] = []
    results: list[ToolResult] = []
    prompt = [tool_prompt] if tool_prompt else []

    def user(body: str, images: int) -> None:
        parts = [*before, *prompt, *([body] if body or not (before or prompt) else [])]
        folded.append(Turn("user", "\n\n".join(parts), images=images))
        before.clear()
        prompt.clear()

    def end_of_results() -> None:
        if results:
            images = sum(len(result.images) for result in results)
            user(render_results([result.text for result in results]), images)
            results.clear()

    empty = True
    for message in conversation:
        empty = False
        if isinstance(message, ToolResult):
            results.append(message)
            continue
        end_of_results()
        match message:
            case System(text) | Developer(text):
                before += [text] if text else []
            case User(text, images):
                user(text, len(images))
            case Assistant(text, thinking, calls):
                if before or prompt:
                    user("", 0)
                pairs = [(call.name, call.arguments) for call in calls]
                body = render_message(thinking=thinking, text=text, calls=pairs)
                folded.append(Turn("model", body))
    end_of_results()
    if before or (prompt and not empty):
        user("", 0)
    return folded


def render_transcript(
    conversation: Iterable[Message], *, tool_prompt: str = "", add_generation_prompt: bool = False
) -> str:
    """Render a conversation in Gemma 3's template (TURN.1).

    Args:
        conversation: The messages; none at all give the empty string.
        tool_prompt: The prompt that declares the tools, for the first user turn.
        add_generation_prompt: Open the model's turn at the end.

    Raises:
        RenderError: A call cannot be written.
    """
    return render_turns(
        turns(conversation, tool_prompt=tool_prompt), add_generation_prompt=add_generation_prompt
    )


def render_turns(spoken: Sequence[Turn], *, add_generation_prompt: bool = False) -> str:
    """Render turns that are already folded."""
    if not spoken:
        return ""
    pieces = [BOS]
    for turn in spoken:
        images = "\n" + IMAGE * turn.images if turn.images else ""
        pieces.append(f"{_START}{turn.role}\n{guard(turn.body)}{images}")
        if turn.complete:
            pieces.append(f"{_END}\n")
    if add_generation_prompt:
        pieces.append(f"{_START}model\n")
    return "".join(pieces)


def parse_transcript(text: str) -> list[Turn]:
    """Read a rendered transcript back into its turns.

    Raises:
        RuntimeFormatError: Something stands where a turn should begin; the message says where.
    """
    found = []
    pos = len(BOS) if text.startswith(BOS) else 0
    while pos < len(text):
        match = _opener_at(text, pos)
        if not match:
            raise RuntimeFormatError(
                f"transcript: no turn begins at character {pos}: {text[pos : pos + 40]!r}"
            )
        role: Literal["user", "model"] = "user" if match[1] == "user" else "model"
        end = text.find(_END, match.end())
        complete = end >= 0
        body = text[match.end() : end if complete else len(text)]
        images = _images_at_end(body)
        count = len(images[1]) // len(IMAGE) if images else 0
        body = body[: images.start()] if images else body
        found.append(Turn(role, unguard(body), complete, count))
        pos = end + len(_END) if complete else len(text)
        pos += text.startswith("\n", pos)
    return found


def messages(spoken: Iterable[Turn]) -> list[Message]:
    """Read turns as messages: what a runtime would have to say to get them.

    Instructions in front of a user turn cannot be told from the user's own words, so they are
    part of its text.
    """
    found: list[Message] = []
    for turn in spoken:
        if turn.role == "model":
            found.append(_assistant(turn.body))
            continue
        results = read_results(turn.body)
        images = (None,) * turn.images
        if results and not images:
            found.extend(ToolResult(text) for text in results)
        else:
            found.append(User(turn.body, images))
    return found


def _assistant(body: str) -> Assistant:
    parts = segments(scan(body))
    calls = tuple(
        ToolCall(part["call"]["name"], part["call"]["arguments"])
        for part in parts
        if "call" in part
    )
    thinking = "\n".join(part["thinking"] for part in parts if "thinking" in part)
    text = "".join(part.get("text", "") for part in parts)
    # The line breaks between text and blocks are the template's, not the text's.
    if thinking:
        text = text.removeprefix("\n")
    if calls:
        text = text.removesuffix("\n")
    return Assistant(text, thinking, calls)


def read_results(body: str) -> list[str]:
    """Split a user turn that holds nothing but result blocks (OUT.1, OUT.2); else it is empty."""
    found = []
    pos = 0
    while match := _result_at(body, pos):
        end = body.find(f"\n{match[1]}", match.end() - 1)
        if end < 0:
            return []
        found.append(body[match.end() : end])
        pos = end + 1 + len(match[1])
        if pos == len(body):
            return found
        if not body.startswith("\n`", pos):
            return []
        pos += 1
    return []


def guard(text: str) -> str:
    """Make the turn markers in a text harmless, reversibly."""
    return _forged.sub(f"<{JOINER}", text)


def unguard(text: str) -> str:
    """Undo `guard`."""
    return _guarded.sub("<", text)
