"""Command line of the recorder: record, pack, verify, readings, card, stats."""

from __future__ import annotations

import argparse
import gzip
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from toolcode_conformance import places, readings_store
from toolcode_conformance.errors import HarnessError, StartError, UsageError
from toolcode_conformance.recorder import card, store
from toolcode_conformance.recorder import model as models
from toolcode_conformance.recorder.outcomes import table
from toolcode_conformance.recorder.plan import Run, make_plan, shard, spread
from toolcode_conformance.recorder.scenario import Scenario, load_scenario
from toolcode_conformance.recorder.session import Progress, record_all, record_run
from toolcode_conformance.reference_handler import string_aware

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolcode_conformance.recorder.model import Model
    from toolcode_conformance.recorder.store import Record

_DEFAULT_OUT: Final = Path("out/recorded")
_SHARD: Final = re.compile(r"([1-9]\d*)/([1-9]\d*)")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m toolcode_conformance.recorder",
        description="Record real transcripts from Gemma 3 270M (pretrained, Q4_K_M, few-shot).",
    )
    parser.add_argument("--scenarios", type=Path, help="scenario file (default: the corpus's)")
    actions = parser.add_subparsers(dest="action", required=True)
    one = actions.add_parser("record", help="record what is missing; resumes where it stopped")
    _add_model_options(one)
    one.add_argument("--out", type=Path, default=_DEFAULT_OUT, help="folder of the working files")
    one.add_argument(
        "--shard",
        default="1/1",
        metavar="N/M",
        help="record part N of M: one process per part, at the same time",
    )
    one.add_argument(
        "--spread",
        type=int,
        metavar="COUNT",
        help="only COUNT transcripts, evenly spread over the plan",
    )
    one.set_defaults(run=_record)
    one = actions.add_parser("pack", help="compact the working files into the corpus")
    one.add_argument("--out", type=Path, default=_DEFAULT_OUT, help="folder of the working files")
    one.add_argument("--to", type=Path, help="folder of the packed files (default: the corpus's)")
    one.set_defaults(run=_pack)
    one = actions.add_parser("verify", help="record some packed transcripts again and compare")
    _add_model_options(one)
    one.add_argument("--count", type=int, default=20, help="how many, evenly spread")
    one.add_argument("--from", dest="source", type=Path, help="folder of the packed files")
    one.set_defaults(run=_verify)
    one = actions.add_parser("readings", help="read every packed reply anew, by two readers")
    one.add_argument("--from", dest="source", type=Path, help="folder of the packed files")
    one.add_argument("--check", action="store_true", help="change nothing; 1 if any would differ")
    one.set_defaults(run=_readings)
    one = actions.add_parser("card", help="renew the computed parts of the data card")
    one.add_argument("--from", dest="source", type=Path, help="folder of the packed files")
    one.add_argument("--check", action="store_true", help="change nothing; 1 if it is not current")
    one.set_defaults(run=_card)
    one = actions.add_parser("stats", help="counts by outcome, temperature and form")
    one.add_argument("--from", dest="source", type=Path, help="folder of the packed files")
    one.set_defaults(run=_stats)
    return parser


def _add_model_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--model",
        type=Path,
        metavar="FILE",
        help="model file (default: that of the installed package)",
    )
    parser.add_argument(
        "--threads",
        type=int,
        default=1,
        help="threads; another number may give other tokens (default: 1)",
    )


def _load(options: argparse.Namespace) -> tuple[Scenario, list[Run]]:
    path = options.scenarios or places.corpus_dir() / "recorded" / "scenarios.toml"
    scenario = load_scenario(path)
    return scenario, make_plan(scenario)


def _folder(path: Path | None) -> Path:
    return path or places.corpus_dir() / "recorded"


def open_model(options: argparse.Namespace) -> Model:
    """Return the real model that the options name."""
    return models.LlamaModel(models.find_model(options.model), options.threads)


def _header(model: Model, scenario: Scenario) -> Record:
    sampling = scenario.sampling
    return {
        **model.about,
        "scenarios_sha256": scenario.sha256,
        "sampling": {
            "top_k": sampling.top_k,
            "top_p": sampling.top_p,
            "min_p": sampling.min_p,
            "repeat_penalty": sampling.repeat_penalty,
        },
    }


def _record(options: argparse.Namespace, opener: Callable[[argparse.Namespace], Model]) -> int:
    match = _SHARD.fullmatch(options.shard)
    if not match or int(match[1]) > int(match[2]):
        raise UsageError(f"--shard {options.shard}: must be like 1/2")
    scenario, plan = _load(options)
    runs = spread(plan, options.spread) if options.spread else plan
    part = shard(runs, int(match[1]), int(match[2]))
    model = opener(options)
    path = options.out / f"part-{match[1]}-of-{match[2]}.jsonl"
    journal = store.Journal(path, _header(model, scenario))
    missing = sum(run.id not in journal.done for run in part)
    _say(f"{path}: {len(part) - missing} recorded, {missing} to go")
    progress = Progress(missing, _write, live=sys.stderr.isatty())
    record_all(model, part, scenario.sampling, journal, progress)
    return 0


def _pack(options: argparse.Namespace, _opener: object) -> int:
    _, plan = _load(options)
    sources = sorted(options.out.glob("part-*.jsonl"))
    if not sources:
        raise UsageError(f"--out {options.out}: no part-*.jsonl there; record first")
    for path in store.pack(sources, [run.id for run in plan], _folder(options.to)):
        _say(f"{path}: {path.stat().st_size} bytes")
    return 0


def _verify(options: argparse.Namespace, opener: Callable[[argparse.Namespace], Model]) -> int:
    scenario, plan = _load(options)
    packed = {
        record["id"]: (header, record)
        for header, record in store.load_packed(_folder(options.source))
    }
    runs = spread([run for run in plan if run.id in packed], options.count)
    if not runs:
        raise UsageError("nothing to verify: no packed transcript of this scenario")
    model = opener(options)
    expected = store.to_line({"format": store.FORMAT, **_header(model, scenario)})
    if store.to_line(packed[runs[0].id][0]) != expected:
        _say("note: model, library, threads or scenario differ from the packed header")
    # Backwards, so that no run meets the state its recording met.
    same = [
        run.id
        for run in reversed(runs)
        if _same(record_run(model, run, scenario.sampling), packed[run.id][1])
    ]
    _say(f"{len(same)} of {len(runs)} transcripts are the same bytes")
    return int(len(same) != len(runs))


def _same(fresh: Record, packed: Record) -> bool:
    if store.to_line(fresh) == store.to_line(packed):
        return True
    _say(f"{packed['id']}: differs")
    return False


def _stats(options: argparse.Namespace, _opener: object) -> int:
    records = [record for _, record in store.load_packed(_folder(options.source))]
    if not records:
        raise UsageError("no packed transcripts found")
    _say(table(records).rstrip("\n"))
    return 0


def _readings(options: argparse.Namespace, _opener: object) -> int:
    folder = _folder(options.source)
    rows, problems = readings_store.make(folder, string_aware())
    for problem in problems:
        _say(problem)
    path = folder / readings_store.READINGS
    data = readings_store.dump(rows)
    # Compared unpacked: another version of zlib may pack the same lines differently.
    same = path.exists() and gzip.decompress(path.read_bytes()) == gzip.decompress(data)
    if not options.check and not same:
        path.write_bytes(data)
    state = "current" if same else "not current" if options.check else "written"
    _say(f"{len(rows)} readings {state}, {len(problems)} replies on which the readers differ")
    return int(bool(problems) or (options.check and not same))


def _card(options: argparse.Namespace, _opener: object) -> int:
    folder = _folder(options.source)
    old, new = card.renew(folder)
    if old != new and not options.check:
        (folder / card.CARD).write_text(new, "utf-8", newline="\n")
    state = "current" if old == new else "not current" if options.check else "renewed"
    _say(f"{folder / card.CARD}: {state}")
    return int(options.check and old != new)


def _write(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")


def main(
    arguments: list[str] | None = None,
    opener: Callable[[argparse.Namespace], Model] = open_model,
) -> int:
    """Run one command; 0 done, 1 a difference or broken file, 2 usage, 4 no model."""
    options = _parser().parse_args(arguments)
    try:
        return int(options.run(options, opener))
    except HarnessError as error:
        sys.stderr.write(f"recorder: {error}\n")
        return 4 if isinstance(error, StartError) else 2 if isinstance(error, UsageError) else 1
    except KeyboardInterrupt:
        sys.stderr.write("\nrecorder: stopped; the same command goes on from here\n")
        return 1
