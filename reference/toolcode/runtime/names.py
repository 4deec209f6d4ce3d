"""Names that the convention cannot write, by aliases that lead back (RENDER.5).

MCP servers and OpenAPI documents name tools and parameters with hyphens, slashes, dots and `$`;
a call can only write identifiers. The map gives each such name an alias, which is told to the
model and translated back in what the model calls.
"""

from __future__ import annotations

import re
from keyword import iskeyword
from typing import TYPE_CHECKING, Final

from .conversation import ToolCall
from .errors import RuntimeFormatError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .declarations import Declaration

_not_word: Final = re.compile(r"\W")


def writable(name: str, *, tool: bool) -> bool:
    """Whether a call can write this name: an identifier, and as a tool's no keyword or `print`."""
    return name.isidentifier() and not (tool and (iskeyword(name) or name == "print"))


class NameMap:
    """Aliases for tool names and, for each tool, its parameters' names.

    A name that can be written is its own alias. The aliases depend on the declarations and their
    order alone, so a later turn with the same tools gives the same ones.

    Args:
        declarations: The tools.

    Raises:
        RuntimeFormatError: Two tools have the same name.
    """

    def __init__(self, declarations: Iterable[Declaration]) -> None:
        declared = list(declarations)
        self._tools = _aliases([tool.name for tool in declared], tool=True)
        self._parameters = {
            tool.name: _aliases(list(tool.properties), tool=False) for tool in declared
        }
        self._tool_of = {alias: name for name, alias in self._tools.items()}
        self._parameter_of = {
            tool: {alias: name for name, alias in aliases.items()}
            for tool, aliases in self._parameters.items()
        }

    def tool(self, name: str) -> str:
        """The alias of a tool; a name that was not declared is its own."""
        return self._tools.get(name, name)

    def parameter(self, tool: str, name: str) -> str:
        """The alias of a tool's parameter; one that was not declared is its own."""
        return self._parameters.get(tool, {}).get(name, name)

    def to_model(self, call: ToolCall) -> ToolCall:
        """A call with its names as the model writes them."""
        arguments = {self.parameter(call.name, key): call.arguments[key] for key in call.arguments}
        return ToolCall(self.tool(call.name), arguments, call.id, call.signature)

    def from_model(self, call: ToolCall) -> ToolCall:
        """A call of the model with the names as they were declared."""
        name = self._tool_of.get(call.name, call.name)
        back = self._parameter_of.get(name, {})
        arguments = {back.get(key, key): call.arguments[key] for key in call.arguments}
        return ToolCall(name, arguments, call.id, call.signature)


def _aliases(names: list[str], *, tool: bool) -> dict[str, str]:
    repeated = (
        {name for name in names if names.count(name) > 1} if len(names) > len(set(names)) else ()
    )
    if repeated:
        raise RuntimeFormatError(f"declared twice: {', '.join(sorted(repeated))}")
    found = {name: name for name in names if writable(name, tool=tool)}
    taken = set(found)
    for name in names:
        if name in found:
            continue
        alias = stem = _stem(name, tool=tool)
        number = 2
        while alias in taken:
            alias, number = f"{stem}_{number}", number + 1
        taken.add(alias)
        found[name] = alias
    return found


def _stem(name: str, *, tool: bool) -> str:
    stem = _not_word.sub("_", name)
    if not stem.isidentifier():
        stem = f"_{stem}" if f"_{stem}".isidentifier() else "_".join(f"u{ord(c):x}" for c in stem)
    return stem if writable(stem or "_", tool=tool) and stem else f"{stem}_"
