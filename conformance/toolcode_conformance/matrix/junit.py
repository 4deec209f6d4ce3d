"""The results as JUnit XML: one suite per parser, for the tools of a CI service."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final
from xml.sax.saxutils import quoteattr

from toolcode_conformance.faults import KINDS
from toolcode_conformance.matrix.store import NOT_RUN
from toolcode_conformance.runner import NOT_OFFERED

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from toolcode_conformance.cases import Case
    from toolcode_conformance.matrix.store import Result

# XML 1.0 has no way to write these, not even as references.
_FORBIDDEN: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def attribute(text: str) -> str:
    """Return a text as a quoted attribute; what XML cannot hold is written as an escape."""
    return quoteattr(_FORBIDDEN.sub(lambda match: ascii(match[0])[1:-1], text))


def document(results: Sequence[Result], cases: Sequence[Case]) -> str:
    """Return the document. A failure that was expected is a skipped test that says why."""
    suites = [line for result in results for line in _suite(result, cases)]
    return "\n".join(["<?xml version='1.0' encoding='utf-8'?>", "<testsuites>", *suites]) + (
        "\n</testsuites>\n"
    )


def _suite(result: Result, cases: Sequence[Case]) -> Iterator[str]:
    ran = [case for case in cases if result.verdict(case.id) != NOT_RUN]
    failed = sum(case.id in result.unexpected for case in ran)
    skipped = sum(
        case.id not in result.unexpected
        and (case.id in result.failures or result.verdict(case.id) == NOT_OFFERED)
        for case in ran
    )
    yield (
        f"<testsuite name={attribute(result.name)} tests='{len(ran)}' failures='{failed}' "
        f"errors='0' skipped='{skipped}'>"
    )
    yield from (_case(result, case) for case in ran)
    yield "</testsuite>"


def _case(result: Result, case: Case) -> str:
    head = (
        f"<testcase classname={attribute(f'{result.name}.{case.area}')} name={attribute(case.id)}"
    )
    inside = _inside(result, case.id)
    return f"{head}>{inside}</testcase>" if inside else f"{head}/>"


def _inside(result: Result, case_id: str) -> str:
    verdict = result.verdict(case_id)
    if case_id in result.unexpected:
        return f"<failure message={attribute(f'{verdict}: {result.unexpected[case_id]}')}/>"
    if verdict == NOT_OFFERED:
        reason = result.reasons.get(case_id, "")
        return f"<skipped message={attribute(f'not offered: {reason}')}/>"
    if verdict in KINDS:
        failure = result.failures[case_id]
        reason = f"{failure.clause}: {failure.cause}" if failure.cause else failure.detail
        return f"<skipped message={attribute(f'known failure: {reason}')}/>"
    return ""
