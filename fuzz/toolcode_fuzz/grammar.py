"""A mutator that knows the format: blocks, calls, literals, fences, quotes, cuts.

It works on the text behind the head bytes and on the head itself: it replaces values, adds
arguments, calls and blocks where they belong, puts pieces where they do not, doubles and drops
stretches, moves the cuts beside what must not be torn, and crosses two inputs.
"""

from __future__ import annotations

import random
import re
from typing import TYPE_CHECKING, Final

from toolcode_fuzz.inputs import HEAD

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PIECES: Final = (
    *(
        "```tool_code\n",
        "```tool_code",
        "\n```",
        "```",
        "````",
        "`",
        "``",
        "~~~\n",
        "```tool_outputs\n",
    ),
    *(
        "```thinking\n",
        "```thinking\r\n",
        "```python\n",
        "print(",
        "default_api.",
        "f(a=1)",
        "g(b='x')",
    ),
    *(
        'read(path="a.ts", count=2)',
        "[f(a=1), g(b=2)]",
        "f(",
        ")",
        "[",
        "]",
        "{",
        "}",
        ",",
        "=",
        "==",
    ),
    *(
        "'",
        '"',
        "'''",
        '"""',
        "\\",
        "\\\\",
        "\\n",
        "\\x41",
        "\\u1234",
        "\\U00110000",
        "\\N{DASH}",
        "\\N{",
    ),
    *("r'", "b'", "f'", "#", "# f(a=1)\n", "\n", "\r\n", "\r", "\t", " ", "\0", "\ufeff", "\u2028"),
    *(
        "True",
        "None",
        "true",
        "null",
        "1",
        "-1",
        "1.5",
        "1e999",
        "0x1F",
        "1_000",
        "9" * 40,
        "a",
        "*",
        "**",
    ),
    *(
        "if x:\n    ",
        "for x in y: ",
        "def f(a=1):\n    ",
        "lambda: ",
        "from default_api import f\n",
        "@",
        ";",
    ),
    *(
        "<|tool_call>call:f{a:1}<tool_call|>",
        "<|tool_call>",
        "<tool_call|>",
        '<|"|>',
        "<|channel>thought\n",
    ),
    *(
        "call:default_api:f{a:1}",
        "startcall:",
        "<ctrl42>call\n",
        "<tool_code>",
        "</tool_code>",
        "tool_code\n",
    ),
    *(
        "<start_of_turn>user\n",
        "<end_of_turn>\n",
        "<bos>",
        "<start_of_image>",
        "\u2060",
        "é",
        "名",
        "\U0001f600",
        "__proto__",
        "from",
    ),
)
"""What the format is made of, and what breaks its readers."""


def dictionary() -> str:
    """The pieces as a dictionary in libFuzzer's form."""
    lines = []
    for number, piece in enumerate(PIECES):
        text = "".join(
            chr(byte) if 32 <= byte < 127 and byte not in b'"\\' else f"\\x{byte:02x}"  # noqa: PLR2004
            for byte in piece.encode()
        )
        lines.append(f'p{number}="{text}"')
    return "\n".join(lines) + "\n"


VALUES: Final = (
    *("1", "-1", "0", "007", "0x1F", "1_000", "1.5", "1e3", "1e999", "-0.0", "- 5", "-(5)", "1j"),
    *("True", "None", "true", "null", "x", "...", "a + 1", "f(a=1)", "a if b else c", "lambda: 1"),
    *("''", "'x'", '"y"', "'a' 'b'", "'\\n'", "'\\x41'", "'\\d'", "'\\400'", "'\\N{DASH}'"),
    *("'\\u00e9'", "'\\U00110000'", "'\\ud83d\\ude00'", "'é'", "'a\nb'", "'\\\nb'", "'\t'"),
    *("r'\\n'", "b'\\xff'", "br'\\n'", "f'x'", "f'{x}'", "u'x'", "'''a\n'b'''", '"""```"""'),
    *(
        "'```'",
        "'# x'",
        "'f(a=1)'",
        "'&amp;'",
        "[]",
        "{}",
        "()",
        "(1,)",
        "(1)",
        "[1, 2,]",
        "{1, 2}",
    ),
    *("{'a': 1}", "{1: 'x', True: 2}", "[[1], {'a': (2, 3)}]", "[1 # x\n, 2]", "[*x]", "{**x}"),
)
"""Argument values: literals of every kind, and what only looks like one."""

_NAMES: Final = ("f", "default_api.g", "default_api.read", "files.read", "größe", "get-weather")
_KEYS: Final = ("a", "b", "from", "__proto__", "é")

_values: Final = re.compile(r"(?<=[=,:\[(])[ \t]*[^,=:()\[\]{}\n`]+(?=[,)\]}:\n]|\Z)").finditer
_arguments: Final = re.compile(r"(?<=[\w])\((?=[^)]*\))").finditer
_lines: Final = re.compile(r"(?<=\n)(?!```)").finditer
_strings: Final = re.compile(r"(?<=['\"])[^'\"\n]*(?=['\"])").finditer
_hazards: Final = re.compile(r"`+|['\"]+|\\+.?|\r\n?|\n|[()\[\]{}#<>|]").finditer


def value(chance: random.Random, depth: int = 0) -> str:
    """Return an argument's value, now and then with others inside."""
    if depth < 3 and chance.random() < 0.2:  # noqa: PLR2004
        inner = [value(chance, depth + 1) for _ in range(chance.randint(0, 3))]
        if chance.random() < 0.5:  # noqa: PLR2004
            return f"[{', '.join(inner)}]"
        return "{" + ", ".join(f"'{number}': {one}" for number, one in enumerate(inner)) + "}"
    return chance.choice(VALUES)


def call(chance: random.Random) -> str:
    """Return a call, in one of the usual spellings."""
    given = [f"{chance.choice(_KEYS)}={value(chance)}" for _ in range(chance.randint(0, 3))]
    written = f"{chance.choice(_NAMES)}({', '.join(given)})"
    return chance.choice(("{}", "print({})", "x = {}", "[{}]", "{};", "if x: {}")).format(written)


def block(chance: random.Random) -> str:
    """Return a whole block: calls on lines of their own, or in a list."""
    calls = [call(chance) for _ in range(chance.randint(0, 3))]
    body = "\n".join(calls) if chance.random() < 0.7 else f"[{', '.join(calls)}]"  # noqa: PLR2004
    label = chance.choice(("tool_code", "tool_code", "tool_code", "thinking", "tool_outputs"))
    return f"```{label}\n{body}\n```"


def mutate(data: bytes, most: int, seed: int) -> bytes:
    """Change an input once: its structure, its pieces, or where it is cut."""
    chance = random.Random(seed)  # noqa: S311 - the engine's own seed
    head = bytearray(data[:HEAD].ljust(HEAD, b"\0"))
    text = data[HEAD:].decode("utf-8", "surrogateescape")
    change = chance.choice((_structure, _structure, _pieces, _pieces, _repeats, _cuts))
    text = change(chance, head, text)
    return (bytes(head) + text.encode("utf-8", "surrogateescape"))[:most]


def _structure(chance: random.Random, _head: bytearray, text: str) -> str:
    """Put something of the grammar where the grammar has it."""
    kind = chance.randrange(6)
    if kind == 0:
        return _replaced(chance, text, _values, value)
    if kind == 1:
        return _replaced(chance, text, _arguments, lambda c: f"({c.choice(_KEYS)}={value(c)}, ")
    if kind == 2:  # noqa: PLR2004
        return _replaced(chance, text, _lines, lambda c: call(c) + "\n")
    if kind == 3:  # noqa: PLR2004
        return _replaced(chance, text, _strings, lambda c: c.choice(PIECES) + c.choice(PIECES))
    if kind == 4:  # noqa: PLR2004
        return value(chance)
    made = block(chance)
    return chance.choice((f"{made}\n{text}", f"{text}\n{made}", text + made, made))


def _replaced(
    chance: random.Random,
    text: str,
    places: Callable[[str], Iterator[re.Match[str]]],
    make: Callable[[random.Random], str],
) -> str:
    """Replace one of the places; where there is none the text ends in what was made."""
    found = list(places(text))
    if not found:
        return text + make(chance)
    start, end = chance.choice(found).span()
    return text[:start] + make(chance) + text[end:]


def _pieces(chance: random.Random, _head: bytearray, text: str) -> str:
    """Put a piece anywhere, over what stands there or between."""
    at = chance.randint(0, len(text))
    end = min(len(text), at + chance.choice((1, 2, 4, 8, 32)))
    piece = "".join(chance.choices(PIECES, k=chance.choice((1, 1, 3))))
    return text[:at] + piece + text[at if chance.random() < 0.7 else end :]  # noqa: PLR2004


def _repeats(chance: random.Random, _head: bytearray, text: str) -> str:
    """Drop a stretch, or double it."""
    at = chance.randint(0, len(text))
    end = min(len(text), at + chance.choice((1, 2, 4, 8, 32)))
    times = chance.choice((0, 0, 0, 2, 3, 9))
    return text[:at] + text[at:end] * times + text[end:]


def _cuts(chance: random.Random, head: bytearray, text: str) -> str:
    """Cut beside or inside what must not be torn, or change a byte of the head."""
    which = chance.randrange(HEAD)
    found = list(_hazards(text))
    if which == HEAD - 1 or not found:
        head[which] = chance.randrange(256)
        return text
    start, end = chance.choice(found).span()
    place = min(len(text), max(0, chance.randint(start - 1, end + 1)))
    cut = min(255, -(-place * 255 // len(text)))
    if chance.random() < 0.5:  # noqa: PLR2004
        head[:] = bytes([cut] * (HEAD - 1)) + head[HEAD - 1 :]
    else:
        head[which] = cut
    return text


def cross(one: bytes, other: bytes, most: int, seed: int) -> bytes:
    """Put the beginning of one input before the end of another."""
    chance = random.Random(seed)  # noqa: S311
    left, right = one[HEAD:], other[HEAD:]
    text = left[: chance.randint(0, len(left))] + right[chance.randint(0, len(right)) :]
    return (one[:HEAD].ljust(HEAD, b"\0") + text)[:most]
