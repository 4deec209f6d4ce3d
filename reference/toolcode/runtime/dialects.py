"""Which convention a model speaks, and both behind one interface (DIALECT.1, DIALECT.2)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

import toolcode

from . import gemma4, gemma4_render
from .errors import RuntimeFormatError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from toolcode import JSON, Event


class DialectScanner(Protocol):
    """A streaming scanner of one message."""

    def feed(self, text: str) -> list[Event]:
        """Take the next chunk."""
        ...

    def close(self) -> list[Event]:
        """End the message."""
        ...


class MakeScanner(Protocol):
    """Makes a scanner, with the options that every convention has."""

    def __call__(
        self,
        *,
        parse_thinking: bool = True,
        stop_on_tool_outputs: bool = False,
        tools: Collection[str] | None = None,
    ) -> DialectScanner:
        """Make a scanner for one message."""
        ...


@dataclass(frozen=True, slots=True)
class Dialect:
    """One convention: how its messages are read and written.

    Attributes:
        name: The name it is selected by.
        scanner: Makes a scanner.
        render_calls: Calls, as pairs of name and arguments, to text.
        render_results: Results, as pairs of tool name and text, to text.
        render_thinking: A thought to text.
    """

    name: str
    scanner: MakeScanner
    render_calls: Callable[[Sequence[tuple[str, Mapping[str, JSON]]]], str]
    render_results: Callable[[Sequence[tuple[str, str]]], str]
    render_thinking: Callable[[str], str]


class Registry:
    """Conventions by name."""

    def __init__(self, dialects: Iterable[Dialect] = ()) -> None:
        self._dialects: dict[str, Dialect] = {}
        for dialect in dialects:
            self.register(dialect)

    def register(self, dialect: Dialect) -> None:
        """Add a convention.

        Raises:
            RuntimeFormatError: The name is taken.
        """
        if dialect.name in self._dialects:
            raise RuntimeFormatError(f"a dialect {dialect.name!r} is registered already")
        self._dialects[dialect.name] = dialect

    def get(self, name: str) -> Dialect:
        """Return a convention.

        Raises:
            RuntimeFormatError: There is none of that name; the message lists those there are.
        """
        if name not in self._dialects:
            raise RuntimeFormatError(
                f"no dialect {name!r}; there are {', '.join(sorted(self._dialects))}"
            )
        return self._dialects[name]


def _gemini_calls(calls: Sequence[tuple[str, Mapping[str, JSON]]]) -> str:
    return toolcode.render_calls(calls)


def _gemini_results(results: Sequence[tuple[str, str]]) -> str:
    return toolcode.render_results([text for _, text in results])


REGISTRY: Final = Registry(
    [
        Dialect(
            "gemini",
            toolcode.Scanner,
            _gemini_calls,
            _gemini_results,
            toolcode.render_thinking,
        ),
        Dialect(
            "gemma",
            gemma4.Scanner,
            gemma4_render.render_calls,
            gemma4_render.render_results,
            gemma4_render.render_thinking,
        ),
    ]
)
"""The two conventions of this package; register more, or make a registry of your own."""

NATIVE: Final = "native"
AUTO: Final = "auto"
_FIRST_OF_GEMMA: Final = 4

_gemini_id: Final = re.compile(r"(?:^|[^a-z])gemini(?![a-z])").search
# A number directly behind the family is a version, unless it is a size such as 2b.
_gemma_id: Final = re.compile(
    r"(?:^|[^a-z])gemma(?:[-_ .:]?v?(?P<version>\d+)(?:\.\d+)?(?P<n>n)?(?![\d.]*[bm](?:[^a-z]|$)))?"
    r"(?![a-z])"
).search
# Relatives with grammars of their own, and models of others that were tuned on these.
_other_family: Final = re.compile(
    r"[a-z]gemma|gemma[-_]?(?:embed|guard|scope)|learnlm"
    r"|qwen|llama|mistral|deepseek|phi-?\d|gpt|claude|command-r|granite|olmo"
).search
# Effective sizes such as E2B are Gemma 3n's and Gemma 4's alike.
_only_effective_size: Final = re.compile(r"gemma[-_ .:]?e\d").search


def select(model: str, *, format: str = AUTO, native: bool = False) -> str:  # noqa: A002
    """Return the name of the convention for a model.

    Args:
        model: A model's id, of a hosted service, a hub, a local runner or a file.
        format: A dialect's name, `native`, or `auto`; anything but auto is taken as it is.
        native: The service offers native tool calls for this model.

    Returns:
        `native`, `gemini` (every Gemini, Gemma 1 to 3 and 3n) or `gemma` (Gemma 4 and later).

    Raises:
        RuntimeFormatError: The format is unknown, or nothing is known of the model: a guess would
            fail silently, in the middle of a conversation.
    """
    if format == NATIVE or (format == AUTO and native):
        return NATIVE
    if format != AUTO:
        return REGISTRY.get(format).name
    return _family(model)


def _family(model: str) -> str:
    name = model.lower()
    if "functiongemma" in name.replace("-", "").replace("_", ""):
        raise RuntimeFormatError(
            f"model {model!r}: FunctionGemma has a grammar of its own; name a format"
        )
    if _other_family(name):
        raise RuntimeFormatError(f"model {model!r}: not a model of these families; name a format")
    if _gemini_id(name):
        return "gemini"
    match = _gemma_id(name)
    if not match or _only_effective_size(name):
        raise RuntimeFormatError(f"model {model!r}: the id says nothing; name a format")
    version = int(match["version"] or 1)
    return "gemma" if version >= _FIRST_OF_GEMMA else "gemini"
