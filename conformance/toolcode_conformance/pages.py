"""Results as a Markdown table and as one self-contained HTML page, from the JSON result file.

Both are pure functions of the result file's value, so they can be made later and elsewhere.
"""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any, Final

from toolcode_conformance.tables import clause_line

if TYPE_CHECKING:
    from collections.abc import Iterator

_STYLE: Final = (
    "body{font:15px/1.5 system-ui,sans-serif;max-width:70em;margin:2em auto;padding:0 1em}"
    "table{border-collapse:collapse;margin:1em 0}td,th{border:1px solid #bbb;padding:.2em .6em;"
    "text-align:left;vertical-align:top}td.n{text-align:right}code{font-size:.9em;"
    "overflow-wrap:anywhere}.failed{color:#a00}"
)
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


def _row(cells: list[str], kind: str = "td") -> str:
    return "<tr>" + "".join(f"<{kind}>{cell}</{kind}>" for cell in cells) + "</tr>"


def page(value: dict[str, Any]) -> str:
    """Return a result file's value as an HTML page that needs no other file."""
    title = html.escape(_heading(value))
    head = [column.replace("_", " ") for column in _COLUMNS]
    parts = [
        f"<!doctype html><html lang=en><meta charset=utf-8><title>{title}</title>",
        f"<style>{_STYLE}</style><h1>{title}</h1>",
        "<table>",
        _row(["profile", *head], "th"),
        *(_row([name, *cells]) for name, cells in _profiles(value)),
        "</table>",
    ]
    failures = _failures(value)
    if failures:
        parts += [
            "<h2>Failures</h2><table>",
            _row(["case", "clause", "effect", "verdict", "detail"], "th"),
        ]
        parts += [_failure_row(found) for found in failures]
        parts.append("</table>")
    chosen = ", ".join(f"{name}={option}" for name, option in value["choices"].items())
    parts.append(f"<p>Choices: {html.escape(chosen)}</p></html>")
    return "\n".join(parts) + "\n"


def _failure_row(found: dict[str, Any]) -> str:
    name = html.escape(found["id"] + found.get("where", ""))
    detail = html.escape(found.get("expected", found.get("detail", "")))
    return _row(
        [
            f"<code>{name}</code>",
            html.escape(clause_line(found["clause"])),
            found["why"],
            found["verdict"],
            f"<code>{detail}</code>",
        ]
    )
