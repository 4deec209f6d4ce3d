"""Metamorphic relations: edits of a message whose effect on the answer is known beforehand.

A relation rewrites the body of a tool block, which has to be Python, token by token as CPython's
own tokenizer cuts it, and says what becomes of the answer: nothing, or something stated. So one
case with an answer that somebody derived gives dozens whose answers nobody has to derive again.
"""

from __future__ import annotations

import copy
import token
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from toolcode_conformance import edits
from toolcode_conformance.edits import Message, each, in_brackets, prefixed, quoted

if TYPE_CHECKING:
    from collections.abc import Callable

Segments = list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Answer:
    """What a scan of a message gives: segments, and what it announces as dropped."""

    segments: Segments
    dropped: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Relation:
    """One edit.

    Attributes:
        title: What the edit does, for the variant's title.
        clause: The clause that says what becomes of the answer.
        edit: The edited message, None where there is nothing to edit.
        answer: The answer to the edited message, from that to the base; None for the same.
    """

    title: str
    clause: str
    edit: Callable[[Message], Message | str | None]
    answer: Callable[[Answer], Answer] | None = None


# What becomes of the answer


def _calls(change: Callable[[dict[str, Any]], None]) -> Callable[[Answer], Answer]:
    def answer(base: Answer) -> Answer:
        segments = copy.deepcopy(base.segments)
        for segment in segments:
            if "call" in segment:
                change(segment["call"])
        return Answer(segments, base.dropped)

    return answer


def _no_call(base: Answer) -> Answer:
    text = "".join(segment.get("text", "") for segment in base.segments)
    return Answer([{"text": text}] if text else [], ("no-call",))


def _with_text(before: str, after: str) -> Callable[[Answer], Answer]:
    def answer(base: Answer) -> Answer:
        segments = copy.deepcopy(base.segments)
        if segments and "text" in segments[0]:
            segments[0]["text"] = before + segments[0]["text"]
        else:
            segments.insert(0, {"text": before})
        if "text" in segments[-1] and len(segments) > 1:
            segments[-1]["text"] += after
        else:
            segments.append({"text": after})
        return Answer(segments, base.dropped)

    return answer


def _twice(base: Answer) -> Answer:
    calls = [segment for segment in base.segments if "call" in segment]
    first = next((at for at, one in enumerate(base.segments) if "call" in one), 0)
    return Answer([*base.segments[:first], *calls, *base.segments[first:]], base.dropped)


def _scalars(change: Callable[[Any], Any]) -> Callable[[Answer], Answer]:
    """An answer in which `change` went over every scalar of every argument."""

    def changed(value: Any) -> Any:  # noqa: ANN401 - any JSON
        if isinstance(value, list):
            return [changed(item) for item in value]
        if isinstance(value, dict):
            return {key: changed(item) for key, item in value.items()}
        return change(value)

    def edit(call: dict[str, Any]) -> None:
        call["arguments"] = changed(call["arguments"])

    return _calls(edit)


def _negated(value: Any) -> Any:  # noqa: ANN401 - any scalar
    return -value if isinstance(value, int) and not isinstance(value, bool) else value


def _flipped(value: Any) -> Any:  # noqa: ANN401 - any scalar
    return not value if isinstance(value, bool) else value


def _with_one_more(call: dict[str, Any]) -> None:
    call["arguments"]["added"] = 0


RELATIONS: Final[dict[str, Relation]] = {
    "single-quotes": Relation("in single quotes", "LIT.1a", each(quoted("'"))),
    "double-quotes": Relation("in double quotes", "LIT.1a", each(quoted('"'))),
    "triple-quotes": Relation("in three quotes", "LIT.1a", each(quoted('"""'))),
    "triple-apostrophes": Relation("in three apostrophes", "LIT.1a", each(quoted("'''"))),
    "raw-strings": Relation("with raw strings", "LIT.1a", each(prefixed("r"))),
    "unicode-prefix": Relation("with a u before each string", "LIT.1a", each(prefixed("u"))),
    "plain-f-strings": Relation("with f-strings that hold no field", "LIT.1b", each(prefixed("f"))),
    "adjacent-strings": Relation("with each string in two halves", "LIT.4", each(edits.split)),
    "hex-escapes": Relation("with every character escaped", "LIT.1a", each(edits.escaped)),
    "hexadecimal": Relation(
        "with numbers in base sixteen",
        "LIT.2b",
        each(lambda text: hex(int(text)) if edits.whole(text) else None, token.NUMBER),
    ),
    "binary": Relation(
        "with numbers in base two",
        "LIT.2b",
        each(lambda text: bin(int(text)) if edits.whole(text) else None, token.NUMBER),
    ),
    "parenthesised": Relation(
        "with numbers in parentheses",
        "LIT.4",
        each(lambda text: f"({text})" if edits.whole(text) else None, token.NUMBER),
    ),
    "json-words": Relation("with JSON's words", "LIT.2a", each(edits.json_words, token.NAME)),
    "spaced": Relation("with spaces around everything", "ARG.3", in_brackets(edits.spaced)),
    "broken-lines": Relation("broken behind each comma", "ARG.3", in_brackets(edits.broken)),
    "comments-inside": Relation(
        "with a comment behind each comma", "CALL.3", in_brackets(edits.noted)
    ),
    "trailing-comma": Relation("with a comma at each end", "ARG.3", edits.trailing_comma),
    "comments-around": Relation(
        "between comments", "CALL.3", edits.body("# first f(x=1)\n\n", "\n# it's done)")
    ),
    "blank-lines": Relation("between blank lines", "CALL.1", edits.body("\n\n", "\n\n")),
    "crlf": Relation("with CRLF at each line's end", "ENV.7", edits.crlf),
    "printed": Relation("each in a print", "CALL.1", edits.joined("\n", "print({})")),
    "listed": Relation("in a list", "CALL.1", edits.joined(", ", whole="[{}]")),
    "tuple": Relation("in a tuple", "CALL.1", edits.joined(", ", whole="({},)")),
    "semicolons": Relation("on one line", "CALL.1", edits.joined("; ")),
    "assigned": Relation("each assigned", "CALL.1", edits.joined("\n", "result = {}")),
    "bare": Relation("without the namespace", "CALL.2a", edits.bare),
    "in-namespace": Relation("in the namespace", "CALL.2a", edits.in_namespace),
    "prose-around": Relation(
        "with prose around it",
        "ENV.3a",
        edits.around("Let me see.\n", "\nThat was it."),
        _with_text("Let me see.\n", "\nThat was it."),
    ),
    "negated": Relation(
        "with a minus before each number",
        "LIT.2a",
        each(lambda text: f"-{text}" if edits.whole(text) else None, token.NUMBER),
        _scalars(_negated),
    ),
    "flipped": Relation(
        "with each truth value turned round",
        "LIT.2a",
        each({"True": "False", "False": "True"}.get, token.NAME),
        _scalars(_flipped),
    ),
    "one-argument-more": Relation(
        "with one argument more", "ARG.1", edits.one_more, _calls(_with_one_more)
    ),
    "twice": Relation(
        "twice",
        "CALL.1",
        lambda message: Message(message.before, f"{message.body}\n{message.body}", message.after),
        _twice,
    ),
    "commented": Relation(
        "in comments", "CALL.3", edits.by_line(lambda line: f"# {line}"), _no_call
    ),
    "in-a-string": Relation("in a string", "CALL.3", edits.in_a_string, _no_call),
    "defined": Relation(
        "in a function that nobody calls",
        "CALL.7b",
        lambda message: Message(
            message.before,
            "def helper():\n" + "\n".join(f"    {line}" for line in message.body.split("\n")),
            message.after,
        ),
        _no_call,
    ),
    "other-label": Relation("under another label", "ENV.6", edits.other_label),
}
"""Every relation, by the name that a family uses."""


def variant(name: str, text: str, answer: Answer) -> tuple[str, Answer] | None:
    """Apply a relation to a base.

    Returns:
        The edited text and its answer, None where the relation finds nothing to edit.

    Raises:
        NotPythonError: The base cannot be taken apart.
    """
    relation = RELATIONS[name]
    message = edits.take_apart(text)
    edited = relation.edit(message)
    if edited is None or edited == message:
        return None
    if isinstance(edited, str):
        return edited, Answer([{"text": edited}])
    return edited.text, relation.answer(answer) if relation.answer else answer
