"""What may be shown beside calls: thoughts, made-up results and stray tokens go (LEAK.3)."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_tagged: Final = re.compile(
    r"<(?P<tag>think(?:ing)?|thoughts?)>.*?(?:</(?P=tag)>|\Z)|<\|channel>thought\s.*?(?:<channel\|>|\Z)"
    r"|(?:<ctrl94>|\A\s*thought\s).*?<ctrl95>",
    re.DOTALL | re.IGNORECASE,
)
_headless: Final = re.compile(
    r"\A(?:(?!<think|<thought).)*?</(?:think(?:ing)?|thoughts?)>", re.DOTALL
)
_announced: Final = re.compile(r"\A\s*THOUGHT:.*?(?:\n[ \t]*\n|\Z)", re.DOTALL)
_called: Final = re.compile(r"(?<!\w)(?:\w*call:(?:\w+:)?)?Thought\{thought:[^{}]*\}")
_glued: Final = re.compile(r"(?<=[.!?])thought[ \t]*\n.*\Z", re.DOTALL)
_behind_call_at: Final = re.compile(r"\s*thought\b(?:[ \t]*\n|:|\s)", re.IGNORECASE).match
_results: Final = re.compile(
    r"""^[ \t]*(?:(?:```|~~~)[ \t]*(?:tool_?(?:output|result|response)s?)\b
      |(?:tool_?(?:output|result|response)s?)[ \t]*:?[ \t]*$
      |tool[ ](?:output|result|response)s?:
      |[<\[]\|?tool_?(?:output|result|response)s?[>\]]
      |(?:```(?:json)?\s*)?\{\s*["']\w+_response["']\s*:).*\Z
    |(?:<\|tool_response>|<start_function_response>|(?<!\w)response:\w+[:{]).*\Z""",
    re.DOTALL | re.MULTILINE | re.VERBOSE | re.IGNORECASE,
)
_result_fence_at: Final = re.compile(
    r"\s*(?:```|~~~)[ \t]*tool_?(?:output|result|response)s?\b", re.IGNORECASE
).match
_own_result: Final = re.compile(
    r"""^[ \t]*(?:```|~~~)[ \t]*tool_?(?:output|result|response)s?\s*\{\s*["'](\w+)_response["']""",
    re.MULTILINE,
).search
_token: Final = re.compile(r"(?:<ctrl\d{1,3}>|[\x16\x17])+")
_token_line: Final = re.compile(r"^[ \t]*(?:<ctrl\d{1,3}>|[\x16\x17])+[ \t]*$", re.MULTILINE)
_answer: Final = re.compile(r"(?<=[.!?)\]\"'”’])\s*(?=\w)")


def without_thoughts(text: str) -> list[str]:
    """The pieces of a text without what a model thought aloud and marked as a thought."""
    for pattern in (_called, _tagged):
        text = pattern.sub("\0", text)
    for pattern in (_headless, _announced, _glued):
        text = pattern.sub("\0", text, count=1)
    return text.split("\0")


def without_results(text: str) -> str:
    """A text up to the first result that the model wrote itself."""
    return _results.sub("", text)


def begins_with_result(text: str) -> bool:
    """Whether nothing stands before a result's block."""
    return _result_fence_at(text) is not None


def result_of(text: str) -> str | None:
    """The tool that a result's block says it is of."""
    match = _own_result(text)
    return match[1] if match else None


def without_tokens(text: str, *, anywhere: bool) -> list[str]:
    """The pieces of a text without stray control tokens.

    Args:
        text: The text.
        anywhere: Drop them wherever they stand; else only on a line of their own, for a file may
            hold them as data.
    """
    return (_token if anywhere else _token_line).split(text)


def behind_call(text: str) -> str:
    """What may be shown of a text that follows a call directly.

    A thought that goes on without a mark has no sure end. Where the script changes behind a
    sentence, the last such change begins the answer; else nothing of it may be shown.
    """
    match = _behind_call_at(text)
    if match is None:
        return text
    rest = text[match.end() :]
    answer = 0
    for place in _answer.finditer(rest):
        before = _script(rest, place.start() - 1, -1)
        after = _script(rest, place.end(), 1)
        if before and after and before != after:
            answer = place.end()
    return rest[answer or _behind_english(rest) :] if answer or _behind_english(rest) else ""


def _behind_english(text: str) -> int:
    """Where the last sentences begin that are not English, behind some that are; 0 if nowhere.

    Models think in English whatever they are spoken to in.
    """
    begin, english = 0, False
    start = 0
    for place in [*_sentence_end.finditer(text), None]:
        end = place.end() if place else len(text)
        words = [word.lower() for word in _word.findall(text[start:end])]
        hits = sum(word in _ENGLISH for word in words)
        if hits >= _SURE or (hits and len(words) <= _SHORT):
            english, begin = True, end
        elif not words and begin == start:
            begin = end
        start = end
    return begin if english and text[begin:].strip() else 0


def _script(text: str, pos: int, step: int) -> str:
    """The script of the nearest letter at or before, or at or behind, `pos`; "" if none is near."""
    for at in range(pos, pos + step * _NEAR, step):
        if 0 <= at < len(text) and text[at].isalpha():
            script = unicodedata.name(text[at], "?").split(" ", 1)[0]
            return "CJK" if script in _JAPANESE else script
    return ""


_NEAR: Final = 24
_sentence_end: Final = re.compile(r"(?<=[.!?])[\"')\]]*(?:\s+(?=\S)|(?=[^\W\d_a-z]))|\n\s*\n")
_word: Final = re.compile(r"[^\W\d_]+")
_ENGLISH: Final = frozenset(
    re.findall(
        r"\w+",
        "the and of to is are that this with should they their which would about from you your "
        "has have been it its he she his her be by can will must need i so what who",
    )
)
_SURE: Final = 2
_SHORT: Final = 6
_JAPANESE: Final = frozenset({"HIRAGANA", "KATAKANA"})
