"""What a run found: grouped by signature, made small, shown, and kept for replay."""

from __future__ import annotations

import hashlib
import json
import re
import time
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from toolcode_fuzz.inputs import HEAD, Reader
from toolcode_fuzz.targets import RAW, TARGETS, replay

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

KEPT: Final = Path(__file__).resolve().parents[1] / "findings"
"""Findings that were fixed: `TARGET-name.bin`, replayed by every test run."""

DIFFERENTIAL: Final = "differential"
_ATTEMPTS: Final = 3000
_SECONDS: Final = 30.0
_ENDINGS: Final = ("timeout-", "oom-", "crash-", "slow-unit-")


@dataclass(frozen=True)
class Finding:
    """One input that breaks a target.

    Attributes:
        signature: What findings of one cause share: verdict pair, exception, place, first event
            that differs, and words without values.
        message: What broke, in a line.
        detail: For a person: the answers, line by line.
        kind: The verdict on an implementation, a key of the harness's `KINDS`; else "".
    """

    target: str
    data: bytes
    signature: str
    message: str
    detail: str = ""
    kind: str = ""


def examine(target: str, data: bytes, run: Callable[[str, bytes], None] = replay) -> Finding | None:
    """Run an input; None where all holds."""
    try:
        run(target, data)
    except Exception as error:  # noqa: BLE001 - whatever is raised is the finding
        message = f"{type(error).__name__}: {error}"
        return Finding(
            target,
            data,
            signature_of(error),
            str(getattr(error, "message", message)),
            getattr(error, "detail", ""),
            getattr(error, "kind", ""),
        )
    return None


def signature_of(error: Exception) -> str:
    """Return what findings of one cause share; an error may bring its own."""
    own = getattr(error, "signature", None)
    if isinstance(own, str):
        return own
    frames = traceback.extract_tb(error.__traceback__)
    places = [f"{Path(frame.filename).name}:{frame.name}" for frame in reversed(frames)]
    where = next((place for place in places if place != "broken.py:check"), "")
    return f"{type(error).__name__} {where} {without_values(str(error))}".strip()


def without_values(words: str) -> str:
    """Return words without what they quote and count."""
    return re.sub(r"'.*'|\".*\"|\d+", "_", words, flags=re.DOTALL)[:80]


_HAZARDS: Final = {
    "beyond-ascii": rb"[\x80-\xff]",
    "cr": rb"\r",
    "nul": rb"\0",
    "escape": rb"\\",
    "triple": rb"'''|\"\"\"",
    "comment": rb"#",
    "thought": rb"```thinking",
    "blocks": rb"(?s)```tool_code.*```tool_code",
    "keyword": rb"\b(?:if|for|while|with|def|class|lambda|import|return|await|else)\b",
    "star": rb"\*",
    "prefix": rb"(?i)\b[rbfu]{1,2}['\"]",
    "number": rb"[0-9][_.xobeE]",
    "brackets": rb"[\[{]",
}
_hazards: Final = {name: re.compile(pattern).search for name, pattern in _HAZARDS.items()}


def hazards(target: str, data: bytes) -> str:
    """Return which dangerous things a message holds: one signature may have several causes."""
    if target in RAW:
        return ""
    return ",".join(name for name, search in _hazards.items() if search(data, HEAD))


def shape(finding: Finding) -> str:
    """Return a small finding's text without its words and numbers: equal ones have one cause."""
    if finding.target in RAW:
        return ""
    text = finding.data[HEAD:].decode("utf-8", "surrogateescape")
    text = re.sub(r"(?<=\n|\()(''|[0a],? ?)+", "", text.replace('"', "'"))
    return re.sub(r"[^\W\d_]+", "a", re.sub(r"\d+", "0", re.sub(r"\s+", " ", text)))


def grouped(
    target: str, paths: Iterable[Path], run: Callable[[str, bytes], None] = replay
) -> list[Finding]:
    """Run raw findings again and return the shortest of each kind; those that are fixed go."""
    by_signature: dict[tuple[str, str], Finding] = {}
    for path in paths:
        data = path.read_bytes()
        if path.name.startswith(_ENDINGS):  # it ended a process; it might end this one
            ending = path.name.partition("-")[0]
            found: Finding | None = Finding(target, data, ending, f"the engine ended: {ending}")
        else:
            found = examine(target, data, run)
        if found is None:
            path.unlink()
            continue
        key = found.signature, hazards(target, data)
        known = by_signature.get(key)
        if known is None or len(found.data) < len(known.data):
            by_signature[key] = found
    return sorted(by_signature.values(), key=lambda one: (len(one.data), one.signature))


def minimised(
    finding: Finding, run: Callable[[str, bytes], None] = replay, seconds: float = _SECONDS
) -> Finding:
    """Drop what is not needed for the same signature: cuts, halves and less, special characters."""
    until, left = time.monotonic() + seconds, _ATTEMPTS
    best = finding
    endings = {one.rstrip("-") for one in _ENDINGS}
    if finding.signature in endings or finding.kind == "timeout":  # each try would hang again
        return best

    def same(data: bytes) -> bool:
        nonlocal best, left
        left -= 1
        candidate = examine(finding.target, data, run)
        if candidate is None or candidate.signature != finding.signature:
            return False
        best = candidate
        return True

    size_of_head = 0 if finding.target in RAW else HEAD
    head = finding.data[:size_of_head].ljust(size_of_head, b"\0")
    text = finding.data[size_of_head:].decode("utf-8", "surrogateescape")
    if any(head) and same(bytes(size_of_head) + _encoded(text)):
        head = bytes(size_of_head)
    size = max(1, len(text) // 2)
    while size and left > 0 and time.monotonic() < until:
        at, shorter = 0, False
        while at < len(text) and left > 0 and time.monotonic() < until:
            if same(head + _encoded(text[:at] + text[at + size :])):
                text, shorter = text[:at] + text[at + size :], True
            else:
                at += size
        size = size if shorter and size == 1 else size // 2
    for at, char in enumerate(text):  # what only stands there becomes an `a`, so causes look alike
        if char not in "a\n" and left > 0 and time.monotonic() < until:
            plain = text[:at] + "a" + text[at + 1 :]
            text = plain if same(head + _encoded(plain)) else text
    if size_of_head and _set_out(text) != text:
        same(head + _encoded(_set_out(text)))  # a little longer, and a person can read it
    return best


def _set_out(text: str) -> str:
    """Give each block of a message lines of its own."""
    return re.sub(r"(?<=[^\n`])```(?!`|tool|think)", "\n```", _opener.sub(r"\g<0>\n", text))


_opener: Final = re.compile(r"```tool_code(?![\r\n])")


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def shown(finding: Finding) -> str:
    """A finding for a person: what broke, the text line by line, and both answers."""
    lines = [f"{finding.target}: {finding.message}", f"  signature: {finding.signature}"]
    if finding.target in RAW or finding.target in ("round-trip", "transcripts"):
        lines.append(f"  input: {finding.data!r}")
    else:
        chunks = [chunk for chunk in Reader(finding.data).chunks() if chunk]
        lines.append(f"  message, in {len(chunks)} chunks:" if len(chunks) > 1 else "  message:")
        for chunk in chunks:
            lines += [f"    | {visible(line)}" for line in chunk.split("\n")]
            lines += ["    +-"] if chunk is not chunks[-1] else []
    lines += [f"  {line}" for line in finding.detail.splitlines()]
    return "\n".join(lines)


def visible(line: str) -> str:
    """Return a line as a terminal can show it, unchanged where it is harmless."""
    return line if line.isprintable() else ascii(line)[1:-1]


def name_of(finding: Finding) -> str:
    """A file name that is the same for the same input."""
    return f"{finding.target}-{hashlib.sha256(finding.data).hexdigest()[:12]}.bin"


def keep(finding: Finding, folder: Path, **about: Any) -> Path:
    """Write a finding and, beside it, what is known about it; the input's path comes back."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name_of(finding)
    path.write_bytes(finding.data)
    known = {
        "target": finding.target,
        "signature": finding.signature,
        "kind": finding.kind,
        "message": finding.message,
        **about,
    }
    path.with_suffix(".json").write_text(json.dumps(known, indent=1) + "\n", "utf-8")
    return path


def target_of(path: Path) -> str:
    """Return the target that a kept finding's name begins with."""
    named = [name for name in (*TARGETS, DIFFERENTIAL) if path.name.startswith(name + "-")]
    return max(named, key=len) if named else "scan"


def kept() -> list[tuple[str, Path]]:
    """The findings that every test run replays, as target and file."""
    return [(target_of(path), path) for path in sorted(KEPT.glob("*.bin"))]
