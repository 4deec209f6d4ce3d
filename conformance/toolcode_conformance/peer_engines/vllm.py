"""vLLM's pythonic parsers, whole and streaming, from the engine's own files.

The engine's protocol classes are plain data; those that the parsers fill are written here with the
same fields. Whatever else its modules import is there for annotations.
"""

from __future__ import annotations

import importlib
import logging
import sys
import types
from typing import Any, Final

from toolcode_conformance.peer_host import Deltas, events, package, stub

_PACKAGES: Final = (
    "vllm",
    "vllm.entrypoints",
    "vllm.entrypoints.generate",
    "vllm.entrypoints.generate.base",
    "vllm.entrypoints.openai",
    "vllm.entrypoints.openai.chat_completion",
    "vllm.entrypoints.openai.responses",
    "vllm.tool_parsers",
)
_RECORDS: Final = (
    "FunctionCall",
    "ToolCall",
    "DeltaFunctionCall",
    "DeltaToolCall",
    "DeltaMessage",
    "ExtractedToolCallInformation",
)
_REQUESTS: Final = (
    "ChatCompletionRequest",
    "ChatCompletionToolsParam",
    "ChatCompletionNamedToolChoiceParam",
)
_OPENAI: Final = (
    "openai",
    "openai.types",
    "openai.types.responses",
    "openai.types.responses.tool",
    "openai.types.responses.function_tool",
)


class Data:
    """A record of the protocol: its fields, with None for those that are not given."""

    def __init__(self, **fields: Any) -> None:  # noqa: ANN401 - any field
        self.__dict__.update(fields)

    def __getattr__(self, _: str) -> None:
        return None


class ToolParser:
    """The fields that the engine's base class sets before a reply."""

    def __init__(self, tokenizer: object, _tools: object = None) -> None:
        self.prev_tool_call_arr: list[Any] = []
        self.current_tool_id = -1
        self.current_tool_name_sent = False
        self.streamed_args_for_tool: list[str] = []
        self.model_tokenizer = tokenizer
        self.tools: list[Any] = []


class _Types(types.ModuleType):
    """A module of types for annotations: whatever is asked for is one."""

    def __getattr__(self, name: str) -> type[Data]:
        if name.startswith("__"):
            raise AttributeError(name)
        return Data


def _stubs() -> None:
    for name in _PACKAGES:
        package(name)
    stub(
        "vllm.envs",
        VLLM_TOOL_PARSE_REGEX_TIMEOUT_SECONDS=1,
        VLLM_ENFORCE_STRICT_TOOL_CALLING=False,
    )
    stub("vllm.logger", init_logger=logging.getLogger)
    stub("vllm.entrypoints.generate.base.protocol", **dict.fromkeys(_RECORDS, Data))
    stub("vllm.entrypoints.openai.chat_completion.protocol", **dict.fromkeys(_REQUESTS, Data))
    stub("vllm.entrypoints.openai.responses.protocol", ResponsesRequest=Data)
    stub("vllm.exceptions", VLLMValidationError=ValueError)
    stub("vllm.tokenizers", TokenizerLike=object)
    stub("transformers", PreTrainedTokenizerBase=object)
    stub("vllm.tool_parsers.abstract_tool_parser", Tool=Data, ToolParser=ToolParser)
    for name in _OPENAI:
        sys.modules[name] = made = _Types(name)
        made.__path__ = []  # a package
    logging.disable()


class Parser:
    """One of the engine's parsers; whole replies and deltas go to different methods of it."""

    def __init__(self, module: str, name: str, begin: str = "", end: str = "") -> None:
        """Load the parser; `begin` and `end` are put around each body, as the model writes them."""
        _stubs()
        self._class = getattr(importlib.import_module(f"vllm.tool_parsers.{module}"), name)
        self.begin, self.end = begin, end

    def make(self) -> Any:  # noqa: ANN401 - the engine's own class
        """Return a new parser, as the engine makes one for each reply."""
        return self._class(object())

    def shown(self, content: str | None) -> str:
        """What is shown as text, without the words that were put around the body."""
        return (content or "").removeprefix(self.begin).removesuffix(self.end)

    def scan(self, text: str) -> list[dict[str, Any]]:
        """Return the events of a whole reply."""
        told = self.make().extract_tool_calls(self.begin + text + self.end, None)
        calls = [
            {"name": call.function.name, "arguments": call.function.arguments}
            for call in told.tool_calls
        ]
        return events(calls, self.shown(told.content))

    def stream(self) -> _Stream:
        """Begin a reply."""
        return _Stream(self)


class _Stream:
    """Hands over what came before, what there is now, and the difference, as the engine does."""

    def __init__(self, parser: Parser) -> None:
        self._parser = parser
        self._made = parser.make()
        self._text = ""
        self._deltas = Deltas()

    def feed(self, chunk: str) -> list[dict[str, Any]]:
        return self._difference(chunk if self._text else self._parser.begin + chunk)

    def close(self) -> list[dict[str, Any]]:
        return self._difference(self._parser.end) if self._parser.end else []

    def _difference(self, chunk: str) -> list[dict[str, Any]]:
        before, self._text = self._text, self._text + chunk
        told = self._made.extract_tool_calls_streaming(before, self._text, chunk, [], [], [], None)
        if told is None:
            return []
        shown = self._parser.shown(told.content)
        found = [{"text": shown}] if shown else []
        for call in told.tool_calls or []:
            function = call.function
            found += self._deltas.take(
                call.index, function and function.name, function and function.arguments
            )
        return found
