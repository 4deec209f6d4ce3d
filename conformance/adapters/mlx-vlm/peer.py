"""mlx-vlm's parser for pythonic call lists, called by its own extractor as its servers do."""

from __future__ import annotations

import logging
from typing import Any

from toolcode_conformance.peer_host import events, package

package("mlx_vlm")
package("mlx_vlm.tools")
package("mlx_vlm.tools.parsers")

from mlx_vlm.tools.extractor import process_tool_calls
from mlx_vlm.tools.parsers import pythonic


class MlxVlm:
    """The body is put between the tokens that the model writes.

    The extractor is asked and not the parser alone, since the parser says by an exception that
    there is no call: the extractor takes it, logs it and goes on.
    """

    def scan(self, text: str) -> list[dict[str, Any]]:
        """Return the calls and what text remains."""
        reply = pythonic.tool_call_start + text + pythonic.tool_call_end
        found = process_tool_calls(reply, pythonic, None)
        return events([call["function"] for call in found.calls], found.remaining_text)


logging.disable(logging.CRITICAL)
PARSER = MlxVlm()
