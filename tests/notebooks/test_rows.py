"""The tables as plain rows: they need no pandas, and each column has a meaning."""

from __future__ import annotations

import collections
import functools
import itertools
import json
import math
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from toolcode import Call, Scanner, Text, ThinkingDelta, scan
from toolcode_conformance import cli, readings_store
from toolcode_conformance.data import ABOUT, COLUMNS, MissingDataError
from toolcode_conformance.data import rows as make_rows
from toolcode_conformance.data.leaks import (
    FAMILIES,
    FINISHES,
    MARKS,
    MODELS,
    SURFACES,
    marks,
    outcome,
    sort_of,
)
from toolcode_conformance.data.recorded import STAGES, stage
from toolcode_conformance.data.stats import clusters, jaccard, pool, wilson
from toolcode_conformance.data.streaming import events_at, held_after
from toolcode_conformance.errors import UsageError
from toolcode_conformance.matrix import store
from toolcode_conformance.places import corpus_dir

if TYPE_CHECKING:
    from pathlib import Path

_ABOUT = {
    "version": "1",
    "language": "C",
    "url": "",
    "mode": "filter",
    "capabilities": list[str](),
    "features": list[str](),
}
rows = functools.cache(make_rows)  # read only: each table is made once

_BENCH = {
    "cap_seconds": 10,
    "bugs": {"lost-quote": {"bytes": {"1": None, "2": 3.5}, "grammar": {"1": 0.25}}},
    "growth": {"bytes": {"1": [[0.5, 10, 100], [1.0, 20, 150]]}},
}


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("bench") / "bench.json"
    path.write_text(json.dumps(_BENCH), "utf-8")
    return path


def test_every_table_is_described() -> None:
    assert list(ABOUT) == list(COLUMNS)
    assert all(meaning for columns in COLUMNS.values() for meaning in columns.values())


@pytest.mark.parametrize("table", ["cases", "leaks", "recorded", "stream-calls", "stream-text"])
def test_columns_are_the_documented_ones(table: str) -> None:
    found = rows(table)
    assert len(found) > 1000
    assert {tuple(row) for row in found} == {tuple(COLUMNS[table])}


def test_bench_tables(bench: Path) -> None:
    finds, growth = rows("fuzz-finds", bench), rows("fuzz-growth", bench)
    assert [list(row) for row in finds] == [list(COLUMNS["fuzz-finds"])] * 3
    assert [(row["seconds"], row["found"]) for row in finds] == [
        (None, False),
        (3.5, True),
        (0.25, True),
    ]
    assert [list(row.values()) for row in growth] == [
        ["bytes", 1, 0.5, 10, 100],
        ["bytes", 1, 1.0, 20, 150],
    ]


def test_what_is_missing_names_its_command(tmp_path: Path) -> None:
    with pytest.raises(MissingDataError, match="make matrix"):
        rows("matrix", tmp_path)
    with pytest.raises(MissingDataError, match="make fuzz-bench"):
        rows("fuzz-finds", tmp_path / "bench.json")
    with pytest.raises(UsageError, match="the tables are cases, leaks"):
        rows("leeks")


def test_the_harness_needs_no_pandas() -> None:
    code = (
        "import sys; sys.modules['pandas'] = None\n"
        "from toolcode_conformance import cli\n"
        "from toolcode_conformance.data import load, rows\n"
        "assert rows('leaks')\n"
        "sys.exit(cli.main(['data', 'export', 'unwritten']))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ran.returncode == 2, ran.stderr
    assert "pip install 'toolcode[notebooks]'" in ran.stderr


def test_columns_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["data", "columns", "leaks"]) == 0
    said = capsys.readouterr().out
    assert all(column in said for column in COLUMNS["leaks"])
    assert cli.main(["data", "columns", "leeks"]) == 2


def test_the_reports_are_those_of_the_readme() -> None:
    reports = [row for row in rows("leaks") if row["report"]]
    kinds = collections.Counter(row["kind"] for row in reports)
    assert kinds == {"observed": 111, "incident-fixture": 51, "documented": 10}
    assert all(row["family"] in FAMILIES and row["family"] != "none" for row in reports)
    assert all(row["model"] or row["model_line"] == "not stated" for row in reports)


def test_names_are_sorted_by_their_words() -> None:
    assert sort_of("OpenAI-compat proxy (Antigravity)", SURFACES) == "gateway or proxy"
    assert sort_of("Antigravity CLI", SURFACES) == "coding agent"
    assert sort_of("Vertex/ADK", SURFACES) == "Google API or SDK"
    assert sort_of("", SURFACES) == "not stated"
    assert sort_of("gemma-4-31b NVFP4", MODELS) == "Gemma 4"
    assert sort_of("gemma3nTools:e4b Q4_K_M", MODELS) == "Gemma 3 and earlier"
    assert sort_of("gemini-3.5-flash", MODELS) == "Gemini 3"
    assert sort_of("9 (MALFORMED_FUNCTION_CALL)", FINISHES) == "MALFORMED_FUNCTION_CALL"


def test_marks_and_outcomes() -> None:
    assert marks("<ctrl42>call print(default_api.f(a=1))") == [
        "print(",
        "default_api",
        "control token",
    ]
    assert marks("call:default_api:f{a:1}") == ["default_api", "call:", "braces"]
    assert marks("Nothing to see.") == []
    assert set(MARKS) >= set(marks('```tool_code\nx = f()\n```{"name": "f"}'))
    assert [outcome(*pair) for pair in ((1, 0), (1, 1), (0, 1), (0, 0))] == [
        "recovered",
        "partly",
        "refused",
        "no-call",
    ]


def test_stages() -> None:
    call, unsure = {"name": "f", "arguments": {}}, {"name": "f", "unresolved": ["a"]}
    found = [
        stage("hi", "eos", []),
        stage("```tool_code\nf(", "limit", []),
        stage("```tool_code\nf(", "eos", []),
        stage("```tool_code\nf\n```", "eos", []),
        stage("```tool_code\nf(a=b)\n```", "eos", [call, unsure]),
        stage("```tool_code\nf()\n```", "eos", [call]),
    ]
    assert found == list(STAGES)


def test_the_recording_is_that_of_its_card() -> None:
    replies = rows("recorded")
    assert len(replies) == 1729
    assert sum(row["tokens"] for row in replies) == 109_180
    assert sum(row["calls"] for row in replies) == 1217
    assert collections.Counter(row["finish"] for row in replies) == {
        "limit": 1075,
        "stop": 595,
        "eos": 59,
    }
    assert {row["model"] for row in replies} == {
        "Gemma 3 270M, pretrained (not instruction-tuned), Q4_K_M"
    }


def test_held_is_what_the_end_would_show() -> None:
    # A run of backticks may become an opener; in a block nothing is text that waits.
    tokens = ("a `", "``", "tool", "s ", "```tool_code\n", "f()", "\n``", "`", "b")
    assert held_after(tokens) == [1, 3, 7, 0, 0, 0, 0, 0, 0]


def test_held_is_the_same_as_ending_every_prefix() -> None:
    replies = list(readings_store.replies(corpus_dir() / "recorded"))[::29]
    assert any("```thinking" in reply.text for reply in replies)
    for reply in replies:
        prefixes = itertools.accumulate(reply.chunks)
        assert held_after(reply.chunks) == [_shown_at_the_end(prefix) for prefix in prefixes]


def _shown_at_the_end(prefix: str) -> int:
    scanner = Scanner()
    scanner.feed(prefix)
    shown = [event for event in scanner.close() if isinstance(event, Text | ThinkingDelta)]
    return sum(len(event.text) for event in shown)


def test_waits_add_up_and_never_come_early() -> None:
    for row in rows("stream-calls"):
        assert row["wait_characters"] == row["wait_rule"] + row["wait_chunk"]
        assert row["wait_rule"] >= 3, row
        assert row["wait_chunk"] >= 0, row
        assert row["wait_tokens"] >= 0, row
        assert row["chunking"] != "1 character" or row["wait_chunk"] == 0


def test_a_call_comes_with_its_closing_fence() -> None:
    text = "ok\n```tool_code\nf(a=1)\n```\nyes"
    came = [at for at, event in events_at(text) if isinstance(event, Call)]
    assert came == [text.rindex("```") + 3]
    assert [e.name for e in scan(text) if isinstance(e, Call)] == ["f"]


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    # Values of Wilson's interval as published tables have them.
    [(0, 10, 0.0, 0.2775), (5, 10, 0.2366, 0.7634), (10, 10, 0.7225, 1.0), (1, 29, 0.0061, 0.1718)],
)
def test_wilson(successes: int, trials: int, low: float, high: float) -> None:
    found = wilson(successes, trials)
    assert math.isclose(found[0], low, abs_tol=5e-5)
    assert math.isclose(found[1], high, abs_tol=5e-5)


def test_wilson_at_its_edges() -> None:
    assert wilson(0, 0) == (0.0, 1.0)
    with pytest.raises(ValueError, match="3 of 2"):
        wilson(3, 2)


def test_rare_values_are_pooled() -> None:
    word = "pooled (each under 2)"
    assert pool(["a", "b", "a", "c"], least=2) == ["a", word, "a", word]


def test_clusters_join_what_is_near() -> None:
    sets = {"a": {"1", "2"}, "b": {"1", "2", "3"}, "c": {"9"}, "d": set[str]()}
    apart = {(x, y): jaccard(sets[x], sets[y]) for x in sets for y in sets}
    assert apart["a", "b"] == pytest.approx(1 / 3)
    assert clusters(list(sets), apart, 0.5) == [
        (["a", "b"], pytest.approx(1 / 3)),
        (["c"], 0.0),
        (["d"], 0.0),
    ]
    assert len(clusters(list(sets), apart, 1.01)) == 1


def test_matrix_rows_are_those_of_a_result(tmp_path: Path) -> None:
    first, second, third = (row["case"] for row in rows("cases")[:3])
    result = store.Result("mine", "2026-12-31", "0.1", "quick", _ABOUT, {}, [])
    result.verdicts |= {first: "pass", second: "wrong-answer"}
    result.failures[second] = store.Failure("wrong-answer", detail="text differs at 3", cause="odd")
    (tmp_path / "mine.json").write_text(store.dump(result), "ascii")
    found = {row["case"]: row for row in make_rows("matrix", tmp_path)}
    assert len(found) == len(rows("cases"))
    assert {tuple(row) for row in found.values()} == {tuple(COLUMNS["matrix"])}
    told = [(row["verdict"], row["passed"], row["failed"]) for row in found.values()][:3]
    assert told == [("pass", True, False), ("wrong-answer", False, True), ("not-run", False, False)]
    assert (found[second]["kind"], found[second]["cause"]) == ("text", "odd")
    assert (found[first]["kind"], found[third]["effect"], found[first]["own"]) == ("", "", False)
