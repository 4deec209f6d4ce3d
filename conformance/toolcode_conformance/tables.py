"""The tables beside the corpus: clauses (from SPEC.md) and choices (with their probe cases)."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

from toolcode_conformance import places
from toolcode_conformance.corpus import read_json
from toolcode_conformance.errors import CorpusError


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause, as far as the harness shows it."""

    id: str
    title: str
    level: str
    summary: str
    origin: str = ""


@dataclass(frozen=True, slots=True)
class Choice:
    """A point where several readings are legitimate; the first option is the reference's."""

    name: str
    options: tuple[str, ...]
    clause: str
    probe: str | None
    text: str


def _entries(raw: Any) -> list[dict[str, Any]]:  # noqa: ANN401  JSON
    if isinstance(raw, dict) and isinstance(raw.get("clauses"), list):
        raw = raw["clauses"]
    if isinstance(raw, dict):
        return [{"id": name, **entry} for name, entry in raw.items() if isinstance(entry, dict)]
    return list(raw)


@functools.cache
def clauses() -> dict[str, Clause]:
    """Return the clauses by id; empty when `corpus/clauses.json` does not exist yet."""
    path = places.corpus_dir() / "clauses.json"
    if not path.exists():
        return {}
    return {
        entry["id"]: Clause(
            entry["id"],
            str(entry.get("title", "")),
            str(entry.get("level", "")),
            str(entry.get("summary") or ""),
            str(entry.get("origin") or ""),
        )
        for entry in _entries(read_json(path))
    }


@functools.cache
def choices() -> dict[str, Choice]:
    """Return the choices by name, in the order in which their probes run.

    Raises:
        CorpusError: `corpus/choices.json` is missing or not in its form.
    """
    path = places.corpus_dir() / "choices.json"
    raw = read_json(path)
    try:
        return {
            name: Choice(
                name, tuple(entry["options"]), entry["clause"], entry["probe"], entry["text"]
            )
            for name, entry in raw.items()
        }
    except (AttributeError, KeyError, TypeError) as error:
        raise CorpusError(f"a choice is not in its form: {error}", path=path) from error


def clause_line(clause_id: str) -> str:
    """Return a clause's id and title in one line, the id alone when SPEC.md is not indexed."""
    clause = clauses().get(clause_id)
    return f"{clause_id} {clause.title}" if clause else clause_id
