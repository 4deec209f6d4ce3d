"""What the properties draw from: awkward text, JSON values, literals and bodies."""

from __future__ import annotations

import math
from keyword import kwlist
from typing import Any, Final

from hypothesis import strategies as st

PIECES: Final = (
    "```", "`", "``", "````", "`````", "~~~", "```tool_code", "```tool_code\n", "tool_code",
    "```tool_outputs\n", "tool_outputs", "```thinking\n", "```thinking\r\n", "thinking\n",
    "```python\n", "\n```\n", "\n", "\r", "\r\n", " ", "   ", "\t", "f(a=1)", "default_api.g(",
    "print(", "x = ", "(", ")", "[", "]", "{", "}", "'", '"', "'''", '"""', "\\", "#", "=", ",",
    ":", ";", "a", "b=2", "if x:", " for i in y", "def g(a):", "lambda x: ", "@d", "import os\n",
    "else ", "'s'", r"r'\d'", "\\n", "\ud83d", "\ude00", "é", "\0", "\ufeff", "get-x(a=1)", "1",
    "-", "yaml", "Here is", "Let's go",
)  # fmt: skip
"""Fences, labels, quotes, brackets and halves of them: what a scanner may trip over."""

messages: Final = st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=24).map("".join)
blocks: Final = st.tuples(messages, messages).map(
    lambda two: f"```tool_code\n{two[0]}\n```{two[1]}"
)
thoughts: Final = st.lists(
    st.sampled_from(
        ["```", "~~~", "````", "python", "plan", " ", "   ", "\n", "\n", "\r\n", "\r", "Hi there"]
    ),
    max_size=16,
).map(lambda pieces: "```thinking\n" + "".join(pieces))
almost: Final = st.lists(
    st.sampled_from(["`", "``", "```", "tool_", "cod", "thinking", "tool_output", " ", "\n", "x"]),
    max_size=10,
).map("".join)
"""Outside every block, and always close to an opener."""

texts: Final = messages | blocks | thoughts | almost

options: Final = st.fixed_dictionaries(
    {},
    optional={
        "parse_thinking": st.booleans(),
        "stop_on_tool_outputs": st.booleans(),
        "fence": st.sampled_from(["string-aware", "first-fence"]),
        "tools": st.none() | st.just(["f", "g"]),
    },
)

names: Final = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,8}", fullmatch=True).filter(
    lambda name: name not in kwlist and name != "print"
)
keywords: Final = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,8}", fullmatch=True)

scalars: Final = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
    | messages
)
values: Final = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4)
    ),
    max_leaves=12,
)
calls: Final = st.tuples(names, st.dictionaries(keywords, values, max_size=4))

_quotes: Final = st.sampled_from(["'", '"', "'''", '"""'])
_inner: Final = st.lists(
    st.sampled_from(
        [
            *("a", "#", ",", ")", "]", "{", "`", " ", "é", "😀"),
            *(r"\n", r"\\", r"\'", r"\"", r"\x41", r"\u00e9", r"\101", r"\d", "\\\n"),
            *(r"\a\b", r"\f\v", r"\t\r", r"\N{BULLET}"),
        ]
    ),
    max_size=6,
).map("".join)
_strings: Final = st.builds(
    lambda prefix, quote, inner: f"{prefix}{quote}{inner}{quote}",
    st.sampled_from(["", "", "", "r", "u", "b", "R", "Br"]),
    _quotes,
    _inner,
)
_numbers: Final = st.sampled_from(
    ["0", "7", "1_000", "0xFf", "0o17", "0b11", "1.5", ".5", "5.", "1e3", "-2", "+3", "- 4", "-(5)",
     "007", "1__0", "2j", "--1", "1e400"]
)  # fmt: skip
_words: Final = st.sampled_from(["True", "False", "None", "x", "f(y=1)", "...", "a.b", "not True"])
_space: Final = st.sampled_from(["", "", " ", "\n", " # c\n"])


def _container(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    items = st.lists(st.tuples(_space, inner, _space).map("".join), max_size=4)
    pairs = st.lists(st.tuples(inner, _space, inner), max_size=3)
    return (
        st.tuples(items, st.sampled_from(["", ","])).map(lambda i: f"[{','.join(i[0])}{i[1]}]")
        | st.tuples(items, st.sampled_from(["", ","])).map(lambda i: f"({','.join(i[0])}{i[1]})")
        | items.map(lambda found: "{" + ",".join(found) + "}")
        | pairs.map(lambda found: "{" + ",".join(f"{k}:{s}{v}" for k, s, v in found) + "}")
        | st.tuples(inner, _space, inner).map("".join)
    )


literals: Final[st.SearchStrategy[str]] = st.recursive(
    _strings | _numbers | _words, _container, max_leaves=8
)
"""Texts of values, most of them valid Python, some of them not."""


def same(one: Any, other: Any) -> bool:
    """Compare values with their types, and the sign of zero."""
    if type(one) is not type(other):
        return False
    if isinstance(one, float):
        return one == other and math.copysign(1, one) == math.copysign(1, other)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict):
        return list(one) == list(other) and all(same(one[key], other[key]) for key in one)
    return bool(one == other)
