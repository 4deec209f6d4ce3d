"""After a run: its findings grouped, made small, and shown with the line that turns each to use."""

from __future__ import annotations

import datetime as dt
import shlex
import shutil
import time
from typing import TYPE_CHECKING, Final

from toolcode_fuzz import campaign, findings, promote
from toolcode_fuzz.findings import DIFFERENTIAL
from toolcode_fuzz.known import by_corpus, key_of
from toolcode_fuzz.targets import replay

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_SHOWN: Final = 12
_SECONDS: Final = 90.0


def report(target: str, out: Path, impl: str, seconds: float = _SECONDS) -> int:
    """Group, minimise and show what was found; 1 if anything was.

    Args:
        target: What was fuzzed.
        out: Where its files lie.
        impl: The implementation of the differential target, else "".
        seconds: How long all of the findings may be made smaller.
    """
    raw = campaign.raw_findings(out)
    if not raw:
        return 0
    run, close = _runner(target, impl)
    known: dict[tuple[str, str], str] = {}
    try:
        found = _smallest(findings.grouped(target, raw, run), run, min(seconds, _SECONDS))
        if found and target == DIFFERENTIAL:
            known = by_corpus(run, min(seconds, _SECONDS))
    finally:
        close()
    shutil.rmtree(out / "small", ignore_errors=True)  # an older run's: all are in `raw` as well
    new = [one for one in found if key_of(one) not in known]
    for one in found:
        path = findings.keep(
            one, out / "small", impl=impl, date=today(), case=known.get(key_of(one))
        )
        if one in new[:_SHOWN]:
            print(f"{findings.shown(one)}\n  kept as {path}\n  {next_step(path, one)}\n")
    if len(new) > _SHOWN:
        print(f"and {len(new) - _SHOWN} more, in {out / 'small'}")
    if len(new) < len(found):
        cases = sorted({known[key_of(one)] for one in found if key_of(one) in known})
        print(f"{len(found) - len(new)} are shown by cases of the corpus: {', '.join(cases)}")
    print(
        f"{target}: {len(found)} different findings, {len(new)} of them new"
        if found
        else f"{target}: all mended"
    )
    return int(bool(found))


def _smallest(
    found: list[findings.Finding], run: Callable[[str, bytes], None], seconds: float
) -> list[findings.Finding]:
    """Make findings small, and keep one of those that then look the same."""
    until = time.monotonic() + seconds
    small: dict[tuple[str, str], findings.Finding] = {}
    for number, one in enumerate(found):
        each = max(0.05, (until - time.monotonic()) / (len(found) - number))
        least = findings.minimised(one, run, each)
        key = key_of(least)
        if key not in small or len(least.data) < len(small[key].data):
            small[key] = least
    return sorted(small.values(), key=lambda one: (len(one.data), one.signature))


def _runner(target: str, impl: str) -> tuple[Callable[[str, bytes], None], Callable[[], None]]:
    if target != DIFFERENTIAL:
        return replay, lambda: None
    from toolcode_fuzz.differential import Differential  # noqa: PLC0415 - not for other targets

    differential = Differential.start(impl)
    return lambda _, data: differential(data), differential.close


def next_step(path: Path, finding: findings.Finding) -> str:
    """Return the line that makes a case of a finding, or keeps it for replay."""
    line = f"make fuzz-promote FINDING={shlex.quote(str(path))}"
    if finding.target not in promote.AS_CASES:
        return f"keep it for replay: {line}"
    words = promote.suggested(finding)
    return f"make it a case: {line} ARGS={shlex.quote(words)}"


def today() -> str:
    """Return the date as a case's source states it."""
    return dt.datetime.now(dt.UTC).date().isoformat()
