"""Python's lexical ground rules, as far as finding and reading calls needs them (CALL.3).

Every pattern is possessive where it repeats, so none can backtrack into its own past: each costs
time linear in what it reads.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

BLANKS: Final = " \t\f\r\n"
"""What Python calls white space. Other spaces (NBSP, BOM) are no part of its grammar."""

GAP: Final = r"(?:[ \t\f\r\n]++|\#[^\r\n]*+|\\\r?\n)*+"
"""Between two tokens inside brackets: blanks, comments, line breaks."""

LINE_GAP: Final = r"(?:[ \t\f]++|\\\r?\n)*+"
"""Between two tokens of one logical line outside brackets."""

# The inside of a string behind its opening quote {0}. Unrolled like this, a string full of escapes
# is read three times as fast as by an alternation of plain runs and escapes.
STRING: Final = r"[^{0}\\]*+(?:\\(?s:.)[^{0}\\]*+)*+"
LINE_STRING: Final = r"[^{0}\\\r\n]*+(?:\\(?:\r\n|(?s:.))[^{0}\\\r\n]*+)*+"
TRIPLE_STRING: Final = r"[^{0}\\]*+(?:(?:\\(?s:.)|{0}(?!{0}{0}))[^{0}\\]*+)*+"

_ONE: Final = rf"{{0}}(?!{{0}}{{0}}){STRING}{{0}}"
_THREE: Final = rf"{{0}}{{0}}{{0}}{TRIPLE_STRING}{{0}}{{0}}{{0}}"
QUOTED: Final = "|".join(form.format(quote) for quote in "'\"" for form in (_ONE, _THREE))
"""A closed string inside brackets. A line break does not end it: models write them (LIT.5)."""

_gap_at: Final = re.compile(GAP).match
quoted_at: Final = re.compile(QUOTED).match

OPENERS: Final = "([{"
OPENER_OF: Final = {")": "(", "]": "[", "}": "{"}


def skip_gap(src: str, pos: int) -> int:
    """The index of the first token at or behind `pos`, inside brackets."""
    match = _gap_at(src, pos)
    assert match is not None, "a gap may be empty, so it always matches"
    return match.end()


@cache
def combining_marks() -> str:
    r"""The characters that may continue an identifier though `\w` leaves them out.

    Only bodies that are not ASCII ask for them, so the table (a few milliseconds) is built then.
    """
    blocks = (range(0x80, 0x1F000), range(0xE0100, 0xE01F0))
    return "".join(
        char
        for block in blocks
        for char in map(chr, block)
        if not (char.isalnum() or char == "_") and f"a{char}".isidentifier()
    )


def identifier_pattern(*, ascii_only: bool) -> str:
    """An identifier as a pattern: ASCII's own (CALL.8a), or every script's (CALL.8b).

    The wide one also takes a few digits that Python refuses (a superscript two, say), which
    `is_identifier` sorts out.
    """
    if ascii_only:
        return r"[A-Za-z_][A-Za-z0-9_]*+"
    return rf"[^\W\d][\w{combining_marks()}]*+"


def is_identifier(word: str) -> bool:
    """Whether a word that an identifier pattern matched is one to Python, too."""
    return word.isascii() or word.isidentifier()
