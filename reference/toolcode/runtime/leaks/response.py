"""One verdict for a whole response, leaks included (API.3, LEAK)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolcode.runtime.api import from_gemini, from_openai
from toolcode.runtime.errors import RuntimeFormatError
from toolcode.runtime.finish import Verdict, judge_finish

from .recovery import recover

if TYPE_CHECKING:
    from collections.abc import Collection

    from toolcode.runtime.conversation import ToolCall


def read_rejected(text: str, tools: Collection[str]) -> list[ToolCall]:
    """The calls in a finish message, all of them or none; what `judge_finish` takes as `recover`.

    None where a single one is unresolved or of no declared tool: half of what a model wanted is
    not what it wanted.
    """
    found = recover(text, tools=tools, channel="finish_message")
    runnable = found.runnable
    return [] if found.unresolved or len(runnable) < len(found.calls) else runnable


def judge_response(response: Any, *, tools: Collection[str]) -> Verdict:  # noqa: ANN401 - JSON
    """Judge a Gemini or OpenAI response as it came over the wire.

    Native calls win over calls in the text (API.4); calls in the text are run only where all of
    them can be; whatever leaked is gone from the verdict's text.

    Args:
        response: The response's JSON: `candidates` of Gemini or `choices` of OpenAI.
        tools: The declared tools.

    Returns:
        The verdict; its `hint` is ready to be sent with a retry.

    Raises:
        RuntimeFormatError: It is neither form, or a call in it is malformed.
    """
    reason, message, text, calls = _parts(response)
    found = recover(text, tools=tools, finish_reason=str(reason or ""))
    lost = bool(found.unresolved)
    if not calls and not lost and len(found.runnable) == len(found.calls):
        calls = found.runnable
    elif not calls:
        lost = True
    return judge_finish(
        reason,
        text=found.text,
        calls=calls,
        message=message,
        open_block=lost and not calls,
        recover=read_rejected,
        tools=tools,
    )


def _parts(response: Any) -> tuple[object, str, str, list[ToolCall]]:  # noqa: ANN401
    """Finish reason, finish message, visible text and native calls."""
    if isinstance(response, dict):
        for key, read in (("candidates", _gemini), ("choices", _openai)):
            given = response.get(key)
            if isinstance(given, list):
                first = given[0] if given else {}
                if not isinstance(first, dict):
                    raise RuntimeFormatError(f"response.{key}[0]: an object is wanted")
                return read(first)
    raise RuntimeFormatError("response: neither candidates nor choices")


def _gemini(candidate: dict[str, Any]) -> tuple[object, str, str, list[ToolCall]]:
    content = candidate.get("content")
    given = content.get("parts") if isinstance(content, dict) else None
    parts = [part for part in given or () if isinstance(part, dict)]
    text = "".join(str(p["text"]) for p in parts if p.get("text") and not p.get("thought"))
    reason = candidate.get("finishReason", candidate.get("finish_reason"))
    message = candidate.get("finishMessage", candidate.get("finish_message"))
    return reason, str(message or ""), text, from_gemini(parts)


def _openai(choice: dict[str, Any]) -> tuple[object, str, str, list[ToolCall]]:
    message = choice.get("message")
    said = message if isinstance(message, dict) else {}
    text = said.get("content")
    calls = from_openai(said.get("tool_calls") or ())
    return choice.get("finish_reason"), "", text if isinstance(text, str) else "", calls
