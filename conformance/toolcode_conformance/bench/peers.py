"""The parsers that are timed, each in a process of its own, asked in turn."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Any, Self

from toolcode_conformance.places import adapters_dir

if TYPE_CHECKING:
    from collections.abc import Iterator


class Peer:
    """One running worker."""

    def __init__(self, name: str, command: list[str], parser: str | None = None) -> None:
        self.name = name
        self._parser = parser
        self._process = subprocess.Popen(  # noqa: S603 - our own workers
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
        )

    def ask(self, **request: object) -> dict[str, Any]:
        """Send a request and wait for its answer.

        Raises:
            RuntimeError: The worker ended.
        """
        if self._parser:
            request["parser"] = self._parser
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"bench: {self.name} ended with exit {self._process.wait()}")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def seconds(self, text: str, chunk: int, seconds: float) -> float | None:
        """Return the best time for a text, None where the parser cannot read it."""
        found = self.ask(text=text, chunk=chunk, seconds=seconds).get("seconds")
        return None if found is None else float(found)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()


def python_peers() -> Iterator[Peer]:
    """Start the Python parsers: the reference twice, `ast`, and bare `list.append`."""
    command = [sys.executable, "-m", "toolcode_conformance.bench.worker"]
    for name in ("reference", "first-fence", "ast", "append"):
        yield Peer(name, command, name)


def omp() -> Peer | str:
    """Start oh-my-pi's scanner, or say in one line why it is left out."""
    folder = adapters_dir() / "omp"
    node = shutil.which("node")
    if node is None:
        return "omp is left out: Node.js is not installed"
    if not (folder / ".cache" / "omp.mjs").exists():
        return "omp is left out: run `make omp` first"
    return Peer("omp", [node, str(folder / "bench.mjs")])
