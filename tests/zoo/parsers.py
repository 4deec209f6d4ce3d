"""The faulty parsers: edits of the reference, or changes to what it is given and gives back."""

from __future__ import annotations

import html
import json
import keyword
import re
import unicodedata
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from tests.zoo.variants import Edit, handler

if TYPE_CHECKING:
    from collections.abc import Callable

Event = dict[str, Any]
Steps = list[list[Event]]


@dataclass(frozen=True)
class Faulty:
    """One faulty parser.

    Attributes:
        name: Its name.
        like: Which real code does this, or why somebody would.
        witness: A message, or a whole request, on which it is wrong.
        edits: Where its copy of the reference differs.
        steps: Changes the answer, a list of events for each step.
        value: Changes every argument value.
        dialect: Whose scans are changed.
    """

    name: str
    like: str
    witness: Any
    edits: tuple[Edit, ...] = ()
    steps: Callable[[Steps], Steps] | None = None
    value: Callable[[Any], Any] | None = None
    dialect: str = "gemini"

    def make(self) -> Parser:
        """Return a handler with this fault."""
        return Parser(self)


class Parser:
    """Answers the protocol with one fault."""

    def __init__(self, fault: Faulty) -> None:
        self._fault = fault
        self._handler = handler(fault.edits)

    def handle(self, request: dict[str, Any]) -> dict[str, Any]:
        """Answer one message."""
        dialect = (request.get("options") or {}).get("dialect") or "gemini"
        if request["op"] != "scan" or dialect != self._fault.dialect:
            return self._answer(request)
        return self._answer(request, self._steps)

    def _answer(
        self, request: dict[str, Any], change: Callable[[Steps], Steps] = lambda steps: steps
    ) -> dict[str, Any]:
        try:
            answer: dict[str, Any] = self._handler.handle(request)
            result = answer.get("result", {})
            for run in result.get("runs", [result]):
                if "steps" in run:
                    run["steps"] = change(run["steps"])
        except Exception as error:  # noqa: BLE001 - what a faulty parser throws is its answer
            return {"id": request["id"], "error": repr(error)}
        return answer

    def _steps(self, steps: Steps) -> Steps:
        if self._fault.value:
            for call in (event["call"] for step in steps for event in step if "call" in event):
                call["arguments"] = {
                    key: self._fault.value(item) for key, item in call["arguments"].items()
                }
        return self._fault.steps(steps) if self._fault.steps else steps


def everywhere(change: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Apply a change to a value and all that it holds."""

    def changed(value: Any) -> Any:
        if isinstance(value, list):
            return [changed(item) for item in value]
        if isinstance(value, dict):
            return {key: changed(item) for key, item in value.items()}
        return change(value)

    return changed


def each_call(change: Callable[[dict[str, Any]], Any]) -> Callable[[Steps], Steps]:
    """Apply a change to every call."""

    def changed(steps: Steps) -> Steps:
        for step in steps:
            for event in step:
                if "call" in event:
                    change(event["call"])
        return steps

    return changed


def keep(wanted: Callable[[Event, list[Event]], bool]) -> Callable[[Steps], Steps]:
    """Keep only some events; the second argument holds those before."""

    def kept(steps: Steps) -> Steps:
        before: list[Event] = []
        result = []
        for step in steps:
            fresh = []
            for event in step:
                if wanted(event, before):
                    fresh.append(event)
                before.append(event)
            result.append(fresh)
        return result

    return kept


def _calls(events: list[Event]) -> list[dict[str, Any]]:
    return [event["call"] for event in events if "call" in event]


def _sorted_calls(steps: Steps) -> Steps:
    for step in steps:
        calls = sorted((e for e in step if "call" in e), key=lambda e: str(e["call"]["name"]))
        step[:] = [calls.pop(0) if "call" in event else event for event in step]
    return steps


def _set_name(name: Callable[[dict[str, Any]], str]) -> Callable[[Steps], Steps]:
    return each_call(lambda call: call.update(name=name(call)))


def _drop_keys(unwanted: Callable[[str], bool]) -> Callable[[Steps], Steps]:
    def drop(call: dict[str, Any]) -> None:
        kept = {key: value for key, value in call["arguments"].items() if not unwanted(key)}
        call["arguments"] = kept

    return each_call(drop)


def _positional(call: dict[str, Any]) -> None:
    for number, source in enumerate(call["skipped"]):
        call["arguments"][str(number)] = source


def _multiplied(value: Any) -> Any:
    match = re.fullmatch(r"(\d{1,6}) ?\* ?(\d{1,6})", value) if isinstance(value, str) else None
    return int(match[1]) * int(match[2]) if match else value


def _late(steps: Steps) -> Steps:
    everything = [event for step in steps for event in step]
    return [*([] for _ in steps[1:]), everything]


def _thoughts_at_end(steps: Steps) -> Steps:
    held: list[Event] = []
    result = []
    for step in steps:
        fresh: list[Event] = []
        for event in step:
            if "thinking" in event:
                held.append(event)
            else:
                if "thinking_end" in event:
                    fresh += held
                    held = []
                fresh.append(event)
        result.append(fresh)
    return result


def _deep(value: Any) -> bool:
    depth = 0
    while isinstance(value, list) and value:
        value, depth = value[0], depth + 1
    return depth > 50


def _crash_if_deep(value: Any) -> Any:
    if _deep(value):
        raise RecursionError("maximum recursion depth exceeded")
    return value


def block(body: str, *, before: str = "", after: str = "") -> str:
    """A message with one tool block."""
    return f"{before}```tool_code\n{body}\n```{after}"


def gemma(text: str) -> dict[str, Any]:
    """A message of Gemma 4."""
    return {"op": "scan", "chunks": [text], "options": {"dialect": "gemma"}}


def op(name: str, **fields: Any) -> dict[str, Any]:
    """A request for another operation than scanning."""
    return {"op": name, **fields}


def cut(text: str, *cuts: int) -> dict[str, Any]:
    """A message in chunks."""
    places = [0, *cuts, len(text)]
    chunks = [text[a:b] for a, b in pairwise(places)]
    return {"op": "scan", "chunks": chunks}


def _float(value: Any) -> Any:
    return float(value) if type(value) is int and abs(value) < 2**53 else value


def _double(value: Any) -> Any:
    return int(float(value)) if type(value) is int and abs(value) < 10**300 else value


def _stringly(change: Callable[[str], str]) -> Callable[[Any], Any]:
    return everywhere(lambda value: change(value) if isinstance(value, str) else value)


FAULTS: tuple[Faulty, ...] = (
    # --- blocks
    Faulty(
        "first-block-only",
        "a regular expression with search in place of finditer",
        block("f(a=1)") + block("g(b=2)"),
        edits=(
            (
                "scanner",
                "self._state = self._scan_behind_fence",
                "self._labels, self._state = self._guard, self._scan_outside",
            ),
        ),
    ),
    Faulty(
        "swallows-text-after",
        "text is what stands in front of the first block",
        block("f(a=1)", after="\nDone."),
        steps=keep(lambda event, before: "text" not in event or not _calls(before)),
    ),
    Faulty(
        "swallows-text-before",
        "only what follows the block is shown",
        block("f(a=1)", before="Sure.\n"),
        steps=keep(lambda event, before: "text" not in event or bool(_calls(before))),
    ),
    Faulty(
        "strips-text",
        "every text is stripped",
        "  Hi \n" + block("f(a=1)"),
        steps=lambda steps: [
            [{"text": e["text"].strip()} if e.get("text", "").strip() else e for e in step]
            for step in steps
        ],
    ),
    Faulty(
        "opener-at-line-start",
        "the pattern begins with ^",
        "Sure: " + block("f(a=1)"),
        edits=(
            (
                "scanner",
                "            label, partial = self._label(src, pos)\n            if label:\n"
                "                _show(src[:start]",
                "            label, partial = self._label(src, pos)\n"
                "            if start and src[start - 1] not in '\\r\\n':\n"
                "                label, partial = '', False\n            if label:\n"
                "                _show(src[:start]",
            ),
        ),
    ),
    Faulty(
        "closer-on-its-own-line",
        "the closing fence has to stand behind a line break",
        "```tool_code\nf(a=1)```",
        edits=(
            ("body", 'FENCE: Final = "```"', 'FENCE: Final = "\\n```"'),
            ("scanner", "if pos - start > len(FENCE)", "if pos - start > 3"),
            ("renderer", "from .body import FENCE", "FENCE = '```'"),
        ),
    ),
    Faulty(
        "first-fence-closes",
        "a pattern up to the next three backticks",
        block('f(a="```")'),
        edits=(("body", 'fence == "string-aware"', "False"),),
    ),
    Faulty(
        "opener-in-any-case",
        "the label is compared in lower case",
        "```TOOL_CODE\nf(a=1)\n```",
        edits=(
            (
                "scanner",
                "tail = src[pos : pos + len(_OUTPUTS)]",
                "tail = src[pos : pos + len(_OUTPUTS)].lower()",
            ),
        ),
    ),
    Faulty(
        "python-fence-is-a-block",
        "a model that lost the label is helped along",
        "```python\nf(a=1)\n```",
        edits=(
            ("scanner", "self._labels = (_TOOL,", "self._labels = (_TOOL, 'python',"),
            ("scanner", "if label == _TOOL:", "if label in (_TOOL, 'python'):"),
        ),
    ),
    Faulty(
        "emits-unterminated",
        "what is there at the end is parsed as it is",
        "```tool_code\nf(a=1)\n",
        edits=(
            (
                "scanner",
                '            events.append(Dropped("unterminated"))',
                "            self._body._done += self._body._pending\n"
                "            events.extend(extract_calls(self._body.text(), self._new_id, None)[0])",
            ),
        ),
    ),
    Faulty(
        "folds-line-breaks",
        "universal newlines",
        block("f(a='''x\r\ny''')"),
        value=_stringly(lambda text: text.replace("\r\n", "\n")),
    ),
    Faulty(
        "drops-nul",
        "control characters are cleaned away",
        "a\0b",
        steps=lambda steps: [
            [{"text": e["text"].replace("\0", "")} if "text" in e else e for e in step]
            for step in steps
        ],
    ),
    Faulty(
        "html-unescapes",
        "some prompts ask for escaped arguments",
        block('f(a="x &amp; y")'),
        value=_stringly(html.unescape),
    ),
    Faulty(
        "ignores-long-fences",
        "four backticks are three and one more",
        "````\n" + block("f(a=1)") + "\n````",
        edits=(("scanner", "if pos - start > len(FENCE):", "if False:"),),
    ),
    Faulty(
        "loses-reopened-block",
        "a closing fence only closes",
        "```tool_code\n```tool_code\nf(a=1)\n```",
        edits=(
            (
                "scanner",
                "self._state = self._scan_behind_fence",
                "self._state = self._scan_outside",
            ),
        ),
    ),
    Faulty(
        "goes-on-after-a-cut",
        "every block is looked at by itself",
        block("f(a='x") + "\n" + block("g(b=2)"),
        edits=(("scanner", "            self._labels = self._guard\n", ""),),
    ),
    # --- calls
    Faulty(
        "looks-into-strings",
        "a pattern for name( anywhere in the block",
        block("x = 'f(a=1)'"),
        edits=(("calls", "            self.string(at)", "            pass"),),
    ),
    Faulty(
        "looks-into-comments",
        "comments are no part of the grammar",
        block("# f(a=1)\ng(b=2)"),
        edits=(("tokens", "        | \\#[^\\r\\n]*+\n", ""),),
    ),
    Faulty(
        "promotes-nested-calls",
        "every call node of the tree",
        block("f(a=g(b=2))"),
        edits=(
            (
                "calls",
                "        self.pos = arguments.end\n        self.calls",
                "        self.open_bracket('(')\n        self.calls",
            ),
        ),
    ),
    Faulty(
        "promotes-from-unclosed",
        "a search for the next call that can be parsed",
        block("f(a=g(b=2)"),
        edits=(
            (
                "calls",
                "            self.pos, self.cut = len(self.src), True\n            return\n        self.pos = arguments.end",
                "            self.open_bracket('(')\n            return\n        self.pos = arguments.end",
            ),
        ),
    ),
    Faulty(
        "names-keep-the-prefix",
        "the callee as it stands is the name",
        block("default_api.f(a=1)"),
        steps=_set_name(lambda call: str(call["callee"])),
    ),
    Faulty(
        "print-is-a-tool",
        "every callee is a tool",
        block("print(f(a=1))"),
        edits=(("calls", 'if name == "print" or name in KEYWORDS', "if name in KEYWORDS"),),
    ),
    Faulty(
        "keywords-are-callees",
        "a word before a parenthesis is a call",
        block("if (x):\n    f(a=1)"),
        edits=(("calls", "KEYWORDS: Final = frozenset(kwlist)", "KEYWORDS: Final = frozenset()"),),
    ),
    Faulty(
        "searches-definitions",
        "a function that is defined is taken for one that is called",
        block("def f(a=1):\n    g(b=2)"),
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
        edits=(("calls", 'elif mark == "@" and fresh:', "elif False:"),),
    ),
    Faulty(
        "calls-methods-of-results",
        "a name before a parenthesis, whatever stands before it",
        block("f(a=1).then(b=2)"),
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
        edits=(("tokens", '(?:-++\\w++)*+"', '"'),),
    ),
    Faulty(
        "ascii-names-only",
        "[A-Za-z_][A-Za-z0-9_]*",
        block("prüfe(a=1)"),
        edits=(("lexical", "    if ascii_only:\n", "    if True:\n"),),
    ),
    Faulty(
        "normalises-names",
        "CPython's ast does this to identifiers",
        block("ﬁnd(a=1)"),
        steps=_set_name(lambda call: unicodedata.normalize("NFKC", call["name"])),
    ),
    Faulty(
        "sorts-calls",
        "calls are kept in a mapping by name",
        block("g(b=2)\nf(a=1)"),
        steps=_sorted_calls,
    ),
    Faulty(
        "first-call-only",
        "one call a turn",
        block("[f(a=1), g(b=2)]"),
        steps=keep(lambda event, before: "call" not in event or not _calls(before)),
    ),
    Faulty(
        "merges-equal-calls",
        "calls are kept in a set",
        block("f(a=1)\nf(a=1)"),
        steps=keep(
            lambda event, before: (
                "call" not in event
                or not any(
                    (one["name"], one["arguments"])
                    == (event["call"]["name"], event["call"]["arguments"])
                    for one in _calls(before)
                )
            )
        ),
    ),
    Faulty(
        "calls-undeclared-tools",
        "the list of tools is not looked at",
        op("scan", chunks=[block("json.dumps(default_api.f(a=1))")], options={"tools": ["f"]}),
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
        steps=each_call(lambda call: call.update(conditional=False)),
    ),
    Faulty(
        "any-bracket-closes",
        "a bracket closes whatever is open",
        block("print([f(a=1)); g(b=2)"),
        edits=(
            (
                "calls",
                "            if inner == opener:\n                return\n",
                "            return\n",
            ),
        ),
    ),
    # --- arguments
    Faulty(
        "keeps-positional",
        "positional arguments get numbers",
        block("f(1, a=2)"),
        steps=each_call(_positional),
    ),
    Faulty(
        "drops-reserved-words",
        "what ast cannot parse is left out",
        block('f(from="a", b=1)'),
        steps=_drop_keys(keyword.iskeyword),
    ),
    Faulty(
        "drops-prototype",
        "assigning __proto__ to a JavaScript object",
        block("f(__proto__=1, a=2)"),
        steps=_drop_keys(lambda key: key == "__proto__"),
    ),
    Faulty(
        "sorts-keys",
        "arguments pass through a sorted JSON",
        block("f(b=1, a=2)"),
        steps=each_call(
            lambda call: call.update(arguments=dict(sorted(call["arguments"].items())))
        ),
    ),
    Faulty(
        "first-keyword-wins",
        "setdefault",
        block("f(a=1, a=2)"),
        edits=(
            (
                "arguments",
                "                if quoted:\n",
                "                if name in values:\n                    pass\n                elif quoted:\n",
            ),
            ("arguments", "    values[name] = value\n", "    values.setdefault(name, value)\n"),
        ),
    ),
    Faulty(
        "comparison-is-a-keyword",
        "the first equals sign splits",
        block("f(a==1, b=2)"),
        edits=(("arguments", "({identifier}){GAP}=(?!=){GAP}", "({identifier}){GAP}==?{GAP}"),),
    ),
    Faulty(
        "no-trailing-comma",
        "the grammar has no comma before the parenthesis",
        block("f(a=1, )"),
        edits=(
            (
                "arguments",
                r'(?:,[ \t\f\r\n]*+|(?=\)))(\)?)"',
                r'(?:,[ \t\f\r\n]*+(?!\))|(?=\)))(\)?)"',
            ),
            (
                "arguments",
                '        if src.startswith(")", pos):\n            pos += 1\n            break\n',
                '        if src.startswith(")", pos):\n            if found.values:\n                return None\n            pos += 1\n            break\n',
            ),
        ),
    ),
    Faulty(
        "stars-expand",
        "unpacking is done while it is declared to be skipped",
        block('f(**{"a": 1}, b=2)'),
        steps=each_call(
            lambda call: [
                call["arguments"].update(json.loads(source[2:]))
                for source in call["skipped"]
                if source.startswith('**{"')
            ]
        ),
    ),
    # --- literals
    Faulty(
        "keeps-escapes",
        "strings are cut out, not decoded",
        block(r'f(a="x\ny")'),
        edits=(("strings", 'if "\\\\" in body and "r" not in prefix:', "if False:"),),
    ),
    Faulty(
        "drops-unknown-backslash",
        "a backslash always goes",
        block(r'f(a="\d+")'),
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
        edits=(
            ("strings", "return chr(code) if code <= 0x10FFFF else written", "return chr(code)"),
        ),
    ),
    Faulty(
        "python-words-only",
        "true, false and null are names in Python",
        block("f(a=true)"),
        edits=(
            ("literals", '    "true": True,\n    "false": False,\n', ""),
            ("literals", '    "null": None,\n', ""),
            ("literals", "|True|False|None|true|false|null)", "|True|False|None)"),
        ),
    ),
    Faulty(
        "integers-are-floats", "every number is a double", block("f(a=1)"), value=everywhere(_float)
    ),
    Faulty(
        "large-integers-are-rounded",
        "JavaScript's numbers",
        block("f(a=9007199254740993)"),
        value=everywhere(_double),
    ),
    Faulty(
        "no-hexadecimal",
        "int(text) and no more",
        block("f(a=0x1F)"),
        edits=(("literals", "(?P<based>0(?:", "(?P<based>(?!)0(?:"),),
    ),
    Faulty(
        "no-underscores",
        "digits only",
        block("f(a=1_000)"),
        edits=(("literals", "(?P<int>[1-9](?:_?[0-9])*+", "(?P<int>[1-9](?:[0-9])*+"),),
    ),
    Faulty(
        "tuples-are-lost",
        "only brackets and braces are containers",
        block("f(a=(1, 2))"),
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
        edits=(("strings", 'if "\\\\" in body and "r" not in prefix:', 'if "\\\\" in body:'),),
    ),
    Faulty(
        "bytes-are-utf-8",
        "bytes are decoded as text is",
        block(r'f(a=b"\xc3\xa9")'),
        value=_stringly(
            lambda t: (
                t.encode("latin-1", "ignore").decode("utf-8", "ignore") if t == "\xc3\xa9" else t
            )
        ),
    ),
    Faulty("evaluates-arithmetic", "eval without names", block("f(a=6*9)"), value=_multiplied),
    Faulty(
        "says-nothing-of-unresolved",
        "source text is handed on as a string",
        block("f(a=x)"),
        steps=each_call(lambda call: call.update(unresolved=[])),
    ),
    Faulty(
        "omits-unresolved",
        "what is no literal is left out",
        block("f(a=x, b=1)"),
        steps=each_call(lambda call: [call["arguments"].pop(key) for key in call["unresolved"]]),
    ),
    Faulty(
        "strips-values", "strings are stripped", block("f(a=' x ')"), value=_stringly(str.strip)
    ),
    Faulty(
        "ten-levels",
        "a limit that is too small",
        block("f(a=" + "[" * 12 + "]" * 12 + ")"),
        edits=(("literals", "MAX_DEPTH: Final = 200", "MAX_DEPTH: Final = 10"),),
    ),
    Faulty(
        "stack-runs-out",
        "values are read by recursion",
        block("f(a=" + "[" * 60 + "]" * 60 + ")"),
        value=_crash_if_deep,
    ),
    Faulty(
        "keys-are-texts-only",
        "a key that is no string is dropped",
        block("f(a={1: 'x'})"),
        edits=(("literals", "        return json.dumps(value)\n", "        raise NotLiteral\n"),),
    ),
    Faulty(
        "doubled-quotes-join",
        "SQL's rule for quotes",
        block("f(a='it''s')"),
        edits=(
            (
                "literals",
                '    return "".join(pieces), match.end()',
                '    return "\'".join(pieces), match.end()',
            ),
        ),
    ),
    # --- thinking
    Faulty(
        "thought-ends-at-any-fence",
        "the next three backticks close",
        "```thinking\n```python\nx\n```\nmore\n```\nHi",
        edits=(
            ("thinking", "            self._nested = run\n", "            pass\n"),
            ("thinking", "not (end and word)", "True"),
        ),
    ),
    Faulty(
        "drops-thoughts",
        "thinking is thrown away",
        "```thinking\nhm\n```\nHi",
        steps=keep(
            lambda event, _: not event.keys() & {"thinking", "thinking_start", "thinking_end"}
        ),
    ),
    Faulty(
        "thoughts-are-text",
        "thinking is shown",
        "```thinking\nhm\n```\nHi",
        steps=lambda steps: [
            [
                {"text": e["thinking"]} if "thinking" in e else e
                for e in step
                if not e.keys() & {"thinking_start", "thinking_end"}
            ]
            for step in steps
        ],
    ),
    Faulty(
        "thinking-opens-without-a-line-break",
        "the label is enough",
        "```thinking hard```",
        edits=(
            (
                "scanner",
                '_THINKING: Final = ("thinking\\n", "thinking\\r\\n")',
                '_THINKING: Final = ("thinking",)',
            ),
        ),
    ),
    # --- streaming
    Faulty(
        "forgets-half-openers",
        "only the last character is kept back",
        cut(block("f(a=1)"), 6),
        edits=(
            (
                "scanner",
                "        self._held = src[pos:]\n        return None\n\n    def _label",
                "        _show(src[pos:-1], events)\n        self._held = src[pos:][-1:]\n        return None\n\n    def _label",
            ),
        ),
    ),
    Faulty(
        "stops-at-an-empty-chunk",
        "an empty chunk means the end",
        cut(block("f(a=1)"), 3, 3),
        edits=(
            (
                "scanner",
                "        # Nearly every chunk",
                "        if not text:\n            self._state = self._ignore\n            self._held, self._body = '', None\n            return []\n        # Nearly every chunk",
            ),
        ),
    ),
    Faulty(
        "loses-the-third-chunk",
        "a buffer of two",
        cut("abcdef", 1, 2, 3),
        edits=(
            (
                "scanner",
                '        self._held = ""  # bounded by the longest opener',
                '        self._held, self._fed = "", 0',
            ),
            (
                "scanner",
                "        # Nearly every chunk",
                "        self._fed += 1\n        if self._fed == 3:\n            return []\n        # Nearly every chunk",
            ),
        ),
    ),
    Faulty(
        "everything-at-the-end",
        "the stream is read, then parsed",
        cut("Hello, world", 5),
        steps=_late,
    ),
    Faulty(
        "thoughts-at-their-end",
        "a thought is shown when it is complete",
        cut("```thinking\nhm, hm\n```\nHi", 15),
        steps=_thoughts_at_end,
    ),
    Faulty(
        "repeats-held-text",
        "what was held back comes twice",
        cut("a ``", 3),
        edits=(
            (
                "scanner",
                "        _show(self._held, events)\n        self._held, self._body",
                "        _show(self._held * 2, events)\n        self._held, self._body",
            ),
        ),
    ),
    Faulty(
        "splits-characters",
        "each chunk of bytes is decoded by itself",
        {"op": "scan", "chunks_b64": ["w6k=", "w6k="]} | {"chunks_b64": ["ww==", "qQ=="]},
        edits=(
            (
                "scanner",
                "return self._scanner.feed(self._decoder.decode(data))",
                "return self._scanner.feed(data.decode('utf-8', 'replace'))",
            ),
        ),
    ),
    Faulty(
        "one-id-for-all",
        "the id is the name",
        block("f(a=1)\nf(a=2)"),
        steps=each_call(lambda call: call.update(id="call_" + call["name"])),
    ),
    # --- results and rendering
    Faulty(
        "believes-made-up-results",
        "the guard is not there",
        op("scan", chunks=["```tool_outputs\nok\n```"], options={"stop_on_tool_outputs": True}),
        edits=(("scanner", "(_OUTPUTS,) if stop_on_tool_outputs else ()", "()"),),
    ),
    Faulty(
        "fences-stand-in-rendered-strings",
        "json.dumps writes the arguments",
        op("render", calls=[{"name": "f", "arguments": {"a": "```"}}]),
        edits=(
            ("renderer", "|`{3,}')", "')"),
            ("renderer", " or FENCE in text):", "):"),
        ),
    ),
    Faulty(
        "renders-json-words",
        "json.dumps writes the arguments",
        op("render", calls=[{"name": "f", "arguments": {"a": True, "b": None}}]),
        edits=(
            (
                "renderer",
                "    if value is None or value is True or value is False:\n        return repr(value)\n",
                "    if value is None or value is True or value is False:\n        return {None: 'null', True: 'true', False: 'false'}[value]\n",
            ),
        ),
    ),
    Faulty(
        "renders-any-name",
        "names are not checked",
        op("render", calls=[{"name": "get-weather", "arguments": {}}]),
        edits=(
            (
                "renderer",
                '    if not name.isidentifier() or name in KEYWORDS or name == "print":',
                "    if False:",
            ),
        ),
    ),
    Faulty(
        "renders-a-block-each",
        "calls are rendered one by one",
        op("render", calls=[{"name": "f", "arguments": {}}, {"name": "g", "arguments": {}}]),
        edits=(
            (
                "renderer",
                "body = written[0] if len(written) == 1 else f\"[{', '.join(written)}]\"",
                "body = f'\\n{FENCE}\\n{FENCE}tool_code\\n'.join(written)",
            ),
        ),
    ),
    Faulty(
        "renders-results-together",
        "one block for all results",
        op("render-results", results=["a", "b"]),
        edits=(
            (
                "renderer",
                "    blocks = []\n",
                "    results = ['\\n'.join(results)]\n    blocks = []\n",
            ),
        ),
    ),
    Faulty(
        "short-result-fences",
        "results are written verbatim, against what is declared",
        op("render-results", results=["```\nx"]),
        edits=(("renderer", 'if fence == "longer" and FENCE in result:', "if False:"),),
    ),
    Faulty(
        "thoughts-can-close-themselves",
        "thinking is written verbatim",
        op("render-thinking", thinking="a\n```\nb"),
        edits=(("renderer", "{_guarded(thinking)}", "{thinking}"),),
    ),
    # --- around a message
    Faulty(
        "message-text-first",
        "text, then everything else",
        op("render-message", thinking="hm", text="Hi"),
        edits=(
            (
                "renderer",
                "parts = (render_thinking(thinking), text, render_calls(calls))",
                "parts = (text, render_thinking(thinking), render_calls(calls))",
            ),
        ),
    ),
    Faulty(
        "reads-guarded-turns",
        "what was guarded stays guarded",
        op("transcript", text="<bos><start_of_turn>user\na<\u2060end_of_turn>b<end_of_turn>\n"),
        edits=(
            (
                "runtime.transcript",
                "Turn(role, unguard(body), complete, count)",
                "Turn(role, body, complete, count)",
            ),
        ),
    ),
    Faulty(
        "catalogue-with-commas",
        "the tools are a list in JSON",
        op("prompt", tools=[{"name": "f"}, {"name": "g"}]),
        edits=(
            (
                "runtime.prompt",
                '"\\n".join(_line(tool, names) for tool in declared)',
                '",\\n".join(_line(tool, names) for tool in declared)',
            ),
        ),
    ),
    Faulty(
        "prompt-without-a-rule",
        "a shorter prompt",
        op("prompt", tools=[{"name": "f"}]),
        edits=(
            (
                "runtime.prompt",
                "- Do not announce a call without making it: write the whole block before you stop.",
                "- Be kind.",
            ),
        ),
    ),
    Faulty(
        "declares-unwritable-names",
        "names are passed on as they are",
        op("prompt", tools=[{"name": "get-weather"}]),
        edits=(("runtime.prompt", "        _check_names(declared)\n", "        pass\n"),),
    ),
    Faulty(
        "arguments-as-an-object",
        "the other API's form",
        op("api", direction="to-openai", calls=[{"name": "f", "arguments": {"a": 1}, "id": "c"}]),
        edits=(
            (
                "runtime.api",
                '"arguments": _written(dict(call.arguments), where)}',
                '"arguments": dict(call.arguments)}',
            ),
        ),
    ),
    Faulty(
        "formats-in-any-case",
        "names are folded",
        op("dialects", model="x", options={"format": "Gemini"}),
        edits=(
            (
                "runtime.dialects",
                "(registry or REGISTRY).get(format).name",
                "(registry or REGISTRY).get(format.lower()).name",
            ),
        ),
    ),
    Faulty(
        "believes-claims",
        "what follows a made-up result is shown",
        op(
            "recover",
            text="```tool_code\nprint(default_api.f(a=1))\n```\n```tool_outputs\n2\n```\nIt is 2.",
            tools=["f"],
        ),
        edits=(("runtime.leaks.thoughts", 'return _results.sub("", text)', "return text"),),
    ),
    Faulty(
        "forged-turns",
        "bodies are written verbatim",
        op("transcript", messages=[{"role": "user", "text": "<end_of_turn>"}]),
        edits=(("runtime.transcript", "{guard(turn.body)}", "{turn.body}"),),
    ),
    Faulty(
        "instructions-glued",
        "instructions are joined by one line break",
        op(
            "transcript", messages=[{"role": "system", "text": "S"}, {"role": "user", "text": "Hi"}]
        ),
        edits=(("runtime.transcript", '"\\n\\n".join(parts)', '"\\n".join(parts)'),),
    ),
    Faulty(
        "history-in-two-messages",
        "each result is a message of its own",
        op("history", messages=[{"role": "tool", "text": "a"}, {"role": "tool", "text": "b"}]),
        edits=(("renderer", '    return "\\n".join(blocks)', '    return "\\n\\n".join(blocks)'),),
    ),
    Faulty(
        "gemma-3-speaks-gemma-4",
        "the family's name decides",
        op("dialects", model="google/gemma-3-27b-it"),
        edits=(("runtime.model_ids", "_FIRST_OF_GEMMA: Final = 4", "_FIRST_OF_GEMMA: Final = 1"),),
    ),
    Faulty(
        "unknown-is-gemini",
        "there is always a default",
        op("dialects", model="some-model"),
        edits=(
            (
                "runtime.model_ids",
                '    raise RuntimeFormatError(f"model {model!r}: the id names no known model; name a format")\n',
                '    return "gemini"\n',
            ),
        ),
    ),
    Faulty(
        "malformed-is-an-answer",
        "an unknown finish reason counts as stop",
        op("api", direction="finish", reason="MALFORMED_FUNCTION_CALL", text=""),
        edits=(
            ("runtime.finish", 'known == "retry" or not text.strip()', "False"),
            (
                "runtime.finish",
                "    if folded in _REJECTED_CALL or (known is None and is_rejection(message)):\n        return _rejected(given, text, calls, message, recover, tools)\n",
                "",
            ),
        ),
    ),
    Faulty(
        "both-channels-run",
        "native calls and calls in the text are collected",
        op(
            "api",
            direction="channels",
            offers=[
                ["native", {"name": "f", "arguments": {}}],
                ["text", {"name": "f", "arguments": {}}],
            ],
        ),
        edits=(("runtime.channels", "        if channel != self.winner:", "        if False:"),),
    ),
    Faulty(
        "results-by-order-alone",
        "the n-th result is the n-th call's",
        op(
            "api",
            direction="match",
            calls=[{"name": "f", "arguments": {}}, {"name": "g", "arguments": {}}],
            results=[{"text": "1", "name": "g"}, {"text": "2", "name": "f"}],
        ),
        edits=(
            (
                "runtime.api",
                'unnamed.setdefault(result.name or "", [])',
                'unnamed.setdefault("", [])',
            ),
        ),
    ),
    Faulty(
        "loses-signatures",
        "thought signatures are dropped",
        op("api", direction="to-gemini", calls=[{"name": "f", "arguments": {}, "signature": "s"}]),
        edits=(
            (
                "runtime.api",
                '            part["thoughtSignature"] = call.signature\n',
                "            pass\n",
            ),
        ),
    ),
    Faulty(
        "recovers-from-quotations",
        "a pattern for call: anywhere",
        op("recover", text="It wrote `call:default_api:f{a:1}` again.", tools=["f"]),
        edits=(
            (
                "runtime.leaks.quoting",
                "return index >= 0 and pos < self._ends[index]",
                "return False",
            ),
        ),
    ),
    Faulty(
        "runs-truncated-leaks",
        "what is there is taken",
        op(
            "recover",
            text="Malformed function call: print(default_api.f(a=1",
            channel="finish_message",
            tools=["f"],
        ),
        edits=(
            (
                "runtime.leaks.values",
                '        if not char:\n            raise Unreadable("truncated")\n        return char',
                '        return char or ")"',
            ),
        ),
    ),
    Faulty(
        "repairs-across-operators",
        "the last quote is the closing one",
        op("recover", text="tool_code\nprint(default_api.f(a='x' + 'y'))", tools=["f"]),
        edits=(("runtime.leaks.values", " and not _operator_at(self._src, end)", ""),),
    ),
    # --- Gemma 4
    Faulty(
        "gemma-closes-inside-strings",
        "a search for the closing token",
        op(
            "scan",
            chunks=['<|tool_call>call:f{a:<|"|><tool_call|><|"|>}<tool_call|>'],
            options={"dialect": "gemma"},
        ),
        edits=(
            (
                "runtime.gemma4",
                "                self._string = not self._string\n",
                "                pass\n",
            ),
        ),
    ),
    Faulty(
        "gemma-names-keep-the-namespace",
        "everything up to the brace is the name",
        gemma("<|tool_call>call:f{a:1}<tool_call|>"),
        steps=_set_name(lambda call: "call:" + str(call["name"])),
        dialect="gemma",
    ),
    Faulty(
        "gemma-keys-are-identifiers",
        "a pattern for ASCII keys",
        gemma("<|tool_call>call:f{max-results:1}<tool_call|>"),
        steps=_drop_keys(lambda key: not (key.isascii() and key.isidentifier())),
        dialect="gemma",
    ),
    Faulty(
        "gemma-loses-silently",
        "a block that gives nothing is nothing",
        gemma("<|tool_call>call:f{a:1"),
        steps=keep(lambda event, _: "dropped" not in event),
        dialect="gemma",
    ),
    Faulty(
        "gemma-says-nothing-of-unresolved",
        "whatever stands there is a string",
        gemma("<|tool_call>call:f{a:[1,,2]}<tool_call|>"),
        steps=each_call(lambda call: call.update(unresolved=[])),
        dialect="gemma",
    ),
    Faulty(
        "gemma-drops-thoughts",
        "thinking is thrown away",
        gemma("<|channel>thought\nhm<channel|>Hi"),
        steps=keep(
            lambda event, _: not event.keys() & {"thinking", "thinking_start", "thinking_end"}
        ),
        dialect="gemma",
    ),
    Faulty(
        "gemma-loses-the-second-chunk",
        "a buffer of one",
        op("scan", chunks=["a", "b", "c"], options={"dialect": "gemma"}),
        steps=lambda steps: [
            [] if n == 1 and len(steps) > 3 else step for n, step in enumerate(steps)
        ],
        dialect="gemma",
    ),
    Faulty(
        "gemma-calls-on-lines",
        "blocks are joined by line breaks",
        op(
            "render",
            calls=[{"name": "f", "arguments": {}}, {"name": "g", "arguments": {}}],
            options={"dialect": "gemma"},
        ),
        edits=(
            (
                "runtime.gemma4_render",
                '    return "".join(\n        _call(call.name',
                '    return "\\n".join(\n        _call(call.name',
            ),
        ),
    ),
    Faulty(
        "gemma-renders-any-name",
        "names are not checked",
        op("render", calls=[{"name": "a{b", "arguments": {}}], options={"dialect": "gemma"}),
        edits=(("runtime.gemma4_render", "    if not _name(name):\n", "    if False:\n"),),
    ),
    Faulty(
        "gemma-thoughts-verbatim",
        "thinking is written verbatim",
        op("render-thinking", thinking="a<channel|>b", options={"dialect": "gemma"}),
        edits=(
            (
                "runtime.gemma4_render",
                "{_disarmed(thinking)}{line_break}",
                "{thinking}{line_break}",
            ),
        ),
    ),
    Faulty(
        "gemma-markers-in-rendered-strings",
        "strings are written verbatim",
        op("render-results", results=['<|"|>'], names=["f"], options={"dialect": "gemma"}),
        edits=(
            ("runtime.gemma4_render", "{STRING}{disarm(text)}{STRING}", "{STRING}{text}{STRING}"),
        ),
    ),
)
