"""Which convention a model was taught, from its id alone (DIALECT.2).

Ids come from hosted services, hubs, local runners and file names, in any case and with prefixes of
their own. An id that leaves a doubt is refused: a wrong convention reads no call and says nothing.
"""

from __future__ import annotations

import re
from typing import Final

from .errors import RuntimeFormatError

_FIRST_OF_GEMMA: Final = 4

_gemini_in: Final = re.compile(r"(?<![a-z0-9])gemini(?![a-z])").search
# A number directly behind the family is a version, unless it is a size such as 2b or 270m.
_gemma_in: Final = re.compile(
    r"(?<![a-z0-9])gemma(?![a-z])"
    r"(?:[-_ .]?v?(?P<version>\d{1,2})(?:\.\d{1,2})?n?(?![a-z0-9]|\.\d))?"
).search
# The first generation had no version in its ids, only these sizes; Ollama's `gemma` is that one.
_first_gemma_in: Final = re.compile(
    r"(?<![a-z0-9])gemma(?:[-_ .:]?[27]b(?![a-z0-9])|:latest$)"
).search
_function_gemma_in: Final = re.compile(r"function[-_ ]?gemma").search
# Relatives that call no tools, or in another way.
_relative_in: Final = re.compile(
    r"[a-z0-9]gemma|gemma[-_ ]?(?:embed|guard|scope)|gemini[-_ ]?embed|learnlm"
).search
# Models of others, which are often tuned on answers of these and say so in their names.
_foreign_in: Final = re.compile(
    r"(?<![a-z])(?:qwen|llama|codellama|mistral|mixtral|deepseek|phi|gpt|claude|command-r|granite|"
    r"olmo|falcon|glm|kimi|minimax|nemotron|smollm|yi)(?![a-z])"
).search


def convention_of(model: str) -> str:
    """Return the convention of a model's text: `gemini` or `gemma`.

    Args:
        model: The model's id: `gemini-2.5-pro`, `google/gemma-3-27b-it`, `gemma3:4b`, a path.

    Raises:
        RuntimeFormatError: Nothing is known of the model, or it calls in a way of its own.
    """
    parts = [part.strip() for part in re.split(r"[/\\]", model.lower())]
    # The last part is the model; those before it are vendors, runners and folders.
    for index in reversed(range(len(parts))):
        # Routers put `gemini/` before whatever Google serves, Gemma included.
        if parts[index] == "gemini" and index < len(parts) - 1:
            continue
        found = _of_part(parts[index], model)
        if found:
            return found
    raise RuntimeFormatError(f"model {model!r}: the id names no known model; name a format")


def _of_part(part: str, model: str) -> str | None:
    """The convention that one part of an id names, None where it says nothing."""
    if _function_gemma_in(part):
        raise RuntimeFormatError(
            f"model {model!r}: FunctionGemma has a grammar of its own; name a format"
        )
    gemini, gemma = _gemini_in(part), _gemma_in(part)
    if _relative_in(part) or _foreign_in(part) or (gemini and gemma):
        raise RuntimeFormatError(
            f"model {model!r}: no model of Gemini's or Gemma's main line; name a format"
        )
    if gemini:
        return "gemini"
    if not gemma:
        return None
    version = int(gemma["version"] or 0)
    if not version and not _first_gemma_in(part):
        raise RuntimeFormatError(f"model {model!r}: which Gemma this is, the id does not say")
    return "gemma" if version >= _FIRST_OF_GEMMA else "gemini"
