"""The Markdown pages keep their promises: examples run, links lead somewhere, commands exist.

Output that README.md shows is compared with a fresh run. Where it has `...`, anything may stand:
at the end of a line any rest of it, alone on a line any number of lines.
"""

from __future__ import annotations

import ast
import gzip
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from toolcode_conformance.cli import main
from toolcode_conformance.corpus import load_corpus
from toolcode_conformance.tables import clauses

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text("utf-8")
FENCED = re.compile(r"^(`{3,})[^`\n]*\n.*?^\1$", re.DOTALL | re.MULTILINE)
SKIPPED = {".venv", ".cache", "node_modules", "build", "dist", "out"}
PAGES = sorted(
    path.relative_to(ROOT).as_posix()
    for path in ROOT.rglob("*.md")
    if not any(part in SKIPPED or part.startswith(".") for part in path.relative_to(ROOT).parts)
)
LONGEST_PROGRAM = 10
SEED_ID = re.compile(r"`([a-z0-9]+\.[a-z0-9-]+\.[a-z0-9-]+)`")


def prose(page: str) -> str:
    """Return a page without its fenced blocks."""
    return FENCED.sub("", (ROOT / page).read_text("utf-8"))


def block(name: str, page: str = "README.md") -> str:
    """Return the content of the fenced block behind the comment `<!-- test: NAME -->`."""
    text = (ROOT / page).read_text("utf-8")
    flags = re.DOTALL | re.MULTILINE
    marked = rf"^<!-- test: {re.escape(name)} -->\n(`{{3,}})\w+\n(.*?)^\1$"
    found = re.findall(marked, text, flags)
    assert len(found) == 1, f"{page} marks {len(found)} blocks as {name}"
    return str(found[0][1])


# --- the examples of README.md


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with both parsers of README.md in it."""
    made = tmp_path_factory.mktemp("readme")
    for name in ("my_filter.py", "my_adapter.py"):
        (made / name).write_text(block(name), "utf-8")
    return made


def toolcode(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run the command `toolcode` there, with `python3` being this Python."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    return subprocess.run(
        [sys.executable, "-m", "toolcode_conformance", *words],
        cwd=folder,
        env={**os.environ, "PATH": path, "COLUMNS": "80", "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=120,
    )


def assert_shows(shown: str, real: str) -> None:
    """Fail unless `shown` is `real` with parts left out as `...`."""
    pattern = ""
    for line in shown.rstrip("\n").split("\n"):
        if line == "...":
            pattern += r"(?:[^\n]*\n)*?"
        elif line.endswith(" ..."):
            pattern += re.escape(line.removesuffix(" ...")) + r"[^\n]*\n"
        else:
            pattern += re.escape(line) + "\n"
    assert re.fullmatch(pattern, real), f"the shown output is stale; it is now:\n{real}"


@pytest.mark.parametrize("name", ["my_filter.py", "my_adapter.py"])
def test_programs_are_as_short_as_promised(name: str) -> None:
    code = [line for line in block(name).splitlines() if line.strip()]
    assert len(code) <= LONGEST_PROGRAM


def test_shown_failure(folder: Path) -> None:
    command, output = block("run my_filter.py").split("\n", 1)
    words = re.fullmatch(r'\$ make conformance IMPL="(.*)" ARGS="(.*)"', command)
    assert words
    done = toolcode(folder, "conformance", "--impl", words[1], *words[2].split())
    assert done.returncode == 1, done.stderr
    assert_shows(output, done.stdout)


def test_shown_success(folder: Path) -> None:
    """One area is run here; that the reference passes them all is a stage of `make test`."""
    command, output = block("run").split("\n", 1)
    assert command == "$ make conformance"
    done = toolcode(folder, "conformance", "--impl", "reference", "--area", "out")
    assert done.returncode == 0, done.stdout
    assert_shows(output, done.stdout)


@pytest.mark.parametrize(("name", "mode"), [("filter", "filter"), ("adapter", "adapter")])
def test_bare_command_is_told_apart(folder: Path, name: str, mode: str) -> None:
    """The parsers are told apart, and each gets real verdicts: passes, failures, not offered."""
    out = folder / f"{name}.json"
    words = ["--impl", f"python3 my_{name}.py", "--json", str(out)]
    picked = ["-k", "env.text. or call.nesting or stream.cuts"]
    done = toolcode(folder, "conformance", *words, *picked)
    assert done.returncode == 1, done.stderr
    result = json.loads(out.read_text("utf-8"))
    assert result["implementation"]["mode"] == mode
    verdicts = {found["id"]: found["verdict"] for found in result["results"]}
    assert verdicts["env.text.around"] == "pass"
    assert verdicts["call.nesting.positional"] == "wrong-answer"
    assert verdicts["call.nesting.as-value"] == "exit"
    assert verdicts["stream.cuts.by-character"] == "not-offered"


@pytest.mark.parametrize("name", ["reference", "walk-through"])
def test_shown_program(folder: Path, name: str) -> None:
    (folder / "shown.py").write_text(block(name), "utf-8")
    done = subprocess.run(
        [sys.executable, "shown.py"], cwd=folder, capture_output=True, text=True, check=True
    )
    assert done.stdout == block(f"{name} output")


def test_reference_in_ten_lines() -> None:
    code = [line for line in block("reference").splitlines() if line.strip()]
    assert len(code) <= LONGEST_PROGRAM


def test_the_walk_through_answer_was_recorded() -> None:
    """The tokens that README.md shows are those of the transcript that it names."""
    code = block("walk-through")
    named = re.search(r"transcript ([a-z0-9.-]+),", code)
    shown = re.search(r"^tokens = (\[.*?\])$", code, re.DOTALL | re.MULTILINE)
    assert named
    assert shown
    stored = next(
        transcript
        for path in sorted((ROOT / "corpus/recorded").glob("*.jsonl.gz"))
        for transcript in map(json.loads, gzip.decompress(path.read_bytes()).splitlines())
        if transcript.get("id") == named[1]
    )
    assert ast.literal_eval(shown[1]) == stored["replies"][0]["tokens"]


@pytest.mark.parametrize(
    ("shown", "real", "right"),
    [
        ("a\n...\nb ...\n", "a\n1\n2\nb c\n", True),
        ("a\n...\nb\n", "a\nb\n", True),
        ("a\nb\n", "a\nx\nb\n", False),
        ("a ...\n", "a\nb\n", False),
        ("a\n", "a\nb\n", False),
    ],
)
def test_comparison_of_shown_output(shown: str, real: str, right: bool) -> None:
    if right:
        assert_shows(shown, real)
    else:
        with pytest.raises(AssertionError, match="stale"):
            assert_shows(shown, real)


# --- commands


def make_targets() -> set[str]:
    text = (ROOT / "Makefile").read_text("utf-8")
    return set(re.findall(r"^([a-z-]+):.*## ", text, re.MULTILINE))


@pytest.mark.parametrize("page", PAGES)
def test_make_targets_exist(page: str) -> None:
    text = (ROOT / page).read_text("utf-8")
    named = set(re.findall(r"(?:`|^\$ )make ([a-z-]+)", text, re.MULTILINE))
    assert named <= make_targets()


@pytest.mark.parametrize("page", PAGES)
def test_toolcode_commands_exist(page: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = (ROOT / page).read_text("utf-8")
    named = re.findall(r"(?:`|/)toolcode (corpus [a-z]+|[a-z-]+)", text)
    for command in {*named} - {"conformance"}:
        with pytest.raises(SystemExit) as ended:
            main([*command.split(), "--help"])
        assert ended.value.code == 0, command
    capsys.readouterr()


def test_options_exist(folder: Path) -> None:
    known = toolcode(folder, "conformance", "--help").stdout
    known += toolcode(folder, "replay", "--help").stdout
    section = README.split("Useful options", 1)[1].split("\n## ", 1)[0]
    named = re.findall(r"`(--?[a-z][a-z-]*)", section)
    assert len(named) > LONGEST_PROGRAM
    missing = [name for name in named if not re.search(rf"(?<![\w-]){name}(?![\w-])", known)]
    assert not missing


# --- links


def anchors(page: Path) -> set[str]:
    """Return what a link into the page may name: stated anchors and headings."""
    text = FENCED.sub("", page.read_text("utf-8"))
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    slugs = {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in headings}
    return slugs | set(re.findall(r'<a id="([^"]+)">', text))


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", prose(page)):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        found = (ROOT / page).parent / path if path else ROOT / page
        assert found.exists(), f"{page} links to {target}"
        assert found.resolve().is_relative_to(ROOT), f"{page} links out of the project: {target}"
        assert not anchor or anchor in anchors(found), f"{page} links to {target}"


@pytest.mark.parametrize("page", PAGES)
def test_clauses_exist(page: str) -> None:
    areas = "|".join(sorted({clause.split(".", 1)[0] for clause in clauses()}))
    named = set(re.findall(rf"\b((?:{areas})\.\d+[a-z]?)\b", prose(page)))
    whole = {re.sub(r"[a-z]$", "", clause) for clause in clauses()}
    assert named <= set(clauses()) | whole


@pytest.mark.parametrize("page", PAGES)
def test_no_path_of_a_machine(page: str) -> None:
    text = (ROOT / page).read_text("utf-8")
    assert not re.search(r"(?<![\w.])/(?:home|root|work|Users)/", text)


# --- the corpus pages


def test_shown_case_is_real() -> None:
    """The sample of corpus/README.md is its file, with all cases but the shown one left out."""
    shown = json.loads(block("case env.unterminated.complete-call", "corpus/README.md"))
    (case,) = shown["cases"]
    found = load_corpus().find(case["id"])
    group = json.loads(found.path.read_text("utf-8"))
    assert shown == {**group, "cases": [found.raw]}


def test_every_key_of_a_case_is_explained() -> None:
    schema = json.loads((ROOT / "corpus/schema/case-group.schema.json").read_text("utf-8"))
    section = prose("corpus/README.md").split("## A case", 1)[1].split("\n## ", 1)[0]
    keys = set(schema["$defs"]["case"]["properties"])
    missing = {key for key in keys if f"`{key}`" not in section}
    assert not missing


def seed_rows() -> list[tuple[set[str], set[str]]]:
    """Return the clauses and the case ids of each row of SEED.md."""
    lines = prose("corpus/SEED.md").splitlines()
    rows = [line.split(" | ") for line in lines if line.startswith("| ") and "](" in line]
    assert rows
    return [
        (set(re.findall(r"\[([A-Z0-9a-z.]+)\]", row[1])), set(SEED_ID.findall(row[2])))
        for row in rows
    ]


def test_seed_page_names_every_seed_case_and_no_other() -> None:
    seeds = {case.id for case in load_corpus().cases if case.source.get("kind") == "seed"}
    named = set().union(*(ids for _, ids in seed_rows()))
    assert seeds, "no case is a seed"
    assert sorted(seeds - named) == [], "name them in corpus/SEED.md"
    assert sorted(named - seeds) == [], "corpus/SEED.md names what is no seed case"


def test_seed_page_names_the_clauses_of_its_cases() -> None:
    corpus = load_corpus()
    for named, ids in seed_rows():
        assert {corpus.find(one).clause for one in ids} <= named, ids
