"""Code that stands in a text without any fence: where it ends, and whether it is talk (LEAK.2)."""

from __future__ import annotations

import re
from typing import Final

_code_line_at: Final = re.compile(
    r"""[ \t]+\S|[#@)\]}]
    |[^\W\d][\w.]*(?:\[[^\]\n]*\])?(?:\s*:\s*[\w.\[\], ]+)?\s*[-+*/|&]?=(?!=)
    |[^\W\d][\w.]*\(
    |(?:for|async|if|elif|else|try|except|finally|while|with|def|class)\b[^\n]*:[ \t]*(?:\#[^\n]*)?$
    |import\s+\w|from\s+[\w.]+\s+import\b|(?:return|raise|await|del|assert)\s|(?:pass|break|continue)$""",
    re.VERBOSE | re.MULTILINE,
).match
_program_start_at: Final = re.compile(
    r"""\#|@\w|import\s+\w|from\s+[\w.]+\s+import\b|[^\W\d]\w*(?:\s*:\s*[\w.\[\], ]+)?\s*=(?!=)
    |(?:for|if|try|while|with|def|async)\b[^\n]*:[ \t]*(?:\#[^\n]*)?$|print\(""",
    re.VERBOSE | re.MULTILINE,
).match
_block_end: Final = re.compile(
    r"^[ \t]*(?:```|~~~|thought\b|tool_(?:code|call|output|result))", re.MULTILINE | re.IGNORECASE
).search
_triple: Final = re.compile(r"'''|\"\"\"")
_OPENS_AN_EXAMPLE: Final = frozenset(":：,;，、`|>=~-—–(")
_sentence_goes_on_at: Final = re.compile(r"\s*(?!thought\b|tool_)[a-z]").match
_rest_of_line_at: Final = re.compile(r"[ \t)]*(?:\r?\n|\Z)").match
_MARGIN: Final = 3
_between: Final = re.compile(
    r"(?:\s|#[^\n]*|\b(?:print|await)\b|\w+\s*=(?!=)|[\[\](),;])*"
).fullmatch


def begins_as_code(text: str, pos: int) -> bool:
    """Whether the line at `pos` begins a program: an import, an assignment, a comment, a block."""
    return _program_start_at(text, pos) is not None


def code_block(text: str, pos: int) -> int:
    """Where the code that begins at `pos` ends: before a fence, a label, a thought or prose."""
    stop = _block_end(text, pos)
    limit = stop.start() if stop else len(text)
    end = pos
    quote = ""
    for line in text[pos:limit].splitlines(keepends=True):
        if not quote and line.strip() and not _code_line_at(line):
            break
        for mark in _triple.findall(line):
            quote = "" if quote == mark else quote or mark
        end += len(line)
    return end


def is_program(text: str) -> bool:
    """Whether nothing but code stands in a text."""
    return code_block(text, 0) == len(text)


def stands_alone(text: str, start: int, end: int, *, printed: bool) -> bool:
    """Whether a call on a line of its own is set apart from the prose around it.

    It is not where a colon or the middle of a sentence leads up to it, where it is set in as an
    example, where a sentence goes on behind it, or, without a print, where prose follows as well.
    """
    before = text[:start].rstrip()
    if before:
        line = text.rfind("\n", 0, start) + 1
        margin = len(text[line:end]) - len(text[line:end].lstrip())
        if before[-1] in _OPENS_AN_EXAMPLE or before[-1].isalnum() or margin > _MARGIN:
            return False
        if not printed and text[end:].strip():
            return False
    return _rest_of_line_at(text, end) is not None and not sentence_goes_on(text, end)


def sentence_goes_on(text: str, pos: int) -> bool:
    """Whether what stands at `pos` is the rest of a sentence, by its small first letter."""
    return _sentence_goes_on_at(text, pos) is not None


def only_calls(code: str, spans: list[tuple[int, int]]) -> bool:
    """Whether nothing stands between calls but prints, brackets, assignments and comments."""
    pos = 0
    for start, end in [*spans, (len(code), len(code))]:
        if not _between(code[pos:start]):
            return False
        pos = end
    return True
