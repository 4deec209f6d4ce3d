"""Runs somebody else's Python parser as an adapter, in a process of its own.

`python -I -S peer_host.py SITE`, in the adapter's folder: SITE holds the parser's packages and
nothing of ours. The adapter's `peer.py` says how the parser is called; this module answers the
protocol, keeps the parser from writing anywhere and from starting anything, and needs the standard
library alone.
"""

from __future__ import annotations

import json
import os
import runpy
import sys
import types
from math import isfinite
from pathlib import Path
from typing import Any, Final, Protocol

Call = dict[str, Any]
"""`{"name": .., "arguments": {..}}`; the arguments may be JSON text, as serving engines give it."""

_WRITES: Final = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_SCALARS: Final = (str, int, float, type(None))
_REFUSED: Final = (
    "subprocess.",
    "socket.",
    "shutil.",
    "os.system",
    "os.exec",
    "os.posix_spawn",
    "os.spawn",
    "os.fork",
    "os.remove",
    "os.rename",
    "os.rmdir",
    "os.mkdir",
    "os.link",
    "os.symlink",
    "os.chmod",
    "os.chown",
    "os.utime",
    "os.kill",
    "os.truncate",
    "signal.",
    "pty.",
    "urllib.",
    "ctypes.dlopen",
)


class Stream(Protocol):
    """One message in chunks."""

    def feed(self, chunk: str) -> list[dict[str, Any]]:
        """Return the events that a chunk brings."""

    def close(self) -> list[dict[str, Any]]:
        """Return the events that the end brings."""


class Parser(Protocol):
    """What `peer.py` gives as `PARSER`; one that streams has `stream()` as well."""

    def scan(self, text: str) -> list[dict[str, Any]]:
        """Return the events of a whole message."""


class Evaluated(Exception):  # noqa: N818 - a recorder's answer, which ends the reading
    """The parser was about to evaluate what the model wrote."""


def recorder(source: Any, *_: Any, **__: Any) -> Any:  # noqa: ANN401 - it stands for `eval`
    """Stand in the place of `eval`: what would have run is reported, and does not."""
    raise Evaluated(f"evaluates model output: {source if isinstance(source, str) else '(code)'}")


def stub(name: str, **members: Any) -> types.ModuleType:  # noqa: ANN401 - any member
    """Put a module in the place of one that parsing does not need; packages take submodules."""
    made = types.ModuleType(name)
    made.__dict__.update(members)
    made.__path__ = []
    sys.modules[name] = made
    parent, _, last = name.rpartition(".")
    if parent in sys.modules:
        setattr(sys.modules[parent], last, made)
    return made


def package(name: str, folder: str = "") -> None:
    """Let a package's modules be imported without its `__init__`, which wants the whole engine."""
    made = stub(name)
    made.__path__ = [str(Path(sys.path[0]) / (folder or name.replace(".", "/")))]


def events(calls: list[Call], text: str | None = "") -> list[dict[str, Any]]:
    """Events of a parser that gives what is no call apart from the calls."""
    before = [{"text": text}] if text else []
    return before + [{"call": _call(call)} for call in calls]


def _call(call: Call) -> Call:
    arguments = call["arguments"]
    if isinstance(arguments, str):
        arguments = json.loads(arguments)
    return {"name": call["name"], "arguments": arguments}


class Deltas:
    """Joins what engines stream for a call: its name first, then its arguments' JSON in pieces."""

    def __init__(self) -> None:
        self._names: dict[int, str] = {}
        self._texts: dict[int, str] = {}
        self._given: set[int] = set()

    def take(self, index: int, name: str | None, arguments: str | None) -> list[dict[str, Any]]:
        """Return the call as soon as its arguments are a whole object."""
        if name:
            self._names[index] = name
        self._texts[index] = self._texts.get(index, "") + (arguments or "")
        if index in self._given:
            if arguments and arguments.strip():
                raise ValueError(f"arguments go on behind their end: {arguments[:80]!r}")
            return []
        try:
            value = json.loads(self._texts[index])
        except ValueError:
            return []
        if not isinstance(value, dict) or index not in self._names:
            return []
        self._given.add(index)
        return [{"call": {"name": self._names[index], "arguments": value}}]


class Host:
    """Answers the protocol for one parser."""

    def __init__(self, parser: Parser, manifest: dict[str, Any]) -> None:
        self._parser = parser
        self._manifest = manifest

    def handle(self, request: dict[str, Any]) -> dict[str, Any]:
        """Answer one request."""
        number = request["id"]
        if request["op"] == "hello":
            return {"id": number, "result": self._hello()}
        if request["op"] != "scan":
            return {"id": number, "unsupported": f"only scans, no {request['op']}"}
        return {"id": number, "result": {"steps": self._steps(request["chunks"])}}

    def _hello(self) -> dict[str, Any]:
        who = {key: self._manifest[key] for key in ("name", "version", "language", "url")}
        told = {key: self._manifest.get(key, []) for key in ("capabilities", "features")}
        return {
            "protocol": 1,
            "implementation": who,
            **told,
            "choices": self._manifest.get("choices", {}),
        }

    def _steps(self, chunks: list[str]) -> list[list[dict[str, Any]]]:
        open_stream = getattr(self._parser, "stream", None)
        if open_stream is None or len(chunks) == 1:
            # One chunk is a whole message, which engines hand to their other reader.
            return [[], *([] for _ in chunks[1:]), self._parser.scan("".join(chunks))]
        stream: Stream = open_stream()
        return [*(stream.feed(chunk) for chunk in chunks), stream.close()]


def _guard(event: str, arguments: tuple[Any, ...]) -> None:
    """Refuse what reading never needs, so that a payload that is evaluated stays harmless."""
    # `os.open` has no mode and says in its flags what it wants; the builtin has both.
    writes = event == "open" and isinstance(arguments[2], int) and arguments[2] & _WRITES
    if writes or event.startswith(_REFUSED):
        raise PermissionError(f"the parser tried {event} {arguments[:1]!r}")


def as_json(root: Any) -> Any:  # noqa: ANN401 - whatever a parser gives
    """Return what `json.dumps` would write of a parser's Python values, without its depth limit.

    A tuple is a list and a number as key is its text, as for everybody who passes arguments on.
    What `json.dumps` refuses, or writes so that it is no JSON, is the parser's mistake.

    Raises:
        TypeError: A value or key that JSON does not have: a set, bytes, an infinity.
    """
    holder = [root]
    todo: list[Any] = [holder]
    while todo:
        made = todo.pop()
        for place, value in made.items() if isinstance(made, dict) else enumerate(made):
            if isinstance(value, (dict, list, tuple)):
                # Replaced in place while it is walked: no key is added or taken away.
                made[place] = copy = _copied(value)
                todo.append(copy)
            elif not isinstance(value, _SCALARS) or (
                isinstance(value, float) and not isfinite(value)
            ):
                raise TypeError(f"a value is {type(value).__name__} {value!r:.80}")
    return holder[0]


def _copied(value: dict[Any, Any] | list[Any] | tuple[Any, ...]) -> dict[str, Any] | list[Any]:
    if not isinstance(value, dict):
        return list(value)
    return {_key(key): item for key, item in value.items()}


def _key(key: Any) -> str:  # noqa: ANN401 - whatever a parser gives
    if isinstance(key, str):
        return key
    if isinstance(key, (int, float, type(None))):
        return json.dumps(key)
    raise TypeError(f"a key is {type(key).__name__} {key!r:.80}")


def main(site: str) -> None:
    """Answer requests from stdin until it ends."""
    package_folder = str(Path(__file__).resolve().parents[1])
    sys.path.insert(0, package_folder)
    from toolcode_conformance.serve import serve  # noqa: PLC0415 - only now is it found

    sys.path[0] = site
    # `peer.py` imports this module by its name; it is the one that runs.
    sys.modules["toolcode_conformance.peer_host"] = sys.modules["__main__"]
    manifest = json.loads(Path("adapter.json").read_text("utf-8"))
    parser = runpy.run_path("peer.py")["PARSER"]
    # An empty folder, so that what a payload may read by a relative name is nothing. It stays:
    # nobody may write to it, and the process may be killed before it could tidy up.
    scratch = Path(site).parent / "scratch"
    scratch.mkdir(exist_ok=True)
    os.chdir(scratch)
    sys.addaudithook(_guard)
    host = Host(parser, manifest)

    class Checked:
        def handle(self, request: dict[str, Any]) -> dict[str, Any]:
            answer: dict[str, Any] = as_json(host.handle(request))
            return answer

    serve(Checked())


if __name__ == "__main__":
    main(sys.argv[1])
