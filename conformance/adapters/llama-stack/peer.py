"""llama-stack's hand-written reader of call lists, `parse_llama_tool_call_format`."""

from __future__ import annotations

from typing import Any

from toolcode_conformance.peer_host import events, package, stub

for name in ("", ".models", ".models.llama", ".models.llama.llama3"):
    package(f"llama_stack{name}")


class _Absent:
    brave_search = wolfram_alpha = photogen = code_interpreter = None


class _Silent:
    def __getattr__(self, _: str) -> Any:
        return lambda *_: None


stub("llama_stack.log", get_logger=lambda *_, **__: _Silent())
stub(
    "llama_stack.models.llama.datatypes",
    BuiltinTool=_Absent,
    RecursiveType=object,
    ToolCall=_Absent,
    ToolPromptFormat=_Absent,
)

from llama_stack.models.llama.llama3 import tool_utils


class LlamaStack:
    """One function of the package."""

    def scan(self, text: str) -> list[dict[str, Any]]:
        """Return the calls; where it reads none, the text is text."""
        found = tool_utils.parse_llama_tool_call_format(text)
        if not found:
            return events([], text)
        return events([{"name": name, "arguments": arguments} for name, arguments in found])


PARSER = LlamaStack()
