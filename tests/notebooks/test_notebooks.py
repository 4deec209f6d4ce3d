"""The notebooks: executed as they stand, current as committed, and able to fail."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest

from toolcode_conformance import cli
from toolcode_conformance.data import COLUMNS, MissingDataError, load

FOLDER: Final = Path(__file__).resolve().parents[2] / "notebooks"
SOURCES: Final = sorted(FOLDER.glob("[0-9]*.py"))
TINY: Final = """# %% [markdown]
# # Is the sum right?

# %%
from kit import BLUE, bars, figure, say, show

chart, axes = figure(2)
bars(axes, ["a", "b"], {"size": [1, 2]}, [BLUE])
show(chart, "Two bars.")

# %%
say(f"**It is {1 + 2}.**")
assert 1 + 2 == 3
"""

for _module in ("pandas", "matplotlib", "jupytext", "IPython"):
    pytest.importorskip(_module, reason=f"{_module} is not installed: pip install '.[notebooks]'")


def run(*words: str | Path) -> tuple[int, str]:
    """Run the renderer in a process of its own and return its exit code and output."""
    command = [sys.executable, FOLDER / "render.py", "--jobs", "1", *words]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, cwd=FOLDER)
    return ran.returncode, ran.stdout + ran.stderr


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    """Return a small notebook beside a copy of the kit."""
    shutil.copy(FOLDER / "kit.py", tmp_path)
    path = tmp_path / "9-tiny.py"
    path.write_text(TINY, "utf-8")
    return path


def test_there_are_five() -> None:
    assert [path.name[0] for path in SOURCES] == list("12345")


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_executes_and_is_current(source: Path) -> None:
    code, said = run("--check", source)
    assert code == 0, said


def _cells(source: Path) -> list[str]:
    return re.split(r"(?m)^# %%", source.read_text("utf-8"))[1:]


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_opens_with_its_question_and_ends_in_asserts(source: Path) -> None:
    cells = _cells(source)
    title = cells[0].splitlines()[1]
    assert re.fullmatch(rf"# # {source.name[0]}\. .+\?", title), title
    answers = [number for number, cell in enumerate(cells) if "# ## Answer\n" in cell]
    assert answers == [len(cells) - 3]
    assert cells[-2].count("say(") == 1, "the answer comes from a cell"
    assert cells[-1].count("\nassert ") >= 4


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_committed_rendering_has_its_figures_and_no_times(source: Path) -> None:
    rendered: dict[str, Any] = json.loads(source.with_suffix(".ipynb").read_text("utf-8"))
    outputs = [out for cell in rendered["cells"] for out in cell.get("outputs", ())]
    figures = sum("image/png" in out.get("data", {}) for out in outputs)
    assert figures >= source.read_text("utf-8").count("\nshow(") >= 2
    assert not any("execution" in cell["metadata"] for cell in rendered["cells"])
    assert [cell["id"] for cell in rendered["cells"]] == [
        f"cell-{number:02d}" for number in range(len(rendered["cells"]))
    ]
    assert not any(out["output_type"] in {"error", "stream"} for out in outputs)
    assert "0x7" not in json.dumps([out.get("data", {}).get("text/plain") for out in outputs])


@pytest.mark.parametrize("name", ["1-leaks.py", "2-gemma.py"])
def test_first_page_says_what_the_numbers_are_not(name: str) -> None:
    words = " ".join((FOLDER / name).with_suffix(".ipynb").read_text("utf-8").split())
    wanted = {
        "1-leaks.py": ["convenience sample without a denominator", "fewer than five reports"],
        "2-gemma.py": [
            "pretrained Gemma 3 270M (Q4_K_M, few-shot)",
            "No number here says anything",
        ],
    }
    for sentence in wanted[name]:
        assert sentence in words


def test_twice_gives_the_same_bytes_and_a_stale_rendering_is_shown(tiny: Path) -> None:
    target = tiny.with_suffix(".ipynb")
    code, said = run("--check", tiny)
    assert code == 1
    assert "9-tiny.ipynb is missing; run: make notebooks" in said
    assert run(tiny)[0] == 0
    first = target.read_bytes()
    assert b"It is 3." in first
    assert b"image/png" in first
    assert run(tiny)[0] == 0
    assert target.read_bytes() == first
    target.write_bytes(first.replace(b"It is 3.", b"It is 5."))
    code, said = run("--check", tiny)
    assert code == 1
    assert "is not current; run: make notebooks" in said
    assert "-**It is 5.**" in said
    assert "+**It is 3.**" in said


def test_a_notebook_broken_on_purpose_fails(tiny: Path) -> None:
    tiny.write_text(TINY.replace("1 + 2 == 3", "1 + 2 == 4"), "utf-8")
    code, said = run(tiny)
    assert code == 1
    assert "9-tiny.py: fails" in said
    assert "assert 1 + 2 == 4" in said
    assert not tiny.with_suffix(".ipynb").exists()


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_export_reads_back(form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import pandas as pd  # noqa: PLC0415  only where it is installed

    words = ["data", "export", "--format", form, "--table", "leaks", "--table", "cases"]
    assert cli.main([*words, str(tmp_path)]) == 0
    assert f"leaks.{form}" in capsys.readouterr().out
    for table in ("leaks", "cases"):
        path = tmp_path / f"{table}.{form}"
        read = pd.read_csv(path, keep_default_na=False) if form == "csv" else pd.read_parquet(path)
        frame = load(table)
        assert list(read.columns) == list(COLUMNS[table]) == list(frame.columns)
        assert len(read) == len(frame)
        numbers = frame.select_dtypes("number")
        assert read[numbers.columns].sum().tolist() == numbers.sum().tolist()
        assert read["case"].tolist() == frame["case"].tolist()


def test_export_says_what_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(table: str) -> None:
        raise MissingDataError(f"no {table}; make it with: make matrix")

    monkeypatch.setattr("toolcode_conformance.data.command.load", missing)
    assert cli.main(["data", "export", "--table", "matrix", str(tmp_path)]) == 1
    assert cli.main(["data", "export", str(tmp_path)]) == 0
