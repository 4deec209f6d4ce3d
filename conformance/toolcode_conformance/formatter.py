"""The canonical bytes of a case file.

UTF-8, LF, indent 1, keys in schema order; every character that a reader could not see or could
mistake (categories C*, Zl, Zp, Mn, and Zs but the space) is written as an escape, so that a diff
shows it.
"""

from __future__ import annotations

import json
import sys
import unicodedata
from typing import TYPE_CHECKING, Any, Final

from toolcode_conformance.cases import CASE_KEYS
from toolcode_conformance.corpus import read_json

if TYPE_CHECKING:
    from pathlib import Path

GROUP_KEYS: Final = ("group", "description", "clause", "cases")
EXPECT_KEYS: Final = (
    "segments",
    "dropped",
    "value",
    "nonliteral",
    "omitted",
    "text",
    "refused",
    "any",
)
CALL_KEYS: Final = (
    "name",
    "arguments",
    "callee",
    "source",
    "unresolved",
    "skipped",
    "conditional",
)
_SOURCE_KEYS: Final = (
    "kind",
    "ref",
    "url",
    "date",
    "model",
    "surface",
    "prompt",
    "seed",
    "temperature",
    "target",
)
_MAX_BMP: Final = 0xFFFF


def _ordered(value: dict[str, Any], keys: tuple[str, ...]) -> dict[str, Any]:
    known = {key: value[key] for key in keys if key in value}
    return known | {key: item for key, item in value.items() if key not in known}


def _expect(expect: Any) -> Any:  # noqa: ANN401  whatever a draft holds
    if not isinstance(expect, dict):
        return expect
    ordered = _ordered(expect, EXPECT_KEYS)
    for segment in ordered.get("segments") or []:
        if isinstance(segment, dict) and isinstance(segment.get("call"), dict):
            segment["call"] = _ordered(segment["call"], CALL_KEYS)
    return ordered


def _case(raw: dict[str, Any]) -> dict[str, Any]:
    case = _ordered(raw, CASE_KEYS)
    if "expect" in case:
        case["expect"] = _expect(case["expect"])
    if isinstance(case.get("source"), dict):
        case["source"] = _ordered(case["source"], _SOURCE_KEYS)
    case["accept"] = [
        _ordered(entry, ("when", "expect")) | {"expect": _expect(entry.get("expect"))}
        if isinstance(entry, dict)
        else entry
        for entry in case.get("accept") or []
    ]
    return {
        key: item
        for key, item in case.items()
        if item not in ([], {}, "") or key in {"input", "expect"}
    }


def escape(text: str) -> str:
    """Return `text` with every invisible or confusable character as a JSON escape.

    The line feed stays: in a JSON document it is only ever layout.
    """
    if text.isascii() and "\x7f" not in text:
        return text
    return "".join(_escaped(char) if _hidden(char) else char for char in text)


def _hidden(char: str) -> bool:
    if char in " \n":
        return False
    category = unicodedata.category(char)
    return category[0] == "C" or category in {"Zl", "Zp", "Zs", "Mn"}


def _escaped(char: str) -> str:
    code = ord(char)
    if code <= _MAX_BMP:
        return f"\\u{code:04x}"
    units = char.encode("utf-16-be")
    return f"\\u{units[:2].hex()}\\u{units[2:].hex()}"


def dump(value: object) -> str:
    """Return a JSON value as canonical text with a final line feed."""
    sys.set_int_max_str_digits(0)
    return escape(json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False)) + "\n"


def canonical(raw: dict[str, Any]) -> str:
    """Return the canonical text of a group file's JSON object."""
    group = _ordered(raw, GROUP_KEYS)
    if isinstance(group.get("cases"), list):
        group["cases"] = [
            _case(entry) if isinstance(entry, dict) else entry for entry in group["cases"]
        ]
    return dump(group)


def format_file(path: Path, *, write: bool) -> bool:
    """Return whether a file already has its canonical bytes; rewrite it if `write`.

    Raises:
        CorpusError: The file is no readable JSON.
    """
    raw = read_json(path)
    data = (canonical(raw) if isinstance(raw, dict) and "cases" in raw else dump(raw)).encode()
    if path.read_bytes() == data:
        return True
    if write:
        path.write_bytes(data)
    return False
