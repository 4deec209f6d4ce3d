"""Literals: what a value says."""

from __future__ import annotations

import re
from typing import Any

from tests.zoo.faulty import Faulty, block, call, each_call, everywhere, gives, stringly


def _multiplied(value: Any) -> Any:
    match = re.fullmatch(r"(\d{1,6}) ?\* ?(\d{1,6})", value) if isinstance(value, str) else None
    return int(match[1]) * int(match[2]) if match else value


def _deep(value: Any) -> bool:
    depth = 0
    while isinstance(value, list) and value:
        value, depth = value[0], depth + 1
    return depth > 50


def _crash_if_deep(value: Any) -> Any:
    if _deep(value):
        raise RecursionError("maximum recursion depth exceeded")
    return value


def _float(value: Any) -> Any:
    return float(value) if type(value) is int and abs(value) < 2**53 else value


def _double(value: Any) -> Any:
    return int(float(value)) if type(value) is int and abs(value) < 10**300 else value


def nested(depth: int) -> list[Any]:
    """Empty lists in each other."""
    value: list[Any] = []
    for _ in range(depth - 1):
        value = [value]
    return value


FAULTS: tuple[Faulty, ...] = (
    Faulty(
        "keeps-escapes",
        "strings are cut out, not decoded",
        block(r'f(a="x\ny")'),
        gives(call("f", a="x\ny")),
        edits=(("strings", 'if "\\\\" in body and "r" not in prefix:', "if False:"),),
    ),
    Faulty(
        "drops-unknown-backslash",
        "a backslash always goes",
        block(r'f(a="\d+")'),
        gives(call("f", a=r"\d+")),
        edits=(
            (
                "strings",
                "return _SIMPLE.get(written[1], written)",
                "return _SIMPLE.get(written[1], written[1])",
            ),
        ),
    ),
    Faulty(
        "throws-beyond-unicode",
        "chr() of whatever the escape says",
        block(r'f(a="\U00110000")'),
        gives(call("f", a=r"\U00110000")),
        edits=(
            ("strings", "return chr(code) if code <= 0x10FFFF else written", "return chr(code)"),
        ),
    ),
    Faulty(
        "python-words-only",
        "true, false and null are names in Python",
        block("f(a=true)"),
        gives(call("f", a=True)),
        edits=(
            ("literals", '    "true": True,\n    "false": False,\n', ""),
            ("literals", '    "null": None,\n', ""),
            ("literals", "|True|False|None|true|false|null)", "|True|False|None)"),
        ),
    ),
    Faulty(
        "integers-are-floats",
        "every number is a double",
        block("f(a=1)"),
        gives(call("f", a=1)),
        value=everywhere(_float),
    ),
    Faulty(
        "large-integers-are-rounded",
        "JavaScript's numbers",
        block("f(a=9007199254740993)"),
        gives(call("f", a=9007199254740993)),
        value=everywhere(_double),
    ),
    Faulty(
        "no-hexadecimal",
        "int(text) and no more",
        block("f(a=0x1F)"),
        gives(call("f", a=31)),
        edits=(("literals", "(?P<based>0(?:", "(?P<based>(?!)0(?:"),),
    ),
    Faulty(
        "no-underscores",
        "digits only",
        block("f(a=1_000)"),
        gives(call("f", a=1000)),
        edits=(("literals", "(?P<int>[1-9](?:_?[0-9])*+", "(?P<int>[1-9](?:[0-9])*+"),),
    ),
    Faulty(
        "tuples-are-lost",
        "only brackets and braces are containers",
        block("f(a=(1, 2))"),
        gives(call("f", a=[1, 2])),
        edits=(
            (
                "literals",
                '_CLOSER_OF: Final = {"(": ")", "[": "]"',
                '_CLOSER_OF: Final = {"[": "]"',
            ),
        ),
    ),
    Faulty(
        "strings-do-not-join",
        "the second string ends the value",
        block("f(a='x' 'y')"),
        gives(call("f", a="xy")),
        edits=(
            (
                "literals",
                "        following = string_at(src, skip_gap(src, match.end()))\n",
                "        following = None\n",
            ),
        ),
    ),
    Faulty(
        "raw-strings-are-decoded",
        "the prefix is skipped",
        block(r'f(a=r"x\ny")'),
        gives(call("f", a=r"x\ny")),
        edits=(("strings", 'if "\\\\" in body and "r" not in prefix:', 'if "\\\\" in body:'),),
    ),
    Faulty(
        "bytes-are-utf-8",
        "bytes are decoded as text is",
        block(r'f(a=b"\xc3\xa9")'),
        gives(call("f", a="\xc3\xa9")),
        value=stringly(
            lambda t: (
                t.encode("latin-1", "ignore").decode("utf-8", "ignore") if t == "\xc3\xa9" else t
            )
        ),
    ),
    Faulty(
        "evaluates-arithmetic",
        "eval without names",
        block("f(a=6*9)"),
        gives(call("f", {"unresolved": ["a"]}, a="6*9")),
        value=_multiplied,
    ),
    Faulty(
        "says-nothing-of-unresolved",
        "source text is handed on as a string",
        block("f(a=x)"),
        gives(call("f", {"unresolved": ["a"]}, a="x")),
        steps=each_call(lambda call: call.update(unresolved=[])),
    ),
    Faulty(
        "omits-unresolved",
        "what is no literal is left out",
        block("f(a=x, b=1)"),
        gives(call("f", {"unresolved": ["a"]}, a="x", b=1)),
        steps=each_call(lambda call: [call["arguments"].pop(key) for key in call["unresolved"]]),
    ),
    Faulty(
        "strips-values",
        "strings are stripped",
        block("f(a=' x ')"),
        gives(call("f", a=" x ")),
        value=stringly(str.strip),
    ),
    Faulty(
        "ten-levels",
        "a limit that is too small",
        block("f(a=" + "[" * 12 + "]" * 12 + ")"),
        gives(call("f", a=[[[[[[[[[[[[]]]]]]]]]]]])),
        edits=(("literals", "MAX_DEPTH: Final = 200", "MAX_DEPTH: Final = 10"),),
    ),
    Faulty(
        "stack-runs-out",
        "values are read by recursion",
        block("f(a=" + "[" * 60 + "]" * 60 + ")"),
        gives(call("f", a=nested(60))),
        value=_crash_if_deep,
    ),
    Faulty(
        "keys-are-texts-only",
        "a key that is no string is dropped",
        block("f(a={1: 'x'})"),
        gives(call("f", a={"1": "x"})),
        edits=(("literals", "        return json.dumps(value)\n", "        raise NotLiteral\n"),),
    ),
    Faulty(
        "doubled-quotes-join",
        "SQL's rule for quotes",
        block("f(a='it''s')"),
        gives(call("f", a="its")),
        edits=(
            (
                "literals",
                '    return "".join(pieces), match.end()',
                '    return "\'".join(pieces), match.end()',
            ),
        ),
    ),
)
