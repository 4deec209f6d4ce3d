"""Where the spec leaves an input open, so that no difference about it counts.

An implementation that takes another option of a choice than the reference gives another right
answer to whatever the choice touches. Some of these answers the harness derives (numbers, order of
keys, white space at edges, what is no literal); what touches any of the others is left out. Rather
too much is left out than too little: a difference that is reported has to be one.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from toolcode_conformance.tables import choices as all_choices

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from toolcode_conformance.normal import Normal

DERIVED: Final = frozenset(
    {"numbers", "object-order", "text-trim", "fence-in-string", "non-literal", "thinking-newline"}
)
"""Choices whose other answers are derived, here or in the harness."""

MAX_DEPTH: Final = 60
"""Brackets open at once up to which all decide (LIT.10a says 64)."""

_glued_opener: Final = re.compile(r"[^\r\n]```(?:tool_code|thinking|tool_outputs)").search
_long_fence: Final = re.compile(r"`{4}").search
_openers: Final = re.compile(r"```(?:tool_code|thinking|tool_outputs)").findall
_hyphens: Final = re.compile(r"\w-+\w[\w-]*\s*(?:\.|\()").search
_surrogate: Final = re.compile(r"[\ud800-\udfff]|\\[uU](?:0000)?[dD][89a-fA-F]").search
_huge_number: Final = re.compile(r"[0-9_]{300}|[0-9][eE]\+?[0-9_]{3}").search
_long_integer: Final = re.compile(r"[0-9A-Fa-f_]{1000}").search

TOUCHES: Final[dict[str, Callable[[str, Normal], Any]]] = {
    "opener-position": lambda text, _: _glued_opener(text),
    "long-fence": lambda text, _: _long_fence(text),
    "after-cut": lambda text, answer: "cut" in answer.dropped and len(_openers(text)) > 1,
    "other-namespace": lambda _, answer: any(map(_namespaced, _calls(answer))),
    "control-flow": lambda _, answer: any(call.get("conditional") for call in _calls(answer)),
    "hyphen-name": lambda text, _: _hyphens(text),
    "duplicate-keyword": lambda _, answer: any(map(_repeats, _calls(answer))),
    "double-star": lambda text, _: "**" in text,
    "named-escape": lambda text, _: "\\N" in text,
    "lone-surrogate": lambda text, _: _surrogate(text),
    "non-finite": lambda text, _: _huge_number(text),
    "huge-int": lambda text, _: _long_integer(text),
    "deep-nesting": lambda text, _: deep(text),
    "tool-code-in-thinking": lambda _, answer: any(
        "```tool_" in segment.get("thinking", "") for segment in answer.segments
    ),
}


def _calls(answer: Normal) -> list[dict[str, Any]]:
    return [segment["call"] for segment in answer.segments if "call" in segment]


def _namespaced(call: dict[str, Any]) -> bool:
    return bool(re.search(r"\.", call["callee"].replace("default_api", "", 1).lstrip(" \t.\\\r\n")))


def _repeats(call: dict[str, Any]) -> bool:
    """Tell whether an argument may be named twice; what is in a string may look like it."""
    return any(
        len(re.findall(rf"(?<!\w){re.escape(name)}\s*=", call["source"])) > 1
        for name in call["arguments"]
    )


def deep(text: str) -> bool:
    """Tell whether more brackets may be open at once than all have to read."""
    return sum(map(text.count, "([{")) > MAX_DEPTH


def undecided(
    text: str, answer: Normal, chosen: Mapping[str, str], settled: Mapping[str, str]
) -> str | None:
    """Return the choice by which another answer than the reference's may be right, or None.

    Args:
        text: The input.
        answer: The reference's.
        chosen: The implementation's options.
        settled: How each is known; `assumed` where it was neither declared nor found out.
    """
    for name, choice in all_choices().items():
        derived = (name, chosen.get(name)) == ("control-flow", "search")  # it only drops the mark
        other = chosen.get(name) != choice.options[0] or settled.get(name) == "assumed"
        if other and not derived and name in TOUCHES and TOUCHES[name](text, answer):
            return name
    # From 65 levels on the suite asks only for an end, whoever chose what (LIT.10b).
    return "deep-nesting" if deep(text) else None
