"""Thinking, and streams in chunks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.zoo.faulty import Faulty, block, call, cut, each_call, gives, keep, thought

if TYPE_CHECKING:
    from tests.zoo.faulty import Event, Steps


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


FAULTS: tuple[Faulty, ...] = (
    Faulty(
        "thought-ends-at-any-fence",
        "the next three backticks close",
        "```thinking\n```python\nx\n```\nmore\n```\nHi",
        gives(thought("```python\nx\n```\nmore"), "\nHi"),
        edits=(
            ("thinking", "            self._nested = run\n", "            pass\n"),
            ("thinking", "not (end and word)", "True"),
        ),
    ),
    Faulty(
        "drops-thoughts",
        "thinking is thrown away",
        "```thinking\nhm\n```\nHi",
        gives(thought("hm"), "\nHi"),
        steps=keep(
            lambda event, _: not event.keys() & {"thinking", "thinking_start", "thinking_end"}
        ),
    ),
    Faulty(
        "thoughts-are-text",
        "thinking is shown",
        "```thinking\nhm\n```\nHi",
        gives(thought("hm"), "\nHi"),
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
        gives("```thinking hard```"),
        edits=(
            (
                "scanner",
                '_THINKING: Final = ("thinking\\n", "thinking\\r\\n")',
                '_THINKING: Final = ("thinking",)',
            ),
        ),
    ),
    Faulty(
        "forgets-half-openers",
        "only the last character is kept back",
        cut(block("f(a=1)"), 6),
        gives(call("f", a=1)),
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
        gives(call("f", a=1)),
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
        gives("abcdef"),
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
        gives("Hello, world"),
        clause="STREAM.2",
        steps=_late,
    ),
    Faulty(
        "thoughts-at-their-end",
        "a thought is shown when it is complete",
        cut("```thinking\nhm, hm\n```\nHi", 15),
        gives(thought("hm, hm"), "\nHi"),
        clause="STREAM.2",
        steps=_thoughts_at_end,
    ),
    Faulty(
        "repeats-held-text",
        "what was held back comes twice",
        cut("a ``", 3),
        gives("a ``"),
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
        "éé",
        gives("éé"),
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
        gives(call("f", a=1), call("f", a=2)),
        clause="MODEL.2",
        steps=each_call(lambda call: call.update(id="call_" + call["name"])),
    ),
)
