"""Copies of the reference in which one place is written otherwise.

A copy is imported under the reference's own names while `sys.modules` is set aside, so neither the
real modules nor other copies notice; it lives on in the handler that was made from it.
"""

from __future__ import annotations

import importlib
import importlib.machinery
import importlib.util
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from importlib.machinery import ModuleSpec
    from types import CodeType, ModuleType

Edit = tuple[str, str, str]
"""Module behind `toolcode.`, what stands there, what stands there in the copy."""

_HANDLERS = ("reference_handler", "gemma_handler", "runtime_handler")


_unedited: dict[str, CodeType] = {}


class _EditedLoader(importlib.machinery.SourceFileLoader):
    """Compiles a module from edited source; what is not edited is compiled once."""

    def __init__(self, name: str, path: str, edits: Sequence[tuple[str, str]]) -> None:
        super().__init__(name, path)
        self._edits = edits

    def get_code(self, fullname: str) -> CodeType:
        if not self._edits:
            if fullname not in _unedited:
                _unedited[fullname] = self._compiled(fullname)
            return _unedited[fullname]
        return self._compiled(fullname)

    def _compiled(self, fullname: str) -> CodeType:
        source = self.get_data(self.path).decode("utf-8")
        for old, new in self._edits:
            if source.count(old) != 1:
                raise ValueError(f"{fullname}: {source.count(old)} places read {old!r}")
            source = source.replace(old, new)
        return compile(source, self.path, "exec", dont_inherit=True)


class _Finder:
    """Finds the reference's modules, edited."""

    def __init__(self, edits: Mapping[str, list[tuple[str, str]]]) -> None:
        self._edits = edits
        self.unused = set(edits)

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name.partition(".")[0] != "toolcode":
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is not None and spec.origin is not None:
            self.unused.discard(name)
            spec.loader = _EditedLoader(name, spec.origin, self._edits.get(name, ()))
        return spec


@contextmanager
def _set_aside() -> Iterator[None]:
    """Hide the reference and its handlers from `sys.modules`, and put them back."""
    hidden = {
        name: module
        for name, module in sys.modules.items()
        if name.partition(".")[0] == "toolcode" or name.rpartition(".")[2] in _HANDLERS
    }
    # `from package import module` takes what the package already has.
    package = importlib.import_module("toolcode_conformance")
    known = {name: vars(package).pop(name) for name in _HANDLERS if name in vars(package)}
    for name in hidden:
        del sys.modules[name]
    try:
        yield
    finally:
        for name in _HANDLERS:
            vars(package).pop(name, None)
        vars(package).update(known)
        for name in [n for n in sys.modules if n.partition(".")[0] == "toolcode"]:
            del sys.modules[name]
        for name in [n for n in sys.modules if n.rpartition(".")[2] in _HANDLERS]:
            del sys.modules[name]
        sys.modules.update(hidden)


def handler(edits: Sequence[Edit] = ()) -> Any:
    """Return a handler of the protocol on an edited copy of the reference.

    Raises:
        ValueError: An edit's place is not there exactly once, or its module is never imported.
    """
    by_module: dict[str, list[tuple[str, str]]] = {}
    for module, old, new in edits:
        by_module.setdefault(f"toolcode.{module}", []).append((old, new))
    finder = _Finder(by_module)
    with _set_aside():
        sys.meta_path.insert(0, finder)
        try:
            made = importlib.import_module("toolcode_conformance.reference_handler").Reference()
            for name in sorted(finder.unused):
                importlib.import_module(name)
        finally:
            sys.meta_path.remove(finder)
    return made
