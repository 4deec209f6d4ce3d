"""The scenario file: what the model is asked, in which form, with which sampling."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeVar

from toolcode_conformance.corpus import read_toml
from toolcode_conformance.errors import CorpusError

if TYPE_CHECKING:
    from pathlib import Path

FORMAT: Final = 1
CALL_STYLES: Final = frozenset({"print", "bare", "name", "list", "lines", "assignment"})
TEMPLATES: Final = frozenset({"plain", "gemma"})

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Sampling:
    """The grid: run number n takes temperature and limit n, each list going round."""

    temperatures: tuple[float, ...]
    limits: tuple[int, ...]
    rounds: int
    top_k: int
    top_p: float
    min_p: float
    repeat_penalty: float


@dataclass(frozen=True, slots=True)
class Form:
    """How the few-shot turns are written; `turns` counts the replies of one transcript."""

    id: str
    calls: str
    template: str
    think: bool = False
    results: bool = False
    turns: int = 1


@dataclass(frozen=True, slots=True)
class Shot:
    """One few-shot exchange; `calls` are written without a namespace."""

    user: str
    say: str
    think: str
    calls: tuple[str, ...]
    result: str
    answer: str


@dataclass(frozen=True, slots=True)
class Domain:
    """One world: few-shot turns, the questions asked, and what the scripted tool answers."""

    id: str
    about: str
    asks: tuple[str, ...]
    answers: tuple[str, ...]
    shots: tuple[Shot, ...]


@dataclass(frozen=True, slots=True)
class Scenario:
    """A loaded scenario file; `sha256` is that of its bytes."""

    sampling: Sampling
    forms: tuple[Form, ...]
    domains: tuple[Domain, ...]
    sha256: str


def load_scenario(path: Path) -> Scenario:
    """Load a scenario file.

    Raises:
        CorpusError: The file cannot be read, is no TOML, or misses or misspells a key.
    """
    raw = read_toml(path, FORMAT)
    scenario = Scenario(
        sampling=_make(Sampling, raw.get("sampling", {}), path, "sampling"),
        forms=tuple(_make(Form, one, path, "forms") for one in raw.get("forms", [])),
        domains=tuple(_domain(one, path) for one in raw.get("domains", [])),
        sha256=hashlib.sha256(path.read_bytes()).hexdigest(),
    )
    _check(scenario, path)
    return scenario


def _domain(raw: dict[str, Any], path: Path) -> Domain:
    shots = tuple(_make(Shot, one, path, "domains.shots") for one in raw.get("shots", []))
    return _make(Domain, {**raw, "shots": shots}, path, "domains")


def _make(kind: type[_T], raw: dict[str, Any], path: Path, key: str) -> _T:
    values = {
        name: tuple(value) if isinstance(value, list) else value for name, value in raw.items()
    }
    try:
        return kind(**values)
    except TypeError as error:
        # The dataclass names the missing or unknown key in its own message.
        raise CorpusError(f"{raw.get('id', 'entry')}: {error}", path=path, key=key) from error


def _check(scenario: Scenario, path: Path) -> None:
    for kind, ids in (
        ("forms", [one.id for one in scenario.forms]),
        ("domains", [one.id for one in scenario.domains]),
    ):
        if not ids:
            raise CorpusError("is empty", path=path, key=kind)
        if len(set(ids)) != len(ids):
            raise CorpusError("names an id twice", path=path, key=kind)
    for form in scenario.forms:
        if form.calls not in CALL_STYLES:
            raise CorpusError(f"form {form.id}: unknown {form.calls!r}", path=path, key="calls")
        if form.template not in TEMPLATES:
            raise CorpusError(
                f"form {form.id}: unknown {form.template!r}", path=path, key="template"
            )
    for domain in scenario.domains:
        if not (domain.asks and domain.answers and domain.shots):
            raise CorpusError(
                f"domain {domain.id}: needs asks, answers and shots", path=path, key="domains"
            )
    if not scenario.sampling.temperatures or not scenario.sampling.limits:
        raise CorpusError("needs temperatures and limits", path=path, key="sampling")
