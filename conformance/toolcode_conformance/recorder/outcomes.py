"""Surface outcomes of replies, counted for the data card.

These are marks that anyone can see in the text, found by plain patterns and CPython's grammar;
they are no reading: what a reply means as calls is decided in the corpus, not here.
"""

from __future__ import annotations

import ast
import collections
import re
import warnings
from typing import TYPE_CHECKING, Final

from toolcode_conformance.recorder.pieces import full_text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolcode_conformance.recorder.store import Record

_OPENER: Final = "```tool_code"
_BODY: Final = re.compile(r"```tool_code(.*?)```", re.DOTALL)
_FOREIGN: Final = re.compile(r"```(?!tool_code|tool_outputs|thinking)\w")
_LOOP: Final = re.compile(r"(.{6,160}?)\1{2,}", re.DOTALL)
_TWO_OPENERS: Final = re.compile(r"```tool_code\w*\s*```tool_(?:code|outputs)")
_SPLIT_LABEL: Final = re.compile(r"```[ \t]*\r?\n[ \t]*tool_code\b")
OUTCOMES: Final = (
    "no tool block",
    "well-formed",
    "body is no Python",
    "unterminated",
    "two openers in a row",
    "label below its fence",
    "fence glued to a word",
    "foreign fence",
    "made-up result",
    "repetition",
    "cut by the limit",
)


def is_python(body: str) -> bool:
    """Return whether CPython's grammar takes a tool block's body."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(body.strip())
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def outcomes(reply: Record) -> set[str]:
    """Return the marks of one reply; several may hold at once."""
    text = full_text(reply["tokens"])
    bodies = _BODY.findall(text)
    marks = {
        "no tool block": _OPENER not in text,
        "body is no Python": any(not is_python(body) for body in bodies),
        "unterminated": text.rfind(_OPENER) > -1
        and "```" not in text[text.rfind(_OPENER) + len(_OPENER) :],
        "two openers in a row": bool(_TWO_OPENERS.search(text)),
        "label below its fence": bool(_SPLIT_LABEL.search(text)),
        "fence glued to a word": bool(re.search(r"```tool_code\w|\S```\w", text)),
        "foreign fence": bool(_FOREIGN.search(text)),
        "made-up result": "tool_outputs" in text,
        "repetition": bool(_LOOP.search(text)),
        "cut by the limit": reply["finish"] == "limit",
    }
    found = {name for name, holds in marks.items() if holds}
    if bodies and not found:
        found.add("well-formed")
    return found


def table(records: Iterable[Record]) -> str:
    """Return the counts as two Markdown tables: by temperature (and in all), and by prompt form."""
    replies = [
        (str(record["temperature"]), record["id"].split(".")[1], outcomes(reply))
        for record in records
        for reply in record["replies"]
    ]
    heats = [(heat, marks) for heat, _, marks in replies]
    whole = [("all", marks) for _, _, marks in replies]
    forms = [(form, marks) for _, form, marks in replies]
    return _rows("temperature", heats + whole) + "\n" + _rows("form", forms)


def _rows(title: str, replies: list[tuple[str, set[str]]]) -> str:
    sizes = collections.Counter(key for key, _ in replies)
    counts = collections.Counter((key, mark) for key, marks in replies for mark in marks)
    lines = [
        f"| {title} | replies | " + " | ".join(OUTCOMES) + " |",
        "|---" + "|--:" * (len(OUTCOMES) + 1) + "|",
    ]
    for key in sorted(sizes):
        cells = [str(counts[key, mark]) for mark in OUTCOMES]
        lines.append(f"| {key} | {sizes[key]} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"
