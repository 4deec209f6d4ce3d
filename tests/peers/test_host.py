"""The host of a foreign parser: what it answers, and what it does not let happen."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from toolcode_conformance import peer_host
from toolcode_conformance.peer_host import Deltas, Host, as_json, events, recorder

if TYPE_CHECKING:
    from pathlib import Path

MANIFEST = {
    "name": "made",
    "version": "1",
    "language": "Python",
    "url": "",
    "capabilities": ["scan", "streaming"],
    "features": ["list"],
    "choices": {"numbers": "double"},
}

PEER = """
import os
from toolcode_conformance.peer_host import events, recorder, stub

class Parser:
    def scan(self, text):
        if text == "write":
            open("made.txt", "w")
        if text == "remove":
            os.remove("made.txt")
        if text == "start":
            os.system("true")
        if text == "read":
            open(os.__file__).close()
        if text == "set":
            return events([{"name": "f", "arguments": {"a": {1}}}])
        if text == "open":
            os.open("made.txt", os.O_WRONLY | os.O_CREAT)
        if text == "key":
            return events([{"name": "f", "arguments": {(1, 2): 1}}])
        if text == "infinite":
            return events([{"name": "f", "arguments": '{"a": [1, Infinity]}'}])
        if text == "eval":
            recorder("6*7")
        if text == "where":
            return events([], os.getcwd())
        return events([{"name": "f", "arguments": '{"a": 1}'}], text)

PARSER = Parser()
"""


@pytest.fixture
def ask(tmp_path: Path) -> Any:
    """Put texts to a host that runs as an adapter does."""
    (tmp_path / "adapter.json").write_text(json.dumps(MANIFEST), "utf-8")
    (tmp_path / "peer.py").write_text(PEER, "utf-8")
    (tmp_path / "site").mkdir()

    def put(*texts: str) -> list[dict[str, Any]]:
        lines = [
            json.dumps({"id": number, "op": "scan", "chunks": [text]})
            for number, text in enumerate(texts)
        ]
        ran = subprocess.run(
            [sys.executable, "-I", "-S", peer_host.__file__, str(tmp_path / "site")],
            cwd=tmp_path,
            input="\n".join(lines) + "\n",
            capture_output=True,
            text=True,
            check=True,
        )
        assert ran.stderr == ""
        return [json.loads(line) for line in ran.stdout.splitlines()]

    return put


def test_a_parser_may_read_and_answer(ask: Any, tmp_path: Path) -> None:
    read, where, call = ask("read", "where", "hello")
    assert "result" in read
    scratch = tmp_path / "scratch"
    assert where["result"]["steps"][-1][0]["text"] == str(scratch)
    assert not list(scratch.iterdir())
    assert call["result"]["steps"] == [
        [],
        [{"text": "hello"}, {"call": {"name": "f", "arguments": {"a": 1}}}],
    ]


@pytest.mark.parametrize("text", ["write", "open", "remove", "start"])
def test_a_parser_may_not_touch_anything(ask: Any, tmp_path: Path, text: str) -> None:
    (answer,) = ask(text)
    assert answer["error"].startswith("PermissionError: the parser tried ")
    assert not (tmp_path / "made.txt").exists()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("set", "TypeError: a value is set {1}"),
        ("key", "TypeError: a key is tuple (1, 2)"),
        ("infinite", "TypeError: a value is float inf"),
        ("eval", "Evaluated: evaluates model output: 6*7"),
    ],
)
def test_what_is_no_json_and_what_would_run_is_an_error(ask: Any, text: str, said: str) -> None:
    (answer,) = ask(text)
    assert answer["error"] == said


def test_python_values_come_as_json_dumps_writes_them() -> None:
    given = {"a": (1, [(2,), {True: (), None: 1.5, 1e3: "x"}])}
    want = {"a": [1, [[2], {"true": [], "null": 1.5, "1000.0": "x"}]]}
    assert as_json(given) == want == json.loads(json.dumps(given))
    assert list(given) == ["a"], "the parser's own values are left alone"
    assert isinstance(given["a"], tuple)
    deep: list[Any] = []
    for _ in range(5000):
        deep = [deep]
    assert as_json(deep) is not None
    with pytest.raises(TypeError, match="a value is float nan"):
        as_json({"a": float("nan")})


class Streaming:
    """Gives each chunk as text, and the whole as one."""

    def scan(self, text: str) -> list[dict[str, Any]]:
        return events([], text)

    def stream(self) -> Streaming:
        return self

    def feed(self, chunk: str) -> list[dict[str, Any]]:
        return events([], chunk)

    def close(self) -> list[dict[str, Any]]:
        return [{"text": "end"}]


def test_one_chunk_goes_to_the_batch_reader_and_several_to_the_other() -> None:
    host = Host(Streaming(), MANIFEST)
    one = host.handle({"id": 1, "op": "scan", "chunks": ["ab"]})
    two = host.handle({"id": 2, "op": "scan", "chunks": ["a", "b"]})
    assert one["result"]["steps"] == [[], [{"text": "ab"}]]
    assert two["result"]["steps"] == [[{"text": "a"}], [{"text": "b"}], [{"text": "end"}]]
    hello = host.handle({"id": 0, "op": "hello", "protocol": 1})["result"]
    assert hello["capabilities"] == ["scan", "streaming"]
    assert hello["choices"] == {"numbers": "double"}
    assert "unsupported" in host.handle({"id": 3, "op": "render", "calls": []})


def test_deltas_give_a_call_once_its_arguments_are_whole() -> None:
    deltas = Deltas()
    assert deltas.take(0, "f", None) == []
    assert deltas.take(0, None, '{"a": ') == []
    assert deltas.take(0, None, "1}") == [{"call": {"name": "f", "arguments": {"a": 1}}}]
    assert deltas.take(0, None, "") == []
    with pytest.raises(ValueError, match="go on behind their end"):
        deltas.take(0, None, "2")


def test_the_recorder_says_what_would_have_run() -> None:
    with pytest.raises(peer_host.Evaluated, match=r"evaluates model output: 1\+1"):
        recorder("1+1")
