"""The tables of what other commands measured and left in files: the matrix, the fuzzing bench."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from toolcode_conformance.corpus import load_corpus
from toolcode_conformance.data.cases_rows import about
from toolcode_conformance.data.tables import MissingDataError
from toolcode_conformance.errors import CorpusError
from toolcode_conformance.faults import KINDS
from toolcode_conformance.matrix import kinds, store
from toolcode_conformance.places import corpus_dir, results_dir

if TYPE_CHECKING:
    from pathlib import Path

    from toolcode_conformance.cases import Case

_BENCH: Final = "fuzz/bench.json"


def matrix_rows(folder: Path | None = None) -> list[dict[str, Any]]:
    """Return a row for every case of the corpus and every parser with a committed result.

    Raises:
        MissingDataError: There are no results.
    """
    folder = folder or results_dir()
    if not any(folder.glob("*.json")):
        raise MissingDataError(f"{folder} holds no results; make them with: make matrix")
    cases = load_corpus().cases
    return [_matrix_row(result, case) for result in store.load_all(folder) for case in cases]


def _matrix_row(result: store.Result, case: Case) -> dict[str, Any]:
    verdict = result.verdict(case.id)
    failure = result.failures.get(case.id)
    return {
        "parser": result.name,
        "version": result.version,
        "language": str(result.implementation.get("language", "")),
        "own": store.own(result.name),
        **about(case),
        "verdict": verdict,
        "failed": verdict in KINDS,
        "passed": verdict == "pass",
        "kind": kinds.kind(failure) if failure else "",
        "effect": kinds.effect(case, failure) if failure else "",
        "cause": failure.cause if failure else "",
    }


def bench(path: Path | None = None) -> dict[str, Any]:
    """Return the fuzzing bench's results as its file holds them.

    Raises:
        MissingDataError: There is no such file.
        CorpusError: It is no JSON.
    """
    path = path or corpus_dir().parent / _BENCH
    try:
        found: dict[str, Any] = json.loads(path.read_text("utf-8"))
    except FileNotFoundError as error:
        raise MissingDataError(f"{path} is missing; make it with: make fuzz-bench") from error
    except ValueError as error:
        raise CorpusError(f"is no JSON: {error}", path=path) from error
    return found


def find_rows(path: Path | None = None) -> list[dict[str, Any]]:
    """Return a row for every run of the fuzzing bench that looked for a known bug.

    Raises:
        MissingDataError: The bench was not run.
    """
    found = bench(path)
    return [
        {
            "bug": bug,
            "setup": setup,
            "seed": int(seed),
            "found": seconds is not None,
            "seconds": seconds,
            "cap": float(found["cap_seconds"]),
        }
        for bug, setups in found.get("bugs", {}).items()
        for setup, runs in setups.items()
        for seed, seconds in runs.items()
    ]


def growth_rows(path: Path | None = None) -> list[dict[str, Any]]:
    """Return a row for every point of the bench's growth curves.

    Raises:
        MissingDataError: The bench was not run.
    """
    return [
        {
            "setup": setup,
            "seed": int(seed),
            "seconds": float(seconds),
            "runs": runs,
            "features": features,
        }
        for setup, curves in bench(path).get("growth", {}).items()
        for seed, points in curves.items()
        for seconds, runs, features in points
    ]
