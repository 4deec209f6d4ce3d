"""`toolcode peers`: what is installed stays, what fails stops nothing, what is unknown is named."""

from __future__ import annotations

import json
import zipfile
from typing import TYPE_CHECKING

import pytest

from toolcode_conformance import implementation, peers, places, plan
from toolcode_conformance.cli import main
from toolcode_conformance.corpus import load_corpus
from toolcode_conformance.errors import StartError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


class Pip:
    """In pip's place: writes a small wheel, or fails for a name that says so."""

    def __init__(self) -> None:
        self.pins: list[str] = []

    def __call__(self, words: Sequence[str]) -> None:
        pin = words[-1]
        if pin.startswith("broken"):
            raise peers.InstallError("No matching distribution found")
        self.pins.append(pin)
        folder = words[words.index("--dest") + 1]
        name = pin.partition("==")[0]
        with zipfile.ZipFile(f"{folder}/{name}-1-py3-none-any.whl", "w") as wheel:
            wheel.writestr(f"{name}/parser.py", "x = 1\n")
            wheel.writestr(f"{name}/engine.py", "import gpu\n")
            wheel.writestr(f"{name}-1.dist-info/METADATA", "Name: x\n")


@pytest.fixture
def pip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Pip:
    made = Pip()
    adapters = {
        "whole": [{"pin": "whole==1"}],
        "part": [{"pin": "part==1", "only": ["part/parser.py"]}, {"pin": "whole==1"}],
        "broken": [{"pin": "broken==1"}],
    }
    for name, packages in adapters.items():
        folder = tmp_path / "adapters" / name
        folder.mkdir(parents=True)
        (folder / "peer.json").write_text(json.dumps({"packages": packages}), "utf-8")
        manifest = {"name": name, "version": "1", "command": ["{python}"], "peer": True}
        (folder / "adapter.json").write_text(json.dumps(manifest), "utf-8")
    monkeypatch.setattr(places, "adapters_dir", lambda: tmp_path / "adapters")
    monkeypatch.setattr(places, "peers_dir", lambda: tmp_path / "peers")
    monkeypatch.setattr(peers, "_pip", _making_folders(made))
    return made


def _making_folders(made: Pip) -> Pip:
    class Making(Pip):
        def __call__(self, words: Sequence[str]) -> None:
            from pathlib import Path  # noqa: PLC0415

            Path(words[words.index("--dest") + 1]).mkdir(parents=True, exist_ok=True)
            made(words)

    return Making()


def test_one_that_fails_stops_no_other(pip: Pip, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["peers"]) == 1
    said = capsys.readouterr()
    assert "broken" in said.out
    assert "FAILED: No matching distribution found" in said.out
    assert said.err.strip() == "not installed: broken"
    assert sorted(pip.pins) == ["part==1", "whole==1", "whole==1"]
    site = peers.site_of("part")
    assert site is not None
    names = {path.relative_to(site).as_posix() for path in site.rglob("*") if path.is_file()}
    assert names >= {"part/parser.py", "whole/engine.py", "part-1.dist-info/METADATA"}
    assert "part/engine.py" not in names, "only what is named is unpacked"
    assert peers.site_of("broken") is None


def test_what_is_installed_is_not_installed_again(pip: Pip) -> None:
    assert main(["peers", "whole"]) == 0
    assert main(["peers", "whole,part"]) == 0
    assert pip.pins.count("part==1") == 1
    assert len(pip.pins) == 3


def test_a_changed_recipe_is_installed_anew(pip: Pip) -> None:
    assert main(["peers", "whole"]) == 0
    path = places.adapters_dir() / "whole" / "peer.json"
    path.write_text(json.dumps({"packages": [{"pin": "whole==2"}]}), "utf-8")
    assert peers.site_of("whole") is None
    assert main(["peers", "whole"]) == 0
    assert pip.pins == ["whole==1", "whole==2"]


@pytest.mark.usefixtures("pip")
def test_a_stamp_that_is_no_stamp_is_none() -> None:
    assert main(["peers", "whole"]) == 0
    (places.peers_dir() / "whole" / "installed.json").write_text("[]", "utf-8")
    assert peers.site_of("whole") is None


def test_unknown_names_are_named(pip: Pip, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["peers", "whole,nobody"]) == 2
    assert "no such peer: nobody; there are broken, part, whole" in capsys.readouterr().err
    assert pip.pins == []


def test_the_list_says_what_is_there(pip: Pip, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["peers", "part"]) == 0
    capsys.readouterr()
    assert main(["peers", "--list"]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert rows == [["broken", "-"], ["part", "installed"], ["whole", "-"]]
    assert len(pip.pins) == 2


@pytest.mark.usefixtures("pip")
def test_an_adapter_that_is_not_installed_says_how() -> None:
    with pytest.raises(StartError, match="whole is not installed; run: toolcode peers whole"):
        implementation.connect("whole")


def test_every_recipe_is_pinned_and_every_peer_says_what_it_is() -> None:
    for name, recipe in peers.recipes().items():
        assert all("==" in package["pin"] for package in recipe.packages), name
        manifest = json.loads((places.adapters_dir() / name / "adapter.json").read_text("utf-8"))
        missing = {"version", "url", "licence", "promise", "stubs", "features"} - manifest.keys()
        assert not missing, f"{name}: {missing}"
        assert recipe.packages[0]["pin"].endswith(f"=={manifest['version']}"), name


def test_what_was_never_promised_is_not_offered() -> None:
    """By a case's id or by its clause; the rest is asked."""
    made = implementation.connect("reference")
    made.client.close()
    made.not_promised = ("CALL.6", "call.forms.tu*")
    asked = {
        name: plan.not_offered(load_corpus().find(name), made)
        for name in ("call.forms.tuple", "call.around.operators", "call.forms.print")
    }
    assert asked == {
        "call.forms.tuple": "what it never promised",
        "call.around.operators": "what it never promised",
        "call.forms.print": None,
    }
