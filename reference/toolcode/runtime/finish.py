"""What a finish reason means for a runtime: one total function (API.3)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .conversation import ToolCall

Action: TypeAlias = Literal["answer", "call", "retry", "continue", "stop"]

ACTIONS: Final[dict[str, Action]] = {
    # Gemini
    "FINISH_REASON_UNSPECIFIED": "retry",
    "STOP": "answer",
    "MAX_TOKENS": "continue",
    "SAFETY": "stop",
    "RECITATION": "stop",
    "LANGUAGE": "stop",
    "OTHER": "retry",
    "BLOCKLIST": "stop",
    "PROHIBITED_CONTENT": "stop",
    "SPII": "stop",
    "MALFORMED_FUNCTION_CALL": "retry",
    "UNEXPECTED_TOOL_CALL": "retry",
    "TOO_MANY_TOOL_CALLS": "stop",
    "MISSING_THOUGHT_SIGNATURE": "stop",
    "MALFORMED_RESPONSE": "retry",
    "IMAGE_SAFETY": "stop",
    "IMAGE_PROHIBITED_CONTENT": "stop",
    "IMAGE_RECITATION": "stop",
    "IMAGE_OTHER": "retry",
    "NO_IMAGE": "retry",
    # OpenAI
    "stop": "answer",
    "length": "continue",
    "tool_calls": "call",
    "function_call": "call",
    "content_filter": "stop",
}
"""What to do by default; a reason that is not listed counts as `answer` or `retry` by content."""

_BROKEN_CALL: Final = frozenset({"MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL"})
_prefix: Final = re.compile(
    r"\s*(?:Malformed function call|Unexpected tool call):?\s*", re.IGNORECASE
)
_attempt: Final = re.compile(
    r"(?:\bcall:)?(?:default_api[.:])?([^\W\d][\w.:-]*?)\s*[({]", re.UNICODE
)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What to make of one response.

    Attributes:
        action: `answer`: show the text. `call`: run the calls. `retry`: ask again. `continue`: it
            was cut off by the token limit. `stop`: it was withheld, asking again will not help.
        reason: The finish reason as given, "" where there was none.
        text: What may be shown, an answer found in the finish message included.
        calls: What may be run.
        attempted: The tool that the model tried to call, where the message names one.
        message: The finish message as given.
        truncated: A tool block was open at the end, so a call was lost.
    """

    action: Action
    reason: str = ""
    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    attempted: str | None = None
    message: str = ""
    truncated: bool = False

    @property
    def hint(self) -> str | None:
        """A sentence to send with the next request, where one helps."""
        if self.truncated or self.action == "continue":
            return "Your last message was cut off by its length. Continue, and keep calls short."
        if self.action != "retry":
            return None
        if self.attempted:
            return (
                f"Your call of {self.attempted} could not be read. Call a declared tool again, "
                "with literal keyword arguments only."
            )
        return "Your last message was empty or could not be read. Please answer again."


def judge_finish(  # noqa: PLR0913 - a response has that many sides
    reason: str | None,
    *,
    text: str = "",
    calls: Sequence[ToolCall] = (),
    message: str = "",
    open_block: bool = False,
    recover: Callable[[str], Sequence[ToolCall]] | None = None,
) -> Verdict:
    """Judge a response by its finish reason and what it holds; every reason has a verdict.

    Args:
        reason: Gemini's or OpenAI's finish reason, whatever it is; None where none came.
        text: The response's visible text.
        calls: Its calls, of whichever channel.
        message: Gemini's `finishMessage`.
        open_block: A tool block was still open at the end (`dropped unterminated`).
        recover: Reads declared tools' calls out of the finish message; without it none is run
            that the service itself rejected.

    Returns:
        The verdict; an empty MALFORMED_FUNCTION_CALL is a retry, never an empty success.
    """
    reason = reason or ""
    known = ACTIONS.get(reason)
    if reason in _BROKEN_CALL:
        return _broken_call(reason, text, message, recover)
    action: Action
    if known in ("continue", "stop"):
        action = known
    elif calls:
        action = "call"
    elif open_block or known == "retry" or not text:
        action = "retry"
    else:
        action = "answer"
    kept = () if action == "stop" else tuple(calls)
    return Verdict(action, reason, text, kept, None, message, open_block)


def _broken_call(
    reason: str,
    text: str,
    message: str,
    recover: Callable[[str], Sequence[ToolCall]] | None,
) -> Verdict:
    rest = _prefix.sub("", message, count=1)
    recovered = tuple(recover(rest)) if recover and rest else ()
    attempted = attempted_tool(message)
    if recovered:
        return Verdict("call", reason, text, recovered, attempted, message)
    if rest and attempted is None:
        # No call at all: some responses hide a complete answer here.
        return Verdict("answer", reason, text + rest, (), None, message)
    return Verdict("retry", reason, text, (), attempted, message)


def attempted_tool(message: str) -> str | None:
    """The name of the first thing a finish message looks to call, without its namespace."""
    rest = _prefix.sub("", message, count=1)
    for match in _attempt.finditer(rest):
        name = re.split(r"[.:]", match[1])[-1]
        if name not in ("print", "call", "default_api", ""):
            return name
    return None
