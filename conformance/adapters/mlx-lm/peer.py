"""mlx-lm's parser for pythonic call lists."""

from __future__ import annotations

from typing import Any

from toolcode_conformance.peer_host import events, package

package("mlx_lm")
package("mlx_lm.tool_parsers")

from mlx_lm.tool_parsers.pythonic import parse_tool_call


class MlxLm:
    """Is given what stood between the model's call tokens, which the server cuts out."""

    def scan(self, text: str) -> list[dict[str, Any]]:
        """Return the calls; whatever is no call raises."""
        found = parse_tool_call(text)
        return events(found if isinstance(found, list) else [found])


PARSER = MlxLm()
