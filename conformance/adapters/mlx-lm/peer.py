"""mlx-lm's parser for pythonic call lists, called by its own server's formatter."""

from __future__ import annotations

import logging
from typing import Any

from toolcode_conformance.peer_host import events, package, stub


def _any(_: str) -> type:
    return object


package("mlx_lm")
package("mlx_lm.tool_parsers")
package("mlx_lm.models")
# What the server imports to run a model; a call's text meets none of it.
for engine in (
    "mlx",
    "mlx.core",
    "numpy",
    "huggingface_hub",
    "mlx_lm._version",
    "mlx_lm.generate",
    "mlx_lm.models.cache",
    "mlx_lm.processors",
    "mlx_lm.sample_utils",
    "mlx_lm.utils",
):
    stub(engine, __getattr__=_any)

from mlx_lm.server import ToolCallFormatter
from mlx_lm.tool_parsers.pythonic import parse_tool_call


class MlxLm:
    """Is given what stood between the model's call tokens, which the server cuts out.

    The formatter is asked and not the parser alone, since the parser says by a ValueError that
    there is no call: the formatter takes it, logs it and goes on.
    """

    def scan(self, text: str) -> list[dict[str, Any]]:
        """Return the calls."""
        return events(
            [call["function"] for call in ToolCallFormatter(parse_tool_call, None)([text])]
        )


logging.disable(logging.CRITICAL)
PARSER = MlxLm()
