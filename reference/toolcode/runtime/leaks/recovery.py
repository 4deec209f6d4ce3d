"""Recovery of calls that leaked into ordinary text (LEAK).

    >>> found = recover("startcall:default_api:dim{lamp:hall,level:2}", tools=["dim"])
    >>> [(call.name, call.arguments) for call in found.runnable]
    [('dim', {'lamp': 'hall', 'level': 2})]

Error contract: no text raises. Only an unknown channel does, with ValueError. The time is linear
in the length of the text.
"""

from __future__ import annotations

import html
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from toolcode.runtime.finish_message import hidden_answer, without_prefix

from .code import open_calls, sorted_out
from .envelopes import Envelopes, cut_callee
from .json_forms import calls_of, loads
from .markers import marker
from .model import (
    CHANNELS,
    WITHHELD,
    Channel,
    Finding,
    Options,
    RecoveredCall,
    Recovery,
    Unresolved,
)
from .names import Names
from .programs import is_program, only_calls
from .python_calls import PythonReader
from .quoting import Quoting
from .thoughts import (
    begins_with_result,
    behind_call,
    result_of,
    without_results,
    without_thoughts,
    without_tokens,
)
from .whole import (
    leading_fences,
    leading_json,
    whole_message,
    whole_program,
)

if TYPE_CHECKING:
    from collections.abc import Collection

_THOUGHTFUL: Final = frozenset({"fence", "label", "bare", "brace", "fused", "token", "native"})
_FILE_KINDS: Final = frozenset({"brace", "tag"})
_QUOTED: Final = frozenset(
    {('"', '"'), ("'", "'"), ("“", "”"), ("„", "“"), ("«", "»"), ("「", "」")}
)
_NEAR: Final = 400  # a sentence's length, so that a text of one line costs no more than others
_closing_fence: Final = re.compile(r"\A\s*```[ \t]*\n(?!.*```)", re.DOTALL)
_quote_entity: Final = re.compile(r"&(?:quot|apos|#39|#34|#x27);").search
_aside: Final = re.compile(r"\s*<(?P<tag>[\w-]+)>(?P<text>[^<>]*)</(?P=tag)>\s*").fullmatch
_comment_mark: Final = re.compile(r"[ \t]*(#|//+|--|;+|%+)[ \t]*").fullmatch
_speaker: Final = re.compile(r"[ \t]*(?:[*_]*)[^\W\d_][\w ]{0,20}[*_]*[:：][*_]*(?=\s|\Z)").match
_lost_fence: Final = re.compile(
    r"(?P<word>[^\W\d_]{4,20})[ \t]*\n\s*"
    r"(?=print\(default_api\.)(?P<code>.{0,4000}?)\n(?P=word)[ \t]*(?:\n|\Z)",
    re.DOTALL,
)


def recover(  # noqa: PLR0913 - every doubt that may be resolved is an option of its own
    text: str,
    *,
    tools: Collection[str] | None = None,
    channel: Channel = "text",
    finish_reason: str | None = None,
    namespaces: Collection[str] = ("default_api",),
    repair_quotes: bool = True,
    withheld: Collection[str] = WITHHELD,
) -> Recovery:
    """Find the calls that leaked into a text, and what of it may be shown.

    Args:
        text: The text.
        tools: The declared tools; None where they are not known.
        channel: Where the text was found.
        finish_reason: The response's finish reason, in any spelling.
        namespaces: Namespaces under which a call of any name is a call.
        repair_quotes: Whether strings with unescaped quotes may be read.
        withheld: Finish reasons under which no call is handed out, in lower case.

    Raises:
        ValueError: The channel is unknown.
    """
    if channel not in CHANNELS:
        raise ValueError(f"channel must be one of {', '.join(CHANNELS)}, not {channel!r}")
    options = Options(
        None if tools is None else frozenset(tools),
        tuple(namespaces),
        repair_quotes,
        frozenset(withheld),
    )
    names = Names(options)
    if channel == "thought":
        return Recovery()
    if channel in ("finish_message", "executable_code"):
        found = _code(text, names, options, channel)
    elif channel == "structured_output":
        found = _structured(text, names, options)
    else:
        found = _message(text, names, options, in_file=channel == "tool_argument")
    if (finish_reason or "").rpartition(".")[2].lower() in options.withheld:
        return replace(found, findings=tuple(map(_withheld, found.findings)))
    return found


def _withheld(finding: Finding) -> Finding:
    kept = tuple(Unresolved(call.name, "withheld") for call in finding.calls)
    return replace(finding, calls=(), unresolved=(*kept, *finding.unresolved))


# Code: a finish message, or the code of another part


def _code(text: str, names: Names, options: Options, channel: Channel) -> Recovery:
    message = channel == "finish_message"
    code = without_prefix(text) if message else text
    start = len(text) - len(code)
    body = loads(code)
    calls = tuple(calls_of(body, names))
    if isinstance(body, dict) and not calls:
        refused = tuple(Unresolved(name, "undeclared") for name in _named_parts(body))
        return Recovery((Finding(0, len(text), "message", (), refused),) if refused else ())
    unresolved: tuple[Unresolved, ...] = ()
    for written in () if calls else _spellings(code):
        calls, unresolved = _code_calls(written, names, options, message=message)
        if calls or unresolved:
            break
    if calls or unresolved:
        kind = "message" if message else "code"
        return Recovery((Finding(start, len(text), kind, calls, unresolved),))
    return Recovery((), (hidden_answer(text) if message else text,))


def _spellings(code: str) -> list[str]:
    """The code as it stands, or as it was before every one of its quotes was escaped."""
    quotes = code.count('"') + code.count("'")
    escaped = code.count('\\"') + code.count("\\'")
    if quotes and escaped == quotes and "\\\\" not in code:
        return [code.replace('\\"', '"').replace("\\'", "'")]
    if not quotes and _quote_entity(code):
        return [html.unescape(code)]
    return [code]


def _code_calls(
    code: str, names: Names, options: Options, *, message: bool
) -> tuple[tuple[RecoveredCall, ...], tuple[Unresolved, ...]]:
    stripped = code.lstrip()
    head = marker.match(stripped)
    if head is None and message and names.declared(stripped.partition("{")[0].strip()):
        stripped = f"call:{stripped}"
        head = marker.match(stripped)
    first = Envelopes(stripped, names, options).read(head) if head else None
    if first is not None:
        found = _marked(stripped, Quoting(""), names, options, 0, in_file=False)
        return (
            tuple(call for one in found for call in one.calls),
            tuple(lost for one in found for lost in one.unresolved),
        )
    reads = PythonReader(code, names, options).program()
    cut = cut_callee(stripped) if not reads else None
    name = names.resolve(cut[1]) if cut else None
    if name and name[1]:
        return (), (Unresolved(name[0], "truncated"),)
    if not reads and message:
        whole = open_calls(code.strip(), options)
        return (whole.calls, whole.unresolved) if whole else ((), ())
    return sorted_out(reads)


def _named_parts(body: object) -> list[str]:
    """The names of the structured calls in a whole response body."""
    names: list[str] = []
    todo = [body]
    while todo:
        value = todo.pop()
        if isinstance(value, list):
            todo += reversed(value)
        elif isinstance(value, dict):
            for key in ("functionCall", "function_call"):
                part = value.get(key)
                if isinstance(part, dict) and isinstance(part.get("name"), str):
                    names.append(part["name"])
            todo += reversed(value.values())
    return names


# Text


def _structured(text: str, names: Names, options: Options) -> Recovery:
    """A structured answer: only one that is a single text is read as one."""
    value = loads(text)
    if isinstance(value, dict) and len(value) == 1:
        (content,) = value.values()
        if isinstance(content, str):
            inner = _message(content, names, options, in_file=False)
            if inner.findings:
                whole = (replace(one, start=0, end=len(text)) for one in inner.findings)
                return replace(inner, findings=tuple(whole))
    return Recovery((), (text,))


def _message(text: str, names: Names, options: Options, *, in_file: bool) -> Recovery:
    """Read a message, or the content of a file."""
    whole = whole_message(text, names, options)
    if whole and (not in_file or whole.kind == "bare"):
        return _shown(text, [whole], names, Quoting(""), in_file=in_file)
    quoting = Quoting(text, prose=not in_file)
    program = None if in_file else whole_program(text, names, options)
    if program:
        return Recovery((program,))
    findings = [] if in_file else leading_json(text, names)
    findings = findings or ([] if in_file else leading_fences(text, quoting, names, options))
    findings = findings or _lost_fences(text, names, options)
    if not findings or not in_file:
        start = findings[-1].end if findings else 0
        findings += _marked(text, quoting, names, options, start, in_file=in_file)
    return _shown(text, findings, names, quoting, in_file=in_file)


def recover_from(text: str, start: int, names: Names, options: Options) -> Recovery:
    """Read a part of a message that begins at `start`; what stands before is context."""
    if not text[:start].strip():
        return _message(text[start:], names, options, in_file=False)
    program = whole_program(text, names, options)
    if program:
        return Recovery((replace(program, start=start),))
    quoting = Quoting(text)
    findings = _marked(text, quoting, names, options, start, in_file=False)
    return _shown(text, findings, names, quoting, in_file=False, start=start)


def _lost_fences(text: str, names: Names, options: Options) -> list[Finding]:
    """Lines of calls between one word twice, which stands where the fences were."""
    found = []
    for match in _lost_fence.finditer(text):
        reads = PythonReader(match["code"], names, options).program()
        spans = [(read.start, read.end) for read in reads]
        if reads and only_calls(match["code"], spans):
            found.append(Finding(match.start(), match.end(), "bare", *sorted_out(reads)))
    return found


def _marked(  # noqa: PLR0913 - the sides of one text
    text: str,
    quoting: Quoting,
    names: Names,
    options: Options,
    start: int,
    *,
    in_file: bool,
) -> list[Finding]:
    """Read every marker that is not quoted, from left to right."""
    envelopes = Envelopes(text, names, options)
    found: list[Finding] = []
    imitated: tuple[RecoveredCall, ...] = ()
    pos = start
    while match := marker.search(text, pos):
        pos = max(match.end(), match.start() + 1)
        if quoting.covers(match.start()) or (in_file and not _leaks_in_file(match)):
            continue
        finding = envelopes.read(match)
        if finding is None or _is_talk(text, finding, names):
            continue
        plain = finding.calls and match["word"] == "" and not match["tokens"]
        if plain and (in_file or _in_comment(text, match.start(), finding.end)):
            continue  # documents show the form without any token or fused word
        if finding.kind == "history":
            # A model that repeats its history means one call.
            repeated, imitated = finding.calls == imitated, finding.calls
            finding = replace(finding, calls=() if repeated else finding.calls)
        found.append(finding)
        pos = max(pos, finding.end)
    return found


def _leaks_in_file(match: re.Match[str]) -> bool:
    """In a file's content, labels and angle tags are documents until proven otherwise."""
    if match.lastgroup is None:
        return False
    return match["brace"] is not None or (match["tag"] or "").startswith("[")


def _in_comment(text: str, start: int, end: int) -> bool:
    """Whether all that stands on a line is a comment, with code on the next line or the last."""
    above, _, before = text[max(0, start - _NEAR) : start].rpartition("\n")
    behind, _, below = text[end : end + _NEAR].partition("\n")
    mark = _comment_mark(before)
    if not mark or behind.strip():
        return False
    if mark[1] != "#":  # a hash alone may be a heading
        return True
    near = below.lstrip().partition("\n")[0] or above.rstrip().rpartition("\n")[2]
    return is_program(near)


def _is_talk(text: str, finding: Finding, names: Names) -> bool:
    """A call in quotation marks is talk, and so is an undeclared one with prose around it."""
    around = text[finding.start - 1 : finding.start], text[finding.end : finding.end + 1]
    if around in _QUOTED or _in_quotes(text, finding) or _in_dialogue(text, finding):
        return True
    spoken = finding.calls or finding.unresolved
    if not names.known or not spoken or any(call.tool for call in finding.calls):
        return False
    if any(one.name and names.resolve(one.name) for one in finding.unresolved):
        return False
    alone = not (text[: finding.start] + text[finding.end :]).strip()
    return not alone


def _in_quotes(text: str, finding: Finding) -> bool:
    """Whether a quotation opens on the line before a finding and closes on the line behind it."""
    before = text[max(0, finding.start - _NEAR) : finding.start].rpartition("\n")[2]
    behind = text[finding.end : finding.end + _NEAR].partition("\n")[0]
    straight = before.count('"') % 2 == 1 and '"' in behind
    curly = before.rfind("“") > before.rfind("”") and "”" in behind
    return (straight or curly) and len(before) < _NEAR


def _in_dialogue(text: str, finding: Finding) -> bool:
    """Whether a speaker's name introduces a finding, and another one's the line before."""
    *_, previous, before = ("\n" + text[max(0, finding.start - _NEAR) : finding.start]).split("\n")
    here, there = _speaker(before), _speaker(previous)
    if not here or not there or before[here.end() :].strip():
        return False
    return here[0] != there[0]


def _shown(  # noqa: PLR0913 - the sides of one text
    text: str,
    findings: list[Finding],
    names: Names,
    quoting: Quoting,
    *,
    in_file: bool,
    start: int = 0,
) -> Recovery:
    pieces: list[str] = []
    kept: list[Finding] = []
    pos = start
    behind: int | None = None
    for finding in [*findings, None]:
        piece = text[pos : finding.start if finding else len(text)]
        if kept and kept[-1].kind in _THOUGHTFUL and not in_file:
            piece = behind_call(piece)
        aside = _aside(piece) if kept and kept[-1].kind == "tag" else None
        piece = aside["text"] if aside else piece
        real = without_results(piece)
        if not kept and (quoting.encloses(pos + len(real)) or not _is_result(piece, pieces, names)):
            real = piece  # a result that the text only shows
        pieces += _visible(real, in_file=in_file)
        if real != piece:  # what follows a result that the model made up rests on nothing
            break
        if finding:
            kept.append(finding)
            pos = finding.end
            if behind is None and finding.calls:
                behind = pos
    rest = "" if behind is None else text[behind:].strip()
    return Recovery(tuple(kept), tuple(pieces), rest, in_file)


def _is_result(text: str, shown: list[str], names: Names) -> bool:
    """Whether a result stands in a text without any call: at its head, or of a declared tool."""
    of = result_of(text)
    return bool(of and names.declared(of)) or (not shown and begins_with_result(text))


def _visible(text: str, *, in_file: bool) -> list[str]:
    if in_file:
        return without_tokens(_closing_fence.sub("", text, count=1), anywhere=False)
    return [
        piece for part in without_thoughts(text) for piece in without_tokens(part, anywhere=True)
    ]
