"""Run parsers, each in a process of its own, two at a time, and keep what came."""

from __future__ import annotations

import concurrent.futures
import datetime as dt
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from toolcode_conformance import expectations, implementation, peers, places
from toolcode_conformance.errors import UsageError
from toolcode_conformance.matrix import store

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from toolcode_conformance.expectations import Expectation

_PER_RUN: Final = 1_500_000
"""Kilobytes of memory that one run may need: the largest parsers import a deep-learning library."""

_AS_EXPECTED, _UNEXPECTED, _WOULD_NOT_START = 0, 1, 4
_REFERENCE: Final = re.compile(r"as (?:in )?([a-z0-9.*-]+)(, .*)?")
_SAID: Final = 300
_GLANCE: Final = 1.0
_GRACE: Final = 15.0


@dataclass(frozen=True, slots=True)
class Subject:
    """A parser to run: its name in reports, the word for `--impl`, and its known failures."""

    name: str
    impl: str
    expectations: Path | None = None


@dataclass(frozen=True, slots=True)
class Settings:
    """How every parser is run; `limit` is the seconds that a whole run may take."""

    folder: Path
    chunks: str = "standard"
    limit: float = 1800.0
    timeout: float | None = None
    corpus: Path | None = None
    jobs: int = 2


@dataclass(frozen=True, slots=True)
class Ran:
    """What came of one run: `state` is expected, unexpected, skipped or broken."""

    subject: Subject
    state: str
    text: str
    seconds: float


def subjects(names: Sequence[str]) -> list[Subject]:
    """Return the known adapters of these names, or all of them.

    Raises:
        UsageError: A name is not a known adapter's.
    """
    known = implementation.known_adapters()
    for name in names:
        if name not in known:
            raise UsageError(f"{name!r} is no adapter; there are {', '.join(known)}")
    found = []
    for name in names or known:
        path = places.adapters_dir() / name / "expectations.txt"
        found.append(Subject(name, name, path if path.is_file() else None))
    return found


def cause(lines: Sequence[Expectation], case_id: str) -> str:
    """Return why a case is expected to fail, `""` if it is not.

    A reason that refers to another line (`CALL.1: as group.x`) gives that line's, and what it
    adds to it.
    """
    line = expectations.find(lines, case_id)
    if line is None:
        return ""
    match = _REFERENCE.fullmatch(line.reason.partition(": ")[2])
    if not match:
        return line.reason
    given = match[1].split(".")
    whole = ".".join([*line.glob.split(".")[: 3 - len(given)], *given])
    other = next((other.reason for other in lines if other.glob == whole), None)
    return other + (match[2] or "") if other else line.reason


def jobs_that_fit(wanted: int) -> int:
    """Return how many runs fit into the free memory, at least one and at most `wanted`."""
    try:
        text = Path("/proc/meminfo").read_text("ascii")
    except OSError:
        return wanted
    free = re.search(r"MemAvailable:\s+(\d+) kB", text)
    return max(1, min(wanted, int(free[1]) // _PER_RUN)) if free else wanted


def run_all(
    chosen: Sequence[Subject],
    settings: Settings,
    say: Callable[[str], None],
) -> list[Ran]:
    """Run all subjects, a few at a time, and write a result file for each that ran to its end.

    Whatever interrupts it ends the runs that are under way, and starts no other.
    """
    done = 0
    lock = threading.Lock()
    stop = threading.Event()

    def one(subject: Subject) -> Ran:
        nonlocal done
        if stop.is_set():
            return Ran(subject, "broken", "not started", 0.0)
        try:
            say(f"{subject.name}: started")
            ran = run(subject, settings, stop)
        except BaseException:
            stop.set()  # before this thread takes the next one
            raise
        with lock:
            done += 1
            say(f"[{done}/{len(chosen)}] {subject.name}: {ran.text} ({ran.seconds:.0f} s)")
        return ran

    with concurrent.futures.ThreadPoolExecutor(jobs_that_fit(settings.jobs)) as pool:
        futures = [pool.submit(one, subject) for subject in chosen]
        try:
            ended, _ = concurrent.futures.wait(
                futures, return_when=concurrent.futures.FIRST_EXCEPTION
            )
            # An error first: in the order of the subjects, one that never ends might come before.
            for future in ended:
                future.result()
            return [future.result() for future in futures]
        finally:
            stop.set()
            pool.shutdown(cancel_futures=True)


def run(subject: Subject, settings: Settings, stop: threading.Event) -> Ran:
    """Run one subject and write its result file, unless it did not start or did not end."""
    start = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="toolcode-matrix-") as scratch:
        found = Path(scratch) / "result.json"
        code, said = _process(_command(subject, settings, found), scratch, settings.limit, stop)
        state, text = _settle(subject, settings, found, code, said)
    return Ran(subject, state, text, time.monotonic() - start)


def _command(subject: Subject, settings: Settings, found: Path) -> list[str]:
    words = [sys.executable, "-m", "toolcode_conformance", "conformance", "-q"]
    words += ["--impl", subject.impl, "--chunks", settings.chunks, "--json", str(found)]
    if subject.expectations:
        words += ["--expectations", str(subject.expectations)]
    if settings.timeout:
        words += ["--timeout", str(settings.timeout)]
    if settings.corpus:
        words += ["--corpus", str(settings.corpus)]
    return words


def _process(
    words: Sequence[str], folder: str, limit: float, stop: threading.Event
) -> tuple[int | None, str]:
    """Run a command and return its exit code, None when it was ended, and its last line."""
    process = subprocess.Popen(  # noqa: S603  our own command
        words,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    deadline = time.monotonic() + limit
    while True:
        try:
            out, _ = process.communicate(timeout=_GLANCE)
            break
        except subprocess.TimeoutExpired:
            if stop.is_set() or time.monotonic() > deadline:
                _end(process)
                return None, ""
    lines = [line for line in out.decode("utf-8", "replace").splitlines() if line.strip()]
    return process.returncode, lines[-1][:_SAID] if lines else ""


def _end(process: subprocess.Popen[bytes]) -> None:
    if sys.platform == "win32":
        process.kill()
    else:
        # The run ends its parser when it is interrupted; killed, it would leave it behind.
        os.killpg(process.pid, signal.SIGINT)
        try:
            process.communicate(timeout=_GRACE)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


def _installed(name: str) -> bool:
    recipe = peers.recipes().get(name)
    return recipe is not None and recipe.installed


def _settle(
    subject: Subject,
    settings: Settings,
    found: Path,
    code: int | None,
    said: str,
) -> tuple[str, str]:
    if code is None:
        return "broken", f"did not end within {settings.limit:.0f} s"
    if code == _WOULD_NOT_START and _installed(subject.name):
        return "broken", f"is installed, but would not start: {said}"
    if code == _WOULD_NOT_START:
        return "skipped", f"not set up, skipped: {said}"
    if code not in {_AS_EXPECTED, _UNEXPECTED} or not found.is_file():
        return "broken", f"ended with {code}: {said}"
    lines = expectations.read(subject.expectations) if subject.expectations else []
    result = store.from_run(
        json.loads(found.read_text("utf-8")),
        name=subject.name,
        date=dt.datetime.now(dt.UTC).date().isoformat(),
        chunks=settings.chunks,
        cause_of=lambda case_id: cause(lines, case_id),
    )
    if code == _UNEXPECTED and not result.unexpected:
        result.unexpected["expectations"] = said
    settings.folder.mkdir(parents=True, exist_ok=True)
    (settings.folder / f"{subject.name}.json").write_text(store.dump(result), "ascii")
    counted = f"{len(result.verdicts)} cases, {len(result.failures)} fail"
    if not result.unexpected:
        return "expected", f"{counted}, all as expected"
    few = ", ".join(sorted(result.unexpected)[:5])
    return "unexpected", f"{counted}, {len(result.unexpected)} not as expected: {few}"
