"""Tool declarations as they come, in one form.

Read are OpenAI's `{"type": "function", "function": {...}}`, its inner object alone, Gemini's
`{"functionDeclarations": [...]}`, and MCP's `{"name", "description", "inputSchema"}`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from .errors import RuntimeFormatError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_SCHEMA_KEYS: Final = ("parameters", "parametersJsonSchema", "inputSchema", "input_schema")
_LIST_KEYS: Final = ("functionDeclarations", "function_declarations")


@dataclass(frozen=True, slots=True)
class Declaration:
    """One tool.

    Attributes:
        name: As declared.
        description: What it is for, None where nothing was said.
        parameters: The JSON Schema of its arguments.
    """

    name: str
    description: str | None = None
    parameters: dict[str, Any] = field(default_factory=dict)

    @property
    def properties(self) -> dict[str, Any]:
        """Parameter name to schema."""
        found = self.parameters.get("properties", {})
        return found if isinstance(found, dict) else {}


def read_declarations(tools: Iterable[Any]) -> list[Declaration]:
    """Read declarations in any of the known forms.

    Raises:
        RuntimeFormatError: One is in none of them; the message names its index.
    """
    return [found for index, tool in enumerate(tools) for found in _read(tool, f"tools[{index}]")]


def _read(tool: Any, where: str) -> Iterator[Declaration]:  # noqa: ANN401 - JSON from anywhere
    if not isinstance(tool, dict):
        raise RuntimeFormatError(f"{where}: an object is wanted, not {type(tool).__name__}")
    for key in _LIST_KEYS:
        if isinstance(tool.get(key), list):
            for index, inner in enumerate(tool[key]):
                yield from _read(inner, f"{where}.{key}[{index}]")
            return
    if isinstance(tool.get("function"), dict):
        yield from _read(tool["function"], f"{where}.function")
        return
    name = tool.get("name")
    if not isinstance(name, str) or not name:
        raise RuntimeFormatError(f"{where}.name: a non-empty string is wanted")
    description = tool.get("description")
    if description is not None and not isinstance(description, str):
        raise RuntimeFormatError(f"{where}.description: a string is wanted")
    schemas = [tool[key] for key in _SCHEMA_KEYS if tool.get(key) is not None]
    if len(schemas) > 1 or not all(isinstance(schema, dict) for schema in schemas):
        raise RuntimeFormatError(f"{where}: one JSON Schema object is wanted, in one of its fields")
    yield Declaration(name, description, schemas[0] if schemas else {})
