"""Messages that are a leak as a whole: nothing but calls, a JSON call, or fences with calls."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from .envelopes import Envelopes, finding, json_calls, loads, sorted_out
from .model import Finding
from .python_calls import PythonReader

if TYPE_CHECKING:
    from .model import Options
    from .names import Names
    from .quoting import Quoting

_PLAIN_LABELS: Final = frozenset({"python", "py", "", "json", "tool"})
_json_fence: Final = re.compile(r"\s*```(?:json)?[ \t]*\n(.*)\n[ \t]*```\s*", re.DOTALL).fullmatch
_between: Final = re.compile(
    r"(?:\s|#[^\n]*|\b(?:print|await)\b|\w+\s*=(?!=)|[\[\](),;])*"
).fullmatch


def whole_message(text: str, names: Names, options: Options) -> Finding | None:
    """Read a message that holds nothing but calls, in code or in JSON."""
    if not text.strip():
        return None
    found = _json_message(text, names, options)
    if found:
        return found
    reads, end = Envelopes(text, names, options).statements(len(text) - len(text.lstrip()))
    # A line of its own may be all that a thought or an answer is set apart by.
    if reads and not text[end:].strip():
        return finding(0, len(text), "bare", reads)
    return None


def _json_message(text: str, names: Names, options: Options) -> Finding | None:
    fenced = _json_fence(text)
    content = fenced[1] if fenced else text
    value = loads(content)
    if isinstance(value, dict) and len(value) == 1 and isinstance(value.get("tool_code"), str):
        reads = PythonReader(value["tool_code"], names, options).program()
        return Finding(0, len(text), "json", *sorted_out(reads)) if reads else None
    calls = json_calls(content, names)
    return Finding(0, len(text), "json", tuple(calls)) if calls else None


def leading_fences(text: str, quoting: Quoting, names: Names, options: Options) -> list[Finding]:
    """Read the plain code fences that a message begins with, as long as they hold only calls.

    A fence behind prose is an example; so is one with anything but calls in it.
    """
    found: list[Finding] = []
    pos = 0
    for fence in quoting.fences:
        code = text[fence.body : fence.close]
        if text[pos : fence.start].strip() or fence.label not in _PLAIN_LABELS:
            break
        reads = PythonReader(code, names, options).program()
        if not reads or not only_calls(code, [(read.start, read.end) for read in reads]):
            break
        found.append(finding(fence.start, fence.end, "fence", reads))
        pos = fence.end
    return found


def only_calls(code: str, spans: list[tuple[int, int]]) -> bool:
    """Whether nothing stands between calls but prints, brackets, assignments and comments."""
    pos = 0
    for start, end in [*spans, (len(code), len(code))]:
        if not _between(code[pos:start]):
            return False
        pos = end
    return True
