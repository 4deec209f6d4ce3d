"""One verdict for a whole response, leaks included (API.3, LEAK)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

from toolcode.runtime.api import from_gemini, from_openai
from toolcode.runtime.errors import RuntimeFormatError
from toolcode.runtime.finish import Verdict, judge_finish

from .recovery import recover

if TYPE_CHECKING:
    from collections.abc import Collection

    from toolcode.runtime.conversation import ToolCall

_Parts: TypeAlias = "tuple[object, str, str, str, list[ToolCall]]"


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

    Native calls win over calls in the text or in code for a sandbox (API.4); those are run only
    where all of them can be; whatever leaked is gone from the verdict's text.

    Args:
        response: The response's JSON: `candidates` of Gemini or `choices` of OpenAI.
        tools: The declared tools.

    Returns:
        The verdict; its `hint` is ready to be sent with a retry.

    Raises:
        RuntimeFormatError: It is neither form, or a call in it is malformed.
    """
    reason, message, text, code, calls = _parts(response)
    why = str(reason or "")
    found = recover(text, tools=tools, finish_reason=why)
    coded = recover(code, tools=tools, channel="executable_code", finish_reason=why)
    wanted = [*found.calls, *coded.calls]
    runnable = [*found.runnable, *coded.runnable]
    unresolved = [*found.unresolved, *coded.unresolved]
    lost = not calls and (bool(unresolved) or len(runnable) < len(wanted))
    verdict = judge_finish(
        reason,
        text=found.text,
        calls=calls or ([] if lost else runnable),
        message=message,
        open_block=lost,
        recover=read_rejected,
        tools=tools,
    )
    if not lost or verdict.action not in ("retry", "stop"):
        return verdict
    names = [name for one in unresolved if (name := one.name)]
    names += [call.name for call in wanted if call.tool is None]
    retried = verdict.action == "retry"
    cut = retried and any(one.reason == "truncated" for one in unresolved)
    attempted = verdict.attempted or (names[0] if names else None)
    return replace(verdict, truncated=cut, attempted=attempted)


def _parts(response: Any) -> _Parts:  # noqa: ANN401
    """Finish reason, finish message, visible text, code for a sandbox, native calls."""
    if isinstance(response, dict):
        for key, read in (("candidates", _gemini), ("choices", _openai)):
            given = response.get(key)
            if isinstance(given, list):
                first = given[0] if given else {}
                if not isinstance(first, dict):
                    raise RuntimeFormatError(f"response.{key}[0]: an object is wanted")
                return read(first)
    raise RuntimeFormatError("response: neither candidates nor choices")


def _gemini(candidate: dict[str, Any]) -> _Parts:
    content = candidate.get("content")
    given = content.get("parts") if isinstance(content, dict) else None
    parts = [part for part in given or () if isinstance(part, dict)]
    text = "".join(str(p["text"]) for p in parts if p.get("text") and not p.get("thought"))
    reason = candidate.get("finishReason", candidate.get("finish_reason"))
    message = candidate.get("finishMessage", candidate.get("finish_message"))
    code = "\n".join(map(_code, parts)).strip()
    calls = from_gemini([part for part in parts if not _code(part)])
    return reason, str(message or ""), text, code, calls


def _code(part: dict[str, Any]) -> str:
    """The code of a part that asks a sandbox to run it; a call of a tool may have gone astray."""
    given = part.get("executableCode", part.get("executable_code"))
    return str(given.get("code") or "") if isinstance(given, dict) else ""


def _openai(choice: dict[str, Any]) -> _Parts:
    message = choice.get("message")
    said = message if isinstance(message, dict) else {}
    text = said.get("content")
    calls = from_openai(said.get("tool_calls") or ())
    return choice.get("finish_reason"), "", text if isinstance(text, str) else "", "", calls
