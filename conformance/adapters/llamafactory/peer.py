"""LlamaFactory's `LFM2ToolUtils.tool_extractor`: one call or a list between two tokens."""

from __future__ import annotations

from typing import Any

from toolcode_conformance.peer_host import events, package

package("llamafactory")
package("llamafactory.data")
package("llamafactory.extras")

from llamafactory.data.tool_utils import LFM2ToolUtils

BEGIN, END = "<|tool_call_start|>", "<|tool_call_end|>"


class LlamaFactory:
    """The body is put between the tokens that the model writes."""

    def scan(self, text: str) -> list[dict[str, Any]]:
        """Return the calls; where it reads none, the text is text."""
        found = LFM2ToolUtils.tool_extractor(BEGIN + text + END)
        if isinstance(found, str):
            return events([], text)
        return events([{"name": call.name, "arguments": call.arguments} for call in found])


PARSER = LlamaFactory()
