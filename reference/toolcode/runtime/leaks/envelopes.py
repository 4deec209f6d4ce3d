"""Where a leak begins, and what each kind of envelope holds (LEAK.1).

Each reader is given the place of a marker and answers with a `Finding`, or with None where the
marker is only talk. What a marker promises is checked before anything is read as a call.
"""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING, Any, Final, Literal

from toolcode.body import FENCE, Body

from .braces import Placeholder, end_of_braces, end_of_truncated, read_attributes, read_braces
from .code import finding, open_calls, read_code
from .imitations import read_history
from .json_forms import (
    calls_of,
    cut_call,
    is_schema,
    json_calls,
    leading,
    loads,
    named_call,
    rocket_calls,
    yaml_calls,
)
from .markup import element_calls, read_element
from .model import Finding, RecoveredCall, Unresolved
from .names import NAME, PATH, OpenNames
from .programs import begins_as_code, code_block, sentence_goes_on, stands_alone
from .python_calls import PythonReader
from .values import Unreadable, ValueReader

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .model import Options
    from .names import Names
    from .python_calls import Read

_tail_at: Final = re.compile(
    r"\s*(?:<ctrl\d{1,3}>|\x17|<tool_call\|>|<end_function_call>|/?>(?:\s*</call:[^>\n]*>)?|end(?:call)?\b)*"
).match
_tags_at: Final = re.compile(r"(?:\s*<(?!/)[\w.:-]+>){0,4}\s*(?:<!\[CDATA\[\s*)?").match
_closers_at: Final = re.compile(r"(?:\s*\]\]>)?(?:\s*[<\[]/[\w.:-]+[>\]])*").match
_close: Final = re.compile(r"\s*[<\[]/[\w.:-]+[>\]]")
_named_tool: Final = re.compile(r"""\b(?:tool|name|function)=["']([^"']+)["']""").search
_mid_sentence: Final = re.compile(r"[^\W_][,;]?[ \t]+\Z").search
_keywords_at: Final = re.compile(rf"\s*(?:\)|{NAME}\s*=(?!=))").match
_goes_on_at: Final = re.compile(r"[ ,;]+[a-z]{2,} ?").match
cut_callee: Final = re.compile(rf"(?:print\s?\(\s?)?({PATH})\s*\Z").match
_comma_at: Final = re.compile(r"\s*,?\s*").match
_inner_fence_at: Final = re.compile(r"(?:```|~~~)\w*[ \t]*\n").match
_word_line_at: Final = re.compile(r"(\w+)[ \t]*\n(?=\S)").match
_THOUGHTS: Final = frozenset({"thought", "think", "thinking"})
_CODE_TAGS: Final = frozenset({"code", "action", "python", "run"})
_RETRIES: Final = 4


class Envelopes:
    """Reads the envelopes of one text."""

    def __init__(self, text: str, names: Names, options: Options) -> None:
        self._text = text
        self._names = names
        self._options = options
        self._python = PythonReader(text, names, options)
        self._talk_to = 0  # where a run of calls ends that was found to be talk
        # Fences and tags look ahead for their ends. What they may look at in all is bounded, so
        # that a text of a thousand openers costs time linear in its length.
        self._budget = 32 * len(text) + (1 << 16)

    def read(self, match: re.Match[str]) -> Finding | None:
        """Read what a marker announces, None where it is only talk."""
        readers: dict[str, Callable[[re.Match[str]], Finding | None]] = {
            "brace": self._brace,
            "fence": self._fence,
            "label": self._label,
            "cut": self._short,
            "control": self._control,
            "bracket": self._bracket,
            "listed": self._listed,
            "history": self._history,
            "tag": self._tag,
            "element": self._element,
            "spoken": self._spoken,
            "lines": self._lines,
        }
        return next(
            (readers[kind](match) for kind in readers if match[kind] is not None),
            None,
        )

    # The brace form

    def _brace(self, match: re.Match[str]) -> Finding | None:
        opener = match["open"].strip()
        start = self._brace_start(match)
        if self._mentioned(match):
            return None
        if opener == "(" and (read := self._parenthesised(match, start)) is not False:
            return read
        try:
            return self._entries(match, start, opener)
        except Placeholder:
            return None
        except Unreadable as error:
            if error.reason == "non-literal":
                return None
            read_end = end_of_truncated if error.reason == "truncated" else end_of_braces
            name = self._brace_name(match["path"])[0]
            lost = Unresolved(name, error.reason)
            return Finding(start, read_end(self._text, match.end()), _kind(match), (), (lost,))

    def _entries(self, match: re.Match[str], start: int, opener: str) -> Finding | None:
        if opener:
            arguments, end = read_braces(self._text, match.end(), ")" if opener == "(" else "}")
        else:
            arguments, end = read_attributes(self._text, match.end())
            if not arguments and not self._brace_name(match["path"])[1]:
                return None
        if is_schema(arguments):
            return None
        if opener.startswith("(") and opener != "(":
            end = self._skip(end, ")")
        tail = _tail_at(self._text, end)
        end = tail.end() if tail and tail.group().strip() else end
        name, tool, how = self._brace_name(match["path"])
        if tool is None and name.lower() in _THOUGHTS:  # a thought dressed as a call
            return Finding(start, end, "thought")
        return Finding(start, end, _kind(match), (RecoveredCall(name, arguments, tool, how),))

    def _brace_start(self, match: re.Match[str]) -> int:
        """A word in the middle of a sentence, with `call` behind it, belongs to the sentence."""
        word = match["word"]
        if word and _mid_sentence(self._text[max(0, match.start() - 8) : match.start("word")]):
            return match.end("word")
        return match.start()

    def _mentioned(self, match: re.Match[str]) -> bool:
        """Whether `call:` is a word of a sentence that goes on behind its braces."""
        if match["word"] != "" or match["angle"] or match["tokens"]:
            return False
        before = self._text[max(0, match.start() - 8) : match.start("head")]
        close = self._text.find("}", match.end())
        return bool(_mid_sentence(before)) and bool(_goes_on_at(self._text, close + 1))

    def _parenthesised(self, match: re.Match[str], start: int) -> Finding | Literal[False] | None:
        """Read Python behind the brace form's head; False where braces' entries stand there."""
        path = match["path"].replace(" ", "").replace(":", ".")
        spaced = match["head"][-1:].isspace() and not path.startswith("default_api")
        if path.lower() == "print" and (not spaced or match["word"] is None):
            reads, end = self.statements(match.start("path"))
            return finding(start, end, "fused", reads) if reads else None
        if not _keywords_at(self._text, match.end()) and match["head"].strip():
            return False
        if spaced or not match["head"].strip() or not self._names.resolve(path):
            return None
        read = self._python.at(match.start("path"), path, match.end() - 1)
        if match["word"] is None and _goes_on_at(self._text, read.end):
            return None  # the word in front of the colon introduces a sentence about the call
        return finding(start, read.end, _kind(match), [read])

    def _skip(self, pos: int, char: str) -> int:
        return pos + self._text.startswith(char, pos)

    def _brace_name(self, path: str) -> tuple[str, str | None, Any]:
        path = "".join(path.split())
        resolved = self._names.resolve(path)
        if resolved is None:
            return path.replace(":", "."), None, "undeclared"
        name, tool, how = resolved
        if tool and how == "folded" and ":" in path:
            return tool, tool, how
        return name, tool, how

    # Python

    def statements(self, pos: int) -> tuple[list[Read], int]:
        """Read the calls that stand at `pos`, one statement after the other."""
        return self._python.statements(pos)

    def _label(self, match: re.Match[str]) -> Finding | None:
        start, pos = match.start(), match.end()
        reads, end = self.statements(pos)
        if reads or end > pos:
            return finding(start, end, "label", reads)
        return self._labelled_code(start, pos) or self._labelled_name(start, pos)

    def _labelled_code(self, start: int, pos: int) -> Finding | None:
        """Read a program, a mapping, or calls of what nobody declared, behind a label."""
        if begins_as_code(self._text, pos):
            end = code_block(self._text, pos)
            inside = read_code(self._text[pos:end], self._names, self._options)
            if inside:
                return Finding(start, end, "label", *inside)
        if not self._names.any and not self._text[:start].strip():
            end = code_block(self._text, pos)
            whole = open_calls(self._text[pos:end], self._options)
            if whole and whole.calls and not sentence_goes_on(self._text, end):
                return Finding(start, end, "label", whole.calls, whole.unresolved)
        mapping = tuple(yaml_calls(self._text[pos:], self._names))
        return Finding(start, len(self._text), "label", mapping) if mapping else None

    def _labelled_name(self, start: int, pos: int) -> Finding | None:
        """A name without arguments behind a label: cut off, or the head of what is no call."""
        lost: Unresolved | None = None
        cut = cut_callee(self._text, pos)
        name = self._names.resolve(cut[1]) if cut else None
        if name and name[1]:
            lost = Unresolved(name[0], "truncated")
        word = _word_line_at(self._text, pos)
        if word and self._names.declared(word[1]):
            lost = Unresolved(word[1], "non-literal")
        return Finding(start, len(self._text), "label", (), (lost,)) if lost else None

    def _short(self, match: re.Match[str]) -> Finding | None:
        """A message that ends with a tool's name, before any argument."""
        name = self._names.resolve(match["short"])
        if name is None or name[1] is None:
            return None
        unresolved = (Unresolved(name[0], "truncated"),)
        return Finding(match.start(), match.end(), "brace", (), unresolved)

    def _control(self, match: re.Match[str]) -> Finding | None:
        """Read what a control token announces: statements, or a call in JSON."""
        if self._text.startswith("{", match.end()):
            value, end = leading(self._text, match.end())
            calls = tuple(calls_of(value, self._names))
            tail = _tail_at(self._text, end)
            end = tail.end() if tail else end
            return Finding(match.start(), end, "json", calls) if calls else None
        reads, end = self.statements(match.end())
        return finding(match.start(), end, "token", reads) if reads else None

    def _lines(self, match: re.Match[str]) -> Finding | None:
        """Read calls on lines of their own, which nothing introduces and no sentence goes on in."""
        if match.start() < self._talk_to:  # the rest of a run of calls that was talk
            return None
        reads, end = self.statements(match.end())
        calls = [read.outcome for read in reads]
        known = [call for call in calls if isinstance(call, RecoveredCall) and call.tool]
        truncated = bool(reads) and end >= len(self._text)
        if not reads or (not known and not truncated):
            return None
        printed = not self._text.startswith("default_api", match.end())
        if not stands_alone(self._text, match.start(), end, printed=printed):
            self._talk_to = end
            return None
        return finding(match.start(), end, "bare", reads)

    def _listed(self, match: re.Match[str]) -> Finding | None:
        """Read `[default_api.f(..), default_api.g(..)]`."""
        reads: list[Read] = []
        pos = match.end()
        while found := self._python.statement(pos):
            reads += found
            comma = _comma_at(self._text, found[-1].end)
            assert comma is not None, "it matches no comma as well"
            pos = comma.end()
        closed = self._text.startswith("]", pos) and not self._text.startswith("](", pos)
        known = all(isinstance(read.outcome, RecoveredCall) for read in reads)
        if not closed or not known:
            return None
        return finding(match.start(), pos + 1, "bracket", reads)

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
        for _ in range(_RETRIES):  # a string that was broken over lines may hold a fence
            further = rest.find(FENCE, end - match.end())
            if further < 0 or inside is None or not _cut(inside[1]):
                break
            end = match.end() + further + len(FENCE)
            inside = read_code(rest[:further], self._names, self._options) or inside
        if inside is None:
            return None
        return Finding(match.start(), end, "fence", *inside)

    # Tags and brackets

    def _tag(self, match: re.Match[str]) -> Finding | None:
        element = self._as_element(match)
        if element:
            return element
        named = _named_tool(match["attributes"])
        inner = _tags_at(self._text, match.end())
        pos = inner.end() if inner else match.end()
        start = match.start()
        if named:
            return self._directive(start, pos, named[1])
        found = self._tagged_code(start, pos) or self._tagged_json(start, pos, self._names)
        if found is None and not self._names.any and not self._text[:start].strip():
            found = self._tagged_openly(start, pos)
        return self._closed(found) if found else None

    def _tagged_openly(self, start: int, pos: int) -> Finding | None:
        """Read a message in a tag where no tool is known: every name is one."""
        close = _close.search(self._text, pos)
        content = self._text[pos : close.start() if close else len(self._text)]
        behind = _closers_at(self._text, pos + len(content))
        if behind and self._text[behind.end() :].strip():
            return None
        whole = open_calls(content, self._options)
        if whole:
            end = pos + len(content)
            return Finding(start, end, "tag", whole.calls, whole.unresolved)
        return self._tagged_json(start, pos, OpenNames(self._options))

    def _tagged_code(self, start: int, pos: int) -> Finding | None:
        fence = _inner_fence_at(self._text, pos)
        reads, end = self.statements(fence.end() if fence else pos)
        if not reads:
            return None
        close = _close.search(self._text, pos)
        content = self._text[pos : close.start()] if close else ""
        inside = (
            read_code(html.unescape(content), self._names, self._options)
            if _escaped(content)
            else None
        )
        if close and inside:
            return Finding(start, close.start(), "tag", *inside)
        return finding(start, end, "tag", reads)

    def _tagged_json(self, start: int, pos: int, names: Names) -> Finding | None:
        content = self._content(pos)
        end = pos + len(content)
        plain = html.unescape(content) if _escaped(content) else content
        calls = json_calls(plain, names) or rocket_calls(plain, names)
        if calls:
            return Finding(start, end, "tag", tuple(calls))
        cut = cut_call(plain, self._names) if end == len(self._text) else None
        return Finding(start, end, "tag", (), (Unresolved(cut, "truncated"),)) if cut else None

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

    def _element(self, match: re.Match[str]) -> Finding | None:
        """An element that is named after a tool, or that holds nothing but a printed call."""
        name = match["own"]
        if self._in_page(match.start()):
            return None
        if self._names.declared(name) or (":" in name and self._names.resolve(name)):
            return self._as_element(match)
        if name.lower() not in _CODE_TAGS or not self._text.startswith(">", match.end()):
            return None
        pos = match.end() + 1
        if self._text[: match.start()].strip():
            return None
        reads, end = self.statements(pos)
        whole = end > pos and self._text.startswith(f"</{name}>", end)
        if not reads or not whole or not all(_is_call(read) for read in reads):
            return None
        return finding(match.start(), end + len(name) + 3, "tag", reads)

    def _in_page(self, pos: int) -> bool:
        """Whether an element stands behind another tag or in a sentence, as in a page."""
        before = self._text[max(0, pos - 80) : pos]
        return before.rstrip()[-1:] == ">" or bool(before.rpartition("\n")[2].strip())

    def _as_element(self, match: re.Match[str]) -> Finding | None:
        self._budget -= len(self._text) - match.start()
        if self._budget < 0:
            return None
        element = read_element(self._text, match.start())
        calls = element_calls(element, self._names) if element else []
        if element is None or not calls:
            return None
        return self._closed(Finding(match.start(), element.end, "tag", tuple(calls)))

    def _history(self, match: re.Match[str]) -> Finding | None:
        self._budget -= match.end()  # a JSON error counts the lines before it
        return None if self._budget < 0 else read_history(self._text, match, self._names)


def _kind(match: re.Match[str]) -> str:
    """Which kind of brace form a marker announces."""
    tokens = match["tokens"]
    if tokens:
        return "native" if tokens.endswith((">", "]")) and "ctrl" not in tokens else "token"
    return "fused" if match["head"].strip().lower() not in ("call:", "") else "brace"


def _escaped(content: str) -> bool:
    """Whether all quotes of a content are written as HTML writes them."""
    return "&quot;" in content and '"' not in content and "'" not in content


def _is_call(read: Read) -> bool:
    return isinstance(read.outcome, RecoveredCall) and read.outcome.tool is not None


def _cut(unresolved: Sequence[Unresolved]) -> bool:
    return bool(unresolved) and unresolved[-1].reason == "truncated"
