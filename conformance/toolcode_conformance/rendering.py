"""Judges rendered text by structure, with CPython's `ast`, and by scanning it back (RENDER, OUT).

Quote style and spacing are free, so a text is never compared with the canonical one except as a
shortcut: what equals it needs no further judging only for results and thoughts.
"""

from __future__ import annotations

import ast
import io
import itertools
import keyword
import re
import tokenize
from typing import TYPE_CHECKING, Any, Final

from toolcode_conformance import rendering_gemma
from toolcode_conformance.compare import EXACT, Comparison, difference, shown
from toolcode_conformance.expected import outline
from toolcode_conformance.normal import from_segments
from toolcode_conformance.oracle import NoLiteralError, parse, to_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from toolcode_conformance.cases import Case

_BLOCK: Final = re.compile(r"\A```tool_code\r?\n(.*)\n```\s*\Z", re.DOTALL)
_FENCES: Final = ("string-aware", "first-fence")
_MARK: Final = "keyword_"
_MIN_FENCE: Final = 3


_JSON_WORDS: Final = frozenset({"true", "false", "null"})


def judge(
    case: Case,
    expect: dict[str, Any],
    text: str,
    choices: Mapping[str, str],
) -> str | None:
    """Return what is wrong with a rendered text, or None; `expect` fits the choices."""
    if "refused" in expect:
        return f"this must be refused, but {shown(text)} was rendered"
    how = Comparison(choices.get("numbers") == "double", choices.get("object-order") == "any")
    if case.options.get("dialect") == "gemma":
        return rendering_gemma.judge(case, expect, text, choices, how)
    match case.op:
        case "render":
            return judge_calls(case.input["calls"], case.options.get("style", "list"), text, how)
        case "render-results":
            return judge_results(
                case.input["results"],
                text,
                longer=choices.get("result-fence", "longer") == "longer",
            )
        case _:
            return judge_message(case, expect, text, how)


def judge_calls(
    calls: list[dict[str, Any]],
    style: str,
    text: str,
    how: Comparison = EXACT,
) -> str | None:
    """Judge one rendered block of calls (RENDER.1 to RENDER.3)."""
    if not calls:
        return f"no calls want no text, got {shown(text)}" if text else None
    found = _BLOCK.match(text)
    if not found:
        return f"the text is not one tool_code block on lines of its own: {shown(text)}"
    body = found.group(1)
    if "```" in body:
        return "the body holds three backticks, which a first-fence parser takes for its closer"
    return _structure(body, calls, style, how) or scans_back(
        text, [{"call": call} for call in calls], how
    )


def _structure(
    body: str,
    calls: list[dict[str, Any]],
    style: str,
    how: Comparison,
) -> str | None:
    source = _renamed(body)
    tree = None if source is None else parse(source)
    if source is None or tree is None:
        return f"the body is no Python: {shown(body)}"
    nodes = _printed(tree) if style == "print-per-line" else _listed(tree, len(calls))
    if nodes is None or len(nodes) != len(calls):
        form = (
            "one print(...) per call"
            if style == "print-per-line"
            else ("one list of calls" if len(calls) > 1 else "one bare call")
        )
        return f"the body is not {form}: {shown(body)}"
    for node, call in zip(nodes, calls, strict=True):
        problem = _call(node, call, source, how)
        if problem:
            return problem
    return None


def _renamed(body: str) -> str | None:
    """Return the body with reserved words before `=` renamed, which `ast` would refuse (ARG.2)."""
    lines = body.split("\n")
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(body).readline))
    except (tokenize.TokenError, SyntaxError):
        return None
    for token, after in reversed(list(itertools.pairwise(tokens))):
        if token.type == tokenize.NAME and after.string == "=" and keyword.iskeyword(token.string):
            row, column = token.start[0] - 1, token.start[1]
            lines[row] = lines[row][:column] + _MARK + lines[row][column:]
    return "\n".join(lines)


def _listed(tree: ast.Module, count: int) -> list[ast.expr] | None:
    match tree.body:
        case [ast.Expr(value=ast.List(elts=items))] if count > 1:
            return items
        case [ast.Expr(value=ast.Call() as call)] if count == 1:
            return [call]
    return None


def _printed(tree: ast.Module) -> list[ast.expr] | None:
    nodes: list[ast.expr] = []
    for statement in tree.body:
        match statement:
            case ast.Expr(value=ast.Call(func=ast.Name(id="print"), args=[node], keywords=[])):
                nodes.append(node)
            case _:
                return None
    return nodes


def _call(node: ast.expr, call: dict[str, Any], source: str, how: Comparison) -> str | None:
    if not isinstance(node, ast.Call) or node.args:
        return "an element of the body is no call with keyword arguments only"
    callee = ast.unparse(node.func)
    if callee != f"default_api.{call['name']}":
        return f"the callee is {shown(callee)}, want default_api.{call['name']}"
    arguments: dict[str, Any] = {}
    for item in node.keywords:
        words = {n.id for n in ast.walk(item.value) if isinstance(n, ast.Name)} & _JSON_WORDS
        if words:  # they scan back, but the model would go on writing them (RENDER.2)
            return f"argument {item.arg} holds {min(words)}, which is JSON's word and no Python"
        try:
            arguments[_given_name(item.arg or "**")] = to_json(item.value, source)
        except NoLiteralError:
            return f"argument {item.arg} is no Python literal"
    return difference(call["arguments"], arguments, how)


def _given_name(name: str) -> str:
    bare = name.removeprefix(_MARK)
    return bare if keyword.iskeyword(bare) else name


def scans_back(
    text: str,
    segments: Iterable[dict[str, Any]],
    how: Comparison = EXACT,
) -> str | None:
    """Judge whether the reference reads `text` as these segments in both fence modes."""
    # Imported here: everything else in the harness works without the reference.
    from toolcode import scan  # noqa: PLC0415
    from toolcode import segments as normal_form  # noqa: PLC0415

    want = _edges(from_segments(segments).segments)
    for fence in _FENCES:
        got = _edges(normal_form(scan(text, fence=fence)))
        found = difference([_shape(s) for s in want], [_shape(s) for s in got], how)
        if found:
            return f"scanned back ({fence}) it gives {outline(got)}: {found}"
    return None


def _shape(segment: dict[str, Any]) -> dict[str, Any]:
    if "call" not in segment:
        return segment
    call = segment["call"]
    return {"call": {"name": call["name"], "arguments": call["arguments"]}}


def _edges(segments: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Drop the line breaks that join text and blocks; the rest of a text counts."""
    cut = [{"text": s["text"].strip("\r\n")} if "text" in s else s for s in segments]
    return [segment for segment in cut if segment != {"text": ""}]


def judge_results(results: list[str], text: str, *, longer: bool) -> str | None:
    """Judge rendered results: one block each, in order, verbatim, none closing itself (OUT.1-2)."""
    at = 0
    for number, result in enumerate(results, 1):
        while text[at : at + 1].isspace():
            at += 1
        opener = re.compile(r"(`{3,})tool_outputs\n").match(text, at)
        if not opener:
            return f"result {number}: no tool_outputs block starts at character {at}"
        fence = opener.group(1)
        at = opener.end()
        if not text.startswith(result, at):
            return f"result {number} is not verbatim: {shown(text[at : at + len(result)])}"
        at += len(result)
        if text.startswith("\n" + fence, at):
            at += 1
        if not re.compile(rf"{fence}(?!`)").match(text, at):
            return f"result {number}: its block does not end in {fence} behind the result"
        at += len(fence)
        longest = max((len(run) for run in re.findall("`+", result)), default=0)
        if longer and longest >= _MIN_FENCE and len(fence) <= longest:
            return f"result {number} holds a fence as long as its block's: it closes itself (OUT.2)"
    return f"{shown(text[at:])} stands behind the last result" if text[at:].strip() else None


def judge_message(
    case: Case,
    expect: dict[str, Any],
    text: str,
    how: Comparison,
) -> str | None:
    """Judge a rendered thought or message by what it scans back to (RENDER.4)."""
    want = expect.get("segments")
    if want is None:
        want = _parts(case.input)
    if not want:
        return f"nothing wants no text, got {shown(text)}" if text.strip() else None
    return scans_back(text, want, how)


def _parts(message: dict[str, Any]) -> list[dict[str, Any]]:
    parts = [{key: message[key]} for key in ("thinking", "text") if message.get(key)]
    return [*parts, *({"call": call} for call in message.get("calls", ()))]
