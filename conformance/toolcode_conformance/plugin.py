"""pytest as the engine: each case is one item, its chunkings inside.

Loaded only by our commands (`-p toolcode_conformance.plugin`), never by being installed.
"""

from __future__ import annotations

import json
from pathlib import Path  # noqa: TC003  pytest reads the annotations of its hooks
from typing import TYPE_CHECKING, Any

import pytest

from toolcode_conformance import expectations as known
from toolcode_conformance import pages, places, readings_cases, releases, report
from toolcode_conformance.cases import LEVELS
from toolcode_conformance.chunking import LEVELS as CHUNK_LEVELS
from toolcode_conformance.corpus import Corpus, load_corpus
from toolcode_conformance.errors import HarnessError, StartError, UsageError
from toolcode_conformance.implementation import connect
from toolcode_conformance.runner import DEFAULT_TIMEOUT, NOT_OFFERED, Outcome, Session

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable

    from toolcode_conformance.cases import Case
    from toolcode_conformance.expectations import Expectation

START_FAILED = 40
"""pytest's exit code when the implementation would not start; the command makes it 4."""

RUN = pytest.StashKey["Run"]()


class CaseFailure(Exception):  # noqa: N818  a verdict, raised where pytest wants one
    """A case failed and no expectation says so."""


class Run:
    """What the hooks share: corpus, expectations, session and what came of each case."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        stated = self.path_option("corpus")
        self.corpus: Corpus = load_corpus(stated)
        self.session: Session | None = None
        self.collector = report.Collector()
        self.expectations: list[Expectation] = []
        self.stale: list[str] = []
        self.by_path = {case.path: case for case in self.corpus.cases}
        self.streams: list[Case] = []
        release = config.getoption("release")
        self.required = releases.required(release, self.corpus.root) if release else None
        self.disputed = releases.disputed(self.corpus.root)

    def find_streams(self) -> None:
        """Make cases of the recorded replies, where they are asked for and the corpus has them."""
        asked = self.config.getoption("recorded") or "recorded" in self.areas()
        folder = self.recording()
        if asked and folder is not None:
            choices = self.session.choices if self.session else None
            self.streams = readings_cases.stream_cases(folder, choices)

    def recording(self) -> Path | None:
        """Return the folder of the recording, or None if this corpus has none with readings."""
        folder = self.corpus.root / "recorded"
        return folder if (folder / readings_cases.READINGS).is_file() else None

    def asked(self, case: Case) -> bool:
        """Whether a release is asked for that has this case, or none is."""
        names = {case.id, *case.aliases}
        return self.required is None or not names.isdisjoint(self.required)

    def areas(self) -> list[str]:
        """Return the areas asked for; none means all."""
        return list(self.config.getoption("area") or ())

    def path_option(self, name: str) -> Path | None:
        """Return a path given on the command line, relative to where it was given."""
        value = self.config.getoption(name)
        return self.config.invocation_params.dir / value if value else None

    def read_expectations(self, label: str) -> None:
        """Find and read the expectations: the stated file, else the known adapter's."""
        if self.config.getoption("no_expectations") or self.config.getoption("write_expectations"):
            return
        path = self.path_option("expectations")
        if path is None and label:
            own = places.adapters_dir() / label / "expectations.txt"
            path = own if own.is_file() else None
        if path is not None:
            self.expectations = known.read(path)
            folder = self.recording()
            about_streams = any(
                one.glob.startswith(readings_cases.PREFIX) for one in self.expectations
            )
            more = readings_cases.stream_ids(folder) if folder and about_streams else []
            self.stale = [
                f"{path}: {line}" for line in known.unknown(self.expectations, self.corpus, more)
            ]

    def start(self) -> Session:
        """Connect to the implementation and settle its choices."""
        impl = connect(self.config.getoption("impl"))
        stated = self.config.getoption("timeout")
        session = Session(
            impl, self.config.getoption("chunks"), stated or impl.timeout or DEFAULT_TIMEOUT
        )
        session.settle_choices(self.corpus)
        if session.level == "tokens":
            session.find_tokens(self.corpus.cases)
        self.session = session
        return session


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add our options; `toolcode conformance --help` shows them."""
    group = parser.getgroup("toolcode")
    group.addoption(
        "--impl",
        default="reference",
        help="adapter name, command, filter:CMD, adapter:CMD or python:mod:factory",
    )
    group.addoption("--level", choices=LEVELS, action="append", help="only cases of this level")
    group.addoption("--area", action="append", help="only cases of this area")
    group.addoption("--release", help="only cases that this release of the corpus had")
    group.addoption(
        "--fail-on",
        choices=LEVELS,
        default="may",
        help="the weakest level whose failures set the exit code",
    )
    group.addoption(
        "--chunks", choices=list(CHUNK_LEVELS), default="standard", help="how finely texts are cut"
    )
    group.addoption("--timeout", type=float, help="seconds per exchange")
    group.addoption("--expectations", help="file of known failures")
    group.addoption("--no-expectations", action="store_true", help="every failure counts")
    group.addoption("--write-expectations", help="write a file of all failures, to be edited")
    group.addoption("--corpus", help="folder of cases, instead of the suite's own")
    group.addoption("--json", dest="json_file", help="write the results as JSON")
    group.addoption("--markdown", dest="markdown_file", help="write the results as Markdown")
    group.addoption("--html", dest="html_file", help="write the results as one HTML page")
    group.addoption("--recorded", action="store_true", help="also run the recorded streams")
    group.addoption("--growth", action="store_true", help="also measure how the time grows")


def pytest_configure(config: pytest.Config) -> None:
    """Load the corpus, connect, and point collection at the corpus."""
    if config.option.help:
        return
    try:
        run = Run(config)
        config.stash[RUN] = run
        _check_areas(run)
        if config.args_source is not pytest.Config.ArgsSource.ARGS:
            config.args = [str(run.corpus.root)]
        if config.option.collectonly:
            run.find_streams()
            return
        session = run.start()
        run.find_streams()
        run.read_expectations(session.impl.label)
    except StartError as error:
        pytest.exit(f"toolcode: {error}", returncode=START_FAILED)
    except HarnessError as error:
        raise pytest.UsageError(str(error)) from error
    run.collector.about = report.About.of(session, run.corpus)
    run.collector.about.cases += len(run.streams)


def _check_areas(run: Run) -> None:
    areas = {case.area for case in run.corpus.cases}
    for area in run.config.getoption("area") or ():
        if area not in areas:
            raise UsageError(f"--area {area}: the areas are {', '.join(sorted(areas))}")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect the group files of the corpus and nothing else."""
    run = parent.config.stash[RUN]
    collected: pytest.Collector | None = None
    if file_path in run.by_path:
        collected = GroupFile.from_parent(parent, path=file_path)
    elif any(case.path == file_path for case in run.streams):
        collected = StreamFile.from_parent(parent, path=file_path)
    return collected


class GroupFile(pytest.File):
    """One file of cases."""

    def collect(self) -> Iterable[pytest.Item]:
        """Yield one item per selected case."""
        levels = self.config.getoption("level")
        areas = self.config.getoption("area")
        recorded = self.config.getoption("recorded") or "recorded" in (areas or ())
        for case in self.config.stash[RUN].corpus.cases:
            if case.path != self.path or (case.area == "recorded" and not recorded):
                continue
            if case.op == "growth" and not self.config.getoption("growth"):
                continue
            if not self.config.stash[RUN].asked(case):
                continue
            if (not levels or case.level in levels) and (not areas or case.area in areas):
                yield CaseItem.from_parent(self, name=case.id, case=case)


class StreamFile(pytest.File):
    """One file of the recording: a case per reply."""

    def collect(self) -> Iterable[pytest.Item]:
        """Yield one item per selected reply."""
        run = self.config.stash[RUN]
        levels = self.config.getoption("level")
        if run.areas() and "recorded" not in run.areas():
            return
        for case in run.streams:
            if case.path == self.path and (not levels or case.level in levels):
                yield CaseItem.from_parent(self, name=case.id, case=case)


class CaseItem(pytest.Item):
    """One case."""

    def __init__(self, *, case: Case, **others: Any) -> None:  # noqa: ANN401  pytest's own
        super().__init__(**others)
        self.case = case
        self.record: dict[str, Any] = {}
        self.user_properties += [
            ("clause", case.clause),
            ("level", case.level),
            ("effect", case.why),
        ]

    def runtest(self) -> None:
        """Run the case, then weigh its outcome against the expectations."""
        run = self.config.stash[RUN]
        session = run.session
        assert session is not None
        before = session.impl.client.exchanges, session.scans
        outcome = session.run(self.case)
        expected = known.find(run.expectations, self.case.id)
        self.record = report.record(outcome, self.config.getoption("impl"), session.choices)
        self.record["exchanges"] = session.impl.client.exchanges - before[0]
        self.record["scans"] = session.scans - before[1]
        self._weigh(outcome, expected)

    def _weigh(self, outcome: Outcome, expected: Expectation | None) -> None:
        if outcome.verdict == NOT_OFFERED:
            pytest.skip(f"not offered: {outcome.detail}")
        if expected is not None:
            wrong = known.violated(expected, outcome)
            if wrong is None and outcome.failed:
                self.record["expected"] = expected.reason
                pytest.xfail(expected.reason)
            if wrong is not None:
                self.record["unexpected"] = wrong
                raise CaseFailure(wrong)
        question = self.config.stash[RUN].disputed.get(self.case.id)
        if outcome.failed and question is not None:
            self.record["expected"] = f"disputed: {question}"
            pytest.xfail(self.record["expected"])
        if outcome.failed:
            raise CaseFailure(outcome.detail)

    def repr_failure(
        self,
        excinfo: pytest.ExceptionInfo[BaseException],
        style: Any = None,  # noqa: ANN401
    ) -> Any:  # noqa: ANN401  pytest's own
        """Say what a user needs, without a traceback of ours."""
        if isinstance(excinfo.value, CaseFailure):
            return report.failure_text(self.record)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Name the case in headings."""
        return self.path, None, self.case.id


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
    call: pytest.CallInfo[None],
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Send what came of the case along with the report, as ASCII text that any worker can send."""
    result = yield
    if call.when == "call" and isinstance(item, CaseItem) and item.record:
        result.toolcode = json.dumps(item.record)  # type: ignore[attr-defined]
    return result


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Collect what came of each case, from this process or a worker."""
    text = getattr(report, "toolcode", None)
    collector = Collectors.current
    if text and collector is not None:
        collector.add(json.loads(text), report.outcome)


class Collectors:
    """The collector of the running session; the report hook has no config to find it by."""

    current: report.Collector | None = None


def pytest_sessionstart(session: pytest.Session) -> None:
    """Set the collector that reports go to."""
    Collectors.current = session.config.stash[RUN].collector


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Write the result files and settle the exit code."""
    run = session.config.stash[RUN]
    if hasattr(session.config, "workerinput") or run.collector.about is None:
        return
    weakest = LEVELS.index(session.config.getoption("fail_on"))
    counted = [r for r in run.collector.unexpected() if LEVELS.index(r["level"]) <= weakest]
    if exitstatus == pytest.ExitCode.TESTS_FAILED and run.collector.unexpected() and not counted:
        session.exitstatus = pytest.ExitCode.OK
    if run.stale and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
    _write_files(run)


def _write_files(run: Run) -> None:
    results = run.collector.as_json()
    value = json.loads(results)
    writers: dict[str, Callable[[], str]] = {
        "json_file": lambda: results,
        "markdown_file": lambda: pages.markdown(value),
        "html_file": lambda: pages.page(value, [*run.corpus.cases, *run.streams]),
        "write_expectations": run.collector.as_expectations,
    }
    for option, text in writers.items():
        path = run.path_option(option)
        if path is not None:
            path.write_text(text(), "utf-8", "backslashreplace")


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter,
    config: pytest.Config,
) -> None:
    """Print the summary."""
    run = config.stash[RUN]
    if run.collector.about is None:
        return
    terminalreporter.section("conformance")
    for line in run.collector.summary(run.stale, config.getoption("chunks")):
        terminalreporter.write_line(line)


def pytest_unconfigure(config: pytest.Config) -> None:
    """End the implementation."""
    run = config.stash.get(RUN, None)
    if run is not None and run.session is not None:
        run.session.close()
