"""The forms an input uses: computed from its text, never written in a case.

An implementation that promises only some forms (a list without a fence, say) is given those; the
rest is *not offered*, by name.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from toolcode_conformance.cases import Case

FORMS: Final = (
    "fence",
    "prefix",
    "print",
    "list",
    "list-only",
    "lines",
    "prose",
    "several-blocks",
    "json-literals",
    "utf16",
    "thinking",
    "non-ascii",
)
"""Every feature. `list-only` is only ever declared: it means that a plain call is not read."""

OPENER: Final = "```tool_code"
_BODY: Final = re.compile(r"\A```tool_code[ \t]*\r?\n?(.*?)\r?\n?```\s*\Z", re.DOTALL)
_JSON_NAME: Final = re.compile(r"[=:\[,(]\s*(?:true|false|null)\b")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def lone_body(text: str) -> str | None:
    """Return the body when the text is one block and nothing else, else None."""
    if text.count("```") != 2 or text.count(OPENER) != 1:  # noqa: PLR2004  opener and closer
        return None
    found = _BODY.match(text)
    return found.group(1) if found else None


def has_surrogate(text: str) -> bool:
    """Tell whether a text holds half a surrogate pair."""
    return not text.isascii() and _SURROGATE.search(text) is not None


def _shape(text: str, calls: int) -> set[str]:
    found = set()
    body = text.split(OPENER, 1)[-1].lstrip()
    if body.startswith("["):
        found.add("list")
    elif calls > 1 and text.count(OPENER) == 1:
        found.add("lines")
    if OPENER in text:
        found.add("fence")
    if "default_api." in text:
        found.add("prefix")
    if re.search(r"\bprint\s*\(", text):
        found.add("print")
    return found


def features(case: Case) -> frozenset[str]:
    """Return the features of a scan case's input; a literal case fixes none of its own form."""
    text = case.text
    found = set()
    segments = case.expect.get("segments", [])
    if case.op == "scan":
        found |= _shape(text, sum("call" in segment for segment in segments))
        if any("text" in segment for segment in segments):
            found.add("prose")
        if any("thinking" in segment for segment in segments):
            found.add("thinking")
        if text.count(OPENER) > 1:
            found.add("several-blocks")
    if _JSON_NAME.search(text):
        found.add("json-literals")
    if not text.isascii():
        found.add("non-ascii")
    if has_surrogate(text) or any(has_surrogate(chunk) for chunk in case.chunks or ()):
        found.add("utf16")
    return frozenset(found)
