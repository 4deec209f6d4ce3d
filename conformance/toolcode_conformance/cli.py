"""The command `toolcode`.

Exit codes: 0 as expected, 1 unexpected failure or stale expectation, 2 usage or nothing selected,
3 incomplete, 4 the implementation would not start.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
from pathlib import Path
from typing import Final

from toolcode_conformance import cli_corpus, new_impl, peers, places, replay
from toolcode_conformance.chunking import LEVELS
from toolcode_conformance.data import command as data
from toolcode_conformance.errors import HarnessError, StartError, UsageError
from toolcode_conformance.leak_scan import command as leak_scan
from toolcode_conformance.matrix import command as matrix

_PLUGIN: Final = "toolcode_conformance.plugin"
_START_FAILED: Final = 40
# pytest's exit codes, and ours for them: interrupted, internal error, usage, nothing collected.
_CODES: Final = {2: 3, 3: 3, 4: 2, 5: 2, _START_FAILED: 4}


def conformance(arguments: list[str]) -> int:
    """Run the corpus with pytest and return our exit code."""
    try:
        import pytest  # noqa: PLC0415  the reference installs without it
    except ImportError:
        sys.stderr.write(
            "toolcode: running the suite needs pytest: pip install 'toolcode[conformance]'\n"
        )
        return 2
    folder = Path(__file__).resolve().parent
    try:
        root = places.corpus_dir().parent
    except UsageError as error:
        sys.stderr.write(f"toolcode: {error}\n")
        return 2
    code = pytest.main(
        [
            "-p",
            _PLUGIN,
            "-c",
            str(folder / "conformance.ini"),
            f"--rootdir={root}",
            "--noconftest",
            "-q",
            "-rN",
            "-o",
            f"cache_dir={Path.cwd() / '.cache' / 'conformance'}",
            *arguments,
        ]
    )
    if code == pytest.ExitCode.NO_TESTS_COLLECTED:
        sys.stderr.write("toolcode: no case was selected\n")
    return _CODES.get(int(code), int(code))


def _add_replay(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    one = commands.add_parser("replay", help="run one case again and show every step")
    one.add_argument("case", help="the case's id, perhaps with #cut=12")
    one.add_argument("--impl", default="reference", help="as for conformance")
    one.add_argument("--wrap", help="words to put before the command, such as 'gdb --args'")
    one.add_argument("--timeout", type=float, help="seconds per exchange")
    one.add_argument("--chunks", choices=list(LEVELS), default="standard")
    one.set_defaults(run=replay.run)
    one = commands.add_parser("explain", help="a clause of SPEC.md and the cases that test it")
    one.add_argument("clause", help="the clause's id, such as CALL.4, or a case's")
    one.set_defaults(run=replay.explain)


def main(arguments: list[str] | None = None) -> int:
    """Run one command and return its exit code."""
    parser = argparse.ArgumentParser(prog="toolcode", description=__doc__.split("\n", 1)[0])
    commands = parser.add_subparsers(dest="command", required=True)
    cli_corpus.add_parser(commands)
    peers.add_parser(commands)
    _add_replay(commands)
    matrix.add_parser(commands)
    data.add_parser(commands)
    leak_scan.add_parser(commands)
    new_impl.add_parser(commands)
    commands.add_parser("conformance", help="run the cases (takes pytest's options)")
    given = sys.argv[1:] if arguments is None else arguments
    # Texts of the corpus hold half surrogate pairs, and terminals know fewer characters still.
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        if given[:1] == ["conformance"]:
            code = conformance(given[1:])
        else:
            options = parser.parse_args(given)
            code = int(options.run(options))
        sys.stdout.flush()  # here, where a closed pipe can still be told from a failure
    except BrokenPipeError:
        # Whoever read our output has seen enough; the flush at exit must not complain again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 3
    except StartError as error:
        sys.stderr.write(f"toolcode: {error}\n")
        return 4
    except UsageError as error:
        sys.stderr.write(f"toolcode: {error}\n")
        return 2
    except HarnessError as error:
        sys.stderr.write(f"toolcode: {error}\n")
        return 1
    return code
