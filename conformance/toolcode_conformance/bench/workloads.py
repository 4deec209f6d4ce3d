"""The texts that are timed: the usual shapes, and the hostile ones that some parser pays for.

All are ASCII, so that every language cuts them at the same places.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

KIB: Final = 1024


@dataclass(frozen=True, slots=True)
class Workload:
    """One shape of text.

    Attributes:
        name: As it stands in the table.
        make: Builds the text for a size in characters.
        chunk: Characters per chunk; 0 feeds the text whole.
        size: The size that is compared between parsers.
        hostile: It is there for its growth, not for its speed.
    """

    name: str
    make: Callable[[int], str]
    chunk: int = 0
    size: int = 256 * KIB
    hostile: bool = False

    def text(self, size: int | None = None) -> str:
        """Build the text, for the size that is compared unless another is given."""
        return self.make(self.size if size is None else size)


def block(body: str) -> str:
    """Put a body between fences."""
    return f"```tool_code\n{body}\n```"


def call_with(value: str) -> str:
    """Return a block whose only call has one argument."""
    return block(f"print(default_api.write(text={value}))")


def _filled(piece: str, size: int) -> str:
    return piece * max(1, size // len(piece))


def _calls(size: int) -> str:
    lines = []
    length = 0
    for number in range(size):
        line = f'default_api.tool_{number % 7}(path="src/f{number}.ts", count={number}, ok=True)'
        lines.append(line)
        length += len(line) + 2
        if length >= size:
            break
    return block(f"[{', '.join(lines)}]")


def _nested(size: int) -> str:
    return call_with("[" + _filled("{'k': [1, 2, {'z': None}], 'name': 'abc def'}, ", size) + "]")


def _scalars(size: int) -> str:
    return call_with("[" + _filled("12, 'ab', 3.5, True, 'c d', -7, None, ", size) + "]")


def _thought(size: int) -> str:
    return "```thinking\n" + _filled("a thought without a line break, ", size)


def _open(piece: str) -> Callable[[int], str]:
    """A block that is filled with one piece."""
    return lambda size: block(_filled(piece, size))


def _value(piece: str, before: str = "", after: str = "") -> Callable[[int], str]:
    """A call whose argument is filled with one piece."""
    return lambda size: call_with(before + _filled(piece, size) + after)


USUAL: Final = (
    Workload("calls", _calls),
    Workload("string", _value("a plain string, ", '"', '"')),
    Workload("escaped-string", _value(r"line\n \"two\"\ttab, ", '"', '"')),
    Workload("nested", _nested),
    Workload("scalars", _scalars),
    Workload("prose", lambda size: _filled("Some prose with `code` in it. ", size), 0, KIB * KIB),
    Workload("block-chunked", _value("abc def, ", '"', '"'), 4, 512 * KIB),
    Workload("prose-chunked", lambda size: _filled("Just some prose, ", size), 4, KIB * KIB),
    Workload("ticks-chunked", lambda size: _filled("`a` ``b`` ", size), 4),
    Workload("thought-chunked", _thought, 4),
)

_PIECES: Final = {
    "open-brackets": "[",
    "mixed-brackets": "([{",
    "closing-brackets": "[)]}",
    "unclosed-calls": "f(",
    "nested-prints": "print(",
    "quotes": "'",
    "triple-quotes": "'''",
    "backslashes": "\\",
    "commas": ",",
    "identifier": "a",
    "dotted-path": "a.",
    "hyphens": "a-",
    "digits": "7",
    "names": r"\N{",
    "comments": "#\n",
    "control-flow": "f() for ",
    "lines": "if x:\n f()\n",
    "imports": "import a, b\n",
    "lambdas": "lambda a, ",
}
_VALUES: Final = {
    "value-brackets": "[",
    "value-digits": "7",
    "value-commas": ",",
    "value-signs": "-",
    "value-quotes": "''",
    "value-escapes": r"\q",
}

HOSTILE: Final = (
    *(Workload(name, _open(piece), hostile=True) for name, piece in _PIECES.items()),
    *(Workload(name, _value(piece), hostile=True) for name, piece in _VALUES.items()),
    Workload("broken-names", _value(r"\N{", '"', '"'), hostile=True),
    Workload("ticks", lambda size: "`" * size, hostile=True),
    Workload("ticks-one-by-one", lambda size: "`" * size, 1, hostile=True),
    Workload("almost-openers", lambda size: _filled("```tool_cod ", size), 4, hostile=True),
    Workload("fences-in-string", _value("```js ", '"', '"'), 4, hostile=True),
    Workload("word-in-thought", lambda n: "```thinking\n```" + "a" * n, 4, hostile=True),
    Workload("lines-in-thought", lambda n: "```thinking\n" + _filled("\n``", n), 4, hostile=True),
    Workload("quoted", lambda size: "````\n" + _filled("```\n", size), 4, hostile=True),
)
