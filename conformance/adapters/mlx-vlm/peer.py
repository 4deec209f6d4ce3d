"""mlx-vlm's parser for pythonic call lists."""

from __future__ import annotations

from typing import Any

from toolcode_conformance.peer_host import events, package

package("mlx_vlm")
package("mlx_vlm.tools")
package("mlx_vlm.tools.parsers")

from mlx_vlm.tools.parsers.pythonic import parse_tool_call


class MlxVlm:
    """Is given what stood between the model's call tokens, which the server cuts out."""

    def scan(self, text: str) -> list[dict[str, Any]]:
        """Return the calls; whatever is no call raises."""
        found = parse_tool_call(text)
        return events(found if isinstance(found, list) else [found])


PARSER = MlxVlm()
