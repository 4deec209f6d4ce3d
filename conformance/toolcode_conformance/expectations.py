"""Expectations: which failures of an implementation are known, and why.

One line each: `glob  [kind]  # reason`, where kind is fail (the default), crash, timeout,
undecodable or flaky, and `*` in a glob does not cross a dot. The file is part of the suite's
contract with the implementation: what is not listed must pass, what is listed must fail.
Where it depends on the machine how a case fails, kind may name several, as in `crash|timeout`;
where it depends on the machine whether it fails, and only in cases about cost, it is flaky.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from toolcode_conformance.errors import UsageError
from toolcode_conformance.faults import KINDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from toolcode_conformance.corpus import Corpus
    from toolcode_conformance.runner import Outcome

_FAILURES: Final = "(?:fail|crash|timeout|undecodable)"
_LINE: Final = re.compile(rf"(\S+)(?:\s+({_FAILURES}(?:\|{_FAILURES})*|flaky))?\s+#\s*(\S.*)")
_COST: Final = re.compile(r"\w+\.(?:growth|size)\.")


@dataclass(frozen=True, slots=True)
class Expectation:
    """One line: cases whose id matches `pattern` fail in the way `kind` says."""

    glob: str
    pattern: re.Pattern[str]
    kind: str
    reason: str
    line: int


def compile_glob(glob: str) -> re.Pattern[str]:
    """Return the pattern of a glob over ids: `*` stands for anything but a dot."""
    return re.compile("[^.]*".join(re.escape(part) for part in glob.split("*")))


def parse(text: str, name: str) -> list[Expectation]:
    """Parse an expectations file; `name` stands in error messages.

    Raises:
        UsageError: A line is not in the form, is listed twice, or its reason is still a TODO.
    """
    found: dict[str, Expectation] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        match = _LINE.fullmatch(line.strip())
        if not match:
            raise UsageError(
                f"{name}:{number}: a line is `glob  [kind]  # reason`, with kind one "
                "of fail, crash, timeout, undecodable, flaky, or crash|timeout and the like"
            )
        glob, kind, reason = match.groups()
        if reason.startswith("TODO"):
            raise UsageError(
                f"{name}:{number}: {glob} is still a TODO; write why it fails (clause, cause)"
            )
        if glob in found:
            raise UsageError(f"{name}:{number}: {glob} stands in line {found[glob].line} too")
        if kind == "flaky" and not _COST.match(glob):
            raise UsageError(
                f"{name}:{number}: only cases of groups named growth or size may be flaky"
            )
        found[glob] = Expectation(glob, compile_glob(glob), kind or "fail", reason, number)
    return list(found.values())


def read(path: Path) -> list[Expectation]:
    """Read an expectations file (see `parse`)."""
    try:
        return parse(path.read_text("utf-8"), str(path))
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}") from error


def unknown(
    expectations: Iterable[Expectation],
    corpus: Corpus,
    more: Iterable[str] = (),
) -> list[str]:
    """Return one line per expectation that matches no case of the whole corpus, nor `more` ids."""
    names = [*corpus.by_id, *more]
    return [
        f"line {e.line}: {e.glob} matches no case of this corpus"
        for e in expectations
        if not any(e.pattern.fullmatch(name) for name in names)
    ]


def find(expectations: Sequence[Expectation], case_id: str) -> Expectation | None:
    """Return the first expectation that covers a case."""
    return next((e for e in expectations if e.pattern.fullmatch(case_id)), None)


def violated(expected: Expectation, outcome: Outcome) -> str | None:
    """Return why an outcome is not the expected failure, or None when it is."""
    if expected.kind == "flaky":
        return None
    if not outcome.failed:
        return (
            f"expected to {_infinitive(expected.kind)} ({expected.reason}), but it passes: "
            f"delete line {expected.line} of the expectations"
        )
    kind = KINDS[outcome.verdict]
    if kind not in expected.kind.split("|"):
        return (
            f"expected to {_infinitive(expected.kind)} ({expected.reason}), but: "
            f"{outcome.verdict} ({kind})"
        )
    return None


def _infinitive(kind: str) -> str:
    words = {"timeout": "time out", "undecodable": "be undecodable"}
    return " or ".join(words.get(one, one) for one in kind.split("|"))


def generate(outcomes: Iterable[tuple[str, str, str, str]], name: str) -> str:
    """Return an expectations file for failures, given as (id, verdict, clause, detail)."""
    lines = [
        f"# Known failures of {name}: glob  [kind]  # reason (clause, cause).",
        "# Replace each TODO by the reason; until then the file is refused.",
    ]
    for case_id, verdict, clause, detail in sorted(outcomes):
        kind = KINDS[verdict]
        shown = "" if kind == "fail" else f"  {kind}"
        cause = " ".join(detail.split())[:100]
        lines.append(f"{case_id}{shown}  # TODO ({clause}, {verdict}: {cause})")
    return "\n".join(lines) + "\n"
