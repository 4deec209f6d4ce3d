"""JSON without a depth or digit limit, for the lines of the protocol.

The C codec is tried first. Only where it gives up on depth does the plain loop below take over, so
an implementation that answers with 100,000 nested lists is judged rather than feared.
"""

from __future__ import annotations

import json
import re
import sys
from json.decoder import scanstring  # type: ignore[attr-defined]  # untyped, stable since 2.6
from typing import Any, Final

_SCALAR: Final = re.compile(r"(-?(?:0|[1-9]\d*))(\.\d+)?([eE][-+]?\d+)?|true|false|null")
_BLANKS: Final = re.compile(r"[ \t\r\n]*")
_WORDS: Final = {"true": True, "false": False, "null": None}


def _no_constant(name: str) -> Any:  # noqa: ANN401  never returns
    raise ValueError(f"{name} is no JSON")


def decode(text: str) -> Any:  # noqa: ANN401  any JSON value
    """Return the JSON value of `text`, however deep it is nested.

    Raises:
        ValueError: It is no JSON; NaN and Infinity are none.
    """
    sys.set_int_max_str_digits(0)
    try:
        return json.loads(text, parse_constant=_no_constant)
    except RecursionError:
        return _Decoder(text).decode()


class _Decoder:
    """A JSON reader whose stack is a list."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def decode(self) -> Any:  # noqa: ANN401  any JSON value
        root: list[Any] = []
        stack: list[Any] = [root]
        # One key per open container, the one its next value belongs to.
        keys: list[str] = []
        while True:
            value, opened = self._value()
            holder = stack[-1]
            if isinstance(holder, dict):
                holder[keys[-1]] = value
            else:
                holder.append(value)
            if opened:
                stack.append(value)
                keys.append("")
            while not (opened and self._peek() not in "]}"):
                opened = False
                if stack[-1] is root:
                    self._end()
                    return root[0]
                char = self._take()
                if char == ("}" if isinstance(stack[-1], dict) else "]"):
                    stack.pop()
                    keys.pop()
                elif char == "," and stack[-1]:
                    break
                else:
                    raise ValueError(f"unexpected {char!r} at character {self.at}")
            if isinstance(stack[-1], dict):
                keys[-1] = self._key()

    def _value(self) -> tuple[Any, bool]:
        char = self._peek()
        if char == "[":
            self.at += 1
            return [], True
        if char == "{":
            self.at += 1
            return {}, True
        if char == '"':
            value, self.at = scanstring(self.text, self.at + 1, True)
            return value, False
        found = _SCALAR.match(self.text, self.at)
        if not found:
            raise ValueError(f"no JSON value at character {self.at}")
        self.at = found.end()
        word = found.group()
        if word in _WORDS:
            return _WORDS[word], False
        return (float(word) if found.group(2) or found.group(3) else int(word)), False

    def _key(self) -> str:
        if self._peek() != '"':
            raise ValueError(f"no key at character {self.at}")
        key, self.at = scanstring(self.text, self.at + 1, True)
        if self._take() != ":":
            raise ValueError(f"no colon at character {self.at}")
        return str(key)

    def _peek(self) -> str:
        found = _BLANKS.match(self.text, self.at)
        assert found
        self.at = found.end()
        if self.at >= len(self.text):
            raise ValueError("the value ends too early")
        return self.text[self.at]

    def _take(self) -> str:
        char = self._peek()
        self.at += 1
        return char

    def _end(self) -> None:
        if self.text[self.at :].strip(" \t\r\n"):
            raise ValueError(f"more than one value, at character {self.at}")


def encode(value: object) -> str:
    """Return the JSON text of `value` in ASCII, on one line, however deep it is nested.

    Raises:
        ValueError: It holds a NaN or an infinity.
        TypeError: It holds something that is no JSON value.
    """
    sys.set_int_max_str_digits(0)
    try:
        return json.dumps(value, allow_nan=False)
    except RecursionError:
        return _encode_deep(value)


class _Raw(str):
    """Text that is JSON already."""

    __slots__ = ()


def _encode_deep(value: object) -> str:
    out: list[str] = []
    todo: list[Any] = [value]
    while todo:
        item = todo.pop()
        if isinstance(item, _Raw):
            out.append(item)
        elif isinstance(item, list):
            todo.append(_Raw("]"))
            for index in range(len(item) - 1, -1, -1):
                todo += [item[index], _Raw(", ")] if index else [item[index]]
            out.append("[")
        elif isinstance(item, dict):
            todo.append(_Raw("}"))
            pairs = list(item.items())
            for index in range(len(pairs) - 1, -1, -1):
                name, held = pairs[index]
                comma = ", " if index else ""
                todo += [held, _Raw(f"{comma}{json.dumps(str(name))}: ")]
            out.append("{")
        else:
            out.append(json.dumps(item, allow_nan=False))
    return "".join(out)
