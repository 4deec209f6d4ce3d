"""Execute the notebooks and write them with their outputs, the same bytes each time.

`python notebooks/render.py` renders all, `render.py 1-leaks.py` one; `--check` writes nothing and
says which rendering is not what its source gives today (text outputs; figures are counted, since
their bytes depend on matplotlib's version). A cell that raises, or an assert that does not hold,
ends it with exit code 1 and the cell's source.

Each notebook has a process to itself, in which IPython runs its cells: no kernel, port or clock.
"""

from __future__ import annotations

import argparse
import difflib
import multiprocessing
import os
import re
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent


def main(words: list[str] | None = None) -> int:
    """Render or check, and return the exit code."""
    parser = argparse.ArgumentParser(prog="render.py", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing, compare")
    parser.add_argument("--jobs", type=int, default=2, help="notebooks at a time")
    parser.add_argument("sources", nargs="*", type=Path, help="default: every source here")
    options = parser.parse_args(words)
    paths = [path.resolve() for path in options.sources] or sources()
    with tempfile.TemporaryDirectory(prefix="toolcode-notebooks-") as folder:
        # Sets keep their order from run to run, nothing draws on a screen, no profile is read.
        os.environ |= {"PYTHONHASHSEED": "0", "MPLBACKEND": "agg", "IPYTHONDIR": folder}
        spawn = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(options.jobs, spawn, max_tasks_per_child=1) as pool:
            said = list(pool.map(partial(_one, check=options.check), paths))
    print("\n".join(text for _, text in said))
    return int(any(bad for bad, _ in said))


def sources() -> list[Path]:
    """Return the notebooks' sources: those files whose names begin with a number."""
    return sorted(HERE.glob("[0-9]*.py"))


def _one(path: Path, *, check: bool) -> tuple[bool, str]:
    target = path.with_suffix(".ipynb")
    if check and not target.is_file():
        return True, f"{target.name} is missing; run: make notebooks"
    try:
        made = render(path)
    except RuntimeError as error:
        return True, f"{path.name}: fails\n{error}"
    if not check:
        target.write_text(made, "utf-8", newline="\n")
        return False, f"{target.name}: {len(made) // 1024} KB"
    differs = difference(target.read_text("utf-8"), made)
    if differs:
        return True, f"{target.name} is not current; run: make notebooks\n{differs}"
    return False, f"{target.name}: current"


def render(path: Path) -> str:
    """Execute a source from its own folder and return the notebook with its outputs.

    It changes this process's folder and import path, so it is called once in a process.

    Raises:
        RuntimeError: A cell raised; the message holds its source and the error.
    """
    import jupytext
    import nbformat
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    os.chdir(path.parent)
    sys.path.insert(0, str(path.parent))
    shell = InteractiveShell.instance(config=Config({"HistoryManager": {"enabled": False}}))
    notebook = jupytext.read(path)
    notebook.metadata = _metadata()
    count = 0
    for number, cell in enumerate(notebook.cells):
        cell["id"] = f"cell-{number:02d}"
        if cell.cell_type == "code":
            count += 1
            cell.execution_count = count
            cell.outputs = _run(shell, cell.source)
    text: str = nbformat.writes(notebook, version=4)
    return text + "\n"


def _run(shell: Any, source: str) -> list[Any]:
    """Run a cell and return its outputs in the notebook's form."""
    from IPython.utils.capture import capture_output
    from nbformat.v4 import new_output

    with capture_output() as caught:
        ran = shell.run_cell(source)
    error = ran.error_before_exec or ran.error_in_exec
    if error is not None:
        trace = re.sub(r"\x1b\[[\d;]*m", "", caught.stdout)  # its colours are for a terminal
        raise RuntimeError(f"{source}\n{trace[-2000:]}\n{type(error).__name__}: {error}")
    outputs = [
        new_output("display_data", data=one.data, metadata=one.metadata or {})
        for one in caught.outputs
    ]
    if caught.stdout:
        outputs.append(new_output("stream", name="stdout", text=caught.stdout))
    return outputs


def _metadata() -> Any:
    import nbformat

    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    # Written out, and without the version of whoever rendered.
    return nbformat.from_dict({"kernelspec": kernel, "language_info": {"name": "python"}})


def outputs(text: str) -> list[str]:
    """Return what a rendered notebook says: sources, texts, and a word for each figure."""
    import nbformat

    found: list[str] = []
    for cell in nbformat.reads(text, as_version=4).cells:
        found += [f"[{cell.cell_type}]", *cell.source.splitlines()]
        for output in cell.get("outputs", ()):
            data = output.get("data", {})
            shown = data.get("text/markdown") or output.get("text") or data.get("text/plain", "")
            found += ["[figure]"] if "image/png" in data else ["[output]", *shown.splitlines()]
    return found


def difference(old: str, new: str) -> str:
    """Return how two rendered notebooks differ but for their figures' bytes, "" if they do not."""
    lines = difflib.unified_diff(outputs(old), outputs(new), "committed", "today", n=1, lineterm="")
    return "\n".join(list(lines)[:40])


if __name__ == "__main__":
    sys.exit(main())
