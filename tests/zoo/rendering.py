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
                "    if value is None or value is True or value is False:\n        return repr(value)\n",
                "    if value is None or value is True or value is False:\n        return {None: 'null', True: 'true', False: 'false'}[value]\n",
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
)
