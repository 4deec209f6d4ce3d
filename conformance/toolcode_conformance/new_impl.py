"""`toolcode new-impl`: a filter or adapter that already answers, to put a parser into."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from toolcode_conformance.errors import UsageError

if TYPE_CHECKING:
    import argparse

_TEMPLATES: Final = Path(__file__).resolve().parent / "templates"
LANGUAGES: Final = {"python": ("py", "python3"), "node": ("mjs", "node")}
"""Language to the ending of its files and the program that runs them."""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    one = commands.add_parser("new-impl", help="write a filter or adapter that already answers")
    one.add_argument("language", choices=list(LANGUAGES))
    one.add_argument("file", type=Path, help="the file to write; an existing one is left alone")
    kinds = one.add_mutually_exclusive_group()
    kinds.add_argument(
        "--filter", dest="kind", action="store_const", const="filter", help="started once a text"
    )
    kinds.add_argument(
        "--adapter", dest="kind", action="store_const", const="adapter", help="one process, streams"
    )
    one.set_defaults(run=run, kind="filter")


def run(options: argparse.Namespace) -> int:
    """Write the file, and say how to run the suite against it."""
    ending, program = LANGUAGES[options.language]
    path: Path = options.file
    if path.suffix != f".{ending}":
        raise UsageError(f"{path}: a file for {options.language} ends in .{ending}")
    source = (_TEMPLATES / f"{options.kind}.{ending}").read_text("utf-8")
    try:
        with path.open("x", encoding="utf-8", newline="\n") as file:
            file.write(source)
    except OSError as error:
        raise UsageError(f"{path}: not written: {error.strerror}") from error
    command = shlex.quote(f"{program} {shlex.quote(str(path))}")
    sys.stdout.write(
        f"{path}: written, a {options.kind} that takes everything for text\n"
        f"next: put your parser in, then: toolcode conformance --impl {command}\n"
    )
    return 0
