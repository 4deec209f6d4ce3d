"""The tokens that matter while a body is searched for calls (CALL.2a, CALL.3, CALL.10a, CALL.11).

Operators and everything else without a meaning here fall between the tokens.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final, NamedTuple

from .arguments import keyword_pattern
from .lexical import GAP, LINE_GAP, LINE_STRING, identifier_pattern


class Tokens(NamedTuple):
    """The patterns for one kind of body.

    Groups of a token: `name` a dotted path with its `first` and, where it is dotted, `last`
    identifier, and `paren` where a parenthesis follows; `newline`; `mark` for every other one
    that has a meaning. A token without a group only keeps its text from being read otherwise.
    """

    outside: re.Pattern[str]
    inside: re.Pattern[str]
    keyword: re.Pattern[str]


@cache
def tokens(*, ascii_only: bool) -> Tokens:
    """Compile the patterns for bodies that are ASCII only, or for all others."""
    identifier = identifier_pattern(ascii_only=ascii_only)
    return Tokens(
        outside=_token(identifier, LINE_GAP, newline=r"|(?P<newline>[\r\n][ \t\f\r\n]*+)"),
        inside=_token(identifier, GAP, newline=""),
        keyword=keyword_pattern(identifier),
    )


def _token(identifier: str, gap: str, *, newline: str) -> re.Pattern[str]:
    # A hyphen between two words belongs to the name, so `get-weather(...)` can never call
    # `weather` (CALL.10b); one with a space beside it is an operator.
    word = rf"{identifier}(?:-++\w++)*+"
    # CPython mixes up groups in a possessive repeat that fails behind them, so `last` ends its own.
    return re.compile(
        rf"""(?P<name>(?P<first>{word})(?:{gap}\.{gap}(?P<last>{word}))*+)(?P<paren>{gap}\()?+
        | [0-9][\w.]*+                           # a number, with whatever is glued to it
        | \.{gap}(?:{word}(?:{gap}\.{gap}{word})*+)?+  # an attribute: no path starts here
        | \\\r?\n                                # a joined line
        | \#[^\r\n]*+
        | (?P<comma>,)
        | (?P<mark>['"()\[\]{{}};:@])
        {newline}""",
        re.VERBOSE,
    )


line_string_at: Final = re.compile(
    "|".join(f"{quote}{LINE_STRING.format(quote)}{quote}" for quote in "'\"")
).match
"""A closed single-quoted string outside brackets: it ends on its own (joined) line."""

line_rest_at: Final = re.compile(r"""['"](?:[^\\\r\n]++|\\(?:\r\n|[\s\S])|\\\Z)*+""").match
"""An open quote with the rest of its line, which it hides (CALL.11)."""
