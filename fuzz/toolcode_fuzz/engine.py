"""The process that fuzzes: atheris with coverage, or mutated seeds where there is no atheris.

What a target raises is written down and the run goes on, so one bug that every second input meets
costs no restarts. Only what ends the process (a hang, memory, a crash in C) ends a run, and
`campaign` starts the next one.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import importlib.util
import json
import os
import random
import sys
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from toolcode_fuzz import findings, grammar

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

FOUND: Final = 77
"""libFuzzer's exit code for a finding; also ours for a run that ends with its first one."""

MOST: Final = 1400
"""Bytes of the longest input."""

_REPORT_EVERY: Final = 1.0
_HUNG: Final = "hung.txt"
_KINDS: Final = 400
"""Kinds of findings after which a process keeps no new one: somebody has to mend something."""


def has_coverage() -> bool:
    """Tell whether atheris is installed here."""
    return importlib.util.find_spec("atheris") is not None


@dataclass(slots=True)
class Recorder:
    """Runs a target and keeps the shortest input of every signature in a folder.

    Attributes:
        folder: Where raw findings go, `SIGNATURE-INPUT` as two hashes.
        first_only: End the process with `FOUND` at the first finding.
        runs: Inputs run so far.
    """

    target: str
    run: Callable[[bytes], None]
    folder: Path
    first_only: bool = False
    runs: int = 0
    began: float = field(default_factory=time.monotonic)
    _shortest: dict[str, tuple[int, Path]] = field(default_factory=dict)
    _hung: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        """Learn which inputs hung in an earlier process: they would hang in this one."""
        path = self.folder / _HUNG
        if path.is_file():
            self._hung = frozenset(path.read_text("ascii").split())

    def __call__(self, data: bytes) -> None:
        """Run one input; nothing it raises goes further."""
        self.runs += 1
        if self._hung and _digest(data) in self._hung:
            return
        try:
            self.run(data)
        except Exception as error:  # noqa: BLE001 - whatever is raised is the finding
            self._keep(data, error)

    def _keep(self, data: bytes, error: Exception) -> None:
        kind = f"{findings.signature_of(error)} {findings.hazards(self.target, data)}"
        known = self._shortest.get(kind)
        if known is None and len(self._shortest) >= _KINDS:
            return
        if known is None or len(data) < known[0]:
            name = hashlib.sha256(kind.encode("utf-8", "replace")).hexdigest()[:12]
            path = self.folder / f"{name}-{_digest(data)}"
            path.write_bytes(data)
            if known is not None:
                known[1].unlink(missing_ok=True)
            self._shortest[kind] = (len(data), path)
        if self.first_only:
            self._first()
        if getattr(error, "hangs", False):
            # A thread that never ends cannot be stopped, only left behind with its process.
            with (self.folder / _HUNG).open("a", encoding="ascii") as file:
                file.write(_digest(data) + "\n")
            _leave()

    def _first(self) -> None:
        seconds = time.monotonic() - self.began
        (self.folder / "first.json").write_text(
            json.dumps({"seconds": round(seconds, 3), "runs": self.runs}), "utf-8"
        )
        _leave()


def _leave() -> None:
    sys.stderr.flush()
    os._exit(FOUND)


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:12]


def covered(make: Callable[[], Recorder], words: list[str], *, mutator: bool) -> None:
    """Hand a target to atheris, in this process; it does not return.

    Args:
        make: Makes the recorder, with what it imports already instrumented.
        words: libFuzzer's arguments.
        mutator: Whether the grammar's mutator takes half of all steps.
    """
    import atheris  # noqa: PLC0415 - only the engine's own process has it

    recorder = make()
    own: dict[str, Any] = {}
    if mutator:
        own = {"custom_mutator": _mutated, "custom_crossover": grammar.cross}
    # By absolute path: libFuzzer starts this name again for whatever it does in other processes.
    atheris.Setup([os.path.realpath(sys.argv[0]), *words], recorder, **own)
    recorder.began = time.monotonic()
    atheris.Fuzz()


def _mutated(data: bytes, most: int, seed: int) -> bytes:
    """Half of all steps are the grammar's, half the engine's own."""
    import atheris  # noqa: PLC0415

    return grammar.mutate(data, most, seed) if seed & 1 else bytes(atheris.Mutate(data, most))


def maker(target: str, impl: str, raw: Path, *, first_only: bool) -> Callable[[], Recorder]:
    """Return what makes the recorder of a target, in the engine's own process."""

    def make() -> Recorder:
        run = _differential(impl) if impl else _property(target)
        return Recorder(target, run, raw, first_only=first_only)

    return make


def _property(target: str) -> Callable[[bytes], None]:
    with _instrumented(["toolcode", "toolcode_conformance"]):
        _forget("toolcode", "toolcode_conformance", "toolcode_fuzz")
        # Not `from toolcode_fuzz import targets`: that takes what the package already has.
        targets = importlib.import_module("toolcode_fuzz.targets")
    return lambda data: targets.replay(target, data)


def _differential(impl: str) -> Callable[[bytes], None]:
    kind, _, rest = impl.partition(":")
    theirs = [rest.split(":")[0].split(".")[0]] if kind == "python" else []
    with _instrumented(["toolcode", *theirs]):
        _forget("toolcode", "toolcode_fuzz")
        differential = importlib.import_module("toolcode_fuzz.differential")
        run: Callable[[bytes], None] = differential.Differential.start(impl)
    return run


def _instrumented(include: list[str]) -> contextlib.AbstractContextManager[Any]:
    """Return atheris's context in which imports of these packages are instrumented."""
    if not has_coverage():
        return contextlib.nullcontext()
    import atheris  # noqa: PLC0415

    context: contextlib.AbstractContextManager[Any] = atheris.instrument_imports(include=include)
    return context


def _forget(*packages: str) -> None:
    """Forget modules of these packages, so that they are imported again, with coverage."""
    own = {"toolcode_fuzz", "toolcode_fuzz.__main__", __name__}
    for name in [n for n in sys.modules if n.split(".")[0] in packages and n not in own]:
        del sys.modules[name]


def plain(recorder: Recorder, folders: list[Path], seconds: float, seed: int) -> None:
    """Mutate seeds without coverage until time is up: every seed once, then chains of mutations.

    Args:
        recorder: What runs an input.
        folders: Where inputs lie that are worth mutating.
        seconds: How long.
        seed: The same seed makes the same inputs; 0 is another one every time.
    """
    chance = random.Random(seed or None)  # noqa: S311 - a search, no secret
    pool = [p.read_bytes() for folder in folders for p in sorted(folder.glob("*"))] or [b""]
    until, shown = time.monotonic() + seconds, 0.0
    for data in pool:
        recorder(data)
        shown = _progress(recorder, shown)
        if time.monotonic() > until:
            return
    while time.monotonic() < until:
        data = chance.choice(pool)
        for _ in range(chance.randint(1, 4)):
            data = grammar.mutate(data, MOST, chance.randrange(1 << 30))
        if chance.random() < 0.1:  # noqa: PLR2004
            data = grammar.cross(data, chance.choice(pool), MOST, chance.randrange(1 << 30))
        recorder(data)
        shown = _progress(recorder, shown)
    _progress(recorder, 0.0)


def _progress(recorder: Recorder, shown: float) -> float:
    """Say how far it is, in libFuzzer's words, once a second."""
    now = time.monotonic()
    if now - shown < _REPORT_EVERY:
        return shown
    print(f"#{recorder.runs}\tpulse  cov: 0 ft: 0", file=sys.stderr, flush=True)
    return now
