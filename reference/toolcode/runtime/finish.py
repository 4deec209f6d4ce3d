"""What a finish reason means for a runtime: one total function (API.3).

Error contract: `judge_finish` has a verdict for every reason, known or not, and for every message.
It never raises; what a `recover` function raises is that function's affair.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Final, Literal, Protocol, TypeAlias

from .finish_message import attempted_tool, hidden_answer, is_rejection, without_prefix

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from .conversation import ToolCall

Action: TypeAlias = Literal["answer", "call", "retry", "continue", "stop"]

ACTIONS: Final[dict[str, Action]] = {
    # Gemini, in the order of its enumeration
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
    "IMAGE_SAFETY": "stop",
    "IMAGE_PROHIBITED_CONTENT": "stop",
    "IMAGE_OTHER": "retry",
    "NO_IMAGE": "retry",
    "IMAGE_RECITATION": "stop",
    "UNEXPECTED_TOOL_CALL": "retry",
    "TOO_MANY_TOOL_CALLS": "stop",
    "MISSING_THOUGHT_SIGNATURE": "stop",
    "MALFORMED_RESPONSE": "retry",
    # Gemini on Vertex only
    "MODEL_ARMOR": "stop",
    # OpenAI
    "stop": "answer",
    "length": "continue",
    "tool_calls": "call",
    "function_call": "call",
    "content_filter": "stop",
}
"""What to do by default; a reason that is not listed counts as `answer` or `retry` by content."""

# Proxies write Gemini's reasons in lower case. No two entries differ in case alone but STOP and
# stop, which agree.
_BY_FOLDED: Final[dict[str, Action]] = {reason.lower(): act for reason, act in ACTIONS.items()}
_REJECTED_CALL: Final = frozenset({"malformed_function_call", "unexpected_tool_call"})


class Recover(Protocol):
    """Reads calls out of text that the service rejected; the seam for `runtime.leaks`."""

    def __call__(self, text: str, tools: Collection[str]) -> Sequence[ToolCall]:
        """Return the calls of declared tools in `text`; none where anything is in doubt."""
        ...


@dataclass(frozen=True, slots=True)
class Verdict:
    """What to make of one response.

    Attributes:
        action: `answer`: show the text. `call`: run the calls. `retry`: ask again. `continue`: it
            was cut off by the token limit. `stop`: it was withheld, asking again will not help.
        reason: The finish reason as given, "" where there was none.
        text: What may be shown, an answer found in the finish message included.
        calls: What may be run.
        attempted: The tool that a rejected response tried to call, where that can be told.
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
    reason: object,
    *,
    text: str = "",
    calls: Sequence[ToolCall] = (),
    message: str = "",
    open_block: bool = False,
    recover: Recover | None = None,
    tools: Collection[str] = (),
) -> Verdict:
    """Judge a response by its finish reason and what it holds; every reason has a verdict.

    Args:
        reason: Gemini's or OpenAI's finish reason as text or as an SDK's enumeration member; None
            where none came. The two Gemini services number theirs differently, so a bare number
            counts as unknown.
        text: The response's visible text.
        calls: Its calls, of whichever channel won (API.4).
        message: Gemini's `finishMessage`.
        open_block: A tool block was still open at the end (`dropped unterminated` or `cut`).
        recover: Reads calls out of the finish message; without it none is run that the service
            itself rejected.
        tools: The declared tools. A recovered call of any other makes the whole recovery void.

    Returns:
        The verdict; an empty response is a retry under every reason that is not a `stop` or a
        `continue`, never an empty success.
    """
    given = _as_text(reason)
    folded = given.rpartition(".")[2].strip().lower()
    known = _BY_FOLDED.get(folded)
    if folded in _REJECTED_CALL or (known is None and is_rejection(message)):
        return _rejected(given, text, calls, message, recover, tools)
    action = _action(known, text, calls, open_block=open_block)
    kept = () if action == "stop" else tuple(calls)
    return Verdict(action, given, text, kept, None, message, open_block)


def _as_text(reason: object) -> str:
    if isinstance(reason, Enum):
        return reason.name
    return "" if reason is None else str(reason)


def _action(
    known: Action | None, text: str, calls: Sequence[ToolCall], *, open_block: bool
) -> Action:
    if known in ("continue", "stop"):
        return known
    if calls:
        return "call"
    if open_block or known == "retry" or not text.strip():
        return "retry"
    return "answer"


def _rejected(  # noqa: PLR0913, PLR0917 - the sides of one response
    reason: str,
    text: str,
    calls: Sequence[ToolCall],
    message: str,
    recover: Recover | None,
    tools: Collection[str],
) -> Verdict:
    """Judge a response whose call the service rejected: its native calls are never run."""
    attempted = attempted_tool(message) or (calls[0].name if calls else None)
    if recover and tools:
        recovered = tuple(recover(without_prefix(message), tools))
        if recovered and all(call.name in tools for call in recovered):
            return Verdict("call", reason, text, recovered, attempted, message)
    answer = "" if calls else hidden_answer(message)
    if answer:
        shown = f"{text}\n{answer}" if text else answer
        return Verdict("answer", reason, shown, (), None, message)
    return Verdict("retry", reason, text, (), attempted, message)
