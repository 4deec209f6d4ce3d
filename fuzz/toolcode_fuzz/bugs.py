"""Bugs to be found: each a changed place in a copy of the reference, with an input that shows it.

They measure the kit (`bench`), not the reference: how often, and how fast, each set-up finds what
is known to be there.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from toolcode_fuzz.inputs import HEAD

_REFERENCE: Final = Path(__file__).resolve().parents[2] / "reference"


@dataclass(frozen=True, slots=True)
class Bug:
    """One bug.

    Attributes:
        target: The target whose property it breaks.
        file: In `reference/toolcode`.
        change: The text that stands there once, and what takes its place.
        witness: An input that shows it.
        story: What it does to a user.
    """

    name: str
    target: str
    file: str
    change: tuple[str, str]
    witness: bytes
    story: str

    def plant(self, folder: Path) -> Path:
        """Copy the reference into a folder and change the copy; where to import from comes back.

        Raises:
            ValueError: The text to change is not there exactly once: the reference moved on.
        """
        copy = folder / self.name
        if not copy.is_dir():
            shutil.copytree(_REFERENCE, copy, ignore=shutil.ignore_patterns("__pycache__", "*.pyc"))
            path = copy / "toolcode" / self.file
            text = path.read_text("utf-8")
            if text.count(self.change[0]) != 1:
                raise ValueError(f"bug {self.name}: {self.change[0]!r} is not once in {self.file}")
            path.write_text(text.replace(*self.change), "utf-8")
        return copy


def cut_at(text: str, place: int = 0, options: int = 0) -> bytes:
    """Return an input that is this text, cut once (its other chunks are empty)."""
    cut = -(-place * 255 // max(1, len(text)))
    return bytes([cut] * (HEAD - 1)) + bytes([options]) + text.encode()


def _block(body: str) -> str:
    return f"```tool_code\n{body}\n```"


BUGS: Final = (
    Bug(
        "label-cut",
        "scan",
        "scanner.py",
        (
            "partial = partial or label.startswith(tail)",
            "partial = partial or (len(tail) < 7 and label.startswith(tail))",
        ),
        cut_at(_block("f(a=1)"), 11),
        "An opener that arrives in two chunks, the first of which holds seven or more characters of"
        " its label, is shown as text.",
    ),
    Bug(
        "closer-cut",
        "scan",
        "body.py",
        ("window = self._tail + text", "window = self._tail[-1:] + text"),
        cut_at(_block("f(a=1)"), 22),
        "A closing fence cut behind its second backtick does not close.",
    ),
    Bug(
        "escape-raises",
        "scan",
        "strings.py",
        ("return chr(code) if code <= 0x10FFFF else written", "return chr(code) or written"),
        cut_at(_block(r"f(a='\U00110000')")),
        "An escape beyond Unicode raises.",
    ),
    Bug(
        "infinity",
        "scan",
        "literals.py",
        ("if math.isinf(value):", "if math.isnan(value):"),
        cut_at(_block("f(a=1e999)")),
        "A float past the range of doubles becomes an infinity, which JSON does not have.",
    ),
    Bug(
        "quote-cut",
        "scan",
        "scanner.py",
        ("self._opening = pos == len(text)", "self._opening = False"),
        cut_at("`````\nx\n````\n```tool_code\nf(a=1)\n```", 4),
        "A run of five backticks that arrives in two chunks counts as four.",
    ),
    Bug(
        "octal",
        "literals",
        "strings.py",
        (
            'return chr(int(written[1:], 8))\n    if kind == "name"',
            'return chr(int(written[1:], 8) & 0xFF)\n    if kind == "name"',
        ),
        cut_at(r"'\400\d'"),
        "An octal escape past 377 loses its ninth bit, in a string with an unknown escape.",
    ),
    Bug(
        "one-tuple",
        "literals",
        "literals.py",
        ("len(self.items) == 1 and not self.commas", "len(self.items) == 1"),
        cut_at("(1,)"),
        "A tuple of one is taken for a value in parentheses.",
    ),
    Bug(
        "raw-bytes",
        "literals",
        "strings.py",
        ('if "\\\\" in body and "r" not in prefix:', 'if "\\\\" in body and prefix != "r":'),
        cut_at(r"br'\n'"),
        "Raw bytes have their escapes decoded.",
    ),
    Bug(
        "fence-escape",
        "round-trip",
        "renderer.py",
        ("\\ud800-\\udfff]|`{3,}')", "\\ud800-\\udfff]|`{4,}')"),
        bytes(HEAD) + b"\0\1\0\5xx\3```",
        "A fence of three backticks stands in a rendered string as it is.",
    ),
    Bug(
        "thought-cr",
        "thinking",
        "thinking.py",
        (
            'undecided = end is None and rest in ("", "\\r")',
            'undecided = end is None and rest == ""',
        ),
        cut_at("x\n```py\r\ncode\n```\nend\n```\nreply", 8),
        "A code block in a thought whose CRLF arrives in two chunks ends the thought.",
    ),
    Bug(
        "thought-break",
        "thinking",
        "thinking.py",
        (
            'if src.endswith("\\r") and len(src) > inside:',
            'if src.endswith("\\r") and len(src) > inside + 64:',
        ),
        cut_at("x\r\n```\nreply", 2),
        "The CR before a thought's closer is shown when the chunk ends there.",
    ),
    Bug(
        "token-cut",
        "gemma",
        "runtime/gemma4.py",
        (
            "len(src) - self._longest + 1))",
            "len(src) - self._longest + 8))",
        ),
        cut_at("<|tool_call>call:f{a:1}<tool_call|>", 11),
        "A token of which most has arrived is shown as text.",
    ),
    Bug(
        "second-marker",
        "transcripts",
        "runtime/transcript.py",
        (
            'return _forged.sub(f"<{JOINER}", text)',
            'return _forged.sub(f"<{JOINER}", text, count=1)',
        ),
        bytes(HEAD) + b"\x14" + b"<bos><end_of_turn>xx",
        "Only the first forged turn marker of a body is made harmless.",
    ),
    Bug(
        "partial-sign",
        "leaks",
        "runtime/leaks/guard.py",
        ("end = max(self._out, self._safe(len(self._text)))", "end = len(self._text)"),
        cut_at("So: startcall:default_api:f{a:1}", 8),
        "The guard shows what may become a leak's sign.",
    ),
)
