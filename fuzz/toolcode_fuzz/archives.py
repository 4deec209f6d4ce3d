"""`python -m toolcode_fuzz.archives FOLDER --out OUT`: what OSS-Fuzz and ClusterFuzzLite want.

One entry point, seed archive, dictionary and options file for each target, named as the services
look for them: `fuzz_NAME.py`, `fuzz_NAME_seed_corpus.zip`, `fuzz_NAME.dict`, `fuzz_NAME.options`.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
import zipfile
from pathlib import Path
from typing import Final

from toolcode_fuzz import grammar, seeds
from toolcode_fuzz.engine import MOST
from toolcode_fuzz.targets import TARGETS

_EPOCH: Final = (1980, 1, 1, 0, 0, 0)  # the same bytes whenever it is built

_ENTRY: Final = '''"""Fuzz target {target}; made by toolcode_fuzz.archives."""

import sys

import atheris

with atheris.instrument_imports(include=["toolcode", "toolcode_conformance"]):
    from toolcode_fuzz import grammar, targets


def run(data):
    targets.replay({target!r}, data)


def mutated(data, most, seed):
    return grammar.mutate(data, most, seed) if seed & 1 else bytes(atheris.Mutate(data, most))


if __name__ == "__main__":
    atheris.Setup(sys.argv, run, custom_mutator=mutated, custom_crossover=grammar.cross)
    atheris.Fuzz()
'''

_OPTIONS: Final = f"""[libfuzzer]
max_len = {MOST}
timeout = 20
use_value_profile = 1
dict = {{name}}.dict
"""


def main(words: list[str] | None = None) -> int:
    """Write everything for every target."""
    parser = argparse.ArgumentParser(prog="toolcode_fuzz.archives", description=__doc__)
    parser.add_argument("entries", type=Path, help="folder for the entry points")
    parser.add_argument("--out", type=Path, required=True, help="folder for everything else")
    options = parser.parse_args(words)
    for folder in (options.entries, options.out):
        folder.mkdir(parents=True, exist_ok=True)
    for target in TARGETS:
        count = write(target, options.entries, options.out)
        print(f"{name_of(target)}: {count} seeds")
    return 0


def name_of(target: str) -> str:
    """Return a target's name with the services: it becomes a file's and a module's."""
    return "fuzz_" + target.replace("-", "_")


def write(target: str, entries: Path, out: Path) -> int:
    """Write one target's files; the number of its seeds comes back."""
    name = name_of(target)
    (entries / f"{name}.py").write_text(_ENTRY.format(target=target), "utf-8")
    (out / f"{name}.options").write_text(_OPTIONS.format(name=name), "utf-8")
    (out / f"{name}.dict").write_text(grammar.dictionary(), "utf-8")
    found = sorted(set(seeds.seeds(target)))
    with zipfile.ZipFile(out / f"{name}_seed_corpus.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for data in found:
            # Named as libFuzzer names inputs, so that merging finds the same one again.
            digest = hashlib.sha1(data, usedforsecurity=False).hexdigest()
            archive.writestr(zipfile.ZipInfo(digest, _EPOCH), data)
    return len(found)


if __name__ == "__main__":
    sys.exit(main())
