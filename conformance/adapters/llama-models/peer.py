"""llama-models' reader of call lists: `is_valid_python_list`, then the calls by ast."""

from __future__ import annotations

from typing import Any

from toolcode_conformance.peer_host import events, package, stub

package("llama_models")
package("llama_models.llama3")


class _Absent:
    brave_search = wolfram_alpha = photogen = code_interpreter = None


stub(
    "llama_models.datatypes",
    BuiltinTool=_Absent,
    RecursiveType=object,
    ToolCall=_Absent,
    ToolPromptFormat=_Absent,
)

from llama_models.llama3 import tool_utils


class LlamaModels:
    """The two functions in the order in which `maybe_extract_custom_tool_call` calls them."""

    def scan(self, text: str) -> list[dict[str, Any]]:
        """Return the calls of a valid list; any other text is text."""
        if not tool_utils.is_valid_python_list(text):
            return events([], text)
        found = tool_utils.parse_python_list_for_function_calls(text)
        return events([{"name": name, "arguments": arguments} for name, arguments in found])


PARSER = LlamaModels()
