"""A mutator that knows the format: blocks, calls, literals, fences, quotes, cuts.

It works on the text behind the head bytes and on the head itself. Half of its steps are plain byte
changes, left to the engine; the others put a piece of the grammar somewhere, double, drop or swap
what is there, or cross two inputs.
"""

from __future__ import annotations

import random
from typing import Final

from toolcode_fuzz.inputs import HEAD

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


def mutate(data: bytes, most: int, seed: int) -> bytes:
    """Change an input once."""
    chance = random.Random(seed)  # noqa: S311 - the engine's own seed
    head, text = (
        bytearray(data[:HEAD].ljust(HEAD, b"\0")),
        data[HEAD:].decode("utf-8", "surrogateescape"),
    )
    action = chance.randrange(6)
    at = chance.randint(0, len(text))
    end = min(len(text), at + chance.choice((1, 2, 4, 8, 32)))
    if action == 0:
        head[chance.randrange(HEAD)] = chance.randrange(256)
    elif action == 1:
        text = text[:at] + text[end:]
    elif action == 2:  # noqa: PLR2004
        text = text[:end] + text[at:end] * chance.choice((1, 2, 8)) + text[end:]
    else:
        piece = chance.choice(PIECES) if action < 5 else "".join(chance.choices(PIECES, k=3))  # noqa: PLR2004
        text = text[:at] + piece + text[at if chance.random() < 0.7 else end :]  # noqa: PLR2004
    return (bytes(head) + text.encode("utf-8", "surrogateescape"))[:most]


def cross(one: bytes, other: bytes, most: int, seed: int) -> bytes:
    """Put the beginning of one input before the end of another."""
    chance = random.Random(seed)  # noqa: S311
    left, right = one[HEAD:], other[HEAD:]
    text = left[: chance.randint(0, len(left))] + right[chance.randint(0, len(right)) :]
    return (one[:HEAD].ljust(HEAD, b"\0") + text)[:most]
