"""One run as a Markdown table and as one self-contained HTML page, from the JSON result file.

Both are pure functions of the result file's value and the corpus, so they can be made later.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolcode_conformance.matrix import html, store
from toolcode_conformance.matrix.answers import wording
from toolcode_conformance.tables import clause_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from toolcode_conformance.cases import Case

_COLUMNS: Final = ("passed", "failed", "expected_failures", "not_offered")


def _heading(value: dict[str, Any]) -> str:
    impl = value["implementation"]
    return f"{impl['name']} {impl['version']}".strip() + f", toolcode {value['toolcode']}"


def _profiles(value: dict[str, Any]) -> Iterator[tuple[str, list[str]]]:
    for name, counts in value["profiles"].items():
        yield name, [str(counts[column]) for column in _COLUMNS]


def _failures(value: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        found for found in value["results"] if found["outcome"] == "failed" or "expected" in found
    ]


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")


def markdown(value: dict[str, Any]) -> str:
    """Return a result file's value as Markdown."""
    titles = [column.replace("_", " ") for column in _COLUMNS]
    lines = [
        f"# {_heading(value)}",
        "",
        f"| profile | {' | '.join(titles)} |",
        "|---|" + "---:|" * len(titles),
    ]
    lines += [f"| {name} | {' | '.join(cells)} |" for name, cells in _profiles(value)]
    failures = _failures(value)
    if failures:
        lines += ["", "| case | clause | effect | verdict | detail |", "|---|---|---|---|---|"]
        lines += [
            f"| `{f['id']}{f.get('where', '')}` | {_cell(clause_line(f['clause']))} | {f['why']} "
            f"| {f['verdict']} | {_cell(f.get('expected', f.get('detail', '')))} |"
            for f in failures
        ]
    return "\n".join(lines) + "\n"


def page(value: dict[str, Any], cases: Sequence[Case]) -> str:
    """Return a result file's value as an HTML page that needs no other file: a matrix of one."""
    result = store.from_run(value, name=value["implementation"]["name"], date="", chunks="")
    return html.page([result], cases, wording())
