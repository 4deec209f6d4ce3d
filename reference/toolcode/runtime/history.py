"""A conversation for a chat API that knows no tools (TURN.2), and for hosted Gemini (TURN.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolcode.renderer import render_message, render_results

from .conversation import Assistant, ToolResult, User
from .transcript import turns

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolcode.events import JSON

    from .conversation import Message


def encode_history(conversation: Iterable[Message]) -> list[Message]:
    """Write calls and results into the text of ordinary turns (TURN.2).

    An assistant turn with calls becomes its prose, a line break and the block; its thinking is not
    sent again. A run of results becomes one user turn, their images behind the text. Every other
    turn is returned as it is, the same object.

    Raises:
        RenderError: A call cannot be written.
    """
    encoded: list[Message] = []
    results: list[ToolResult] = []

    def end_of_results() -> None:
        if results:
            images = tuple(image for result in results for image in result.images)
            encoded.append(User(render_results([result.text for result in results]), images))
            results.clear()

    for message in conversation:
        if isinstance(message, ToolResult):
            results.append(message)
            continue
        end_of_results()
        if isinstance(message, Assistant) and message.calls:
            pairs = [(call.name, call.arguments) for call in message.calls]
            encoded.append(Assistant(render_message(text=message.text, calls=pairs)))
        else:
            encoded.append(message)
    end_of_results()
    return encoded


def gemini_contents(
    conversation: Iterable[Message], *, tool_prompt: str = ""
) -> list[dict[str, Any]]:
    """Write a conversation as hosted Gemini's `contents`, tools as text (TURN.4).

    The turns are those of the transcript (TURN.1): the block stands in the model's text, results
    are the next user turn, instructions stand in front of the user's words. Images are parts of
    their own behind the text, as they were given.

    Raises:
        RenderError: A call cannot be written.
    """
    messages = list(conversation)
    images = iter(
        image
        for message in messages
        if isinstance(message, User | ToolResult)
        for image in message.images
    )
    contents = []
    for turn in turns(messages, tool_prompt=tool_prompt):
        parts: list[JSON] = [{"text": turn.body}] if turn.body or not turn.images else []
        parts += [next(images) for _ in range(turn.images)]
        contents.append({"role": turn.role, "parts": parts})
    return contents
