"""Messages that are a leak as a whole: nothing but calls, a JSON call, or fences with calls."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from .code import finding, sorted_out
from .envelopes import Envelopes
from .json_forms import calls_of, cut_call, json_calls, leading, lenient
from .markers import marker
from .model import Finding, Unresolved
from .programs import is_program, only_calls, sentence_goes_on
from .python_calls import PythonReader

if TYPE_CHECKING:
    from .model import Options
    from .names import Names
    from .quoting import Quoting

_PLAIN_LABELS: Final = frozenset({"python", "py", "python3", "", "json", "tool", "xml"})
_SHELLS: Final = frozenset({"bash", "sh", "shell", "javascript", "js", "ts", "typescript"})
_json_fence: Final = re.compile(r"\s*```(?:json)?[ \t]*\n(.*)\n[ \t]*```\s*", re.DOTALL).fullmatch
_word_line: Final = re.compile(
    r"\s*(?:(?:call|python|py|code|tool)[ \t]*\n"
    r"|\w{2,24}[ \t]*\n(?=(?:print\s?\(\s?)?default_api\.))\s*",
    re.IGNORECASE,
).match
_thought_at: Final = re.compile(r"\s*\n[ \t]*thought[ \t]*\n").match
_inline: Final = re.compile(r"`([^`\n]+)`").fullmatch
_source: Final = re.compile(
    r"^\s*(?:import|from)\b|\bdefault_api\s*=|^\s*(?:def|class)\b", re.MULTILINE
).search
_statement_ends_at: Final = re.compile(r"[ \t]*(?:[)\].,;\[#\n]|\r\n|\Z)").match
_rest_of_line_at: Final = re.compile(r"[ \t]*(?:\n|\Z)").match


def whole_message(text: str, names: Names, options: Options) -> Finding | None:
    """Read a message that holds nothing but calls, in code or in JSON."""
    if not text.strip():
        return None
    found = _json_message(text, names, options)
    if found:
        return found
    head = _word_line(text)
    envelopes = Envelopes(text, names, options)
    pos = head.end() if head else len(text) - len(text.lstrip())
    reads, end = envelopes.statements(pos)
    # A line of its own may be all that a thought or an answer is set apart by.
    if reads and not text[end:].strip():
        return finding(0, len(text), "bare", reads)
    if reads and _thought_at(text, end):
        return finding(0, end, "bare", reads)
    code = _set_as_code(text)
    reads = PythonReader(code, names, options).program() if code else []
    if code and reads and only_calls(code, [(read.start, read.end) for read in reads]):
        return finding(0, len(text), "bare", reads)
    return None


def whole_program(text: str, names: Names, options: Options) -> Finding | None:
    """Read a message that is a program without a fence, with calls of declared tools in it.

    A program that imports or makes what it calls is a client's source, and no call.
    """
    if "default_api." not in text or _source(text) or not is_program(text):
        return None
    reads = PythonReader(text, names, options).program()
    declared = [read for read in reads if (known := names.resolve(read.callee)) and known[1]]
    if not declared or len(declared) < len(reads):
        return None
    if not all(_statement_ends_at(text, read.end) for read in reads):
        return None
    return finding(0, len(text), "bare", reads)


def _set_as_code(text: str) -> str | None:
    """A message's code: a list of calls, or what stands between two backticks."""
    stripped = text.strip()
    inline = _inline(stripped)
    if inline:
        return inline[1]
    return stripped if stripped[0] == "[" and stripped[-1] == "]" else None


def leading_json(text: str, names: Names) -> list[Finding]:
    """Read the JSON calls that a message begins with, each on lines of its own."""
    found: list[Finding] = []
    pos = 0
    while True:
        blanks = len(text) - pos - len(text[pos:].lstrip())
        value, end = leading(text, pos + blanks) if text[pos + blanks :][:1] in "{[" else (None, 0)
        rest = _rest_of_line_at(text, end)
        calls = calls_of(value, names) if value and rest else []
        if not calls:
            return found
        found.append(Finding(pos, end, "json", tuple(calls)))
        pos = end


def _json_message(text: str, names: Names, options: Options) -> Finding | None:
    fenced = _json_fence(text)
    content = fenced[1] if fenced else text
    value = lenient(content)
    code = _code_in(value)
    if code is not None:
        reads = PythonReader(code, names, options).program()
        return Finding(0, len(text), "json", *sorted_out(reads)) if reads else None
    calls = json_calls(content, names)
    if calls:
        return Finding(0, len(text), "json", tuple(calls))
    cut = cut_call(text, names) if value is None else None
    return Finding(0, len(text), "json", (), (Unresolved(cut, "truncated"),)) if cut else None


def _code_in(value: object) -> str | None:
    """What stands under `tool_code`, among nothing but other text."""
    if not isinstance(value, dict):
        return None
    code = value.get("tool_code")
    lines = code if isinstance(code, list) else [code]
    others = [other for key, other in value.items() if key != "tool_code"]
    if not all(isinstance(one, str) for one in [*lines, *others]):
        return None
    return "\n".join(map(str, lines))


def leading_fences(text: str, quoting: Quoting, names: Names, options: Options) -> list[Finding]:
    """Read the plain code fences that a message begins with, as long as they hold only calls.

    A fence behind prose is an example; so is one with anything but calls in it.
    """
    found: list[Finding] = []
    pos = 0
    for fence in quoting.fences:
        if text[pos : fence.start].strip() or not _plain(fence.label, names):
            break
        inside = _fenced_calls(text[fence.body : fence.close], fence.label, names, options)
        if inside is None:
            break
        found.append(Finding(fence.start, fence.end, "fence", inside.calls, inside.unresolved))
        pos = fence.end
    return [] if found and sentence_goes_on(text, pos) else found


def _plain(label: str, names: Names) -> bool:
    return label in _PLAIN_LABELS or label in _SHELLS or names.resolve(label) is not None


def _fenced_calls(code: str, label: str, names: Names, options: Options) -> Finding | None:
    """The calls of a plain fence that holds nothing else."""
    reads = PythonReader(code, names, options).program()
    if reads and only_calls(code, [(read.start, read.end) for read in reads]):
        own = label not in _SHELLS or "default_api." in code
        return finding(0, len(code), "fence", reads) if own else None
    head = marker.match(code.strip())
    whole = Envelopes(code.strip(), names, options).read(head) if head else None
    if whole is None or whole.end < len(code.strip()) or whole.kind == "fence":
        return None
    return whole if any(call.tool for call in whole.calls) else None
