"""Parsers that do not keep to the choice they declare."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from tests.zoo.faulty import Faulty, block, call, each_call, gives, set_name, stringly

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.zoo.faulty import Steps

_INFINITE = re.compile(r"-?[0-9.]+[eE]\+?[0-9]{3,}")
_HUGE = re.compile(r"-?[0-9]{4301,}")


def _resolves(pattern: re.Pattern[str], to: Any) -> Callable[[Steps], Steps]:
    """Give a value to arguments whose source fits, though they are declared to stay source."""

    def resolve(one: dict[str, Any]) -> None:
        for key in list(one["unresolved"]):
            if pattern.fullmatch(one["arguments"][key]):
                one["arguments"][key] = to
                one["unresolved"].remove(key)

    return each_call(resolve)


def _namespaced(one: dict[str, Any]) -> str:
    return str(one["callee"]).removeprefix("default_api.") if one["name"] != "print" else "print"


FAULTS: tuple[Faulty, ...] = (
    Faulty(
        "keeps-other-namespaces",
        "only default_api is cut off, against other-namespace=last",
        block("files.read(a=1)"),
        gives(call("read", a=1)),
        steps=set_name(_namespaced),
    ),
    Faulty(
        "keeps-named-escapes",
        "no table of names, against named-escape=decode",
        block(r"f(a='\N{BULLET}')"),
        gives(call("f", a="\u2022")),
        edits=(("strings", "found = unicodedata.lookup(name)", "raise KeyError(name)"),),
    ),
    Faulty(
        "replaces-half-pairs",
        "encoded with errors='replace', against lone-surrogate=keep",
        block(r"f(a='a\ud83db')"),
        gives(call("f", a="a\ud83db")),
        value=stringly(lambda text: re.sub("[\ud800-\udfff]", "\ufffd", text)),
    ),
    Faulty(
        "infinity-is-null",
        "what JSON.stringify makes of it, against non-finite=source-text",
        block("f(a=1e400)"),
        gives(call("f", {"unresolved": ["a"]}, a="1e400")),
        steps=_resolves(_INFINITE, None),
    ),
    Faulty(
        "huge-integers-are-null",
        "an overflow that is caught, against huge-int=source-text",
        block("f(a=" + "9" * 4301 + ")"),
        gives(call("f", {"unresolved": ["a"]}, a="9" * 4301)),
        steps=_resolves(_HUGE, None),
    ),
    Faulty(
        "deep-values-are-cut",
        "below a depth everything is null, against deep-nesting=non-literal",
        block("f(a=" + "[" * 300 + "1" + "]" * 300 + ")"),
        gives(call("f", {"unresolved": ["a"]}, a="[" * 300 + "1" + "]" * 300)),
        steps=_resolves(re.compile(r"[(\[{].{500,}", re.DOTALL), None),
    ),
)
