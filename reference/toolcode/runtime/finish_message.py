"""What Gemini's finish message holds: a rejected call, an answer in the wrong place, or neither.

The service puts two words of its own in front of what the model wrote. A message without them is
the service speaking, so nothing in it is the model's answer. Nothing here decides to run anything:
the name is for logs and for the hint of the next request (API.3).
"""

from __future__ import annotations

import re
from typing import Final

_prefix_at: Final = re.compile(
    r"\s*+(?:Malformed function call|Unexpected tool call)\s*+:\s*+", re.IGNORECASE
).match
_fence_at: Final = re.compile(r"```(?:tool_code|tool_call|python|py)?[ \t]*\r?\n").match

_NAME: Final = r"[^\W\d]\w*+(?:-\w++)*+"
# A path has few steps: the bound keeps a megabyte of dots from being searched from every dot on.
_DOTTED: Final = rf"(?:{_NAME}\.){{0,8}}?({_NAME})"
# What betrays a call, the surest sign first. Each pattern's group is the name.
_attempts: Final = (
    re.compile(rf"\bdefault_api[.:](?:{_NAME}[.:]){{0,8}}?({_NAME})\s*+[({{]"),
    re.compile(rf"(?m)^[^\w\n]*+\w*?call:(?:{_NAME}:){{0,8}}?({_NAME})\s*+[({{]"),
    re.compile(rf'^\s*+\[?\s*+\{{\s*+"(?:name|tool|tool_name)"\s*+:\s*+"({_NAME})"'),
    re.compile(rf"(?m)^[ \t]*+(?:{_NAME} *+= *+)?print *+\( *+{_DOTTED}\("),
    re.compile(rf"^[\s\[(]*+(?:{_NAME} *+= *+)?(?:await +)?{_DOTTED}\("),
)
# Statements that no prose begins with. `import` and `for` are not among them: prose does.
_is_code: Final = re.compile(
    r"(?m)^[ \t]*+(?:print *+\(|[^\W\d]\w*+ *+=(?!=)|import \w++(?:\.\w++)*+[ \t]*+\r?$)"
).search


def is_rejection(message: str) -> bool:
    """Whether the message says of itself that a call was rejected, whatever the reason says."""
    return _prefix_at(message) is not None


def without_prefix(message: str) -> str:
    """The model's own words in a finish message; all of it where there is no prefix."""
    match = _prefix_at(message)
    return message[match.end() :] if match else message


def attempted_tool(message: str) -> str | None:
    """The name of the tool that a finish message tries to call, without its namespace.

    None where the message calls nothing. Prose that merely holds a word before a bracket is no
    attempt: the call has to stand where a call stands, or to carry its namespace.
    """
    body = _unfenced(without_prefix(message))
    for pattern in _attempts:
        for match in pattern.finditer(body):
            if match[1] not in ("print", "call"):
                return match[1]
    return None


def hidden_answer(message: str) -> str:
    """The answer that stands behind the service's prefix in place of a call; "" where none does."""
    match = _prefix_at(message)
    if not match or attempted_tool(message):
        return ""
    body = message[match.end() :].strip()
    return "" if _is_code(_unfenced(body)) else body


def _unfenced(body: str) -> str:
    match = _fence_at(body)
    return body[match.end() :] if match else body
