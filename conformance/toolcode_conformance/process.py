"""A child process that answers line by line, watched so that it can never stall the harness.

Threads do all reading and writing: a child that fills stderr, never reads its stdin, or stops in
the middle of a line only ever costs its time limit. Each child leads its own process group, and
the whole group dies with it.
"""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from typing import IO, TYPE_CHECKING, Any, Final

from toolcode_conformance.errors import StartError
from toolcode_conformance.faults import Fault

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

STDERR_LIMIT: Final = 1 << 20
"""Bytes of stderr within one exchange that count as a flood."""
_LINE_LIMIT: Final = 1 << 28
_TAIL: Final = 2000
_READ: Final = 1 << 16


def spawn(command: Sequence[str], folder: Path | None) -> subprocess.Popen[bytes]:
    """Start a command with all three pipes, in a process group of its own.

    Raises:
        StartError: It cannot be started.
    """
    own_group: dict[str, Any] = {"start_new_session": True}
    if sys.platform == "win32":
        own_group = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    try:
        return subprocess.Popen(  # noqa: S603  the user names the command
            list(command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=folder,
            bufsize=0,
            **own_group,
        )
    except OSError as error:
        raise StartError(
            f"cannot start {' '.join(command)!r}: {error.strerror or error}"
        ) from error


def kill_group(process: subprocess.Popen[bytes]) -> None:
    """End a child and everything it started."""
    if sys.platform == "win32":
        process.kill()
    else:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()


class Child:
    """A running adapter process."""

    def __init__(self, command: Sequence[str], folder: Path | None) -> None:
        self._process = spawn(command, folder)
        # No SimpleQueue: its `get` waits forever when it is woken for nothing just as a short
        # timeout runs out (seen on CPython 3.11, once in some 100,000 waits of 2 ms).
        self._lines: queue.Queue[bytes | None] = queue.Queue()
        self._to_write: queue.Queue[bytes | None] = queue.Queue()
        self._partial = 0
        self._stderr_count = 0
        self._stderr_tail = b""
        self._stderr_done = threading.Event()
        self._threads = [
            threading.Thread(target=target, daemon=True)
            for target in (self._read_lines, self._read_stderr, self._write)
        ]
        for thread in self._threads:
            thread.start()

    def _pipe(self, name: str) -> IO[bytes]:
        pipe: IO[bytes] = getattr(self._process, name)
        return pipe

    def _read_lines(self) -> None:
        pending: list[bytes] = []
        for data in iter(lambda: _read(self._pipe("stdout")), b""):
            *lines, rest = data.split(b"\n")
            for line in lines:
                self._lines.put(b"".join([*pending, line]))
                pending.clear()
                self._partial = 0
            if rest:
                pending.append(rest)
                self._partial += len(rest)
            if self._partial > _LINE_LIMIT:
                break
        self._lines.put(None)

    def _read_stderr(self) -> None:
        for data in iter(lambda: _read(self._pipe("stderr")), b""):
            self._stderr_count += len(data)
            self._stderr_tail = (self._stderr_tail + data)[-_TAIL:]
        self._stderr_done.set()

    def _write(self) -> None:
        pipe = self._pipe("stdin")
        # A child that is gone says so on stdout; the write has nothing to add.
        with contextlib.suppress(OSError, ValueError):
            for data in iter(self._to_write.get, None):
                view = memoryview(data)
                while view:
                    view = view[pipe.write(view) :]
        with contextlib.suppress(OSError):
            pipe.close()

    def stray(self, wait: float = 0.0) -> bytes | None:
        """Return a line nobody asked for, waiting up to `wait` seconds for one, else None."""
        try:
            return self._lines.get(timeout=wait) if wait else self._lines.get_nowait()
        except queue.Empty:
            return None

    def ask(self, line: bytes, timeout: float) -> bytes:
        """Send one line and return the line that answers it.

        Args:
            line: Without its line feed.
            timeout: Seconds.

        Raises:
            Fault: exit, timeout, no-newline, stderr-flood or garbage (an endless line).
        """
        self._stderr_count = 0
        self._to_write.put(line + b"\n")
        deadline = time.monotonic() + timeout
        while True:
            self._check_flood()
            left = deadline - time.monotonic()
            if left <= 0:
                raise self._late(timeout)
            try:
                answer = self._lines.get(timeout=min(left, 0.25))
            except queue.Empty:
                continue
            if answer is None:
                raise self._gone()
            self._check_flood()
            return answer

    def _check_flood(self) -> None:
        if self._stderr_count > STDERR_LIMIT:
            raise Fault(
                "stderr-flood",
                f"wrote more than {STDERR_LIMIT} bytes to stderr in one "
                f"exchange, the last being {self._tail()}",
            )

    def _late(self, timeout: float) -> Fault:
        if self._partial:
            return Fault(
                "no-newline", f"wrote {self._partial} bytes, no line: flush? (waited {timeout:g} s)"
            )
        return Fault(
            "timeout", f"no answer within {timeout:g} s (does it flush each line?)" + self._said()
        )

    def _gone(self) -> Fault:
        if self._partial > _LINE_LIMIT:
            return Fault("garbage", f"wrote more than {_LINE_LIMIT} bytes without a line")
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(2)
        self._stderr_done.wait(1)
        code = self._process.returncode
        how = "closed its stdout" if code is None else f"ended with exit code {code}"
        rest = f" after {self._partial} bytes without a line end" if self._partial else ""
        return Fault("exit", f"the process {how}{rest} before it answered{self._said()}")

    def _said(self) -> str:
        return f"; stderr: {self._tail()}" if self._stderr_tail else ""

    def _tail(self) -> str:
        return ascii(self._stderr_tail.decode("utf-8", "replace").strip()[-300:])

    def close(self, grace: float = 0.5) -> None:
        """Close stdin, wait `grace` seconds for an orderly end, then end the whole group."""
        self._to_write.put(None)
        if grace:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(grace)
        kill_group(self._process)
        for thread in self._threads:
            thread.join(1)
        if not any(thread.is_alive() for thread in self._threads):
            self._pipe("stdout").close()
            self._pipe("stderr").close()


def _read(pipe: IO[bytes]) -> bytes:
    try:
        return pipe.read(_READ) or b""
    except (OSError, ValueError):
        return b""
