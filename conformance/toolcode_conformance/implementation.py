"""From the word after `--impl` to a greeted implementation.

A known adapter's name, `filter:CMD`, `adapter:CMD`, `python:package.module:factory`, or a bare
command, which is started once to see which of the two it is.
"""

from __future__ import annotations

import importlib
import json
import shlex
import shutil
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from toolcode_conformance import PROTOCOL, peer_host, places
from toolcode_conformance.clients import (
    AdapterClient,
    Client,
    FilterClient,
    PythonClient,
    decode_line,
    run_once,
)
from toolcode_conformance.errors import StartError, UsageError
from toolcode_conformance.faults import Fault, NotOfferedError
from toolcode_conformance.peers import site_of
from toolcode_conformance.tables import choices

if TYPE_CHECKING:
    from collections.abc import Sequence

START_TIMEOUT: Final = 20.0
_HELLO: Final = {"op": "hello", "protocol": PROTOCOL}
_THOUGHT: Final = "```thinking\nhm\n```\nhello"
_SPELLINGS: Final = "force it with filter:CMD or adapter:CMD"


@dataclass(slots=True)
class Implementation:
    """A greeted implementation.

    Attributes:
        spec: What the user wrote.
        label: The adapter's name, when it is a known one; it finds the expectations file.
        mode: adapter, filter or python.
        features: The forms it promises; empty means all.
        choices: What it declared; the probes add the rest.
        not_promised: Ids of cases and clauses, as globs, that its documentation never promises: an
            adapter's manifest says so.
    """

    spec: str
    label: str
    mode: str
    client: Client
    name: str = ""
    version: str = ""
    language: str = ""
    url: str = ""
    capabilities: frozenset[str] = frozenset({"scan"})
    features: frozenset[str] = frozenset()
    choices: dict[str, str] = field(default_factory=dict)
    timeout: float | None = None
    not_promised: tuple[str, ...] = ()


def connect(spec: str, wrap: Sequence[str] = ()) -> Implementation:
    """Start and greet what `spec` names.

    Args:
        spec: The word after `--impl`.
        wrap: Words to put before the command, a debugger's for example.

    Raises:
        StartError: It would not start, or did not answer the greeting as the protocol asks.
        UsageError: The word is no known adapter, prefix or command.
    """
    kind, _, rest = spec.partition(":")
    if kind == "python" and rest:
        return _greet(Implementation(spec, "", "python", _python_client(rest)))
    if kind in {"adapter", "filter"} and rest:
        return _from_command(spec, "", kind, [*wrap, *_words(rest)], None)
    manifest = places.adapters_dir() / spec / "adapter.json"
    if "/" not in spec and "\\" not in spec and spec and manifest.is_file():
        return _known(spec, manifest, wrap)
    words = _words(spec)
    if not shutil.which(words[0]):
        raise StartError(
            f"{spec!r} is neither a command nor one of the known adapters: "
            f"{', '.join(known_adapters())}"
        )
    return _from_command(spec, "", _probe(words), [*wrap, *words], None)


def _words(command: str) -> list[str]:
    try:
        words = shlex.split(command, posix=sys.platform != "win32")
    except ValueError as error:
        raise UsageError(f"--impl {command!r}: {error}") from error
    if not words:
        raise UsageError("--impl is empty: name an adapter or a command")
    return words


def known_adapters() -> list[str]:
    """Return the names of the adapters that lie in the clone or wheel."""
    return sorted(path.parent.name for path in places.adapters_dir().glob("*/adapter.json"))


def _known(name: str, manifest: Path, wrap: Sequence[str]) -> Implementation:
    raw = json.loads(manifest.read_text("utf-8"))
    setup = f"; to set it up, in {manifest.parent}: {raw['setup']}" if raw.get("setup") else ""
    site = site_of(name)
    if raw.get("peer") and site is None:
        raise StartError(f"adapter {name} is not installed; run: toolcode peers {name}")
    for program in raw.get("requires", []):
        if not shutil.which(program):
            raise StartError(f"adapter {name} needs {program}, which is not on PATH{setup}")
    try:
        if "python" in raw:
            folder = manifest.parent / raw.get("path", ".")
            impl = _greet(
                Implementation(name, name, "python", _python_client(raw["python"], folder))
            )
        else:
            known = {"{python}": sys.executable, "{host}": peer_host.__file__, "{site}": str(site)}
            words = [known.get(word, word) for word in raw["command"]]
            impl = _from_command(
                name, name, raw.get("mode", "adapter"), [*wrap, *words], manifest.parent
            )
    except StartError as error:
        raise StartError(f"adapter {name}: {error}{setup}") from error
    impl.timeout = raw.get("timeout")
    impl.not_promised = tuple(raw.get("not_promised", ()))
    if impl.mode == "filter":
        impl.name = raw["name"]
        impl.version = raw.get("version", "")
        impl.features = frozenset(raw.get("features", []))
        impl.choices = dict(raw.get("choices", {}))
    return impl


def _from_command(
    spec: str,
    label: str,
    mode: str,
    words: Sequence[str],
    folder: Path | None,
) -> Implementation:
    if mode == "adapter":
        return _greet(Implementation(spec, label, mode, AdapterClient(words, folder)))
    client = FilterClient(words, folder)
    impl = Implementation(spec, label, mode, client, name=Path(words[-1]).name)
    try:
        answer = client.ask({"op": "scan", "text": _THOUGHT}, START_TIMEOUT)
    except Fault as fault:
        raise StartError(f"the filter failed on its first text: {fault}") from fault
    # A filter has no greeting; whether it offers thinking shows in what it makes of a thought.
    if any("thinking" in segment for segment in answer.get("segments", [])):
        impl.capabilities |= {"thinking"}
    return impl


def _python_client(target: str, folder: Path | None = None) -> PythonClient:
    module_name, _, factory_name = target.partition(":")
    if not factory_name:
        raise UsageError(f"python:{target}: the spelling is python:package.module:factory")
    if folder is not None:
        sys.path.insert(0, str(folder))
    try:
        factory = getattr(importlib.import_module(module_name), factory_name)
        return PythonClient(factory)
    # Importing and calling foreign code may raise anything, and all of it means the same.
    except Exception as error:
        raise StartError(f"python:{target}: {type(error).__name__}: {error}") from error
    finally:
        if folder is not None:
            sys.path.remove(str(folder))


def _probe(words: Sequence[str]) -> str:
    """Tell an adapter from a filter by what it answers to one greeting and a closed stdin."""
    line = json.dumps({"id": 0, **_HELLO}).encode() + b"\n"
    try:
        out = run_once(words, None, line, START_TIMEOUT, code_matters=False)
    except Fault as fault:
        raise StartError(
            f"{shlex.join(words)} was neither adapter nor filter: {fault}; {_SPELLINGS}"
        ) from fault
    for text in (out.split(b"\n", 1)[0], out):
        try:
            value = decode_line(text)
        except Fault:
            continue
        if isinstance(value, dict) and isinstance(value.get("result"), dict):
            return "adapter"
        if isinstance(value, dict) and ("segments" in value or "calls" in value):
            return "filter"
    seen = ascii(out[:200].decode("utf-8", "replace")) if out else "nothing"
    raise StartError(
        f"{shlex.join(words)} was neither adapter nor filter: to a greeting it "
        f"answered {seen}; {_SPELLINGS}"
    )


def _greet(impl: Implementation) -> Implementation:
    # Imported late, so that replaying a filter needs no jsonschema.
    from toolcode_conformance.schemas import part_problems  # noqa: PLC0415

    try:
        result = impl.client.ask(dict(_HELLO), START_TIMEOUT)
    except (Fault, NotOfferedError) as error:
        impl.client.close()
        raise StartError(f"{impl.spec} did not answer the greeting: {error}") from error
    wrong = part_problems("protocol-answer", "hello", result)
    if wrong:
        impl.client.close()
        raise StartError(f"{impl.spec}: its hello breaks the schema: {'; '.join(wrong[:3])}")
    _fill(impl, result)
    return impl


def _fill(impl: Implementation, hello: Any) -> None:  # noqa: ANN401  checked by its schema
    who = hello["implementation"]
    impl.name = who["name"]
    impl.version = who.get("version", "")
    impl.language = who.get("language", "")
    impl.url = who.get("url", "")
    impl.capabilities = frozenset(hello["capabilities"])
    impl.features = frozenset(hello.get("features", []))
    impl.choices = dict(hello.get("choices", {}))
    for name, option in impl.choices.items():
        if name not in choices():
            impl.client.close()
            raise StartError(f"{impl.spec} declares an unknown choice {name!r}")
        if option not in choices()[name].options:
            impl.client.close()
            raise StartError(
                f"{impl.spec} declares {name}={option!r}; the options are "
                f"{', '.join(choices()[name].options)}"
            )
