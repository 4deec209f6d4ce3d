"""Calls that are written as elements: `<invoke name=..>`, `<tool_call>` with children, `<tool>`.

    >>> element = read_element("<a><b>x</b><b>y</b></a>", 0)
    >>> element.name, element.value()
    ('a', ['x', 'y'])

This is no XML reader: an element is a name, attributes, and either text or children, and whatever
is anything else is no call. Values stay strings; a schema may make numbers of them.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from .json_forms import is_schema, loads, named_call

if TYPE_CHECKING:
    from .model import RecoveredCall
    from .names import Names

_open_at: Final = re.compile(
    r"""<(?P<name>[A-Za-z_][\w.:-]*)(?:=(?P<told>[\w.:-]+))?"""
    r"""(?P<attributes>(?:\s+[\w.:-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(?P<empty>/?)>"""
).match
_attribute: Final = re.compile(r"""([\w.:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_tag_at: Final = re.compile(r"<(/?)([A-Za-z_][\w.:-]*)").search
_MAX_DEPTH: Final = 16
_HEADS: Final = frozenset({"name", "tool", "tool_name", "function", "function_name"})
_BESIDE: Final = frozenset({"server_name", "id", "type"})
_NOUNS: Final = frozenset({"tool", "function"})
_BODIES: Final = frozenset({"arguments", "args", "parameters", "params", "input"})


@dataclass(slots=True)
class Element:
    """One element.

    Attributes:
        name: Its name; `told` is what `<name=told>` tells.
        attributes: Its attributes.
        children: Its children, empty where it holds text.
        text: What stands in it, unescaped; of use only without children.
        begin: The index behind its opening tag.
        end: The index behind it.
        mixed: Whether text stands beside its children.
    """

    name: str
    told: str | None = None
    attributes: dict[str, str] = field(default_factory=dict)
    children: list[Element] = field(default_factory=list)
    text: str = ""
    begin: int = 0
    end: int = 0
    mixed: bool = False

    @property
    def key(self) -> str:
        """What it is called as an argument: `<parameter name="x">` is x."""
        return self.attributes.get("name") or self.told or self.name

    def value(self) -> Any:  # noqa: ANN401 - JSON
        """Its text, an object of its children, or a list where they share one name."""
        if not self.children:
            return self.text.strip("\n")
        keys = [child.key for child in self.children]
        if len({*keys}) == 1 and (len(keys) > 1 or self.name.lower() == f"{keys[0].lower()}s"):
            return [child.value() for child in self.children]
        return {child.key: child.value() for child in self.children}

    @property
    def doubtful(self) -> bool:
        """Whether it has more than one reading: text beside children, or a name told twice."""
        keys = [child.key for child in self.children]
        repeated = len({*keys}) not in (1, len(keys)) if keys else False
        return self.mixed or repeated or any(child.doubtful for child in self.children)


def read_element(text: str, pos: int) -> Element | None:
    """The element that begins at `pos`; None where none does, or where its tags do not match.

    One pass: an element that is not closed in order makes the whole of it none.
    """
    opened: list[Element] = []
    while tag := _tag_at(text, pos) if opened else _open_at(text, pos):
        match = _open_at(text, tag.start())
        if opened:
            opened[-1].mixed = opened[-1].mixed or bool(text[pos : tag.start()].strip())
        if match is not None and len(opened) < _MAX_DEPTH:
            element = Element(match["name"], match["told"], _given(match["attributes"]))
            element.begin = pos = match.end()
            if not match["empty"]:
                opened.append(element)
                continue
            element.end = pos
        elif opened and text.startswith(f"</{opened[-1].name}>", tag.start()):
            element = opened.pop()
            element.text = html.unescape(text[element.begin : tag.start()])
            element.mixed = element.mixed and bool(element.children)
            element.end = pos = tag.start() + len(element.name) + 3
        else:
            return None
        if not opened:
            return element
        opened[-1].children.append(element)
    return None


def _given(attributes: str) -> dict[str, str]:
    return {name: html.unescape(a or b) for name, a, b in _attribute.findall(attributes)}


def element_calls(element: Element, names: Names) -> list[RecoveredCall]:
    """The calls that an element is, or that all of its children are."""
    call = element_call(element, names)
    if call:
        return [call]
    calls = [element_call(child, names) for child in element.children]
    return [one for one in calls if one] if calls and all(calls) else []


def element_call(element: Element, names: Names) -> RecoveredCall | None:
    """The call that an element is.

    `<invoke name="f">` and `<function=f>` with parameters as children or as JSON; `<tool_call>`
    with a name and arguments as children; `<f>` or `<space:f>` where f is a declared tool.
    """
    if element.doubtful:
        return None
    noun = element.name.lower() in _NOUNS and not names.declared(element.name)
    if noun and element.children:  # a catalogue lists tools in such elements
        return None
    name, given = _told(element, names) or _parted(element) or (None, None)
    if name is None or not isinstance(given, dict) or not names.resolve(name):
        return None
    if is_schema(given):
        return None
    call = named_call(name, given, names)
    return call if call.tool else None


def _told(element: Element, names: Names) -> tuple[str, Any] | None:
    """The name in the tag itself, or in an attribute of it."""
    attributes = dict(element.attributes)
    name = element.name if names.declared(element.name) else _spaced(element, names)
    if name and not attributes and not element.children and not element.text.strip():
        return None  # `<search/>` and `<play></play>` are marks of a page
    name = name or element.told or _popped(attributes, ("name", "tool", "function"))
    if name is None or (attributes and (element.children or element.text.strip())):
        return None
    if element.children:
        return name, element.value()
    return name, loads(element.text) if element.text.strip() else attributes


def _popped(attributes: dict[str, str], keys: tuple[str, ...]) -> str | None:
    key = next((key for key in keys if key in attributes), None)
    return attributes.pop(key) if key else None


def _spaced(element: Element, names: Names) -> str | None:
    """The tool behind a namespace, or the tool that the whole name is but for its marks."""
    if ":" not in element.name:
        return None
    resolved = names.resolve(element.name)
    return resolved[1] if resolved and resolved[1] else None


def _parted(element: Element) -> tuple[str, Any] | None:
    """A name and arguments as children."""
    parts = {child.name.lower(): child for child in element.children}
    head = next((parts[key] for key in sorted(_HEADS & parts.keys())), None)
    if head is None or head.children:
        return None
    body = next((parts[key] for key in sorted(_BODIES & parts.keys())), None)
    if body is None or len(parts.keys() - _BESIDE) != 2:  # noqa: PLR2004 - name and arguments
        return None
    given = body.value() if body.children else loads(body.text)
    return head.text.strip(), given
