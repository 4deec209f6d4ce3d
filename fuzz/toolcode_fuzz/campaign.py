"""One target fuzzed for a while: engine processes, their progress, and what they leave behind.

Everything lies in a folder per target (and implementation): `corpus` is what the next run starts
from, `job-N` is one process's own, `raw` are inputs that broke something, `small` the same, one for
each signature. So a run can be stopped at any time and goes on where it was.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from toolcode_fuzz import engine, grammar, seeds
from toolcode_fuzz.targets import replay

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_STATS: Final = re.compile(r"#(\d+)\s.*?cov: \d+ ft: (\d+)")
_SHORT: Final = 20
_GRACE: Final = 5.0
_OWN: Final = Path(__file__).resolve().parents[1]
INTERRUPTED: Final = 130
_LEAVES: Final = frozenset({0, 72})
"""Exit codes of an engine whose time is up, or that Ctrl-C reached as well."""


@dataclass(frozen=True, slots=True)
class Setting:
    """How a target is fuzzed.

    Attributes:
        impl: The implementation, as after `--impl`; "" for the targets about the reference.
        seconds: How long.
        seed: The engine's; 0 is another one every time.
        jobs: Processes at a time.
        with_seeds: Start from the corpus's texts, with a dictionary.
        mutator: Use the grammar's mutator.
        coverage: Use atheris.
        first_only: Stop at the first finding.
        path: Folders to import from before all others: a changed copy of the reference.
        start: A folder of seeds to take instead of the corpus's.
        few: Start from few seeds: the implementation is a process for each text.
        forms: The forms that the implementation reads; empty is all.
    """

    target: str
    out: Path
    impl: str = ""
    seconds: float = 60.0
    seed: int = 0
    jobs: int = 1
    with_seeds: bool = True
    mutator: bool = True
    coverage: bool = True
    first_only: bool = False
    path: tuple[Path, ...] = ()
    start: Path | None = None
    few: bool = False
    forms: frozenset[str] = frozenset()


@dataclass(slots=True)
class Tally:
    """What came of a run.

    Attributes:
        growth: Features over time, as (seconds, runs, features) of the first process.
        code: 0, `INTERRUPTED`, or an engine's exit code that says it could not run.
    """

    began: float = field(default_factory=time.monotonic)
    runs: int = 0
    features: int = 0
    code: int = 0
    growth: list[tuple[float, int, int]] = field(default_factory=list)
    last_words: list[str] = field(default_factory=list)

    @property
    def seconds(self) -> float:
        """Time since the beginning."""
        return time.monotonic() - self.began


class _Job:
    """One engine process after the other, until time is up."""

    def __init__(
        self, number: int, setting: Setting, tally: Tally, say: Callable[[], None]
    ) -> None:
        self.number = number
        self.setting = setting
        self.tally = tally
        self.say = say
        self.runs = 0
        self.before = 0
        self.process: subprocess.Popen[str] | None = None
        self.stopped = False
        self.thread = threading.Thread(target=self._loop, daemon=True)

    def _loop(self) -> None:
        short = 0
        while not self.stopped and (left := self.setting.seconds - self.tally.seconds) >= 1:
            began, code = time.monotonic(), self._once(left)
            ran = self.runs > 0
            self.before, self.runs = self.before + self.runs, 0
            if code in _LEAVES or self.setting.first_only:
                return
            # A process that ends at once, time and again, will not fuzz anything.
            short = short + 1 if time.monotonic() - began < 1 else 0
            if (code != engine.FOUND and not ran) or short > _SHORT:
                self.tally.code = code
                return

    def _once(self, left: float) -> int:
        old = os.environ.get("PYTHONPATH")
        path = [*map(str, self.setting.path), str(_OWN), *([old] if old else [])]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path)}
        with subprocess.Popen(  # noqa: S603 - our own module
            _command(self.setting, self.number, left),
            stderr=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stdin=subprocess.DEVNULL,
            text=True,
            errors="replace",
            env=environment,
        ) as self.process:
            assert self.process.stderr is not None
            for line in self.process.stderr:
                self._heard(line)
            return self.process.wait()

    def _heard(self, line: str) -> None:
        match = _STATS.search(line)
        if not match:
            self.tally.last_words = [*self.tally.last_words[-19:], line.rstrip()]
            return
        self.runs = int(match[1])
        features = int(match[2])
        self.tally.features = max(self.tally.features, features)
        if not self.number:
            self.tally.growth.append((self.tally.seconds, self.before + self.runs, features))
        self.say()

    def stop(self) -> None:
        self.stopped = True
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()


def run(setting: Setting) -> Tally:
    """Fuzz one target until time is up, or until Ctrl-C."""
    _prepare(setting)
    tally = Tally()
    jobs: list[_Job] = []

    def say() -> None:
        tally.runs = sum(job.before + job.runs for job in jobs)
        if sys.stdout.isatty():
            print(f"\r{_line(setting, tally)} ", end="", flush=True)

    jobs += [_Job(number, setting, tally, say) for number in range(setting.jobs)]
    try:
        for job in jobs:
            job.thread.start()
        while any(job.thread.is_alive() for job in jobs):
            time.sleep(0.1)
    except KeyboardInterrupt:
        tally.code = INTERRUPTED
    finally:
        for job in jobs:
            job.stop()
        for job in jobs:
            job.thread.join(_GRACE)
    tally.runs = sum(job.before + job.runs for job in jobs)
    merge(setting.out)
    return tally


def _line(setting: Setting, tally: Tally) -> str:
    rate = tally.runs / max(tally.seconds, 0.1)
    features = f"{tally.features:,} features, " if tally.features else ""
    found = len(raw_findings(setting.out))
    return f"{setting.target}: {tally.runs:,} runs, {rate:,.0f}/s, {features}{found} raw findings"


def raw_findings(out: Path) -> list[Path]:
    """Return the inputs that broke something, those of every process."""
    return sorted(path for path in out.glob("raw*/*") if "." not in path.name)


def _prepare(setting: Setting) -> None:
    out = setting.out
    (out / "corpus").mkdir(parents=True, exist_ok=True)
    for number in range(setting.jobs):
        (out / f"job-{number}").mkdir(exist_ok=True)
        (out / f"raw-{number}").mkdir(exist_ok=True)
    if setting.with_seeds:
        (out / "dictionary.txt").write_text(grammar.dictionary(), "utf-8")
    if setting.with_seeds and setting.start is None:
        start = out / "seeds"
        shutil.rmtree(start, ignore_errors=True)  # those of an older corpus are no seeds any more
        start.mkdir()
        for number, data in enumerate(_seeds(setting)):
            (start / f"{number:05}").write_bytes(data)


def _seeds(setting: Setting) -> Iterable[bytes]:
    if setting.few:
        return seeds.few(setting.target, lambda data: replay("scan", data), setting.forms)
    return seeds.seeds(setting.target, setting.forms)


def _command(setting: Setting, number: int, left: float) -> list[str]:
    out = setting.out.resolve()
    seed = setting.seed and setting.seed + number
    words = [
        *(sys.executable, "-m", "toolcode_fuzz", "engine", setting.target),
        *("--raw", str(out / f"raw-{number}"), "--time", str(int(left)), "--seed", str(seed)),
        *(("--impl", setting.impl) if setting.impl else ()),
        *(() if setting.coverage else ("--plain",)),
        *(() if setting.mutator else ("--no-grammar",)),
        *(("--first-only",) if setting.first_only else ()),
        # The first folder is written to: the process's own. The others are only read.
        *("--corpus", str(out / f"job-{number}"), "--corpus", str(out / "corpus")),
    ]
    if setting.with_seeds:
        words += ["--corpus", str(setting.start or out / "seeds")]
        words += ["--dictionary", str(out / "dictionary.txt")]
    return words


def engine_words(folders: list[Path], dictionary: Path | None, raw: Path, **more: int) -> list[str]:
    """Return libFuzzer's arguments."""
    seconds, seed = more["seconds"], more["seed"]
    return [
        *map(str, folders),
        *((f"-dict={dictionary}",) if dictionary else ()),
        f"-max_total_time={max(1, seconds)}",
        f"-max_len={engine.MOST}",
        f"-artifact_prefix={raw}{os.sep}",
        *((f"-seed={seed}",) if seed else ()),
        *("-use_value_profile=1", "-print_final_stats=0", "-timeout=20", "-rss_limit_mb=4096"),
    ]


def merge(out: Path) -> None:
    """Put what each process added into the common corpus; libFuzzer names inputs by their hash."""
    common = out / "corpus"
    for folder in sorted(out.glob("job-*")):
        for path in folder.iterdir():
            path.replace(common / path.name)
