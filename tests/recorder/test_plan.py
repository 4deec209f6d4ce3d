"""Scenario, plan and prompts: stable ids and seeds, prompts as the forms say."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.recorder.scripted import SCENARIO, write_scenario
from toolcode_conformance import places
from toolcode_conformance.errors import CorpusError
from toolcode_conformance.recorder import prompts
from toolcode_conformance.recorder.plan import make_plan, shard, spread
from toolcode_conformance.recorder.scenario import Scenario, load_scenario

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def scenario(tmp_path: Path) -> Scenario:
    return load_scenario(write_scenario(tmp_path))


def test_a_plan_has_every_domain_form_and_round_once(scenario: Scenario) -> None:
    plan = make_plan(scenario)
    assert len({run.id for run in plan}) == len(plan) == 2 * 2 * 4
    assert len({run.seed for run in plan}) == len(plan)
    assert {run.temperature for run in plan} == {0.2, 0.9, 1.3}
    assert {run.limit for run in plan} == {40, 6}


def test_a_new_domain_leaves_the_other_runs_as_they_are(tmp_path: Path) -> None:
    added = SCENARIO + SCENARIO[SCENARIO.index("[[domains]]") :].replace(
        '"harbour"', '"h2"'
    ).replace('"bakery"', '"b2"')
    before = make_plan(load_scenario(write_scenario(tmp_path)))
    after = make_plan(load_scenario(write_scenario(tmp_path, added)))
    assert after[: len(before)] == before
    assert len(after) == 2 * len(before)


def test_shards_are_the_plan_cut_in_pieces(scenario: Scenario) -> None:
    plan = make_plan(scenario)
    parts = [shard(plan, number, 3) for number in (1, 2, 3)]
    assert [run for part in parts for run in part] == plan
    assert {len(part) for part in parts} == {5, 6}


@pytest.mark.parametrize("count", [1, 3, 5, 16, 99])
def test_a_spread_takes_one_of_each_stretch(scenario: Scenario, count: int) -> None:
    plan = make_plan(scenario)
    taken = [plan.index(run) for run in spread(plan, count)]
    assert len(set(taken)) == min(count, len(plan))
    assert taken == sorted(taken)


def test_a_plain_prompt_reads_as_a_dialogue(scenario: Scenario) -> None:
    run = make_plan(scenario)[0]
    text = prompts.prefix(run.domain, run.form) + prompts.question(run.ask, run.form)
    assert text.startswith("You bake. When a tool is needed,")
    assert text.endswith(
        "User: Bake wheat.\nAssistant:\nGladly.\n```tool_code\n"
        'print(default_api.bake(flour="wheat", grams=500))\n'
        "print(default_api.heat(oven=1))\n```\n\nUser: Bake rye.\nAssistant:\n"
    )


def test_a_gemma_prompt_has_its_instructions_in_the_first_user_turn(scenario: Scenario) -> None:
    run = make_plan(scenario)[4]
    text = prompts.prefix(run.domain, run.form) + prompts.question(run.ask, run.form)
    assert text.startswith("<start_of_turn>user\nYou bake. When")
    assert "<start_of_turn>user\n```tool_outputs\nbaking\n```<end_of_turn>\n" in text
    assert text.endswith("<end_of_turn>\n<start_of_turn>model\n")
    assert text.count("You bake.") == 1


@pytest.mark.parametrize(
    ("style", "body"),
    [
        ("print", "print(default_api.f(a=1))\nprint(default_api.g())"),
        ("bare", "default_api.f(a=1)\ndefault_api.g()"),
        ("name", "f(a=1)\ng()"),
        ("list", "[default_api.f(a=1), default_api.g()]"),
        ("lines", "default_api.f(a=1)\ndefault_api.g()"),
        (
            "assignment",
            "f_result = default_api.f(a=1)\nprint(f_result)",
        ),
    ],
)
def test_each_style_of_calls(style: str, body: str) -> None:
    calls = ["f(a=1)"] if style == "assignment" else ["f(a=1)", "g()"]
    assert prompts.write_calls(calls, style) == body


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("format = 1", "format = 2", "format"),
        ('template = "plain"', 'template = "odd"', "form print: unknown 'odd'"),
        ('calls = "print"', 'calls = "shout"', "form print: unknown 'shout'"),
        ('id = "harbour"', 'id = "bakery"', "twice"),
        ('asks = ["Moor the Anna."]', "asks = []", "domain harbour: needs asks"),
        ("top_k = 64", "", "top_k"),
        ('about = "You moor."', 'abuot = "You moor."', "abuot"),
        ("temperatures = [0.2, 0.9, 1.3]", "temperatures = []", "needs temperatures"),
        ("format = 1", "format = ", "is no TOML"),
    ],
)
def test_a_faulty_scenario_is_named(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert old in SCENARIO
    path = write_scenario(tmp_path, SCENARIO.replace(old, new, 1))
    with pytest.raises(CorpusError) as caught:
        load_scenario(path)
    assert said in str(caught.value)
    assert path.name in str(caught.value)


def test_a_missing_scenario_is_named(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="cannot be read"):
        load_scenario(tmp_path / "none.toml")


def test_the_shipped_scenario_is_as_wide_as_the_data_card_says() -> None:
    shipped = load_scenario(places.corpus_dir() / "recorded" / "scenarios.toml")
    plan = make_plan(shipped)
    assert len(plan) >= 1500
    assert len(shipped.domains) >= 12
    assert len(shipped.forms) >= 8
    assert {run.temperature for run in plan} >= {0.2, 1.3}
    # No form sees only a part of the temperatures or limits.
    for form in shipped.forms:
        grid = {(run.temperature, run.limit) for run in plan if run.form.id == form.id}
        assert len(grid) == len(shipped.sampling.temperatures) * len(shipped.sampling.limits)
