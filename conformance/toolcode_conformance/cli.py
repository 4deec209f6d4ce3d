"""The command `toolcode`.

Exit codes: 0 as expected, 1 unexpected failure or stale expectation, 2 usage or nothing selected,
3 incomplete, 4 the implementation would not start.
"""

from __future__ import annotations

import argparse
import sys

from toolcode_conformance import cli_corpus
from toolcode_conformance.errors import HarnessError, StartError, UsageError


def main(arguments: list[str] | None = None) -> int:
    """Run one command and return its exit code."""
    parser = argparse.ArgumentParser(prog="toolcode", description=__doc__.split("\n", 1)[0])
    commands = parser.add_subparsers(dest="command", required=True)
    cli_corpus.add_parser(commands)
    options = parser.parse_args(arguments)
    try:
        return int(options.run(options))
    except StartError as error:
        sys.stderr.write(f"toolcode: {error}\n")
        return 4
    except UsageError as error:
        sys.stderr.write(f"toolcode: {error}\n")
        return 2
    except HarnessError as error:
        sys.stderr.write(f"toolcode: {error}\n")
        return 1
