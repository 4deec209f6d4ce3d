"""What code around a parser likes to do to its answers."""

from __future__ import annotations

import codecs
import re
import unicodedata
import warnings
from typing import TYPE_CHECKING, Any

from tests.zoo.faulty import (
    Faulty,
    block,
    call,
    calls_of,
    cut,
    drop_keys,
    each_call,
    everywhere,
    gives,
    keep,
    op,
    set_name,
    stringly,
    thought,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.zoo.faulty import Event, Steps


def _rename_keys(change: Callable[[str], str]) -> Callable[[Steps], Steps]:
    return each_call(
        lambda one: one.update(
            arguments={change(key): value for key, value in one["arguments"].items()}
        )
    )


def _drop_values(unwanted: Callable[[Any], bool]) -> Callable[[Steps], Steps]:
    return each_call(
        lambda one: one.update(
            arguments={key: value for key, value in one["arguments"].items() if not unwanted(value)}
        )
    )


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


def _unescaped_twice(text: str) -> str:
    if "\\" not in text:
        return text
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return str(codecs.decode(text, "unicode_escape"))


def _in_32_bits(value: Any) -> Any:
    if type(value) is int and not -(2**31) <= value < 2**31:
        raise OverflowError("Python int too large to convert to C int")
    return value


def _one_line(text: str) -> str:
    return text.replace("\n", "\\n")


def _number(text: str) -> Any:
    return int(text) if re.fullmatch(r"[0-9]{1,9}", text) else text


def _numbers(value: Any) -> Any:
    return everywhere(lambda one: _number(one) if isinstance(one, str) else one)(value)


def _words(value: Any) -> Any:
    return everywhere(
        lambda one: {"True": True, "False": False}.get(one, one) if isinstance(one, str) else one
    )(value)


def _last_call(steps: Steps) -> Steps:
    calls = [event for step in steps for event in step if "call" in event]
    return [[e for e in step if "call" not in e or e is calls[-1]] for step in steps]


def _unfinished(steps: Steps) -> Steps:
    """Drop a thought that only the end of the stream ends."""
    if {"thinking_end": True} not in steps[-1]:
        return steps
    kinds = ("thinking", "thinking_start", "thinking_end")
    events = [(n, event) for n, step in enumerate(steps) for event in step]
    start = max(i for i, (_, event) in enumerate(events) if "thinking_start" in event)
    kept: Steps = [[] for _ in steps]
    for i, (n, event) in enumerate(events):
        if i < start or not event.keys() & set(kinds):
            kept[n].append(event)
    return kept


def _without_its_end(steps: Steps) -> Steps:
    return [[event for event in step if "thinking_end" not in event] for step in steps]


def _one_thought(steps: Steps) -> Steps:
    """All thoughts are one, and stand in front."""
    events = [event for step in steps for event in step]
    thoughts = [event for event in events if "thinking" in event]
    if not thoughts:
        return steps
    rest = [e for e in events if not e.keys() & {"thinking", "thinking_start", "thinking_end"}]
    whole: list[Event] = [{"thinking_start": True}, *thoughts, {"thinking_end": True}]
    return [*([] for _ in steps[1:]), whole + rest]


def _shows_calls(steps: Steps) -> Steps:
    return [
        [one for e in step for one in ([{"text": e["call"]["source"]}, e] if "call" in e else [e])]
        for step in steps
    ]


def _clean_only(one: dict[str, Any]) -> bool:
    return not (one["unresolved"] or one["skipped"] or one["conditional"])


FAULTS: tuple[Faulty, ...] = (
    Faulty(
        "folds-values",
        "text is normalised before it is stored",
        block("f(a='\ufb01nd')"),
        gives(call("f", a="\ufb01nd")),
        value=stringly(lambda text: unicodedata.normalize("NFKC", text)),
    ),
    Faulty(
        "composes-values",
        "text is normalised before it is stored, gently",
        block("f(a='e\u0301')"),
        gives(call("f", a="e\u0301")),
        value=stringly(lambda text: unicodedata.normalize("NFC", text)),
    ),
    Faulty(
        "unescapes-twice",
        "a second decoder behind the first",
        block(r"f(a='C:\\new')"),
        gives(call("f", a="C:\\new")),
        value=stringly(_unescaped_twice),
    ),
    Faulty(
        "keeps-line-breaks-escaped",
        "line breaks are escaped again for a log",
        block(r"f(a='x\ny')"),
        gives(call("f", a="x\ny")),
        value=stringly(_one_line),
    ),
    Faulty(
        "throws-beyond-32-bits",
        "a conversion to a C int that is checked by an assertion",
        block("f(a=99999999999)"),
        gives(call("f", a=99999999999)),
        value=everywhere(_in_32_bits),
    ),
    Faulty(
        "texts-of-digits-are-numbers",
        "types are guessed from the text",
        block("f(a='12')"),
        gives(call("f", a="12")),
        value=_numbers,
    ),
    Faulty(
        "texts-of-words-are-constants",
        "types are guessed from the text",
        block("f(a='True')"),
        gives(call("f", a="True")),
        value=_words,
    ),
    Faulty(
        "true-is-one",
        "bool is a kind of int",
        block("f(a=True)"),
        gives(call("f", a=True)),
        value=everywhere(lambda value: int(value) if isinstance(value, bool) else value),
    ),
    Faulty(
        "whole-floats-are-integers",
        "3.0 is printed as 3",
        block("f(a=3.0)"),
        gives(call("f", a=3.0)),
        value=everywhere(
            lambda value: int(value) if isinstance(value, float) and value.is_integer() else value
        ),
    ),
    Faulty(
        "negative-zero-is-zero",
        "numbers pass through a sum",
        block("f(a=-0.0)"),
        gives(call("f", a=-0.0)),
        value=everywhere(lambda value: 0.0 if value == 0 and isinstance(value, float) else value),
    ),
    Faulty(
        "signs-are-no-numbers",
        "a grammar whose numbers are digits",
        block("f(a=-5)"),
        gives(call("f", a=-5)),
        value=everywhere(
            lambda value: str(value) if type(value) in (int, float) and value < 0 else value
        ),
    ),
    Faulty(
        "leaves-out-none",
        "exclude_none when arguments are dumped",
        block("f(a=None, b=1)"),
        gives(call("f", a=None, b=1)),
        steps=_drop_values(lambda value: value is None),
    ),
    Faulty(
        "leaves-out-empty",
        "if value: in place of if value is not None:",
        block("f(a=0, b=1)"),
        gives(call("f", a=0, b=1)),
        steps=_drop_values(lambda value: not value),
    ),
    Faulty(
        "sets-lose-duplicates",
        "a set is made before it is a list",
        block("f(a={2, 1, 2})"),
        gives(call("f", a=[2, 1, 2])),
        edits=(
            (
                "literals",
                "            return self.items[0]\n        return self.items",
                "            return self.items[0]\n        if closer == '}':\n            return [one for n, one in enumerate(self.items) if one not in self.items[:n]]\n        return self.items",
            ),
        ),
    ),
    Faulty(
        "keys-in-snake-case",
        "arguments are fitted to Python's habits",
        block("f(maxResults=1)"),
        gives(call("f", maxResults=1)),
        steps=_rename_keys(_snake),
    ),
    Faulty(
        "names-in-lower-case",
        "tools are looked up without their case",
        block("getWeather(a=1)"),
        gives(call("getWeather", a=1)),
        steps=set_name(lambda one: str(one["name"]).lower()),
    ),
    Faulty(
        "private-keys-dropped",
        "a leading underscore is internal",
        block("f(_a=1, b=2)"),
        gives(call("f", _a=1, b=2)),
        steps=drop_keys(lambda key: key.startswith("_")),
    ),
    Faulty(
        "self-is-bound",
        "the first parameter of a method is its object",
        block("f(self=1, b=2)"),
        gives(call("f", self=1, b=2)),
        steps=drop_keys(lambda key: key in ("self", "cls")),
    ),
    Faulty(
        "no-call-without-arguments",
        "a pattern with .+ between the parentheses",
        block("f()"),
        gives(call("f")),
        steps=keep(lambda event, _: "call" not in event or event["call"]["source"][-2:] != "()"),
    ),
    Faulty(
        "last-call-only",
        "the last statement is the answer, as in a console",
        block("f(a=1)\ng(b=2)"),
        gives(call("f", a=1), call("g", b=2)),
        steps=_last_call,
    ),
    Faulty(
        "refuses-what-is-not-clean",
        "a call with anything odd is no call, against what is declared",
        block("f(1, a=2)"),
        gives(call("f", {"skipped": ["1"]}, a=2)),
        steps=keep(lambda event, _: "call" not in event or _clean_only(event["call"])),
    ),
    Faulty(
        "says-nothing-of-skipped",
        "positional arguments vanish without a word",
        block("f(1, a=2)"),
        gives(call("f", {"skipped": ["1"]}, a=2)),
        steps=each_call(lambda one: one.update(skipped=[])),
    ),
    Faulty(
        "says-nothing-of-losses",
        "a block that gives nothing is nothing",
        "```tool_code\nf(a=1",
        gives(dropped="unterminated"),
        steps=keep(lambda event, _: "dropped" not in event),
    ),
    Faulty(
        "source-is-the-name",
        "the wrong span is kept",
        op("scan", chunks=[block("f(a=1)")]),
        gives(call("f", {"source": "f(a=1)"}, a=1)),
        steps=each_call(lambda one: one.update(source=one["callee"])),
    ),
    Faulty(
        "shows-the-calls",
        "what the model wrote is what the user sees",
        block("f(a=1)"),
        gives(call("f", a=1)),
        steps=_shows_calls,
    ),
    Faulty(
        "nothing-behind-a-call",
        "a model that calls has finished",
        block("f(a=1)") + block("g(b=2)") + "\nDone.",
        gives(call("f", a=1), call("g", b=2), "\nDone."),
        steps=keep(lambda event, before: not calls_of(before) or "dropped" in event),
    ),
    Faulty(
        "loses-unfinished-thoughts",
        "a thought is kept when it ends",
        "```thinking\nhm",
        gives(thought("hm")),
        steps=_unfinished,
    ),
    Faulty(
        "thoughts-never-end",
        "no event says that the thought is over",
        "```thinking\nhm\n```\nHi",
        gives(thought("hm"), "\nHi"),
        steps=_without_its_end,
    ),
    Faulty(
        "one-thought-a-message",
        "one field for thinking",
        "```thinking\na\n```\nHi\n```thinking\nb\n```",
        gives(thought("a"), "\nHi\n", thought("b")),
        steps=_one_thought,
    ),
    Faulty(
        "one-event-late",
        "an event is sent when the next one is known",
        cut("Hello, world", 5),
        gives("Hello, world"),
        steps=lambda steps: [[], *steps[:-2], [*steps[-2], *steps[-1]]],
        clause="STREAM.2",
    ),
    Faulty(
        "always-on-guard",
        "made-up results are cut off unasked, and what follows with them",
        "```tool_outputs\n1\n```\nHi",
        gives("```tool_outputs\n1\n```\nHi"),
        edits=(("scanner", "(_OUTPUTS,) if stop_on_tool_outputs else ()", "(_OUTPUTS,)"),),
    ),
    Faulty(
        "thinking-cannot-be-switched-off",
        "the option is not passed on",
        op("scan", chunks=["```thinking\nhm\n```"], options={"parse_thinking": False}),
        gives("```thinking\nhm\n```"),
        edits=(("scanner", "*(_THINKING if parse_thinking else ()),", "*_THINKING,"),),
    ),
)
