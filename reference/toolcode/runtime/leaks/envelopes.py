"""Where a leak begins, and what each kind of envelope holds (LEAK.1).

Each reader is given the place of a marker and answers with a `Finding`, or with None where the
marker is only talk. What a marker promises is checked before anything is read as a call.
"""

from __future__ import annotations

import html
import json
import re
from typing import TYPE_CHECKING, Any, Final

from toolcode.body import FENCE, Body

from .braces import Placeholder, read_bare, read_braces
from .model import Finding, RecoveredCall, Unresolved
from .names import NAME, PATH
from .python_calls import PythonReader
from .values import Unreadable, ValueReader

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from .model import Options
    from .names import Names
    from .python_calls import Read

_CONTROL: Final = r"(?:<ctrl\d{1,3}>|[\x16\x17]|<\|tool_call>|<start_function_call>)"
_FUSED: Final = r"(?:start|click|function|async|fun|tool|begin)call"

marker: Final = re.compile(
    rf"""
    (?P<brace>{_CONTROL}{{0,4}}+(?:-{{3,}})?<?\s?(?:(?<!\w)error:\s?)?
      (?P<head>(?:{_FUSED}|(?<!\w)(?!\w*{_FUSED}:)[A-Za-z_]{{0,12}}call):\s?
        |(?<!\w)(?!\w*call:)[A-Za-z_]{{1,16}}:\s?(?=default_api[:.])
        |(?<![\w.])(?=default_api[:.][\w.:]+\s?\{{))
      (?P<path>{PATH})
      (?P<open>\s*\(\s*\{{|\s*\{{|\(|\s(?=[^<>=\n]{{0,80}}=[^<>\n]{{0,400}}/>)))
    | (?P<fence>(?:```|~~~)[ \t]*
      (?:tool_codes?|tool_calls?|default_api)(?:(?=print\s?\(|default_api)|\b))
    | (?P<label>(?<![\w`"'/.:=<\[-])tool_(?:code|call)s?(?:[ \t]*:)?(?=\s)\s*)
    | (?P<control><ctrl42>call\s+|\Acall\s+(?=print\s?\(|default_api\.))
    | (?P<tag>[<\[](?P<name>[\w.:-]*(?:tool|call|execut|directive|function)[\w.:-]*)
      (?P<attributes>(?:\s[^<>\n]*)?)[>\]])
    | (?P<spoken><\w+:(?P<callee>{NAME})(?=\())
    | (?P<bracket>\[(?:default_api[.:](?P<bare>{NAME})
        |(?:running|calling|using|executing|invoking)\s(?P<told>{NAME})
        |\.\.\.?\s?(?P<noted>{NAME}):[^\[\]\n]*+)\])
    | (?P<history>\[[^\[\]"\n]{{0,200}}+"(?P<ran>{NAME})"[^\[\]{{}}"\n]{{0,80}}+(?=\{{))
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""Every sign that a leak may begin here."""

_tail_at: Final = re.compile(
    r"\s*(?:<ctrl\d{1,3}>|\x17|<tool_call\|>|<end_function_call>|/?>(?:\s*</call:[^>\n]*>)?|end(?:call)?\b)*"
).match
_attribute: Final = re.compile(r"""\s*([\w.-]+)=(?:"([^"]*)"|'([^']*)'|([^\s"'<>/]+))""")
_end_of_statement_at: Final = re.compile(r"[ \t]*(?:\)[ \t]*)*(?:;[ \t]*)?(?:\#[^\n]*)?").match
_blanks_at: Final = re.compile(r"\s*").match
_printed_at: Final = re.compile(r"""print\(\s*(?:"[^"\\\n]*"|'[^'\\\n]*')\s*\)""").match
_tags_at: Final = re.compile(r"(?:\s*<(?!/)[\w.:-]+>){0,4}\s*").match
_closers_at: Final = re.compile(r"(?:\s*[<\[]/[\w.:-]+[>\]])*").match
_close: Final = re.compile(r"\s*[<\[]/[\w.:-]+[>\]]")
_named_tool: Final = re.compile(r"""\b(?:tool|name|function)=["']([^"']+)["']""").search
_word_line_at: Final = re.compile(r"(\w+)[ \t]*\n(?=\S)").match
_yaml: Final = re.compile(
    rf"\s*({NAME}):[ \t]*\n((?:[ \t]+{NAME}:[ \t]+[^\n]+(?:\n|\Z))+)\s*"
).fullmatch
_json_call: Final = re.compile(rf"\s*({NAME})\s*(?=\{{)").match
_placeholder: Final = re.compile(r"[=(,:]\s*(?:\.\.\.|…|<\w[\w ]*>)").search
_THOUGHTS: Final = frozenset({"thought", "think", "thinking"})
_NAME_KEYS: Final = ("name", "tool", "tool_name", "function")
_ARGUMENT_KEYS: Final = ("arguments", "args", "parameters", "params", "input")


class Envelopes:
    """Reads the envelopes of one text."""

    def __init__(self, text: str, names: Names, options: Options) -> None:
        self._text = text
        self._names = names
        self._options = options
        self._python = PythonReader(text, names, options)
        # Fences and tags look ahead for their ends. What they may look at in all is bounded, so
        # that a text of a thousand openers costs time linear in its length.
        self._budget = 32 * len(text) + (1 << 16)

    def read(self, match: re.Match[str]) -> Finding | None:
        """Read what a marker announces, None where it is only talk."""
        readers: dict[str, Callable[[re.Match[str]], Finding | None]] = {
            "brace": self._brace,
            "fence": self._fence,
            "label": self._label,
            "control": self._control,
            "tag": self._tag,
            "spoken": self._spoken,
            "bracket": self._bracket,
            "history": self._history,
        }
        return next(
            (readers[kind](match) for kind in readers if match[kind] is not None),
            None,
        )

    # The brace form

    def _brace(self, match: re.Match[str]) -> Finding | None:
        opener = match["open"].strip()
        if opener == "(" and not match["head"].strip():
            return None
        name, tool, how = self._brace_name(match["path"])
        start = match.start()
        try:
            if opener:
                arguments, end = read_braces(self._text, match.end(), ")" if opener == "(" else "}")
            else:
                arguments, end = self._attributes(match.end())
        except Placeholder:
            return None
        except Unreadable as error:
            if error.reason != "truncated":
                return None
            end = self._end_of_truncated(match.end())
            return Finding(start, end, "brace", (), (Unresolved(name, "truncated"),))
        if opener.startswith("(") and opener != "(":
            end = self._skip(end, r")") if self._text.startswith(")", end) else end
        tail = _tail_at(self._text, end)
        end = tail.end() if tail and tail.group().strip() else end
        if tool is None and name.lower() in _THOUGHTS:  # a thought dressed as a call
            return Finding(start, end, "thought")
        return Finding(start, end, "brace", (RecoveredCall(name, arguments, tool, how),))

    def _skip(self, pos: int, char: str) -> int:
        return pos + self._text.startswith(char, pos)

    def _brace_name(self, path: str) -> tuple[str, str | None, Any]:
        resolved = self._names.resolve(path)
        if resolved is None:
            return path.replace(":", "."), None, "undeclared"
        name, tool, how = resolved
        if tool and how == "folded" and ":" in path:
            return tool, tool, how
        return name, tool, how

    def _end_of_truncated(self, pos: int) -> int:
        """A call whose first value never came ends with its line; else it has eaten the rest."""
        line = self._text.find("\n", pos)
        if line < 0:
            return len(self._text)
        head = self._text[pos:line].strip()
        return line if not head or head.endswith(":") else len(self._text)

    def _attributes(self, pos: int) -> tuple[dict[str, Any], int]:
        """Read `key="value" other=true />`."""
        arguments: dict[str, Any] = {}
        while attribute := _attribute.match(self._text, pos):
            key, double, single, bare = attribute.groups()
            quoted = double if double is not None else single
            arguments[key] = read_bare(bare) if quoted is None else html.unescape(quoted)
            pos = attribute.end()
        return arguments, pos

    # Python

    def statements(self, pos: int, end: int | None = None) -> tuple[list[Read], int]:
        """Read the calls that stand at `pos`, one statement after the other.

        Returns:
            The calls, and where the text goes on.
        """
        stop = len(self._text) if end is None else end
        found: list[Read] = []
        last = pos
        while pos < stop:
            reads = self._python.statement(pos)
            printed = None if reads else _printed_at(self._text, pos)
            if reads:
                found += reads
                pos = reads[-1].end
            elif printed:
                pos = printed.end()
            else:
                break
            finished = _end_of_statement_at(self._text, pos)
            assert finished is not None, "it matches the empty text"
            last = finished.end()
            blanks = _blanks_at(self._text, last)
            pos = blanks.end() if blanks else last
        return found, last

    def _label(self, match: re.Match[str]) -> Finding | None:
        reads, end = self.statements(match.end())
        if reads or end > match.end():
            return finding(match.start(), end, "label", reads)
        word = _word_line_at(self._text, match.end())
        if word and self._names.declared(word[1]):
            unresolved = (Unresolved(word[1], "non-literal"),)
            return Finding(match.start(), len(self._text), "label", (), unresolved)
        return None

    def _control(self, match: re.Match[str]) -> Finding | None:
        reads, end = self.statements(match.end())
        return finding(match.start(), end, "brace", reads) if reads else None

    def _fence(self, match: re.Match[str]) -> Finding | None:
        self._budget -= len(self._text) - match.end()
        if self._budget < 0:
            return None
        rest = self._text[match.end() :]
        if match["fence"].startswith("~"):
            code, tilde, _ = rest.partition("~~~")
            end = match.end() + len(code) + len(tilde)
        else:
            body = Body("string-aware")
            behind = body.feed(rest)
            code = rest if behind is None else body.text()
            end = len(self._text) - len(behind or "")
            if behind is None and FENCE in rest:
                # A quote that nothing closes hides the fence from a reader of strings.
                code = rest.rpartition(FENCE)[0]
                end = match.end() + len(code) + len(FENCE)
        inside = read_code(code, self._names, self._options)
        if inside is None:
            return None
        return Finding(match.start(), end, "fence", *inside)

    # Tags and brackets

    def _tag(self, match: re.Match[str]) -> Finding | None:
        named = _named_tool(match["attributes"])
        inner = _tags_at(self._text, match.end())
        pos = inner.end() if inner else match.end()
        start = match.start()
        if named:
            return self._directive(start, pos, named[1])
        reads, end = self.statements(pos)
        if reads:
            return self._closed(finding(start, end, "tag", reads))
        content = self._content(pos)
        calls = json_calls(content, self._names) or rocket_calls(content, self._names)
        if not calls:
            return None
        end = pos + len(content)
        return self._closed(Finding(start, end, "tag", tuple(calls)))

    def _content(self, pos: int) -> str:
        """A tag's content up to the next closing tag, if it can be JSON at all."""
        if self._budget < 0 or self._text[pos : pos + 1] not in ("{", "["):
            return ""
        close = _close.search(self._text, pos)
        end = close.start() if close else len(self._text)
        self._budget -= end - pos
        return self._text[pos:end] if self._budget >= 0 else ""

    def _closed(self, found: Finding) -> Finding:
        closers = _closers_at(self._text, found.end)
        end = closers.end() if closers else found.end
        return Finding(found.start, end, found.kind, found.calls, found.unresolved)

    def _directive(self, start: int, pos: int, name: str) -> Finding | None:
        content = self._content(pos)
        arguments = loads(html.unescape(content)) if "&" in content else loads(content)
        if not isinstance(arguments, dict):
            return None
        call = named_call(name, arguments, self._names)
        return self._closed(Finding(start, pos + len(content), "tag", (call,)))

    def _spoken(self, match: re.Match[str]) -> Finding | None:
        """Read `<channel:name(key="value")>`."""
        if not self._names.declared(match["callee"]):
            return None
        values = ValueReader(self._text, self._names, self._options.namespaces, repair=False)
        try:
            arguments, end = values.arguments(match.end() + 1)
        except Unreadable:
            return None
        call = RecoveredCall(match["callee"], arguments, match["callee"], "exact")
        return Finding(match.start(), self._skip(end, ">"), "tag", (call,))

    def _bracket(self, match: re.Match[str]) -> Finding | None:
        name = match["bare"] or match["told"] or match["noted"]
        if match["bare"] is None and not self._names.declared(name):
            return None
        unresolved = (Unresolved(name, "truncated"),)
        return Finding(match.start(), match.end(), "bracket", (), unresolved)

    def _history(self, match: re.Match[str]) -> Finding | None:
        """An imitation of how a harness shows past calls: `[... "name" ... {...} ...]`."""
        self._budget -= match.end()  # a JSON error counts the lines before it
        if self._budget < 0 or not self._names.declared(match["ran"]):
            return None
        try:
            arguments, end = json.JSONDecoder().raw_decode(self._text, match.end())
        except ValueError:
            return None
        close = self._text.find("]", end)
        if close < 0 or "[" in self._text[end:close]:
            return None
        call = RecoveredCall(match["ran"], arguments, match["ran"], "exact")
        return Finding(match.start(), close + 1, "history", (call,))


def finding(start: int, end: int, kind: str, reads: Sequence[Read]) -> Finding:
    """A finding with what was read in it."""
    return Finding(start, end, kind, *sorted_out(reads))


def sorted_out(
    reads: Sequence[Read],
) -> tuple[tuple[RecoveredCall, ...], tuple[Unresolved, ...]]:
    """Calls apart from what must not run."""
    outcomes = [read.outcome for read in reads]
    return (
        tuple(one for one in outcomes if isinstance(one, RecoveredCall)),
        tuple(one for one in outcomes if isinstance(one, Unresolved)),
    )


def read_code(
    code: str, names: Names, options: Options
) -> tuple[tuple[RecoveredCall, ...], tuple[Unresolved, ...]] | None:
    """Read what stands in a call's fence: Python, or what models write in its place.

    None where it calls nothing, or only shows how a call is written.
    """
    reads = PythonReader(code, names, options).program()
    if reads:
        calls, unresolved = sorted_out(reads)
        return None if not calls and _placeholder(code) else (calls, unresolved)
    other = json_calls(code, names) or list(yaml_calls(code, names))
    return (tuple(other), ()) if other else None


def loads(text: str) -> Any:  # noqa: ANN401 - JSON from anywhere
    """A JSON text's value, None where it is none."""
    try:
        return json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return None


def _refuse(name: str) -> Any:  # noqa: ANN401 - never returns
    raise ValueError(name)


def named_call(name: str, arguments: dict[str, Any], names: Names) -> RecoveredCall:
    """A call whose name stands beside its arguments."""
    shown, tool, how = names.resolve(name) or (name, None, "undeclared")
    return RecoveredCall(shown, arguments, tool, how)


def json_calls(text: str, names: Names) -> list[RecoveredCall]:
    """Read `{"name": .., "arguments": {..}}`, a list of these, or `name {..}`."""
    headed = _json_call(text)
    if headed and names.declared(headed[1]):
        arguments = loads(text[headed.end() :])
        return [named_call(headed[1], arguments, names)] if isinstance(arguments, dict) else []
    value = loads(text)
    calls = [_json_call_of(one, names) for one in (value if isinstance(value, list) else [value])]
    return [call for call in calls if call] if calls and all(calls) else []


def _json_call_of(value: Any, names: Names) -> RecoveredCall | None:  # noqa: ANN401
    if not isinstance(value, dict):
        return None
    name = next((value[key] for key in _NAME_KEYS if isinstance(value.get(key), str)), None)
    arguments = next((value[key] for key in _ARGUMENT_KEYS if key in value), None)
    if isinstance(arguments, str):
        arguments = loads(arguments)
    if name is None or not isinstance(arguments, dict) or not names.resolve(name):
        return None
    return named_call(name, arguments, names)


def rocket_calls(text: str, names: Names) -> list[RecoveredCall]:
    """Read `{tool => 'name', args => '{..}'}`."""
    if "=>" not in text:
        return []
    values = ValueReader(f"f({text.replace('=>', ':')})", names, (), repair=False)
    try:
        arguments, _ = values.arguments(2)
    except Unreadable:
        return []
    call = _json_call_of(arguments, names)
    return [call] if call else []


def yaml_calls(text: str, names: Names) -> Iterator[RecoveredCall]:
    """Read a mapping whose only key is a tool and whose entries are scalars."""
    match = _yaml(text)
    if match and names.declared(match[1]):
        lines = (line.partition(":") for line in match[2].splitlines() if line.strip())
        arguments = {key.strip(): read_bare(value.strip()) for key, _, value in lines}
        yield named_call(match[1], arguments, names)
