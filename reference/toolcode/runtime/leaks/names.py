"""Which declared tool a leaked name means (LEAK.4)."""

from __future__ import annotations

import builtins
import keyword
import re
import sys
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from .model import Match, Options

_not_alphanumeric: Final = re.compile(r"[\W_]+")

NAME: Final = r"[^\W\d]\w*+"
PATH: Final = rf"{NAME}(?:[.:]{NAME}){{0,8}}+"
"""A callee as leaks write it: dots in Python, colons in the brace form; of a bounded length, so
that a megabyte of dots is not read anew from each of them."""


def fold(name: str) -> str:
    """A name but for its case and everything between its words."""
    return _not_alphanumeric.sub("", name).lower()


class Names:
    """The declared names, exact and folded.

    Two tools that differ only in case or underscores are never meant by a folded name.
    """

    def __init__(self, options: Options) -> None:
        self._namespaces = options.namespaces
        self._declared = options.tools
        folded: dict[str, list[str]] = {}
        for name in sorted(options.tools or ()):
            folded.setdefault(fold(name), []).append(name)
        self._folded = {key: names[0] for key, names in folded.items() if len(names) == 1}

    @property
    def known(self) -> bool:
        """Whether the declared tools are known."""
        return self._declared is not None

    @property
    def any(self) -> bool:
        """Whether a single tool is declared."""
        return bool(self._declared)

    def declared(self, name: str) -> bool:
        """Whether a tool has exactly this name."""
        return self._declared is not None and name in self._declared

    def resolve(self, path: str) -> tuple[str, str | None, Match] | None:
        """Say what a callee means.

        Args:
            path: The callee as written, its parts joined by dots or colons.

        Returns:
            The name to show, the declared tool and how it was matched; None where nothing speaks
            for a tool: no namespace of theirs, and no declared name.
        """
        parts = re.split(r"[.:]", path)
        own = len(parts) > 1 and parts[0] in self._namespaces
        parts = parts[1:] if own else parts
        shown, last = ".".join(parts), parts[-1]
        for name in (shown, last):
            if self.declared(name):
                return name, name, "exact" if name == shown else "namespace"
        for name in (shown, last):
            tool = self._folded.get(fold(name))
            if tool:
                return name, tool, "folded"
        if len(parts) > 1 and self.declared(parts[0]):  # a built-in tool's own method
            return shown, parts[0], "namespace"
        return (shown, None, "undeclared") if own else None


class OpenNames(Names):
    """For where the tools are not known, and nothing but a call can stand: every name is one.

    Python's own are none.
    """

    def resolve(self, path: str) -> tuple[str, str | None, Match] | None:
        """Say what a callee means: itself, unless it is Python's own."""
        known = super().resolve(path)
        if known:
            return known
        parts = re.split(r"[.:]", path)
        pythons = any(part in _PYTHON or keyword.iskeyword(part) for part in parts)
        return None if pythons else (".".join(parts), None, "undeclared")


_PYTHON: Final = frozenset(dir(builtins)) | frozenset(sys.stdlib_module_names)
