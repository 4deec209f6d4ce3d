"""Where the data lies: in a clone beside the package, or inside the installed wheel."""

from __future__ import annotations

from pathlib import Path

from toolcode_conformance.errors import UsageError

_PACKAGE = Path(__file__).resolve().parent
_CLONE = _PACKAGE.parent.parent


def _find(in_clone: Path, in_wheel: str) -> Path:
    if in_clone.exists():
        return in_clone
    wheel = _PACKAGE / "_data" / in_wheel
    if wheel.exists():
        return wheel
    raise UsageError(f"cannot find {in_wheel}: neither {in_clone} nor {wheel} exists")


def corpus_dir() -> Path:
    """Return the folder of the corpus.

    Raises:
        UsageError: Neither a clone's nor the wheel's folder exists.
    """
    return _find(_CLONE / "corpus", "corpus")


def adapters_dir() -> Path:
    """Return the folder that holds one folder per known adapter.

    Raises:
        UsageError: Neither a clone's nor the wheel's folder exists.
    """
    return _find(_CLONE / "conformance" / "adapters", "adapters")


def peers_dir() -> Path:
    """Return the folder into which `toolcode peers` installs: in the clone, else in the home."""
    if (_CLONE / "corpus").exists():
        return _CLONE / ".peers"
    return Path.home() / ".cache" / "toolcode" / "peers"


def spec_file() -> Path:
    """Return the path of SPEC.md.

    Raises:
        UsageError: Neither a clone's nor the wheel's file exists.
    """
    return _find(_CLONE / "SPEC.md", "SPEC.md")


def results_dir() -> Path:
    """Return the folder of the committed results: a clone's, or `results` where we are."""
    clone = _CLONE / "conformance" / "results"
    return clone if (_CLONE / "SPEC.md").is_file() else Path.cwd() / "results"
