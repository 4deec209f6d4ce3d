"""What a user reads who has not installed the extra."""

from __future__ import annotations

import subprocess
import sys

import pytest

SCRIPT = """
import sys
sys.modules["{missing}"] = None
from toolcode_conformance.cli import main
sys.exit(main(["leaks", "scan", sys.argv[1], "--out", sys.argv[2], "--engine", "{engine}"]))
"""


@pytest.mark.parametrize(("missing", "engine"), [("pandas", "pandas"), ("distributed", "dask")])
def test_a_missing_extra_is_named(tmp_path: object, missing: str, engine: str) -> None:
    if missing == "distributed":
        pytest.importorskip("pyarrow", reason="the extra `scale` is not installed")
    log = f"{tmp_path}/a.jsonl"
    with open(log, "w", encoding="utf-8") as file:  # noqa: PTH123
        file.write('{"text": "x"}\n')
    script = SCRIPT.format(missing=missing, engine=engine)
    done = subprocess.run(
        [sys.executable, "-c", script, log, f"{tmp_path}/out"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "pip install 'toolcode[scale]'" in done.stderr
