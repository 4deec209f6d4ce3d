"""bfcl-eval's decoder for Gemini in prompting mode: the fences are cut out, and ast reads the rest.

The decoder's module imports the whole evaluation; what decoding Python needs none of is stubbed.
"""

from __future__ import annotations

from typing import Any

from toolcode_conformance.peer_host import events, package, recorder, stub

for name in ("", ".constants", ".model_handler", ".model_handler.parser"):
    package(f"bfcl_eval{name}")
for language, names in (
    ("java", ("parse_java_function_call",)),
    ("js", ("parse_javascript_function_call",)),
    ("json", ("parse_json_function_call",)),
    ("xml", ("parse_concise_xml_function_call", "parse_verbose_xml_function_call")),
):
    stub(f"bfcl_eval.model_handler.parser.{language}_parser", **dict.fromkeys(names))
stub("bfcl_eval.utils")
stub(
    "tenacity",
    **dict.fromkeys(
        (
            "retry",
            "retry_if_exception_message",
            "retry_if_exception_type",
            "wait_random_exponential",
        )
    ),
)

from bfcl_eval.constants.enums import ReturnFormat
from bfcl_eval.model_handler import utils

# The decoder evaluates arithmetic in what a model wrote; here it finds a recorder instead.
utils.eval = recorder


class Bfcl:
    """What `GeminiHandler.decode_ast` does."""

    def scan(self, text: str) -> list[dict[str, Any]]:
        """Return the calls; whatever is no call raises."""
        body = text.replace("```tool_code\n", "").replace("\n```", "")
        found = utils.default_decode_ast_prompting(
            body, ReturnFormat.PYTHON, has_tool_call_tag=False
        )
        return events(
            [
                {"name": name, "arguments": arguments}
                for one in found
                for name, arguments in one.items()
            ]
        )


PARSER = Bfcl()
