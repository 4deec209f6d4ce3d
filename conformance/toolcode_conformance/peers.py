"""`toolcode peers`: install the parsers of others side by side, each in a folder of its own.

An adapter with a `peer.json` wraps published Python packages. They are installed without their
dependencies, which are whole serving engines, at pinned versions; of a large one, only the named
folders are unpacked. What is installed is stamped, so that a second run has nothing to do.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from toolcode_conformance import places
from toolcode_conformance.errors import UsageError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

_STAMP: Final = "installed.json"
_MIB: Final = 1 << 20
_LAST: Final = 3


class InstallError(Exception):
    """A package could not be installed; the message is what pip said last."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """How one peer is installed.

    Attributes:
        name: The adapter's name.
        packages: `{"pin": "name==version", "only": [folders]}`; without `only`, the whole package.
        digest: Changes with the recipe.
    """

    name: str
    packages: tuple[dict[str, Any], ...]
    digest: str

    @property
    def folder(self) -> Path:
        """Where it is installed."""
        return places.peers_dir() / self.name

    @property
    def installed(self) -> bool:
        """Whether this very recipe is installed."""
        stamp = self.folder / _STAMP
        try:
            return bool(json.loads(stamp.read_text("utf-8"))["recipe"] == self.digest)
        except (OSError, ValueError, KeyError, TypeError):
            return False


def recipes() -> dict[str, Recipe]:
    """All recipes, by the adapter's name."""
    found = {}
    for path in sorted(places.adapters_dir().glob("*/peer.json")):
        data = path.read_bytes()
        packages = tuple(json.loads(data)["packages"])
        digest = hashlib.sha256(json.dumps(packages, sort_keys=True).encode()).hexdigest()[:16]
        found[path.parent.name] = Recipe(path.parent.name, packages, digest)
    return found


def site_of(name: str) -> Path | None:
    """Where a peer's packages lie, None where it is not installed."""
    recipe = recipes().get(name)
    return recipe.folder / "site" if recipe and recipe.installed else None


def install(recipe: Recipe) -> str:
    """Install one peer in a new folder, which then takes the old one's place.

    Returns:
        What was done, in one line.

    Raises:
        InstallError: pip failed.
    """
    begun = time.monotonic()
    places.peers_dir().mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=places.peers_dir(), prefix=".new-") as name:
        new = Path(name) / recipe.name
        new.mkdir()
        site, wheels = new / "site", new / "wheels"
        size = 0
        for package in recipe.packages:
            wheel = _download(package["pin"], wheels)
            size += wheel.stat().st_size
            _unpack(wheel, site, package.get("only"))
        shutil.rmtree(wheels)
        took = time.monotonic() - begun
        stamp = {"recipe": recipe.digest, "bytes": size, "seconds": round(took, 1)}
        (new / _STAMP).write_text(json.dumps(stamp) + "\n", "utf-8")
        shutil.rmtree(recipe.folder, ignore_errors=True)
        # In one step, or an interrupted copy would carry a stamp already.
        new.rename(recipe.folder)
    pins = ", ".join(package["pin"] for package in recipe.packages)
    return f"{pins}: {size / _MIB:.1f} MiB in {took:.1f} s"


def _download(pin: str, folder: Path) -> Path:
    """Fetch one wheel; pip knows where from."""
    before = set(folder.glob("*.whl")) if folder.exists() else set()
    words = [
        "download",
        "--quiet",
        "--no-deps",
        "--only-binary",
        ":all:",
        "--ignore-requires-python",
    ]
    _pip([*words, "--dest", str(folder), pin])
    new = set(folder.glob("*.whl")) - before
    if len(new) != 1:
        raise InstallError(f"{pin}: pip left {len(new)} new wheels")
    return new.pop()


def _unpack(wheel: Path, site: Path, only: list[str] | None) -> None:
    site.mkdir(exist_ok=True)
    with zipfile.ZipFile(wheel) as archive:
        names = [
            name
            for name in archive.namelist()
            if only is None or name.startswith(tuple(only)) or ".dist-info/" in name
        ]
        archive.extractall(site, names)


def _pip(words: Sequence[str]) -> None:
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", *words]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - pip
    if ran.returncode:
        said = [line for line in ran.stderr.splitlines() if line.startswith("ERROR")]
        raise InstallError("; ".join((said or ran.stderr.splitlines())[-_LAST:]) or "pip failed")


def add_parser(actions: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `peers` to the command."""
    one = actions.add_parser("peers", help="install the parsers of others, for --impl NAME")
    one.add_argument("names", nargs="*", metavar="NAME", help="which (default: all)")
    one.add_argument("--list", action="store_true", help="say which there are, and install nothing")
    one.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Install what is asked for; 1 where one could not be."""
    known = recipes()
    names = [name for words in options.names for name in words.split(",") if name]
    unknown = [name for name in names if name not in known]
    if unknown:
        raise UsageError(f"no such peer: {', '.join(unknown)}; there are {', '.join(known)}")
    wanted = [known[name] for name in names or known]
    if options.list:
        for recipe in wanted:
            print(f"{recipe.name:24} {'installed' if recipe.installed else '-'}")  # noqa: T201
        return 0
    failed = []
    missing = [recipe for recipe in wanted if not recipe.installed]
    for recipe in wanted:
        if recipe.installed:
            print(f"{recipe.name:24} is installed", flush=True)  # noqa: T201
    with ThreadPoolExecutor(max_workers=2) as pool:
        futures = [(recipe, pool.submit(install, recipe)) for recipe in missing]
        for number, (recipe, future) in enumerate(futures, 1):
            try:
                said = future.result()
            except (InstallError, OSError, zipfile.BadZipFile) as error:
                failed.append(recipe.name)
                said = f"FAILED: {error}"
            print(f"{recipe.name:24} [{number} of {len(missing)}] {said}", flush=True)  # noqa: T201
    if failed:
        print(f"not installed: {', '.join(failed)}", file=sys.stderr)  # noqa: T201
    return int(bool(failed))
