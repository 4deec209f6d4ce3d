"""Loads the corpus: every group file below a folder, as cases in a stable order."""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from toolcode_conformance import places
from toolcode_conformance.cases import Case, make_case
from toolcode_conformance.errors import CorpusError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Group:
    """One file of cases that share a clause and a story."""

    name: str
    description: str
    clause: str
    path: Path
    cases: tuple[Case, ...]


@dataclass(frozen=True, slots=True)
class Corpus:
    """All loaded groups; `by_id` also knows the aliases of moved cases."""

    root: Path
    groups: tuple[Group, ...]
    by_id: dict[str, Case]

    @property
    def cases(self) -> tuple[Case, ...]:
        """Every case, sorted by file and in the order written there."""
        return tuple(case for group in self.groups for case in group.cases)

    def find(self, case_id: str) -> Case:
        """Return the case with this id or alias; a derived `id#cut=12` names its case too.

        Raises:
            UsageError: No such case; the message names close ids.
        """
        plain = case_id.split("#", 1)[0].split("@", 1)[0]
        if plain in self.by_id:
            return self.by_id[plain]
        near = [known for known in sorted(self.by_id) if plain in known][:5]
        hint = f"; did you mean {', '.join(near)}?" if near else ""
        raise UsageError(f"no case {case_id!r} in {self.root}{hint}")


def read_json(path: Path) -> Any:  # noqa: ANN401  whatever the file holds
    """Return the JSON value of a UTF-8 file.

    Raises:
        CorpusError: The file cannot be read, is no UTF-8 or no JSON; the message says where.
    """
    try:
        text = path.read_bytes().decode("utf-8")
    except OSError as error:
        raise CorpusError(f"cannot be read: {error.strerror}", path=path) from error
    except UnicodeDecodeError as error:
        raise CorpusError(f"is no UTF-8 at byte {error.start}", path=path) from error
    try:
        return json.loads(text, object_pairs_hook=_no_duplicates)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise CorpusError(f"is no JSON at {where}: {error.msg}", path=path) from error
    except ValueError as error:
        raise CorpusError(str(error), path=path) from error


def read_toml(path: Path, form: int) -> dict[str, Any]:
    """Return the TOML table that a file holds.

    Args:
        path: The file.
        form: What its key `format` has to be.

    Raises:
        CorpusError: The file cannot be read, is no TOML, or has another format.
    """
    try:
        raw = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise CorpusError(f"cannot be read: {error.strerror}", path=path) from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise CorpusError(f"is no TOML: {error}", path=path) from error
    if raw.get("format") != form:
        raise CorpusError(f"must be {form}", path=path, key="format")
    return raw


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"key {key!r} stands twice in one object")
        found[key] = value
    return found


def load_group(path: Path) -> Group:
    """Load one group file.

    Raises:
        CorpusError: The file or one of its cases is not as the case format says.
    """
    raw = read_json(path)
    if not isinstance(raw, dict) or not isinstance(raw.get("cases"), list):
        raise CorpusError("is no group file: it needs an object with a list `cases`", path=path)
    for key in ("group", "description", "clause"):
        if not isinstance(raw.get(key), str):
            raise CorpusError("is missing or no string", path=path, key=key)
    cases = []
    for number, entry in enumerate(raw["cases"]):
        if not isinstance(entry, dict):
            raise CorpusError(f"case number {number + 1} is no object", path=path)
        cases.append(make_case(entry, group=raw["group"], clause=raw["clause"], path=path))
    return Group(raw["group"], raw["description"], raw["clause"], path, tuple(cases))


def group_files(paths: Iterable[Path]) -> list[Path]:
    """Return the group files among and below `paths`, sorted, schemas and tables left out.

    Raises:
        UsageError: A path does not exist.
    """
    found: set[Path] = set()
    for path in paths:
        if path.is_file():
            found.add(path)
        elif path.is_dir():
            root_level = set(path.glob("*.json")) if (path / "schema").is_dir() else set()
            found.update(set(path.rglob("*.json")) - root_level)
        else:
            raise UsageError(f"no such file or folder: {path}")
    return sorted(path for path in found if path.parent.name != "schema")


def load_families(root: Path, by_id: Mapping[str, Case]) -> list[Group]:
    """Load the groups that are derived from `families.json`, where there is one.

    Raises:
        CorpusError: The file is broken, or names what does not exist.
    """
    from toolcode_conformance import families  # noqa: PLC0415  its tables are read with this module

    path = root / families.FILE
    if not path.is_file():
        return []
    return [
        Group(f"{families.AREA}.{name}", f"Variants of {base}.", "CALL.1", path, tuple(cases))
        for name, base, cases in families.derived(path, read_json(path), by_id)
    ]


def load_corpus(root: Path | None = None) -> Corpus:
    """Load all groups below `root` (default: the corpus of this clone or wheel).

    Raises:
        CorpusError: A file is broken, an id or alias is used twice, or there is no case at all.
    """
    root = root or places.corpus_dir()
    groups = [load_group(path) for path in group_files([root])]
    groups += load_families(root, {case.id: case for group in groups for case in group.cases})
    by_id: dict[str, Case] = {}
    for case in (case for group in groups for case in group.cases):
        for name in (case.id, *case.aliases):
            if name in by_id:
                other = by_id[name].path
                raise CorpusError(f"is used twice, also in {other}", path=case.path, case=name)
            by_id[name] = case
    if not by_id:
        raise CorpusError("holds no case", path=root)
    return Corpus(root, tuple(groups), by_id)
