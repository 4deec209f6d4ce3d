"""bfcl-eval's decoder for Gemini in prompting mode: the fences are cut out, and ast reads the rest.

The module imports the whole evaluation; the decoder is four functions of it, which are taken from
the published file as they stand.
"""

from __future__ import annotations

import ast
import enum
import re
import sys
from pathlib import Path
from typing import Any

from toolcode_conformance.peer_host import events, recorder

FUNCTIONS = (
    "ast_parse",
    "resolve_ast_call",
    "resolve_ast_by_type",
    "default_decode_ast_prompting",
)


class ReturnFormat(enum.Enum):
    """As in the package; only Python is asked for."""

    PYTHON = 1
    JAVA = 2
    JAVASCRIPT = 3
    VERBOSE_XML = 4
    CONCISE_XML = 5
    JSON = 6


def _decoder() -> Any:
    path = Path(sys.path[0]) / "bfcl_eval" / "model_handler" / "utils.py"
    tree = ast.parse(path.read_text("utf-8"))
    kept = [
        node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name in FUNCTIONS
    ]
    # The decoder evaluates arithmetic in what a model wrote; here it finds a recorder instead.
    names: dict[str, Any] = {"ast": ast, "re": re, "ReturnFormat": ReturnFormat, "eval": recorder}
    exec(compile(ast.Module(kept, []), str(path), "exec"), names)  # noqa: S102 - the package's own
    return names["default_decode_ast_prompting"]


DECODE = _decoder()


class Bfcl:
    """What `GeminiHandler.decode_ast` does."""

    def scan(self, text: str) -> list[dict[str, Any]]:
        """Return the calls; whatever is no call raises."""
        body = text.replace("```tool_code\n", "").replace("\n```", "")
        found = DECODE(body, ReturnFormat.PYTHON, has_tool_call_tag=False)
        return events(
            [
                {"name": name, "arguments": arguments}
                for one in found
                for name, arguments in one.items()
            ]
        )


PARSER = Bfcl()
