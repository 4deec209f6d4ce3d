"""Three ways to reach an implementation, behind one method: ask, and get the checked result."""

from __future__ import annotations

import itertools
import queue
import subprocess
import threading
from typing import TYPE_CHECKING, Any, Protocol

from toolcode_conformance.answers import check_filter, result_of
from toolcode_conformance.errors import StartError
from toolcode_conformance.faults import Fault
from toolcode_conformance.jsonlines import decode, encode
from toolcode_conformance.process import STDERR_LIMIT, Child, kill_group, spawn

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

_GRACE_FOR_STRAY = 0.002
_MAX_STARTS_IN_A_ROW = 3


class Client(Protocol):
    """An implementation that can be asked."""

    @property
    def exchanges(self) -> int:
        """How many requests were sent so far."""
        ...

    def ask(self, request: dict[str, Any], timeout: float) -> dict[str, Any]:
        """Return the result of one request (its `id` is added).

        Raises:
            Fault: The implementation broke off or broke the protocol; it will be restarted.
            NotOfferedError: It says `unsupported`.
        """
        ...

    def settle(self) -> None:
        """After a case: raise a Fault if the implementation said more than it was asked."""
        ...

    def close(self) -> None:
        """End whatever was started."""
        ...


def decode_line(line: bytes) -> Any:  # noqa: ANN401  checked by the caller
    """Return the JSON value of a line.

    Raises:
        Fault: garbage (no JSON) or undecodable (no UTF-8).
    """
    try:
        return decode(line.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise Fault(
            "undecodable", f"the answer is no UTF-8 at byte {error.start}: {line[:100]!a}"
        ) from None
    except ValueError as error:
        raise Fault(
            "garbage", f"the answer is no JSON ({error}): {line[:200].decode('utf-8', 'replace')!a}"
        ) from None


class AdapterClient:
    """A persistent process that answers one JSON object a line."""

    def __init__(self, command: Sequence[str], folder: Path | None = None) -> None:
        self.exchanges = 0
        self.command = list(command)
        self.folder = folder
        self._ids = itertools.count(1)
        self._failed_starts = 0
        self._child: Child | None = Child(self.command, folder)

    def _running(self, timeout: float) -> Child:
        if self._child is None:
            if self._failed_starts >= _MAX_STARTS_IN_A_ROW:
                raise Fault(
                    "would-not-restart",
                    f"gave up after {self._failed_starts} restarts in a row that answered nothing",
                )
            try:
                self._child = Child(self.command, self.folder)
                self._exchange(self._child, {"op": "hello", "protocol": 1}, timeout, 0)
            except (StartError, Fault) as error:
                self._failed_starts += 1
                self._drop()
                raise Fault("would-not-restart", f"could not be restarted: {error}") from error
        return self._child

    def ask(self, request: dict[str, Any], timeout: float) -> dict[str, Any]:
        """See `Client`."""
        child = self._running(timeout)
        number = 0 if request["op"] == "hello" else next(self._ids)
        try:
            answer = self._exchange(child, request, timeout, number)
            _no_repeat(answer, number)
            result: dict[str, Any] = result_of(answer, number)
        except Fault as fault:
            if fault.verdict != "error":
                self._drop()
            raise
        self._failed_starts = 0
        return result

    def _exchange(
        self,
        child: Child,
        request: dict[str, Any],
        timeout: float,
        number: int,
    ) -> Any:  # noqa: ANN401  checked by the caller
        self._no_stray(child, 0)
        self.exchanges += 1
        line = encode({"id": number, **request}).encode()
        return decode_line(child.ask(line, timeout))

    def _no_stray(self, child: Child, wait: float) -> None:
        line = child.stray(wait)
        if line is not None:
            self._drop()
            raise Fault("extra-line", f"wrote a line that answers nothing: {line[:200]!a}")

    def settle(self) -> None:
        """See `Client`."""
        if self._child is not None:
            self._no_stray(self._child, _GRACE_FOR_STRAY)

    def _drop(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            child.close(grace=0)

    def close(self) -> None:
        """See `Client`."""
        child, self._child = self._child, None
        if child is not None:
            child.close()


def _no_repeat(answer: object, number: int) -> None:
    """Tell a late second answer to an earlier request from an answer with a made-up id."""
    other = answer.get("id") if isinstance(answer, dict) else None
    if isinstance(other, int) and 0 <= other < number:
        raise Fault(
            "extra-line",
            f"answered the request with id {other} a second time, so that line answers nothing",
        )


class FilterClient:
    """A command that is started once per text: text on stdin, JSON on stdout, exit 0."""

    def __init__(self, command: Sequence[str], folder: Path | None = None) -> None:
        self.exchanges = 0
        self.command = list(command)
        self.folder = folder

    def ask(self, request: dict[str, Any], timeout: float) -> dict[str, Any]:
        """See `Client`; the result is the filter's own object, `segments` or `calls`."""
        text = request["text"] if "text" in request else "".join(request["chunks"])
        self.exchanges += 1
        out = run_once(self.command, self.folder, text.encode("utf-8"), timeout)
        return check_filter(decode_line(out))

    def settle(self) -> None:
        """See `Client`; nothing runs between cases."""

    def close(self) -> None:
        """See `Client`; nothing runs between cases."""


def run_once(
    command: Sequence[str],
    folder: Path | None,
    data: bytes,
    timeout: float,
    *,
    code_matters: bool = True,
) -> bytes:
    """Run a command to its end and return its stdout.

    Raises:
        StartError: It cannot be started.
        Fault: timeout, stderr-flood, or exit (a code other than 0, if that matters).
    """
    process = spawn(command, folder)
    try:
        out, err = process.communicate(data, timeout)
    except subprocess.TimeoutExpired:
        raise Fault("timeout", f"did not end within {timeout:g} s") from None
    finally:
        kill_group(process)
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe:
                pipe.close()
    if len(err) > STDERR_LIMIT:
        raise Fault("stderr-flood", f"wrote {len(err)} bytes to stderr")
    if process.returncode and code_matters:
        said = ascii(err.decode("utf-8", "replace").strip()[-300:])
        raise Fault("exit", f"ended with exit code {process.returncode}; stderr: {said}")
    return out


class Handler(Protocol):
    """What a `python:` factory returns."""

    def handle(self, request: dict[str, Any]) -> dict[str, Any]:
        """Answer one message of the protocol."""
        ...


class PythonClient:
    """A handler in this process, in a thread of its own so that a hang costs its time limit."""

    def __init__(self, factory: Callable[[], Handler]) -> None:
        self.exchanges = 0
        self._factory = factory
        self._ids = itertools.count(1)
        self._start()

    def _start(self) -> None:
        self._requests: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._answers: queue.Queue[Any] = queue.Queue()
        threading.Thread(
            target=_serve_thread,
            daemon=True,
            args=(self._factory(), self._requests, self._answers),
        ).start()

    def ask(self, request: dict[str, Any], timeout: float) -> dict[str, Any]:
        """See `Client`; an exception of the handler is the verdict `error`."""
        self.exchanges += 1
        number = 0 if request["op"] == "hello" else next(self._ids)
        self._requests.put({"id": number, **request})
        try:
            answer = self._answers.get(timeout=timeout)
        except queue.Empty:
            # The thread cannot be ended; it is left behind, and its answer with it.
            self._start()
            raise Fault("timeout", f"no answer within {timeout:g} s") from None
        if isinstance(answer, Exception):
            raise Fault("error", f"raised {type(answer).__name__}: {str(answer)[:500]}")
        result: dict[str, Any] = result_of(answer, number)
        return result

    def settle(self) -> None:
        """See `Client`; a handler returns once per request."""

    def close(self) -> None:
        """See `Client`."""
        self._requests.put(None)


def _serve_thread(
    handler: Handler,
    requests: queue.Queue[dict[str, Any] | None],
    answers: queue.Queue[Any],
) -> None:
    for request in iter(requests.get, None):
        try:
            answers.put(handler.handle(request))
        except Exception as error:  # noqa: BLE001  whatever it raises is the verdict on it
            answers.put(error)
