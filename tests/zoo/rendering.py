"""Results and rendered messages."""

from __future__ import annotations

from tests.zoo.faulty import REFUSED, Faulty, gives, op, thought

FAULTS: tuple[Faulty, ...] = (
    Faulty(
        "believes-made-up-results",
        "the guard is not there",
        op("scan", chunks=["```tool_outputs\nok\n```"], options={"stop_on_tool_outputs": True}),
        gives(dropped="fabricated"),
        edits=(("scanner", "(_OUTPUTS,) if stop_on_tool_outputs else ()", "()"),),
    ),
    Faulty(
        "fences-stand-in-rendered-strings",
        "json.dumps writes the arguments",
        op("render", calls=[{"name": "f", "arguments": {"a": "```"}}]),
        {"text": '```tool_code\ndefault_api.f(a="\\x60\\x60\\x60")\n```'},
        edits=(
            ("renderer", "|`{3,}')", "')"),
            ("renderer", " or FENCE in text):", "):"),
        ),
    ),
    Faulty(
        "renders-json-words",
        "json.dumps writes the arguments",
        op("render", calls=[{"name": "f", "arguments": {"a": True, "b": None}}]),
        {"text": "```tool_code\ndefault_api.f(a=True, b=None)\n```"},
        edits=(
            (
                "renderer",
                'def _word(value: bool | None, _depth: int) -> str:\n    return f"{value}"\n',
                "def _word(value, _depth):\n    return {None: 'null', True: 'true', False: 'false'}[value]\n",
            ),
        ),
    ),
    Faulty(
        "renders-any-name",
        "names are not checked",
        op("render", calls=[{"name": "get-weather", "arguments": {}}]),
        REFUSED,
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
        {"text": "```tool_code\n[default_api.f(), default_api.g()]\n```"},
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
        {"text": "```tool_outputs\na\n```\n```tool_outputs\nb\n```"},
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
        {"text": "````tool_outputs\n```\nx\n````"},
        edits=(("renderer", 'if fence == "longer" and FENCE in result:', "if False:"),),
    ),
    Faulty(
        "thoughts-can-close-themselves",
        "thinking is written verbatim",
        op("render-thinking", thinking="a\n```\nb"),
        {"text": "```thinking\na\n    ```\nb\n```", "segments": [thought("a\n    ```\nb")]},
        edits=(("renderer", "{_guarded(thinking)}", "{thinking}"),),
    ),
    Faulty(
        "renders-sorted-keys",
        "sort_keys when arguments are written",
        op("render", calls=[{"name": "f", "arguments": {"b": 1, "a": 2}}]),
        {"text": "```tool_code\ndefault_api.f(b=1, a=2)\n```"},
        edits=(("renderer", "in arguments.items():", "in sorted(arguments.items()):"),),
    ),
    Faulty(
        "renders-line-breaks-as-they-are",
        "quotes are put around the text",
        op("render", calls=[{"name": "f", "arguments": {"a": "x\ny"}}]),
        {"text": '```tool_code\ndefault_api.f(a="x\\ny")\n```'},
        edits=(
            (
                "renderer",
                "return f'\"{_to_escape.sub(_escape, text)}\"'",
                "return f'\"{_to_escape.sub(lambda m: m[0] if m[0] == chr(10) else _escape(m), text)}\"'",
            ),
        ),
    ),
    Faulty(
        "renders-backslashes-as-they-are",
        "only quotes are escaped",
        op("render", calls=[{"name": "f", "arguments": {"a": "x\\ny"}}]),
        {"text": '```tool_code\ndefault_api.f(a="x\\\\ny")\n```'},
        edits=(
            (
                "renderer",
                '    found = match[0]\n    if found.startswith("`"):',
                '    found = match[0]\n    if found == "\\\\":\n        return found\n    if found.startswith("`"):',
            ),
        ),
    ),
    Faulty(
        "renders-for-html",
        "angle brackets are escaped, as some prompts ask for",
        op("render", calls=[{"name": "f", "arguments": {"a": "<b> & c"}}]),
        {"text": '```tool_code\ndefault_api.f(a="<b> & c")\n```'},
        edits=(
            (
                "renderer",
                "def _string(text: str, _depth: int = 0) -> str:\n",
                "def _string(text: str, _depth: int = 0) -> str:\n    text = text.replace('&', '&amp;').replace('<', '&lt;')\n",
            ),
        ),
    ),
    Faulty(
        "renders-numbers-as-floats",
        "every number is a double",
        op("render", calls=[{"name": "f", "arguments": {"a": 1}}]),
        {"text": "```tool_code\ndefault_api.f(a=1)\n```"},
        edits=(
            (
                "renderer",
                '        raise RenderError(f"an integer of more than {MAX_DIGITS} digits")\n'
                '    return f"{value}"',
                '        raise RenderError(f"an integer of more than {MAX_DIGITS} digits")\n'
                '    return f"{float(value)}"',
            ),
        ),
    ),
    Faulty(
        "renders-an-empty-block",
        "no calls are an empty list of calls",
        op("render", calls=[]),
        {"text": ""},
        edits=(
            (
                "renderer",
                '        return ""\n    if style == "print-per-line":',
                '        return f"{FENCE}tool_code\\n[]\\n{FENCE}"\n    if style == "print-per-line":',
            ),
        ),
    ),
    Faulty(
        "renders-an-empty-thought",
        "no thinking is an empty thought",
        op("render-thinking", thinking=""),
        {"text": ""},
        edits=(("renderer", '    if not thinking:\n        return ""\n', ""),),
    ),
    Faulty(
        "prints-a-list",
        "one print around all calls in the style of one per line",
        op(
            "render",
            calls=[{"name": "f", "arguments": {}}, {"name": "g", "arguments": {}}],
            options={"style": "print-per-line"},
        ),
        {"text": "```tool_code\nprint(default_api.f())\nprint(default_api.g())\n```"},
        edits=(
            (
                "renderer",
                'body = "\\n".join(f"print({call})" for call in written)',
                "body = f\"print({', '.join(written)})\"",
            ),
        ),
    ),
    Faulty(
        "renders-any-key",
        "parameter names are not checked",
        op("render", calls=[{"name": "f", "arguments": {"max-results": 1}}]),
        REFUSED,
        edits=(("renderer", "        if not key.isidentifier():", "        if False:"),),
    ),
    Faulty(
        "results-are-indented",
        "results are set off by blanks",
        op("render-results", results=["a\nb"]),
        {"text": "```tool_outputs\na\nb\n```"},
        edits=(("renderer", "tool_outputs\\n{result}\\n", "tool_outputs\\n  {result}\\n"),),
    ),
    Faulty(
        "results-are-stripped",
        "results are trimmed",
        op("render-results", results=[" a \n"]),
        {"text": "```tool_outputs\n a \n\n```"},
        edits=(
            (
                "renderer",
                "    for result in results:\n",
                "    for result in map(str.strip, results):\n",
            ),
        ),
    ),
)
