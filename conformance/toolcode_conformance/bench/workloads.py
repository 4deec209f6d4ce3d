"""The texts that are timed: the usual shapes, the corpus's hostile ones, and recorded streams.

All that are cut by length are ASCII, so that every language cuts them at the same places.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from toolcode_conformance.corpus import load_corpus
from toolcode_conformance.growth import Shape
from toolcode_conformance.places import corpus_dir
from toolcode_conformance.recorder.pieces import text_chunks
from toolcode_conformance.recorder.store import load_packed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

KIB: Final = 1024
_TOKENS: Final = 50_000


@dataclass(frozen=True, slots=True)
class Workload:
    """One shape of text.

    Attributes:
        name: As it stands in the table.
        make: Builds the text for a size in characters.
        chunk: Characters per chunk; 0 feeds the text whole.
        size: The size that is compared between parsers.
        messages: Messages in their own chunks, instead of one text.
    """

    name: str
    make: Callable[[int], str]
    chunk: int = 0
    size: int = 256 * KIB
    messages: tuple[list[str], ...] = ()

    def text(self, size: int | None = None) -> str:
        """Build the text, for the size that is compared unless another is given."""
        return self.make(self.size if size is None else size)

    def chunked(self, size: int | None = None) -> list[list[str]]:
        """Build the messages, each as the chunks that are fed."""
        if self.messages:
            return list(self.messages)
        text = self.text(size)
        step = self.chunk or len(text)
        return [[text[at : at + step] for at in range(0, len(text), step)]]


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


def hostile() -> Iterator[Workload]:
    """Yield the growth cases of the corpus, which are there for how their time grows."""
    for case in load_corpus().cases:
        if case.op == "growth":
            shape = Shape.of(case.input)
            yield Workload(f"growth.{case.id.rpartition('.')[2]}", shape.text, shape.chunk)


def recorded() -> Workload:
    """Return what a real Gemma 3 wrote, token by token: some fifty thousand tokens of it."""
    messages: list[list[str]] = []
    tokens = 0
    for _, transcript in load_packed(corpus_dir() / "recorded"):
        for reply in transcript["replies"]:
            messages.append(text_chunks(reply["tokens"]))
            tokens += len(messages[-1])
        if tokens >= _TOKENS:
            break
    return Workload("recorded", lambda _: "", messages=tuple(messages))
