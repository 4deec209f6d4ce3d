"""The committed result of one parser: `conformance/results/<name>.json`.

One line per group and per failure, so that a change of one case is one line of a diff. What
differs from run to run (addresses, call ids, seconds) is taken out, so that the same parser gives
the same bytes on another day, but for the date.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from importlib import resources
from typing import TYPE_CHECKING, Any, Final

from toolcode_conformance.errors import UsageError
from toolcode_conformance.faults import KINDS
from toolcode_conformance.runner import NOT_OFFERED, PASS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

FORMAT: Final = 1
NOT_RUN: Final = "not-run"
SHOWN: Final = 400
"""Characters of a wrong answer, or of how it differs, that are kept."""

_CALL_ID: Final = re.compile(r"""(["']id["']: ?)(["'])(?:(?!\2).)*\2""")
_UNSTEADY: Final = (
    (re.compile(r"\b0x[0-9a-fA-F]{6,}\b"), "0x..."),
    (re.compile(r"(?:/[\w.@+~-]+){2,}/"), ".../"),
    (re.compile(r"\b\d+(?:\.\d+)? ?(?:ms|milliseconds|seconds)\b"), "some time"),
    (re.compile(r"\b\d+\.\d+ s\b"), "some time"),
    (re.compile(r"\bpid \d+"), "pid ..."),
)


@dataclass(frozen=True, slots=True)
class Failure:
    """One case that a parser gets wrong.

    Attributes:
        verdict: A key of `faults.KINDS`.
        where: The chunking that showed it, as `#cut=12`, or "".
        got: The wrong answer in short, "" when none came.
        detail: How it differs from the right one.
        cause: Why, as the parser's expectations say, "" for a failure nobody has looked at.
        clause: The clause which that cause breaks, "" with no cause.
    """

    verdict: str
    where: str = ""
    got: str = ""
    detail: str = ""
    cause: str = ""
    clause: str = ""


@dataclass(slots=True)
class Result:
    """What one run of one parser gave.

    Attributes:
        date: The day of the run, as 2026-12-31.
        assumed: Choices that were neither declared nor found by a probe.
        verdicts: By case id; a case that is not in it was not run.
        unexpected: By case id, what differs from the parser's expectations; "" for stale lines.
    """

    name: str
    date: str
    toolcode: str
    chunks: str
    implementation: dict[str, Any]
    choices: dict[str, str]
    assumed: list[str]
    verdicts: dict[str, str] = field(default_factory=dict)
    failures: dict[str, Failure] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)
    unexpected: dict[str, str] = field(default_factory=dict)

    @property
    def version(self) -> str:
        """The parser's version, "" when it has none."""
        return str(self.implementation.get("version", ""))

    def verdict(self, case_id: str) -> str:
        """Return a case's verdict: pass, not-offered, not-run or a key of `faults.KINDS`."""
        return self.verdicts.get(case_id, NOT_RUN)


def steady(text: str, verdict: str) -> str:
    """Return a text without what differs from run to run, cut to what a reader takes in."""
    text = _CALL_ID.sub(r"\1\2...\2", text)
    if KINDS.get(verdict) in {"crash", "timeout", "undecodable"}:
        for pattern, instead in _UNSTEADY:
            text = pattern.sub(instead, text)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}..."


def from_run(
    value: Mapping[str, Any],
    *,
    name: str,
    date: str,
    chunks: str,
    cause_of: Callable[[str], str] = lambda _: "",
) -> Result:
    """Make a result of the value that `toolcode conformance --json` wrote.

    Args:
        value: The result file's value.
        name: The parser's name in every report.
        date: The day of the run.
        chunks: How finely texts were cut.
        cause_of: Gives, by case id, why it is expected to fail, as `CLAUSE: cause`.
    """
    how = value["choices_known_by"]
    result = Result(
        name,
        date,
        value["toolcode"],
        chunks,
        {key: item for key, item in value["implementation"].items() if key not in {"spec", "name"}},
        dict(value["choices"]),
        sorted(choice for choice, known in how.items() if known == "assumed"),
    )
    for found in value["results"]:
        _add(result, found, cause_of)
    return result


def _add(result: Result, found: Mapping[str, Any], cause_of: Callable[[str], str]) -> None:
    case_id, verdict = found["id"], found["verdict"]
    result.verdicts[case_id] = verdict
    if found["outcome"] == "failed":
        result.unexpected[case_id] = steady(
            found.get("unexpected") or found.get("detail") or verdict, verdict
        )
    if verdict == NOT_OFFERED:
        result.reasons[case_id] = found.get("detail", "")
    elif verdict != PASS:
        clause, colon, cause = cause_of(case_id).partition(": ")
        result.failures[case_id] = Failure(
            verdict,
            found.get("where", ""),
            steady(found.get("got", ""), verdict),
            steady(found.get("detail", ""), verdict),
            cause if colon else clause,
            clause if colon else "",
        )


def _groups(result: Result) -> dict[str, dict[str, str]]:
    groups: dict[str, dict[str, list[str]]] = {}
    for case_id, verdict in sorted(result.verdicts.items()):
        if verdict in KINDS:
            continue
        group, _, slug = case_id.rpartition(".")
        reason = result.reasons.get(case_id, "")
        key = f"{verdict}: {reason}" if reason else verdict
        groups.setdefault(group, {}).setdefault(key, []).append(slug)
    return {
        group: {key: " ".join(slugs) for key, slugs in sorted(by_key.items())}
        for group, by_key in groups.items()
    }


def _one_line(value: object) -> str:
    return json.dumps(value, ensure_ascii=True)


def _block(entries: Iterable[tuple[str, object]]) -> str:
    lines = ",\n".join(f"  {_one_line(key)}: {_one_line(item)}" for key, item in entries)
    return f"{{\n{lines}\n }}" if lines else "{}"


def dump(result: Result) -> str:
    """Return a result as the text of its file."""
    failures = (
        (
            case_id,
            {key: item for key in Failure.__slots__ if (item := getattr(failure, key))},
        )
        for case_id, failure in sorted(result.failures.items())
    )
    head = {
        "format": FORMAT,
        "name": result.name,
        "date": result.date,
        "toolcode": result.toolcode,
        "chunks": result.chunks,
        "implementation": result.implementation,
        "choices": result.choices,
        "assumed": result.assumed,
    }
    parts = [f" {_one_line(key)}: {_one_line(item)}" for key, item in head.items()]
    parts += [
        f' "unexpected": {_block(sorted(result.unexpected.items()))}',
        f' "cases": {_block(_groups(result).items())}',
        f' "failures": {_block(failures)}',
    ]
    return "{\n" + ",\n".join(parts) + "\n}\n"


def schema() -> dict[str, Any]:
    """Return the JSON Schema of a result file."""
    text = resources.files(__package__).joinpath("result.schema.json").read_text("utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded


def load(text: str, name: str) -> Result:
    """Return the result that a file's text holds; `name` stands in error messages.

    Raises:
        UsageError: The text is not a result file of this format.
    """
    import jsonschema  # noqa: PLC0415  replaying a case needs none

    try:
        value = json.loads(text)
        jsonschema.validate(value, schema())
    except json.JSONDecodeError as error:
        raise UsageError(f"{name}:{error.lineno}: no JSON: {error.msg}") from error
    except jsonschema.ValidationError as error:
        place = "/".join(map(str, error.absolute_path)) or "the top"
        raise UsageError(f"{name}: not a result file: {place}: {error.message[:200]}") from error
    keys = ("name", "date", "toolcode", "chunks", "implementation", "choices", "assumed")
    result = Result(*(value[key] for key in keys))
    result.unexpected.update(value["unexpected"])
    for group, by_key in value["cases"].items():
        for key, slugs in by_key.items():
            verdict, _, reason = key.partition(": ")
            for slug in slugs.split():
                result.verdicts[f"{group}.{slug}"] = verdict
                if reason:
                    result.reasons[f"{group}.{slug}"] = reason
    for case_id, failure in value["failures"].items():
        result.verdicts[case_id] = failure["verdict"]
        result.failures[case_id] = Failure(**failure)
    return result


def load_all(folder: Path) -> list[Result]:
    """Return every result of a folder, this project's own parsers first, then by name.

    Raises:
        UsageError: The folder holds none, or a file is no result.
    """
    found = [load(path.read_text("utf-8"), str(path)) for path in sorted(folder.glob("*.json"))]
    if not found:
        raise UsageError(f"{folder} holds no results: run toolcode matrix first")
    return sorted(found, key=lambda result: (not own(result.name), result.name))


def own(name: str) -> bool:
    """Tell whether a parser is this project's reference, in one of its modes."""
    return name == "reference" or name.startswith("reference-")
