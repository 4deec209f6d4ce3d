"""The parsers that are timed, asked in turn: Python's share one process, Node.js has its own."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Any, Self

from toolcode_conformance.places import adapters_dir

if TYPE_CHECKING:
    from collections.abc import Iterator


class Worker:
    """A running process that times what it is asked to."""

    def __init__(self, name: str, command: list[str]) -> None:
        self.name = name
        self._process = subprocess.Popen(  # noqa: S603 - our own workers
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
        )

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """Send a request and wait for its answer.

        Raises:
            RuntimeError: The worker ended.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"bench: {self.name} ended with exit {self._process.wait()}")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()


class Peer:
    """One parser of a worker."""

    def __init__(self, worker: Worker, name: str) -> None:
        self.name = name
        self._worker = worker

    def named(self, name: str) -> Peer:
        """Return another parser of the same worker."""
        return Peer(self._worker, name)

    def ask(self, **request: object) -> dict[str, Any]:
        """Put a request about this parser."""
        return self._worker.ask({"parser": self.name, **request})

    def seconds(self, messages: list[list[str]], seconds: float) -> float | None:
        """Return the best time for messages, None where the parser cannot read them."""
        found = self.ask(messages=messages, seconds=seconds).get("seconds")
        return None if found is None else float(found)

    def feeds(self, text: str, chunk: int, seconds: float) -> float:
        """Return the best time to feed a text in slices."""
        return float(self.ask(text=text, chunk=chunk, seconds=seconds)["seconds"])


def python_worker() -> Worker:
    """Start the worker of the Python parsers."""
    return Worker("python", [sys.executable, "-m", "toolcode_conformance.bench.worker"])


def python_peers(worker: Worker) -> Iterator[Peer]:
    """Yield the Python parsers, the reference first."""
    for name in ("reference", "first-fence", "ast"):
        yield Peer(worker, name)


def omp_worker() -> Worker | str:
    """Start oh-my-pi's scanner, or say in one line why it is left out."""
    folder = adapters_dir() / "omp"
    node = shutil.which("node")
    if node is None:
        return "omp is left out: Node.js is not installed"
    if not (folder / ".cache" / "omp.mjs").exists():
        return "omp is left out: run `make omp` first"
    return Worker("omp", [node, str(folder / "bench.mjs")])
