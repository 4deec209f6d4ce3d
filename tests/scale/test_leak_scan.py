"""The leak scan: the same findings from every engine, chunk size and file form."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from toolcode.runtime.leaks import recover
from toolcode_conformance.cli import main

pd = pytest.importorskip("pandas", reason="the extra `scale` (pandas) is not installed")
pytest.importorskip("pyarrow", reason="the extra `scale` (pyarrow) is not installed")

from toolcode_conformance.leak_scan import frame as module  # noqa: E402
from toolcode_conformance.leak_scan import generate, readers, run  # noqa: E402
from toolcode_conformance.leak_scan.frame import COLUMNS, scan_frame, split  # noqa: E402

if TYPE_CHECKING:
    from pathlib import Path

LEAK = "Sure.\ncall:default_api:dim{lamp:hall,level:2}"
# Dask's and its event loop's own warnings are not ours to mend.
pytestmark = pytest.mark.filterwarnings("default")


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = tmp_path_factory.mktemp("logs")
    generate.write(folder, 1200, 7, per_file=400)
    return folder


def scan(pattern: object, out: Path, *more: str) -> int:
    return main(["leaks", "scan", str(pattern), "--out", str(out), "--id", "id", *more])


def results(out: Path) -> list[dict[str, object]]:
    found = []
    for folder in ("findings", "errors"):
        for path in sorted((out / folder).glob("*.parquet")):
            found += [{"of": folder, **row} for row in pd.read_parquet(path).to_dict("records")]
    return found


def test_a_finding_has_the_documented_columns_and_keeps_the_id() -> None:
    frame = pd.DataFrame({"id": ["a", "b"], "text": ["nothing here", LEAK]}, index=[10, 11])
    (row,) = scan_frame(frame, ids=["id"]).to_dict("records")
    assert list(row) == ["id", *COLUMNS]
    assert (row["id"], row["row"], row["family"]) == ("b", 11, "A6")
    assert LEAK[row["start"] : row["end"]].strip() == LEAK.removeprefix("Sure.").strip()
    (call,) = json.loads(row["calls"])
    assert (call["name"], call["arguments"]) == ("dim", {"lamp": "hall", "level": 2})


def test_bad_rows_become_errors_and_stop_nothing() -> None:
    bad = [None, float("nan"), 7, b"\xff", LEAK.encode(), ["x"], "\ud800" + LEAK]
    found, errors = split(scan_frame(pd.DataFrame({"text": bad})))
    assert list(found["row"]) == [4, 6]
    assert dict(zip(errors["row"], errors["error"], strict=True)) == {
        0: "no text",
        1: "no text",
        2: "no text but int",
        3: "no UTF-8 at byte 0",
        5: "no text but list",
    }


def test_a_failure_of_our_own_is_an_error_too(monkeypatch: pytest.MonkeyPatch) -> None:
    real = recover

    def broken(text: str, **options: object) -> object:
        if text == "boom":
            raise RuntimeError("oh")
        return real(text, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(module, "recover", broken)
    found, errors = split(scan_frame(pd.DataFrame({"text": ["boom", LEAK]})))
    assert list(found["row"]) == [1]
    assert list(errors["error"]) == ["RuntimeError: oh"]


def test_no_row_gives_no_row_but_the_same_types() -> None:
    empty = scan_frame(pd.DataFrame({"text": []}))
    full = scan_frame(pd.DataFrame({"text": [LEAK]}))
    assert list(empty.columns) == list(full.columns)
    assert empty["start"].dtype == full["start"].dtype == "int64"


def test_the_generator_is_seeded_and_mixes() -> None:
    made = list(generate.rows(2000, 3))
    assert made == list(generate.rows(2000, 3))
    assert made != list(generate.rows(2000, 4))
    frame = pd.DataFrame(made)
    found, errors = split(scan_frame(frame))
    assert 0 < len(errors) < 20
    direct = [one.family for row in made if row["text"] for one in recover(row["text"]).findings]
    assert Counter(found["family"]) == Counter(direct)
    assert len(set(direct)) > 6
    assert found["row"].nunique() < 400


@pytest.mark.parametrize("chunk", [1, 7, 100_000])
def test_no_chunk_size_changes_the_results(logs: Path, tmp_path: Path, chunk: int) -> None:
    assert scan(logs / "*.parquet", tmp_path / "whole") == 0
    assert scan(logs / "*.parquet", tmp_path / "chunks", "--chunk", str(chunk)) == 0
    whole = results(tmp_path / "whole")
    assert len(whole) > 30
    assert results(tmp_path / "chunks") == whole


def test_both_engines_give_the_same_results(logs: Path, tmp_path: Path) -> None:
    pytest.importorskip("distributed", reason="the extra `scale` (Dask) is not installed")
    assert scan(logs / "*.parquet", tmp_path / "pandas") == 0
    assert scan(logs / "*.parquet", tmp_path / "dask", "--engine", "dask") == 0
    assert results(tmp_path / "dask") == results(tmp_path / "pandas")
    assert len(list((tmp_path / "dask" / "done").iterdir())) == 12


def test_dask_maps_the_function_as_it_stands(logs: Path) -> None:
    frames = pytest.importorskip("dask.dataframe", reason="Dask is not installed")
    frame = pd.read_parquet(logs / "log-000.parquet")
    mapped = frames.from_pandas(frame, npartitions=3).map_partitions(
        scan_frame, ids=["id"], meta=scan_frame(frame[:0], ids=["id"])
    )
    there = mapped.compute(scheduler="synchronous").reset_index(drop=True)
    pd.testing.assert_frame_equal(there, scan_frame(frame, ids=["id"]), check_dtype=False)


def test_the_forms_of_files_give_the_same_results(tmp_path: Path) -> None:
    frame = pd.DataFrame({"id": ["x", "y"], "text": [LEAK, 'a "quoted", text\nof two lines']})
    lines = "".join(json.dumps(row) + "\n" for row in frame.to_dict("records"))
    frame.to_parquet(tmp_path / "a.parquet")
    frame.to_csv(tmp_path / "a.csv", index=False)
    (tmp_path / "a.jsonl").write_text(lines, "utf-8")
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(lines.encode()))
    seen = []
    for name in ("a.parquet", "a.csv", "a.jsonl", "a.jsonl.gz"):
        assert scan(tmp_path / name, tmp_path / f"out-{name}") == 0
        seen.append(results(tmp_path / f"out-{name}"))
    assert len(seen[0]) == 1
    assert seen == [seen[0]] * 4


def test_broken_lines_of_files_are_errors(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(
        b'{"id": 1, "text": "call:default_api:go{a:1}"}\n{"id": 2, "te\n[1]\n\xff\n{"id": 5}\n'
    )
    (tmp_path / "b.csv").write_bytes(b"id,text\n1,a,b\n2,\xff\n3,call:default_api:go{a:1}\n4\n")
    assert scan(tmp_path / "a.jsonl", tmp_path / "a") == 0
    assert scan(tmp_path / "b.csv", tmp_path / "b") == 0
    a, b = results(tmp_path / "a"), results(tmp_path / "b")
    assert [(row["of"], row["row"]) for row in a] == [
        ("findings", 0),
        ("errors", 1),
        ("errors", 2),
        ("errors", 3),
        ("errors", 4),
    ]
    assert "line 2" in str(a[1]["error"])
    assert [(row["of"], row["row"]) for row in b] == [
        ("findings", 2),
        ("errors", 0),
        ("errors", 1),
        ("errors", 3),
    ]


def test_a_scan_goes_on_where_it_was_interrupted(
    logs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    real = run.scan_part
    done: list[readers.Part] = []

    def counted(part: readers.Part, job: run.Job) -> dict[str, object]:
        done.append(part)
        return real(part, job)

    def interrupted(part: readers.Part, job: run.Job) -> dict[str, object]:
        if len(done) == 5:
            raise KeyboardInterrupt
        return counted(part, job)

    monkeypatch.setattr(run, "scan_part", interrupted)
    with pytest.raises(KeyboardInterrupt):
        scan(logs / "*.parquet", tmp_path / "out")
    done.clear()
    monkeypatch.setattr(run, "scan_part", counted)
    assert scan(logs / "*.parquet", tmp_path / "out") == 0
    assert len(done) == 7
    assert scan(logs / "*.parquet", tmp_path / "out") == 0
    assert len(done) == 7
    assert "all 12 partitions were done already" in capsys.readouterr().err
    assert scan(logs / "*.parquet", tmp_path / "whole") == 0
    assert results(tmp_path / "out") == results(tmp_path / "whole")


def test_a_changed_file_or_option_is_scanned_again(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    frame = pd.DataFrame({"id": ["x", "y"], "text": [LEAK, LEAK]})
    frame.to_parquet(path, row_group_size=1)
    assert scan(path, tmp_path / "out") == 0
    assert len(results(tmp_path / "out")) == 2
    frame[:1].to_parquet(path, row_group_size=1)
    assert scan(path, tmp_path / "out", "--tools", "dim") == 0
    (row,) = results(tmp_path / "out")
    assert json.loads(str(row["calls"]))[0]["tool"] == "dim"


@pytest.mark.parametrize(
    ("name", "more", "said"),
    [
        ("none*.parquet", [], "no file matches"),
        ("a.parquet", ["--text", "body"], "a.parquet: no column 'body'; it has id, text"),
        ("a.csv", ["--text", "body"], "a.csv: no column 'body'; it has id, text"),
        ("a.jsonl", ["--id", "user"], "a.jsonl: no column 'user'; it has id, text"),
        ("a.txt", [], "a.txt: neither of"),
        ("broken.parquet", [], "broken.parquet: "),
        ("a.csv", ["--channel", "radio"], "--channel must be one of text"),
        ("a.csv", ["--id", "row"], "--id row"),
        ("a.csv", ["--chunk", "0"], "--chunk"),
    ],
)
def test_mistakes_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, more: list[str], said: str
) -> None:
    frame = pd.DataFrame({"id": ["x"], "text": ["hello"]})
    frame.to_parquet(tmp_path / "a.parquet")
    frame.to_csv(tmp_path / "a.csv", index=False)
    (tmp_path / "a.jsonl").write_text('{"id": 1, "text": "hello"}\n', "utf-8")
    for other in ("a.txt", "broken.parquet"):
        (tmp_path / other).write_text("no table", "utf-8")
    assert scan(tmp_path / name, tmp_path / "out", *more) == 2
    assert said in capsys.readouterr().err
