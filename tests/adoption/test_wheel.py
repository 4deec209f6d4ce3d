"""The built wheel alone runs the suite: in an empty environment, outside the repository."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# It installs from the package index, so it runs where that is meant: TOOLCODE_WHEEL=1, or CI.
pytestmark = pytest.mark.skipif(
    not (os.environ.get("TOOLCODE_WHEEL") or os.environ.get("CI")),
    reason="builds and installs from the package index: set TOOLCODE_WHEEL=1",
)


def run(*command: object, cwd: Path, code: int = 0) -> str:
    words = [str(word) for word in command]
    clean = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    done = subprocess.run(
        words, cwd=cwd, env=clean, capture_output=True, text=True, check=False, timeout=600
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout


def test_the_wheel_holds_all_that_the_suite_needs(tmp_path: Path) -> None:
    run(sys.executable, "-m", "build", "--wheel", "--outdir", tmp_path, ROOT, cwd=tmp_path)
    (wheel,) = tmp_path.glob("*.whl")
    venv.create(tmp_path / "env", with_pip=True)
    scripts = tmp_path / "env" / ("Scripts" if os.name == "nt" else "bin")
    run(scripts / "python", "-m", "pip", "install", "-q", f"{wheel}[conformance]", cwd=tmp_path)
    toolcode = scripts / "toolcode"
    for kind in ("filter", "adapter"):
        file = f"my_{kind}.py"
        run(toolcode, "new-impl", "python", f"--{kind}", file, cwd=tmp_path)
        command = f"{scripts / 'python'} {file}"
        said = run(
            toolcode,
            "conformance",
            "--impl",
            command,
            "-k",
            "call.strings-and-comments",
            cwd=tmp_path,
            code=1,
        )
        assert "call.strings-and-comments" in said
        assert "core   (must)" in said
    said = run(toolcode, "conformance", "--impl", "reference", "--area", "think", cwd=tmp_path)
    assert "100 %" in said
    assert "CALL.4" in run(toolcode, "explain", "CALL.4", cwd=tmp_path)
