"""`toolcode replay`: one case again, with everything that went over the line."""

from __future__ import annotations

import shlex
import sys
from typing import TYPE_CHECKING, Any

from toolcode_conformance import chunking, readings_cases, report
from toolcode_conformance.clients import AdapterClient, Client, FilterClient
from toolcode_conformance.corpus import load_corpus
from toolcode_conformance.errors import UsageError
from toolcode_conformance.faults import Fault, NotOfferedError
from toolcode_conformance.implementation import connect
from toolcode_conformance.jsonlines import encode
from toolcode_conformance.plan import text_for
from toolcode_conformance.runner import DEFAULT_TIMEOUT, NOT_OFFERED, Outcome, Session
from toolcode_conformance.tables import clause_line

if TYPE_CHECKING:
    import argparse

    from toolcode_conformance.cases import Case
    from toolcode_conformance.implementation import Implementation

_LINE = 2000


class Recorder:
    """A client that remembers its last exchange."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self.request: dict[str, Any] = {}
        self.answer = ""

    @property
    def exchanges(self) -> int:
        """See `Client`."""
        return self._client.exchanges

    def ask(self, request: dict[str, Any], timeout: float) -> dict[str, Any]:
        """See `Client`."""
        self.request = request
        try:
            result = self._client.ask(request, timeout)
        except (Fault, NotOfferedError) as error:
            self.answer = f"{type(error).__name__}: {error}"
            raise
        self.answer = _written(result)
        return result

    def settle(self) -> None:
        """See `Client`."""
        self._client.settle()

    def close(self) -> None:
        """See `Client`."""
        self._client.close()


def _written(result: dict[str, Any]) -> str:
    try:
        return encode(result)
    except ValueError:  # 1e999 is valid JSON and is read as an infinity, which JSON cannot write
        return repr(result)


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")


def _short(text: str) -> str:
    return text if len(text) <= _LINE else f"{text[:_LINE]}... ({len(text)} characters)"


def run(options: argparse.Namespace) -> int:
    """Replay one case; 0 if it passes, 1 if not, 2 if it is not offered."""
    corpus = load_corpus()
    recorded = options.case.startswith(readings_cases.PREFIX)
    case = readings_cases.find(options.case, {}) if recorded else corpus.find(options.case)
    impl = connect(options.impl, shlex.split(options.wrap or ""))
    recorder = Recorder(impl.client)
    session = Session(impl, options.chunks, options.timeout or impl.timeout or DEFAULT_TIMEOUT)
    try:
        session.settle_choices(corpus)
        if recorded:
            case = readings_cases.find(case.id, session.choices)
        if session.level == "tokens":
            session.find_tokens([case])
        impl.client = recorder
        outcome = _run(session, case, options.case.partition("#cut=")[2])
        _show(session, outcome, recorder, options.impl)
    finally:
        session.close()
    return 2 if outcome.verdict == NOT_OFFERED else int(outcome.failed)


def _run(session: Session, case: Case, cut: str) -> Outcome:
    outcome = session.run(case)
    cut = cut or outcome.where.partition("=")[2]
    text = text_for(case, session.impl)
    cuts = session.named_cuts(case, text).get(cut) or _parse_cut(cut, text, case)
    if cuts is not None and (outcome.where or not outcome.failed):
        return session.run_cut(case, cuts)
    return outcome


def _parse_cut(cut: str, text: str, case: Case) -> chunking.Cuts | None:
    if not cut or cut.startswith(("bytes", "utf16")):
        return None
    if cut == "char":
        return chunking.single_characters(text)
    if cut == "stated" and case.chunks is not None:
        return chunking.cuts_of(case.chunks)
    try:
        cuts = tuple(int(part) for part in cut.split(","))
    except ValueError:
        cuts = (-1,)
    if list(cuts) != sorted(cuts) or not 0 <= cuts[0] <= cuts[-1] <= len(text):
        raise UsageError(f"#cut={cut}: want ascending offsets up to {len(text)}, char or stated")
    return cuts


def _show(session: Session, outcome: Outcome, recorder: Recorder, spec: str) -> None:
    case = outcome.case
    _say(f"{case.id}{outcome.where}: {outcome.verdict}")
    _say(f"  {case.title}")
    if recorder.request:
        _say(f"request:\n{_short(encode({'id': 1, **recorder.request}))}")
        _say(f"answer:\n{_short(recorder.answer)}")
    _say(
        report.failure_text(report.record(outcome, spec, session.choices))
        if outcome.failed
        else f"clause: {clause_line(case.clause)} ({case.level})\n{outcome.detail}".rstrip()
    )
    line = shell_line(session.impl, recorder.request)
    if line:
        _say(f"by hand:\n{line}")


def shell_line(impl: Implementation, request: dict[str, Any]) -> str:
    """Return a shell line that sends the request to the implementation, "" if none can."""
    client = impl.client
    inner = client._client if isinstance(client, Recorder) else client  # noqa: SLF001  our own
    if not request or not isinstance(inner, AdapterClient | FilterClient):
        return ""
    where = f"cd {shlex.quote(str(inner.folder))} && " if inner.folder else ""
    command = shlex.join(inner.command)
    if isinstance(inner, FilterClient):
        return f"{where}printf %s {shlex.quote(request['text'])} | {command}"
    lines = [encode({"id": 0, "op": "hello", "protocol": 1}), encode({"id": 1, **request})]
    text = " ".join(shlex.quote(line) for line in lines)
    return _short(f"{where}printf '%s\\n' {text} | {command}")


def explain(options: argparse.Namespace) -> int:
    """Print a clause (or a case's) as SPEC.md words it, and the cases that test it."""
    from toolcode_conformance import places  # noqa: PLC0415  only needed here

    corpus = load_corpus()
    wanted = _clause_id(options.clause)
    if options.clause.count(".") > 1:
        # A newcomer has the failing case's id at hand, and means its clause.
        wanted = corpus.find(options.clause).clause
    text = places.spec_file().read_text("utf-8")
    section = _section(text, wanted)
    if section is None:
        near = [one for one in _clauses(text) if one.startswith(wanted.rstrip("0123456789abcde"))]
        raise UsageError(
            f"SPEC.md has no clause {wanted}; "
            + (f"near it are {', '.join(near)}" if near else "they are spelt like CALL.4 or ENV.1a")
        )
    _say(section)
    cases = [case for case in corpus.cases if case.clause == wanted]
    _say(f"\n{len(cases)} cases test it:")
    for case in cases:
        _say(f"  {case.id}  {case.title}")
    return 0


def _clause_id(given: str) -> str:
    """Spell a clause's id as SPEC.md does: the area in capitals, the letter small."""
    area, dot, number = given.partition(".")
    return area.upper() + dot + number.lower()


def _clauses(text: str) -> list[str]:
    heads = (line.split() for line in text.split("\n") if line.startswith("### "))
    return [words[1] for words in heads if "." in words[1]]


def _section(text: str, clause: str) -> str | None:
    lines = text.split("\n")
    for number, line in enumerate(lines):
        if line.startswith("### ") and line.split()[1] == clause:
            end = next(
                (i for i in range(number + 1, len(lines)) if lines[i].startswith(("## ", "### "))),
                len(lines),
            )
            kept = [one for one in lines[number:end] if not one.startswith("<a id=")]
            return "\n".join(kept).strip()
    return None
