"""The templates for OSS-Fuzz and ClusterFuzzLite: what of them can be built here is."""

from __future__ import annotations

import ast
import configparser
import hashlib
import re
import subprocess
import zipfile
from pathlib import Path

import pytest

from toolcode_fuzz import archives, seeds
from toolcode_fuzz.targets import TARGETS, replay

FUZZ = Path(__file__).resolve().parents[2] / "fuzz"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    entries, out = tmp_path_factory.mktemp("entries"), tmp_path_factory.mktemp("out")
    assert archives.main([str(entries), "--out", str(out)]) == 0
    return entries, out


def test_every_target_of_the_code_has_its_files(built: tuple[Path, Path]) -> None:
    entries, out = built
    names = {archives.name_of(target) for target in TARGETS}
    assert {path.stem for path in entries.glob("*.py")} == names
    for name in names:
        assert (out / f"{name}_seed_corpus.zip").is_file()
        assert (out / f"{name}.dict").is_file()
        assert (out / f"{name}.options").is_file()


def test_entry_points_are_python_and_name_their_target(built: tuple[Path, Path]) -> None:
    for target in TARGETS:
        text = (built[0] / f"{archives.name_of(target)}.py").read_text("utf-8")
        ast.parse(text)
        assert f"targets.replay({target!r}, data)" in text


@pytest.mark.parametrize("target", TARGETS)
def test_a_seed_archive_holds_the_seeds(built: tuple[Path, Path], target: str) -> None:
    path = built[1] / f"{archives.name_of(target)}_seed_corpus.zip"
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        held = {name: archive.read(name) for name in archive.namelist()}
    assert set(held.values()) == set(seeds.seeds(target))
    for name, data in held.items():
        assert name == hashlib.sha1(data, usedforsecurity=False).hexdigest()
    for data in list(held.values())[:20]:
        replay(target, data)


def test_archives_are_the_same_whenever_they_are_built(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        archives.write("literals", tmp_path, tmp_path / folder)
    files = [
        (tmp_path / folder / "fuzz_literals_seed_corpus.zip").read_bytes()
        for folder in ("one", "two")
    ]
    assert files[0] == files[1]


def test_options_name_a_dictionary_that_is_there(built: tuple[Path, Path]) -> None:
    for path in built[1].glob("*.options"):
        parsed = configparser.ConfigParser()
        parsed.read_string(path.read_text("utf-8"))
        assert (built[1] / parsed["libfuzzer"]["dict"]).is_file()


@pytest.mark.parametrize("service", ["oss-fuzz", "clusterfuzzlite"])
def test_a_template_is_whole(service: str) -> None:
    folder = FUZZ / service
    project = (folder / "project.yaml").read_text("utf-8")
    assert re.search(r"^language: python$", project, re.MULTILINE)
    assert project.startswith("# A template"), "nobody shall take it for a running project"
    docker = (folder / "Dockerfile").read_text("utf-8")
    assert "base-builder-python" in docker
    assert "build.sh" in docker
    assert "$SRC/toolcode/fuzz/build.sh" in (folder / "build.sh").read_text("utf-8")


def test_build_scripts_are_valid_shell() -> None:
    for path in (FUZZ / "build.sh", *FUZZ.glob("*/build.sh")):
        subprocess.run(["bash", "-n", str(path)], check=True)
    assert "toolcode_fuzz.archives" in (FUZZ / "build.sh").read_text("utf-8")
