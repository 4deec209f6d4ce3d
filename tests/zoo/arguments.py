"""Arguments: which are kept, under which key."""

from __future__ import annotations

import json
import keyword
from typing import Any

from tests.zoo.faulty import Faulty, block, call, drop_keys, each_call, gives


def _positional(call: dict[str, Any]) -> None:
    for number, source in enumerate(call["skipped"]):
        call["arguments"][str(number)] = source


FAULTS: tuple[Faulty, ...] = (
    Faulty(
        "keeps-positional",
        "positional arguments get numbers",
        block("f(1, a=2)"),
        gives(call("f", {"skipped": ["1"]}, a=2)),
        steps=each_call(_positional),
    ),
    Faulty(
        "drops-reserved-words",
        "what ast cannot parse is left out",
        block('f(from="a", b=1)'),
        gives(call("f", **{"from": "a", "b": 1})),
        steps=drop_keys(keyword.iskeyword),
    ),
    Faulty(
        "drops-prototype",
        "assigning __proto__ to a JavaScript object",
        block("f(__proto__=1, a=2)"),
        gives(call("f", __proto__=1, a=2)),
        steps=drop_keys(lambda key: key == "__proto__"),
    ),
    Faulty(
        "sorts-keys",
        "arguments pass through a sorted JSON",
        block("f(b=1, a=2)"),
        gives(call("f", b=1, a=2)),
        steps=each_call(
            lambda call: call.update(arguments=dict(sorted(call["arguments"].items())))
        ),
    ),
    Faulty(
        "first-keyword-wins",
        "setdefault",
        block("f(a=1, a=2)"),
        gives(call("f", a=2)),
        edits=(
            (
                "arguments",
                "                if quoted is not None:\n",
                "                if name in values:\n                    pass\n"
                "                elif quoted is not None:\n",
            ),
            ("arguments", "    values[name] = value\n", "    values.setdefault(name, value)\n"),
        ),
    ),
    Faulty(
        "comparison-is-a-keyword",
        "the first equals sign splits",
        block("f(a==1, b=2)"),
        gives(call("f", {"skipped": ["a==1"]}, b=2)),
        edits=(("arguments", "({identifier}){GAP}=(?!=){GAP}", "({identifier}){GAP}==?{GAP}"),),
    ),
    Faulty(
        "no-trailing-comma",
        "the grammar has no comma before the parenthesis",
        block("f(a=1, )"),
        gives(call("f", a=1)),
        edits=(
            (
                "arguments",
                r'(?:,[ \t\f\r\n]*+|(?=\)))(\)?)"',
                r'(?:,[ \t\f\r\n]*+(?!\))|(?=\)))(\)?)"',
            ),
            (
                "arguments",
                '        if src.startswith(")", pos):\n            return values, pos + 1, rest\n',
                '        if src.startswith(")", pos):\n            if values:\n'
                "                return None\n            return values, pos + 1, rest\n",
            ),
        ),
    ),
    Faulty(
        "stars-expand",
        "unpacking is done while it is declared to be skipped",
        block('f(**{"a": 1}, b=2)'),
        gives(call("f", {"skipped": ['**{"a": 1}']}, b=2)),
        steps=each_call(
            lambda call: [
                call["arguments"].update(json.loads(source[2:]))
                for source in call["skipped"]
                if source.startswith('**{"')
            ]
        ),
    ),
)
