"""A conversation as a runtime has it: plain, immutable messages.

The JSON form is what history files and the conformance protocol use: a `role` beside the fields
below, empty ones left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from .errors import RuntimeFormatError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from toolcode.events import JSON


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call to make or made.

    Attributes:
        name: The tool.
        arguments: Keyword to JSON value.
        id: The id that its result will carry, None where the channel has none.
        signature: Gemini's thought signature of the part, kept untouched (API.2).
    """

    name: str
    arguments: Mapping[str, JSON]
    id: str | None = None
    signature: str | None = None


@dataclass(frozen=True, slots=True)
class System:
    """Instructions of the operator."""

    text: str


@dataclass(frozen=True, slots=True)
class Developer:
    """Instructions of the application, anywhere in the conversation."""

    text: str


@dataclass(frozen=True, slots=True)
class User:
    """What the user says; images are opaque and stand behind the text."""

    text: str
    images: tuple[JSON, ...] = ()


@dataclass(frozen=True, slots=True)
class Assistant:
    """What the model says: thinking first, then text, then calls."""

    text: str = ""
    thinking: str = ""
    calls: tuple[ToolCall, ...] = ()


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool gave back; `name` and `call_id` say whose result it is, where known."""

    text: str
    name: str | None = None
    call_id: str | None = None
    error: bool = False
    images: tuple[JSON, ...] = ()


Message: TypeAlias = System | Developer | User | Assistant | ToolResult


def messages_from_json(items: Iterable[Any]) -> list[Message]:
    """Read messages in the JSON form.

    Raises:
        RuntimeFormatError: A role or a field is unknown or of the wrong kind; the message names
            the index.
    """
    return [_message(item, f"messages[{index}]") for index, item in enumerate(items)]


def message_to_json(message: Message) -> dict[str, Any]:
    """Write one message in the JSON form, empty fields left out."""
    match message:
        case System(text):
            return {"role": "system", "text": text}
        case Developer(text):
            return {"role": "developer", "text": text}
        case User(text, images):
            return {"role": "user", "text": text} | ({"images": list(images)} if images else {})
        case Assistant(text, thinking, calls):
            written = list(map(call_to_json, calls))
            return {"role": "assistant"} | _filled(thinking=thinking, text=text, calls=written)
        case ToolResult(text, name, call_id, error, images):
            extra = _filled(name=name, id=call_id, error=error, images=list(images))
            return {"role": "tool", "text": text} | extra


def _filled(**fields: Any) -> dict[str, Any]:  # noqa: ANN401 - whatever the fields hold
    return {key: value for key, value in fields.items() if value}


def call_to_json(call: ToolCall) -> dict[str, Any]:
    """Write a call, `id` and `signature` only where it has them."""
    extra = {"id": call.id, "signature": call.signature}
    return {"name": call.name, "arguments": dict(call.arguments)} | {
        key: value for key, value in extra.items() if value is not None
    }


def call_from_json(item: Any, where: str) -> ToolCall:  # noqa: ANN401 - JSON from anywhere
    """Read a call; `where` names the place in errors.

    Raises:
        RuntimeFormatError: A field is missing or of the wrong kind.
    """
    fields = _Fields(item, where, {"name", "arguments", "id", "signature"})
    arguments = fields.value.get("arguments", {})
    if not isinstance(arguments, dict):
        raise RuntimeFormatError(f"{where}.arguments: an object is wanted")
    return ToolCall(
        fields.text("name"), arguments, fields.optional("id"), fields.optional("signature")
    )


class _Fields:
    """Reads the fields of one JSON object, with errors that name the place."""

    def __init__(self, value: Any, where: str, known: set[str]) -> None:  # noqa: ANN401
        if not isinstance(value, dict):
            raise RuntimeFormatError(f"{where}: an object is wanted, not {type(value).__name__}")
        unknown = sorted(value.keys() - known)
        if unknown:
            raise RuntimeFormatError(f"{where}: unknown field {unknown[0]!r}")
        self.value: dict[str, Any] = value
        self.where = where

    def text(self, key: str, default: str | None = None) -> str:
        found = self.value.get(key, default)
        if not isinstance(found, str):
            raise RuntimeFormatError(f"{self.where}.{key}: a string is wanted")
        return found

    def optional(self, key: str) -> str | None:
        return None if self.value.get(key) is None else self.text(key)

    def items(self, key: str) -> list[Any]:
        found = self.value.get(key, [])
        if not isinstance(found, list):
            raise RuntimeFormatError(f"{self.where}.{key}: a list is wanted")
        return found


def _message(item: Any, where: str) -> Message:  # noqa: ANN401
    role = item.get("role") if isinstance(item, dict) else None
    if role in ("system", "developer"):
        text = _Fields(item, where, {"role", "text"}).text("text")
        return System(text) if role == "system" else Developer(text)
    if role == "user":
        fields = _Fields(item, where, {"role", "text", "images"})
        return User(fields.text("text", ""), tuple(fields.items("images")))
    if role == "assistant":
        fields = _Fields(item, where, {"role", "text", "thinking", "calls"})
        calls = tuple(
            call_from_json(call, f"{where}.calls[{index}]")
            for index, call in enumerate(fields.items("calls"))
        )
        return Assistant(fields.text("text", ""), fields.text("thinking", ""), calls)
    if role == "tool":
        fields = _Fields(item, where, {"role", "text", "name", "id", "error", "images"})
        return ToolResult(
            fields.text("text"),
            fields.optional("name"),
            fields.optional("id"),
            bool(fields.value.get("error", False)),
            tuple(fields.items("images")),
        )
    raise RuntimeFormatError(
        f"{where}.role: system, developer, user, assistant or tool is wanted, not {role!r}"
    )
