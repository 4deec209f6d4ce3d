"""What a run found: grouped by signature, made small, shown, and kept for replay."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import re
import shlex
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from toolcode_fuzz.inputs import HEAD, Reader
from toolcode_fuzz.targets import TARGETS, replay

if TYPE_CHECKING:
    from collections.abc import Callable

KEPT: Final = Path(__file__).resolve().parents[1] / "findings"
"""Findings that were fixed: `TARGET-name.bin`, replayed by every test run."""

_ATTEMPTS: Final = 3000


@dataclass(frozen=True)
class Finding:
    """One input that breaks a target.

    Attributes:
        signature: What findings of one cause share: exception, place and words without values.
    """

    target: str
    data: bytes
    signature: str
    message: str


def examine(target: str, data: bytes, run: Callable[[str, bytes], None] = replay) -> Finding | None:
    """Run an input; None where all holds."""
    try:
        run(target, data)
    except Exception as error:  # noqa: BLE001 - whatever is raised is the finding
        return Finding(target, data, _signature(error), f"{type(error).__name__}: {error}")
    return None


def _signature(error: Exception) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    where = next((f"{Path(f.filename).name}:{f.name}" for f in reversed(frames)), "")
    words = re.sub(r"'.*'|\".*\"|\d+", "_", str(error), flags=re.DOTALL)[:80]
    return f"{type(error).__name__} {where} {words}".strip()


def minimised(finding: Finding, run: Callable[[str, bytes], None] = replay) -> Finding:
    """Drop what is not needed for the same signature: halves first, then less and less."""
    head, text = finding.data[:HEAD].ljust(HEAD, b"\0"), finding.data[HEAD:]
    best, left, size = finding, _ATTEMPTS, max(1, len(text) // 2)
    while size and left:
        at, shorter = 0, False
        while at < len(text) and left:
            left -= 1
            candidate = examine(finding.target, head + text[:at] + text[at + size :], run)
            if candidate and candidate.signature == finding.signature:
                text, best, shorter = text[:at] + text[at + size :], candidate, True
            else:
                at += size
        size = size if shorter and size == 1 else size // 2
    return best


def shown(finding: Finding) -> str:
    """A finding for a person: what broke, and the text in its chunks."""
    lines = [f"{finding.target}: {finding.message}", f"  signature: {finding.signature}"]
    if finding.target in ("protocol", "corpus", "round-trip", "transcripts"):
        lines.append(f"  input: {finding.data!r}")
    else:
        chunks = Reader(finding.data).chunks()
        lines += [f"  chunk: {chunk!r}" for chunk in chunks if chunk] or ["  no text"]
    return "\n".join(lines)


def name_of(finding: Finding) -> str:
    """A file name that is the same for the same input."""
    return f"{finding.target}-{hashlib.sha256(finding.data).hexdigest()[:12]}.bin"


def promotion(path: Path) -> str:
    """Keep a finding for replay, and say how it becomes a case.

    The text goes into a file beside it; what the right answer is, `toolcode corpus new` asks two
    readers and a person.
    """
    target = _target_of(path)
    data = path.read_bytes()
    KEPT.mkdir(exist_ok=True)
    (KEPT / path.name).write_bytes(data)
    lines = [f"kept for replay: {KEPT / path.name}"]
    text = "".join(Reader(data).chunks())
    if target in ("scan", "thinking", "leaks", "gemma"):
        message = path.with_suffix(".txt")
        message.write_text(text, "utf-8", "backslashreplace")
        today = dt.datetime.now(dt.UTC).date().isoformat()
        source = json.dumps({"kind": "fuzz", "target": target, "date": today})
        lines.append(
            f'as a case: make new-case FILE={message} ARGS=\'--id AREA.GROUP.SLUG --title ".." '
            f"--why EFFECT --source {shlex.quote(source)}'"
        )
    return "\n".join(lines)


def _target_of(path: Path) -> str:
    named = [name for name in TARGETS if path.name.startswith(name + "-")]
    return max(named, key=len) if named else "scan"


def kept() -> list[tuple[str, Path]]:
    """The findings that every test run replays, as target and file."""
    return [(_target_of(path), path) for path in sorted(KEPT.glob("*.bin"))]
