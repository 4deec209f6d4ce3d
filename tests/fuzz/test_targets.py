"""Each target finds a bug that was planted in a copy, and kept findings stay fixed."""

from __future__ import annotations

import random
import types
from typing import TYPE_CHECKING, Any

import pytest

import toolcode
from toolcode.runtime import gemma4, transcript
from toolcode.runtime.leaks import recover
from toolcode_conformance.cases import make_case
from toolcode_conformance.errors import CorpusError
from toolcode_fuzz import findings, grammar, inputs, seeds, targets
from toolcode_fuzz.harness_targets import READERS

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

RUNS = 4000


def found_in(target: Callable[..., None], parser: Any, name: str) -> bytes | None:
    """What mutated seeds find, without an engine and always the same."""
    chance = random.Random(7)  # noqa: S311 - the same search every time
    pool = list(seeds.seeds(name)) or [b""]
    for _ in range(RUNS):
        data = chance.choice(pool)
        for _ in range(chance.randint(0, 3)):
            data = grammar.mutate(data, 800, chance.randrange(1 << 30))
        try:
            target(data, parser)
        except Exception:  # noqa: BLE001 - the reference raises nothing, so it is the bug
            return data
    return None


def changed(module: types.ModuleType, **members: Any) -> types.ModuleType:
    copy = types.ModuleType(module.__name__)
    copy.__dict__.update({**vars(module), **members})
    return copy


class Forgetful(toolcode.Scanner):
    """Loses a chunk that is one character."""

    def feed(self, text: str) -> list[Any]:
        return [] if len(text) == 1 else super().feed(text)


class ForgetfulGemma(gemma4.Scanner):
    def feed(self, text: str) -> list[Any]:
        return [] if len(text) == 1 else super().feed(text)


def floats(text: str, **options: Any) -> list[Any]:
    events = toolcode.scan(text, **options)
    for event in events:
        if isinstance(event, toolcode.Call):
            event.arguments = {k: v + 1 if v == 1 else v for k, v in event.arguments.items()}
    return events


def no_fences(**parts: Any) -> str:
    return toolcode.render_message(**parts).replace("\\x60", "`")


def silent(text: str, **options: Any) -> list[Any]:
    return [] if "thinking" in text else toolcode.scan(text, **options)


def inventive(text: str, **options: Any) -> Any:
    found = recover(text, **options)
    calls = [type(call)("launch", call.arguments, None, "undeclared") for call in found.calls]
    return types.SimpleNamespace(calls=calls)


def one_id(data: bytes) -> Any:
    value = READERS.decode_line(data)
    return {**value, "id": 2} if isinstance(value, dict) and value.get("id") == 1 else value


def reader(**members: Any) -> Any:
    return types.SimpleNamespace(**{**vars(READERS), **members})


def unchecked(raw: dict[str, Any], **about: Any) -> Any:
    """Knows only the keys it happened to meet."""
    return make_case({**raw, "input": raw["input"]}, **about)


def strict(raw: dict[str, Any], **about: Any) -> Any:
    """Refuses a short form that the schema offers."""
    if isinstance(raw.get("input"), dict) and "lines" in raw["input"]:
        raise CorpusError("no lines", key="input")
    return make_case(raw, **about)


BUGS: dict[str, Any] = {
    "scan": changed(toolcode, Scanner=Forgetful),
    "literals": changed(toolcode, scan=floats),
    "round-trip": changed(toolcode, render_message=no_fences),
    "thinking": changed(toolcode, scan=silent),
    "gemma": changed(gemma4, Scanner=ForgetfulGemma),
    "transcripts": changed(
        transcript, parse_transcript=lambda text: transcript.parse_transcript(text)[:1]
    ),
    "leaks": inventive,
    "protocol": reader(decode_line=one_id),
    "corpus": unchecked,
}
MORE: list[tuple[str, Any]] = [
    ("protocol", reader(encode=lambda value: READERS.encode(value).replace("\\\\u", "u"))),
    ("protocol", reader(deep=lambda text: READERS.deep(text.replace("1.", "2.")))),
    ("protocol", reader(result_of=lambda answer, _: answer["result"])),
    ("corpus", strict),
]


@pytest.mark.parametrize("name", BUGS)
def test_a_planted_bug_is_found(name: str) -> None:
    assert found_in(targets.TARGETS[name], BUGS[name], name) is not None


@pytest.mark.parametrize(("name", "parser"), MORE)
def test_more_planted_bugs_are_found(name: str, parser: Any) -> None:
    assert found_in(targets.TARGETS[name], parser, name) is not None


def test_every_target_has_a_bug_to_find() -> None:
    assert BUGS.keys() == targets.TARGETS.keys()


def test_a_loader_without_a_message_is_found() -> None:
    class Wordless(CorpusError):  # noqa: N818
        def __str__(self) -> str:
            return ""

    def loader(*_: Any, **__: Any) -> None:
        raise Wordless("x")

    with pytest.raises(targets.Broken, match="without words"):
        targets.corpus(b'{"id": 1}', loader)


@pytest.mark.parametrize("name", targets.TARGETS)
def test_seeds_hold(name: str) -> None:
    for data in seeds.seeds(name):
        targets.replay(name, data)


@pytest.mark.parametrize(
    ("name", "path"), findings.kept(), ids=lambda value: getattr(value, "name", value)
)
def test_kept_findings_stay_fixed(name: str, path: Path) -> None:
    targets.replay(name, path.read_bytes())


def test_findings_are_grouped_and_made_small() -> None:
    def run(_: str, data: bytes) -> None:
        if b"x" in data and b"y" in data:
            raise targets.Broken(f"{len(data)} bytes hold both")

    data = b"\0" * inputs.HEAD + b"some text x, then more of it, then y and the end"
    first = findings.examine("scan", data, run)
    assert first is not None
    least = findings.minimised(first, run)
    assert least.data == b"\0" * inputs.HEAD + b"xy"
    assert least.signature == first.signature, "numbers are no part of it"
    assert "    | xy" in findings.shown(least)
    assert findings.examine("scan", data) is None, "the reference itself is sound"


def test_the_mutator_keeps_to_its_limits() -> None:
    data = b"\x01" * inputs.HEAD + "f(a='é')".encode()
    for seed in range(2000):
        new = grammar.mutate(data, 64, seed)
        assert inputs.HEAD <= len(new) <= 64
        assert new == grammar.mutate(data, 64, seed)
        data = new
        assert len(grammar.cross(data, new, 64, seed)) <= 64


def test_the_dictionary_is_libfuzzers() -> None:
    lines = grammar.dictionary().splitlines()
    assert len(lines) == len(grammar.PIECES)
    assert all(line.isascii() and line.count('"') == 2 for line in lines)
