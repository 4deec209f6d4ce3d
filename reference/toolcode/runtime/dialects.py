"""Which convention a model speaks, and both behind one interface (DIALECT.1, DIALECT.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

import toolcode

from .errors import RuntimeFormatError
from .model_ids import convention_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from toolcode import JSON, Call, Event


NATIVE: Final = "native"
AUTO: Final = "auto"


class DialectScanner(Protocol):
    """A streaming scanner of one message."""

    def feed(self, text: str) -> list[Event]:
        """Take the next chunk."""
        ...

    def close(self) -> list[Event]:
        """End the message."""
        ...


class RenderMessage(Protocol):
    """Writes one message of the model."""

    def __call__(
        self,
        *,
        thinking: str = "",
        text: str = "",
        calls: Iterable[Call | tuple[str, Mapping[str, JSON]]] = (),
    ) -> str:
        """Write thinking, then text, then calls."""
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
        render_message: A message of the model to text.
    """

    name: str
    scanner: MakeScanner
    render_calls: Callable[[Sequence[tuple[str, Mapping[str, JSON]]]], str]
    render_results: Callable[[Sequence[tuple[str, str]]], str]
    render_thinking: Callable[[str], str]
    render_message: RenderMessage


class Registry:
    """Conventions by name, open to more."""

    def __init__(self, dialects: Iterable[Dialect] = ()) -> None:
        self._loaders: dict[str, Callable[[], Dialect]] = {}
        self._dialects: dict[str, Dialect] = {}
        for dialect in dialects:
            self.register(dialect)

    def register(self, dialect: Dialect) -> None:
        """Add a convention.

        Raises:
            RuntimeFormatError: The name is taken, or means something else where formats are named.
        """
        self._claim(dialect.name)
        self._dialects[dialect.name] = dialect

    def register_lazily(self, name: str, load: Callable[[], Dialect]) -> None:
        """Add a convention whose modules are imported when it is first asked for.

        Raises:
            RuntimeFormatError: As for `register`.
        """
        self._claim(name)
        self._loaders[name] = load

    def get(self, name: str) -> Dialect:
        """Return a convention.

        Raises:
            RuntimeFormatError: There is none of that name; the message lists those there are.
        """
        if name in self._loaders:
            self._dialects[name] = self._loaders.pop(name)()
        if name not in self._dialects:
            raise RuntimeFormatError(f"no dialect {name!r}; there are {', '.join(self.names())}")
        return self._dialects[name]

    def names(self) -> list[str]:
        """The names, in alphabetical order."""
        return sorted(self._dialects.keys() | self._loaders.keys())

    def _claim(self, name: str) -> None:
        if name in self.names():
            raise RuntimeFormatError(f"a dialect {name!r} is registered already")
        if name in (AUTO, NATIVE, ""):
            raise RuntimeFormatError(f"{name!r} can be no dialect's name: formats use it")


def _gemini_calls(calls: Sequence[tuple[str, Mapping[str, JSON]]]) -> str:
    return toolcode.render_calls(calls)


def _gemini_results(results: Sequence[tuple[str, str]]) -> str:
    return toolcode.render_results([text for _, text in results])


def _load_gemma() -> Dialect:
    from . import gemma4, gemma4_render  # noqa: PLC0415 - most runtimes never need it

    return Dialect(
        "gemma",
        gemma4.Scanner,
        gemma4_render.render_calls,
        gemma4_render.render_results,
        gemma4_render.render_thinking,
        gemma4_render.render_message,
    )


REGISTRY: Final = Registry(
    [
        Dialect(
            "gemini",
            toolcode.Scanner,
            _gemini_calls,
            _gemini_results,
            toolcode.render_thinking,
            toolcode.render_message,
        )
    ]
)
"""The conventions of this package; register more, or make a registry of your own."""
REGISTRY.register_lazily("gemma", _load_gemma)


def select(
    model: str,
    *,
    format: str = AUTO,  # noqa: A002 - what runtimes call it
    native: bool = False,
    registry: Registry | None = None,
) -> str:
    """Return the name of the convention for a model.

    Args:
        model: A model's id, of a hosted service, a hub, a local runner or a file.
        format: A dialect's name, `native`, or `auto`; anything but auto is taken as it is.
        native: The service offers native tool calls for this model.
        registry: Where a format is looked up; this package's own by default.

    Returns:
        `native`, the format, `gemini` (every Gemini, Gemma 1 to 3 and 3n) or `gemma` (Gemma 4 and
        later).

    Raises:
        RuntimeFormatError: The format is unknown, or nothing is known of the model: a guess would
            fail silently, in the middle of a conversation.
    """
    if format == NATIVE or (format == AUTO and native):
        return NATIVE
    if format != AUTO:
        return (registry or REGISTRY).get(format).name
    return convention_of(model)
