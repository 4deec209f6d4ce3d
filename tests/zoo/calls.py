"""Calls: what is one, and what it is called."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from tests.zoo.faulty import Faulty, block, call, calls_of, each_call, gives, keep, op, set_name

if TYPE_CHECKING:
    from tests.zoo.faulty import Steps


def _sorted_calls(steps: Steps) -> Steps:
    for step in steps:
        calls = sorted((e for e in step if "call" in e), key=lambda e: str(e["call"]["name"]))
        step[:] = [calls.pop(0) if "call" in event else event for event in step]
    return steps


FAULTS: tuple[Faulty, ...] = (
    Faulty(
        "looks-into-strings",
        "a pattern for name( anywhere in the block",
        block("x = 'f(a=1)'"),
        gives(dropped="no-call"),
        edits=(("calls", "            self.string(at)", "            pass"),),
    ),
    Faulty(
        "looks-into-comments",
        "comments are no part of the grammar",
        block("# f(a=1)\ng(b=2)"),
        gives(call("g", b=2)),
        edits=(("tokens", "        | \\#[^\\r\\n]*+\n", ""),),
    ),
    Faulty(
        "promotes-nested-calls",
        "every call node of the tree",
        block("f(a=g(b=2))"),
        gives(call("f", {"unresolved": ["a"]}, a="g(b=2)")),
        edits=(
            (
                "calls",
                "        self.calls.append(call)\n",
                "        self.calls.append(call)\n"
                '        self.open_bracket("(")\n        self.pos = match.end()\n',
            ),
        ),
    ),
    Faulty(
        "promotes-from-unclosed",
        "a search for the next call that can be parsed",
        block("f(a=g(b=2)"),
        gives(dropped="cut"),
        edits=(
            (
                "calls",
                "            self.pos, self.cut = len(self.src), True\n            return\n        values, self.pos",
                "            self.open_bracket('(')\n            return\n        values, self.pos",
            ),
        ),
    ),
    Faulty(
        "names-keep-the-prefix",
        "the callee as it stands is the name",
        block("default_api.f(a=1)"),
        gives(call("f", a=1)),
        steps=set_name(lambda call: str(call["callee"])),
    ),
    Faulty(
        "print-is-a-tool",
        "every callee is a tool",
        block("print(f(a=1))"),
        gives(call("f", a=1)),
        edits=(("calls", "if name in _NO_TOOL", "if name in KEYWORDS"),),
    ),
    Faulty(
        "keywords-are-callees",
        "a word before a parenthesis is a call",
        block("if (x):\n    f(a=1)"),
        gives(call("f", {"conditional": True}, a=1)),
        edits=(("calls", "KEYWORDS: Final = frozenset(kwlist)", "KEYWORDS: Final = frozenset()"),),
    ),
    Faulty(
        "searches-definitions",
        "a function that is defined is taken for one that is called",
        block("def f(a=1):\n    g(b=2)"),
        gives(dropped="no-call"),
        edits=(
            (
                "calls",
                "        self.frames[-1].muted = True\n        if len(self.frames) == 1 and self.definition is None:\n            self.definition = self.indent\n",
                "",
            ),
        ),
    ),
    Faulty(
        "decorators-call",
        "an at sign is nothing",
        block("@f(a=1)\ndef g():\n    pass"),
        gives(dropped="no-call"),
        edits=(("calls", 'elif mark == "@" and fresh:', "elif False:"),),
    ),
    Faulty(
        "calls-methods-of-results",
        "a name before a parenthesis, whatever stands before it",
        block("f(a=1).then(b=2)"),
        gives(call("f", a=1)),
        edits=(
            (
                "tokens",
                "        | \\.{gap}(?:{word}(?:{gap}\\.{gap}{word})*+)?+  # an attribute: no path starts here\n",
                "",
            ),
        ),
    ),
    Faulty(
        "calls-behind-a-hyphen",
        "identifiers end at the hyphen",
        block('default_api.get-weather(city="x")'),
        gives(call("get-weather", city="x")),
        edits=(("tokens", '(?:-++\\w++)*+"', '"'),),
    ),
    Faulty(
        "ascii-names-only",
        "[A-Za-z_][A-Za-z0-9_]*",
        block("prüfe(a=1)"),
        gives(call("prüfe", a=1)),
        edits=(("lexical", "    if ascii_only:\n", "    if True:\n"),),
    ),
    Faulty(
        "normalises-names",
        "CPython's ast does this to identifiers",
        block("ﬁnd(a=1)"),
        gives(call("ﬁnd", a=1)),
        steps=set_name(lambda call: unicodedata.normalize("NFKC", call["name"])),
    ),
    Faulty(
        "sorts-calls",
        "calls are kept in a mapping by name",
        block("g(b=2)\nf(a=1)"),
        gives(call("g", b=2), call("f", a=1)),
        steps=_sorted_calls,
    ),
    Faulty(
        "first-call-only",
        "one call a turn",
        block("[f(a=1), g(b=2)]"),
        gives(call("f", a=1), call("g", b=2)),
        steps=keep(lambda event, before: "call" not in event or not calls_of(before)),
    ),
    Faulty(
        "merges-equal-calls",
        "calls are kept in a set",
        block("f(a=1)\nf(a=1)"),
        gives(call("f", a=1), call("f", a=1)),
        steps=keep(
            lambda event, before: (
                "call" not in event
                or not any(
                    (one["name"], one["arguments"])
                    == (event["call"]["name"], event["call"]["arguments"])
                    for one in calls_of(before)
                )
            )
        ),
    ),
    Faulty(
        "calls-undeclared-tools",
        "the list of tools is not looked at",
        op("scan", chunks=[block("json.dumps(default_api.f(a=1))")], options={"tools": ["f"]}),
        gives(call("f", a=1)),
        edits=(
            (
                "calls",
                "        if self.tools is not None:\n            return name in self.tools\n",
                "",
            ),
        ),
    ),
    Faulty(
        "marks-nothing-conditional",
        "control flow is not followed",
        block("if x:\n    f(a=1)"),
        gives(call("f", {"conditional": True}, a=1)),
        steps=each_call(lambda call: call.update(conditional=False)),
    ),
    Faulty(
        "any-bracket-closes",
        "a bracket closes whatever is open",
        block("print([f(a=1)); g(b=2)"),
        gives(call("f", a=1), call("g", b=2)),
        edits=(
            (
                "calls",
                "            if inner == opener:\n                return\n",
                "            return\n",
            ),
        ),
    ),
)
