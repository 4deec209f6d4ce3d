"""The table of leaked calls: what the cases of area `leaks` say, and what is read off their texts.

Surfaces and models are named in many ways; the tables here sort them by their names alone, first
rule that fits. Nothing is guessed: what no rule knows is `other` or `not stated`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from toolcode_conformance.corpus import load_corpus

if TYPE_CHECKING:
    from pathlib import Path

    from toolcode_conformance.cases import Case

NOT_STATED: Final = "not stated"

FAMILIES: Final = {
    "A1": "tool_code fence",
    "A2": "bare tool_code label",
    "A3": "tag or bracket",
    "A4": "other fence, bare call",
    "A5": "control token",
    "A6": "call: in braces",
    "A7": "fused word",
    "A8": "message: malformed",
    "A9": "message: unexpected",
    "A10": "another part type",
    "A11": "copied history",
    "A12": "Gemma 4 native tokens",
    "A13": "JSON",
    "B1": "broken quotes",
    "B2": "constructors, wrappers",
    "B3": "program, not literals",
    "B4": "mixed languages",
    "B5": "truncated",
    "C1": "thought text",
    "C2": "made-up result",
    "C3": "call that is shown",
    "C4": "endless repetition",
    "D1": "rejected, no message",
    "D2": "wrong tool name",
    "none": "no leak",
}
"""The families of leaks, in words short enough for an axis."""

GROUPS: Final = {"A": "envelope", "B": "payload", "C": "content", "D": "rejection"}

SURFACES: Final = (
    ("gateway or proxy", r"gateway|proxy|shim|relay|bridge|litellm|openrouter|openai-compat"),
    ("local runtime", r"ollama|vllm|on-device|local"),
    (
        "coding agent",
        r"gemini-cli|antigravity|cursor|vt code|cline|roo code|copilot|opencode|code file",
    ),
    ("Google API or SDK", r"gemini api|gemini live|gemini native|vertex|firebase|ai studio"),
    ("agent framework", r"\badk\b|agno|langgraph|langchain"),
    ("chat or voice app", r"bot\b|voice|chat|companion|tutor|\bapp\b"),
    ("agent, unnamed", r"agent"),
)
"""Sorts of surface and the words by which they are known; what fits none is `other`."""

MODELS: Final = (
    ("several models", r"various|& others|gemma/gemini"),
    ("Gemma 4", r"gemma-?4"),
    ("Gemma 3 and earlier", r"gemma"),
    ("Apple PCC", r"apple"),
    ("Gemini 1.5", r"gemini[- ]1\.5"),
    ("Gemini 2.0", r"gemini[- ]2\.0"),
    ("Gemini 2.5", r"gemini[- ]2\.5"),
    ("Gemini 3", r"gemini[- ]3"),
    ("Gemini, no version", r"gemini"),
)
"""Lines of models and the words by which they are known."""

FINISHES: Final = (
    ("MALFORMED_FUNCTION_CALL", r"malformed"),
    ("UNEXPECTED_TOOL_CALL", r"unexpected"),
    ("STOP", r"^stop"),
)
"""Finish reasons, spelt alike."""

MARKS: Final = {
    "fence": r"```",
    "tool_code": r"tool_code",
    "print(": r"\bprint\s*\(",
    "default_api": r"default_api",
    "control token": r"<ctrl\d+>|\x16",
    "call:": r"(?<!function )(?<!tool )call:\s?\w",
    "braces": r"\w\s*\{[^{}\n]*:",
    "tag": r"</?(?:tool|execute|function|invoke|call)[\w:.-]*[\s>]",
    "JSON": r'"(?:name|args|arguments|parameters|function|tool)"\s*:',
    "native token": r'<\|?"?\|?tool_call|<\|"\|>|<start_function|<escape>',
    "assignment": r"(?m)^\s*[A-Za-z_]\w*\s*=\s*[^=\s]",
    "rejection": r"(?i)malformed function call|unexpected tool call",
    "thought": r"(?i)\bthought\b|\bthinking\b",
    "made-up result": r"tool_outputs|response:",
}
"""Marks that anyone can see in a text, and the patterns that find them."""

_MARKS: Final = {name: re.compile(pattern) for name, pattern in MARKS.items()}


def sort_of(text: str, table: tuple[tuple[str, str], ...], otherwise: str = "other") -> str:
    """Return the first name whose pattern is in the text; `not stated` for an empty one."""
    if not text:
        return NOT_STATED
    low = text.lower()
    return next((name for name, words in table if re.search(words, low)), otherwise)


def marks(text: str) -> list[str]:
    """Return the marks of a text, in the order of `MARKS`."""
    return [name for name, pattern in _MARKS.items() if pattern.search(text)]


def outcome(calls: int, unresolved: int) -> str:
    """Return what a runtime may do with a text, from what a careful reader finds in it."""
    if calls:
        return "partly" if unresolved else "recovered"
    return "refused" if unresolved else "no-call"


def rows(root: Path | None = None) -> list[dict[str, Any]]:
    """Return a row for every case that recovers leaked calls, in the corpus's order."""
    return [_row(case) for case in load_corpus(root).cases if case.area == "leaks"]


def _row(case: Case) -> dict[str, Any]:
    leak = case.raw.get("leak", {})
    family = leak.get("family", "none")
    text = str(case.input.get("text", ""))
    calls, unresolved = case.expect.get("calls", []), case.expect.get("unresolved", [])
    finish = str(case.input.get("finish_reason") or "")
    surface, model = leak.get("surface", ""), leak.get("model", "")
    return {
        "case": case.id,
        "report": case.source.get("kind") == "reported",
        "kind": leak.get("kind", "written"),
        "family": family,
        "family_name": FAMILIES[family],
        "group": GROUPS.get(family[0], "none"),
        "model": model,
        "model_line": sort_of(model, MODELS),
        "surface": surface,
        "surface_kind": sort_of(surface, SURFACES),
        "finish_reason": finish,
        "finish": sort_of(finish, FINISHES),
        "channel": str(case.input.get("channel") or "text"),
        "date": str(case.source.get("date") or ""),
        "has_url": bool(case.source.get("url")),
        "clause": case.clause,
        "why": case.why,
        "characters": len(text),
        "tools": len(case.input.get("tools") or ()),
        "calls": len(calls),
        "unresolved": len(unresolved),
        "reasons": " ".join(one["reason"] for one in unresolved if one.get("reason")),
        "outcome": outcome(len(calls), len(unresolved)),
        "marks": ";".join(marks(text)),
        "text": text,
    }
