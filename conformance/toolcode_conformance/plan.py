"""What is sent for a case: whether it is offered, in which form, with which options."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, Final

from toolcode_conformance.expected import LITERAL_CALL, LITERAL_KEY
from toolcode_conformance.features import features, lone_body

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolcode_conformance.cases import Case
    from toolcode_conformance.implementation import Implementation

_OPTION_NEEDS: Final = {"stop_on_tool_outputs": "guard", "tools": "declared-tools"}
_FORMS_THAT_MATTER: Final = (
    "fence",
    "prefix",
    "print",
    "list",
    "lines",
    "prose",
    "several-blocks",
    "json-literals",
)
_RENDER_OPS: Final = frozenset({"render", "render-results", "render-thinking", "render-message"})


def needs(case: Case) -> list[str]:
    """Return every capability a case needs, sorted: stated, and from operation and options."""
    found = set(case.needs)
    if case.op == "growth":
        found.add("streaming" if case.input.get("chunk") else "scan")
    elif case.op not in {"scan", "literal"}:
        found.add(case.op)
    else:
        found.add("scan")
        for option, capability in _OPTION_NEEDS.items():
            if case.options.get(option) not in (None, False):
                found.add(capability)
        if "utf16" in features(case):
            found.add("utf16")
    found.update(_variants(case))
    if gemma(case):
        found.add("gemma4")
    return sorted(found)


def _variants(case: Case) -> Iterator[str]:
    """Yield the capabilities that an operation's forms and options ask for, beside its own."""
    given, options = case.input, case.options
    if options.get("style") == "print-per-line":
        yield "render-print-per-line"
    match case.op:
        case "prompt":
            if options.get("aliases"):
                yield "prompt-aliases"
            tools = [tool for tool in given["tools"] if isinstance(tool, dict)]
            if any(tool.keys() & {"name", "functionDeclarations"} for tool in tools):
                yield "declaration-forms"
        case "transcript":
            if "text" in given:
                yield "transcript-reading"
            if given.get("tool_prompt") or options.get("add_generation_prompt"):
                yield "transcript-prompt"
        case "history" if options.get("form") == "gemini":
            yield "history-gemini"
        case "dialects" if options.get("native") or options.get("format"):
            yield "dialect-formats"


def gemma(case: Case) -> bool:
    """Tell whether a case is about Gemma 4's own convention (DIALECT.3)."""
    return case.options.get("dialect") == "gemma"


def not_offered(case: Case, impl: Implementation) -> str | None:
    """Return the capability or form that the implementation does not offer, or None."""
    missing = [name for name in needs(case) if name not in impl.capabilities]
    if missing:
        return ", ".join(missing)
    if any(
        fnmatchcase(name, glob) for glob in impl.not_promised for name in (case.id, case.clause)
    ):
        return "what it never promised"
    if not impl.features or case.op not in {"scan", "literal"} or gemma(case):
        return None
    forms = features(case)
    if "fence" not in impl.features and lone_body(case.text) is not None:
        forms -= {"fence"}
    missing = [form for form in _FORMS_THAT_MATTER if form in forms and form not in impl.features]
    if "list-only" in impl.features and case.op == "scan" and "list" not in forms:
        missing.append("a plain call")
    return f"form {', '.join(missing)}" if missing else None


def text_for(case: Case, impl: Implementation) -> str:
    """Return the text to scan: the case's own, or its literal in a form that is offered."""
    return in_forms(case, impl.features)


def in_forms(case: Case, forms: frozenset[str]) -> str:
    """Return a scan's text for an implementation that promises certain forms; none means all."""
    if case.op == "literal":
        return wrap_literal(case.text, forms)
    if forms and "fence" not in forms:
        body = lone_body(case.text)
        return case.text if body is None else body
    return case.text


def wrap_literal(literal: str, forms: frozenset[str]) -> str:
    """Return a message with one call whose only argument is `literal`.

    Args:
        literal: The argument's text.
        forms: The forms an implementation promises; empty means all.
    """
    # A comment would hide the closing parenthesis.
    close = "\n)" if "#" in literal else ")"
    body = f"{LITERAL_CALL}({LITERAL_KEY}={literal}{close}"
    if not forms or "prefix" in forms:
        body = "default_api." + body
    if not forms or "print" in forms:
        body = f"print({body})"
    if "list-only" in forms:
        body = f"[{body}]"
    return f"```tool_code\n{body}\n```" if not forms or "fence" in forms else body


def options_for(case: Case, impl: Implementation) -> dict[str, Any]:
    """Return the options to send; switching off what is not offered needs no option."""
    options = dict(case.options)
    if "thinking" not in impl.capabilities and options.get("parse_thinking") is False:
        del options["parse_thinking"]
    if "guard" not in impl.capabilities and options.get("stop_on_tool_outputs") is False:
        del options["stop_on_tool_outputs"]
    return options


def other_request(case: Case) -> dict[str, Any]:
    """Return the request of any operation but scanning."""
    return {"op": case.op, **case.input, "options": dict(case.options)}


def renders(case: Case) -> bool:
    """Tell whether a case's answer is a rendered text."""
    return case.op in _RENDER_OPS
