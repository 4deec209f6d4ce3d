"""Blocks: where they open and close, and the text around them."""

from __future__ import annotations

import html

from tests.zoo.faulty import Faulty, block, call, calls_of, gives, keep, stringly

FAULTS: tuple[Faulty, ...] = (
    Faulty(
        "first-block-only",
        "a regular expression with search in place of finditer",
        block("f(a=1)") + block("g(b=2)"),
        gives(call("f", a=1), call("g", b=2)),
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
        gives(call("f", a=1), "\nDone."),
        steps=keep(lambda event, before: "text" not in event or not calls_of(before)),
    ),
    Faulty(
        "swallows-text-before",
        "only what follows the block is shown",
        block("f(a=1)", before="Sure.\n"),
        gives("Sure.\n", call("f", a=1)),
        steps=keep(lambda event, before: "text" not in event or bool(calls_of(before))),
    ),
    Faulty(
        "strips-text",
        "every text is stripped",
        "  Hi \n" + block("f(a=1)"),
        gives("  Hi \n", call("f", a=1)),
        steps=lambda steps: [
            [{"text": e["text"].strip()} if e.get("text", "").strip() else e for e in step]
            for step in steps
        ],
    ),
    Faulty(
        "opener-at-line-start",
        "the pattern begins with ^",
        "Sure: " + block("f(a=1)"),
        gives("Sure: ", call("f", a=1)),
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
        gives(call("f", a=1)),
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
        gives(call("f", a="```")),
        edits=(("body", 'fence == "string-aware"', "False"),),
    ),
    Faulty(
        "opener-in-any-case",
        "the label is compared in lower case",
        "```TOOL_CODE\nf(a=1)\n```",
        gives("```TOOL_CODE\nf(a=1)\n```"),
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
        gives("```python\nf(a=1)\n```"),
        edits=(
            ("scanner", "self._labels = (_TOOL,", "self._labels = (_TOOL, 'python',"),
            ("scanner", "if label == _TOOL:", "if label in (_TOOL, 'python'):"),
        ),
    ),
    Faulty(
        "emits-unterminated",
        "what is there at the end is parsed as it is",
        "```tool_code\nf(a=1)\n",
        gives(dropped="unterminated"),
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
        gives(call("f", a="x\r\ny")),
        value=stringly(lambda text: text.replace("\r\n", "\n")),
    ),
    Faulty(
        "drops-nul",
        "control characters are cleaned away",
        "a\0b",
        gives("a\0b"),
        steps=lambda steps: [
            [{"text": e["text"].replace("\0", "")} if "text" in e else e for e in step]
            for step in steps
        ],
    ),
    Faulty(
        "html-unescapes",
        "some prompts ask for escaped arguments",
        block('f(a="x &amp; y")'),
        gives(call("f", a="x &amp; y")),
        value=stringly(html.unescape),
    ),
    Faulty(
        "ignores-long-fences",
        "four backticks are three and one more",
        "````\n" + block("f(a=1)") + "\n````",
        gives("````\n```tool_code\nf(a=1)\n```\n````"),
        edits=(("scanner", "if pos - start > len(FENCE):", "if False:"),),
    ),
    Faulty(
        "loses-reopened-block",
        "a closing fence only closes",
        "```tool_code\n```tool_code\nf(a=1)\n```",
        gives(call("f", a=1), dropped="no-call"),
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
        gives("\n```tool_code\ng(b=2)\n```", dropped="cut"),
        edits=(("scanner", "            self._labels = self._guard\n", ""),),
    ),
)
