"""SPEC.md keeps its form, its tables agree with its clauses, and the reference does its examples.

The expected answers are SPEC.md's own, derived by hand: nothing here is taken from the reference.
"""

from __future__ import annotations

import itertools
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pytest

import toolcode
from toolcode.runtime import gemma4, gemma4_render
from toolcode_conformance import spec
from toolcode_conformance.reference_handler import Reference

if TYPE_CHECKING:
    from collections.abc import Iterable

ROOT = Path(__file__).resolve().parents[1]
TEXT = (ROOT / "SPEC.md").read_text(encoding="utf-8")
SPEC = spec.parse(TEXT)
CLAUSES = {clause.id: clause for clause in SPEC.clauses}
EXAMPLES = [("introduction", example) for example in SPEC.introduction] + [
    (clause.id, example) for clause in SPEC.clauses for example in clause.examples
]
CHOICES = {clause.choice.name: clause for clause in SPEC.clauses if clause.choice}
# A parametrised test without parameters would be skipped, and a skip reads like success.
if len(EXAMPLES) < len(SPEC.clauses):
    raise AssertionError(f"SPEC.md has only {len(EXAMPLES)} examples")


def of_kind(*kinds: str) -> list[Any]:
    found = [
        pytest.param(example, id=f"{clause}-line-{example.line}")
        for clause, example in EXAMPLES
        if example.kind in kinds
    ]
    assert found, f"no example of {kinds}"
    return found


def same(left: object, right: object) -> bool:
    """Whether two JSON values are equal in type, sign of zero and order of keys.

    `json.dumps` would do, but for integers past CPython's digit limit.
    """
    if type(left) is not type(right):
        return False
    if isinstance(left, dict) and isinstance(right, dict):
        return same(list(left), list(right)) and same(list(left.values()), list(right.values()))
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, float):
        return repr(left) == repr(right)
    return left == right


# --- what a scan gave, in the form of SPEC.md's answers


def protocol(event: toolcode.Event) -> dict[str, Any]:
    """Spell an event as the protocol does; a call without what is empty."""
    match event:
        case toolcode.Text(text):
            return {"text": text}
        case toolcode.ThinkingStart():
            return {"thinking_start": True}
        case toolcode.ThinkingDelta(text):
            return {"thinking": text}
        case toolcode.ThinkingEnd():
            return {"thinking_end": True}
        case toolcode.Dropped(reason):
            return {"dropped": {"reason": reason}}
        case toolcode.Call():
            return {"call": describe(event)}


def describe(call: toolcode.Call) -> dict[str, Any]:
    told: dict[str, Any] = {"name": call.name, "arguments": call.arguments}
    told |= {"callee": call.callee, "source": call.source}
    told |= {key: list(names) for key in ("unresolved", "skipped") if (names := getattr(call, key))}
    return told | ({"conditional": True} if call.conditional else {})


def answer(events: Iterable[toolcode.Event]) -> dict[str, Any]:
    """Fold events into `{"segments", "dropped"}`, calls with their diagnostics."""
    seen = list(events)
    calls = [event for event in seen if isinstance(event, toolcode.Call)]
    segments = toolcode.segments(seen)
    places = [segment for segment in segments if "call" in segment]
    assert len(places) == len(calls)
    for segment, call in zip(places, calls, strict=True):
        assert segment["call"] == {"name": call.name, "arguments": call.arguments}
        segment["call"] = describe(call)
    dropped = [event.reason for event in seen if isinstance(event, toolcode.Dropped)]
    return {"segments": segments, "dropped": dropped}


def only_stated(told: Any, expected: Any) -> Any:
    """Leave `callee` and `source` out of `told` where `expected` does not show them."""
    if isinstance(told, list) and isinstance(expected, list):
        pairs = itertools.zip_longest(told, expected[: len(told)])
        return [only_stated(one, wanted) for one, wanted in pairs]
    if not isinstance(told, dict) or "call" not in told:
        return told
    stated = expected["call"] if isinstance(expected, dict) and "call" in expected else {}
    call = {key: told["call"][key] for key in stated if key in told["call"]}
    rest = {key: value for key, value in told["call"].items() if key not in {"callee", "source"}}
    return {"call": call | rest}


def check_scan(told: dict[str, Any], expected: Any) -> None:
    wanted = {"segments": expected} if isinstance(expected, list) else expected
    told["segments"] = only_stated(told["segments"], wanted["segments"])
    assert same(told, {"segments": wanted["segments"], "dropped": wanted.get("dropped", [])}), told


def check_ids(events: Iterable[toolcode.Event]) -> None:
    ids = [event.id for event in events if isinstance(event, toolcode.Call)]
    assert all(ids), "a call without an id (MODEL.2)"
    assert len(set(ids)) == len(ids), "two calls share an id (MODEL.2)"


# --- the examples


def scanner(options: dict[str, Any]) -> Any:
    """Make the scanner of the dialect that an example's options name."""
    rest = {name: value for name, value in options.items() if name != "dialect"}
    if options.get("dialect") == "gemma":
        return gemma4.Scanner(**rest)
    return toolcode.Scanner(**rest)


def scan(chunks: Iterable[str], options: dict[str, Any]) -> list[toolcode.Event]:
    made: toolcode.Scanner | gemma4.Scanner = scanner(options)
    return [event for chunk in chunks for event in made.feed(chunk)] + made.close()


@pytest.mark.parametrize("example", of_kind("input", "input-json"))
def test_scan(example: spec.Example) -> None:
    events = scan([example.given], example.options)
    check_ids(events)
    check_scan(answer(events), example.expected)


@pytest.mark.parametrize("example", of_kind("input", "input-json"))
def test_scan_by_character(example: spec.Example) -> None:
    check_scan(answer(scan(example.given, example.options)), example.expected)


@pytest.mark.parametrize("example", of_kind("input", "input-json"))
def test_arguments_are_json(example: spec.Example) -> None:
    """LIT.9c holds for every example, not only for its own."""
    for event in scan([example.given], example.options):
        if isinstance(event, toolcode.Call):
            json.dumps(event.arguments, allow_nan=False)


def check_steps(scanner: Any, chunks: list[Any], expected: list[Any]) -> None:
    steps = [scanner.feed(chunk) for chunk in chunks] + [scanner.close()]
    told = [[protocol(event) for event in step] for step in steps]
    assert len(told) == len(expected), "one list per chunk and one for close()"
    told = [only_stated(step, wanted) for step, wanted in zip(told, expected, strict=True)]
    assert same(told, expected), told
    assert scanner.close() == [], "closing twice is harmless (STREAM.3)"
    with pytest.raises((RuntimeError, ValueError), match="close"):
        scanner.feed(chunks[0])


@pytest.mark.parametrize("example", of_kind("stream"))
def test_stream(example: spec.Example) -> None:
    check_steps(scanner(example.options), example.given, example.expected)


@pytest.mark.parametrize("example", of_kind("stream-hex"))
def test_stream_of_bytes(example: spec.Example) -> None:
    chunks = [bytes.fromhex(chunk) for chunk in example.given]
    check_steps(toolcode.ByteScanner(**example.options), chunks, example.expected)


@pytest.mark.parametrize("example", of_kind("op"))
def test_operation(example: spec.Example) -> None:
    """What stands around a message is asked as the harness asks it."""
    result = Reference().handle({"id": 0, **example.given})["result"]
    if example.answer == "refused":
        assert result.keys() == {"refused"}
    elif example.answer == "text":
        assert result == {"text": example.expected}
    else:
        assert same(result["value"], example.expected), result


def render_gemma(given: dict[str, Any]) -> str:
    if "results" in given:
        return gemma4_render.render_results(zip(given["names"], given["results"], strict=True))
    message = given.get("message", given)
    calls = [(call["name"], call["arguments"]) for call in message["calls"]]
    if message is given:
        return gemma4_render.render_calls(calls)
    return gemma4_render.render_message(
        thinking=message["thinking"], text=message["text"], calls=calls
    )


def render(given: dict[str, Any], options: dict[str, Any]) -> str:
    if options.get("dialect") == "gemma":
        return render_gemma(given)
    if "results" in given:
        return toolcode.render_results(given["results"], **options)
    if "thinking" in given:
        return toolcode.render_thinking(given["thinking"], **options)
    message = given.get("message", given)
    calls = [(call["name"], call["arguments"]) for call in message["calls"]]
    if message is given:
        return toolcode.render_calls(calls, **options)
    return toolcode.render_message(
        thinking=message["thinking"], text=message["text"], calls=calls, **options
    )


@pytest.mark.parametrize("example", of_kind("render"))
def test_render(example: spec.Example) -> None:
    if example.answer == "refused":
        with pytest.raises(toolcode.RenderError):
            render(example.given, example.options)
    else:
        assert render(example.given, example.options) == example.expected


@pytest.mark.parametrize("fence", ["string-aware", "first-fence"])
@pytest.mark.parametrize("example", of_kind("render"))
def test_rendered_calls_scan_back(
    example: spec.Example, fence: Literal["string-aware", "first-fence"]
) -> None:
    if "calls" not in example.given or example.answer == "refused":
        return
    text = render(example.given, example.options)
    gemma = example.options.get("dialect") == "gemma"
    events = gemma4.scan(text) if gemma else toolcode.scan(text, fence=fence)
    assert same(toolcode.segments(events), [{"call": call} for call in example.given["calls"]])


# --- the document


@pytest.mark.parametrize("clause", SPEC.clauses, ids=list(CLAUSES))
def test_clause_is_whole(clause: spec.Clause) -> None:
    assert clause.examples, "a clause has at least one example"
    assert re.search(r"^Why: \S.*", clause.text, re.MULTILINE), "a clause says why"
    assert len(clause.summary) > 20
    assert clause.summary.endswith((".", ":"))


@pytest.mark.parametrize("name", CHOICES)
def test_choice_is_explained(name: str) -> None:
    clause = CHOICES[name]
    assert clause.choice
    explained = re.findall(r"^- `([a-z-]+)`: ", clause.text, re.MULTILINE)
    assert explained == list(clause.choice.options)


def test_a_choice_has_one_clause() -> None:
    names = [clause.choice.name for clause in SPEC.clauses if clause.choice]
    assert len(names) == len(set(names))


@pytest.mark.parametrize(("clause", "example"), EXAMPLES)
def test_alternatives_are_other_answers_to_known_choices(
    clause: str, example: spec.Example
) -> None:
    for choices, expected in example.alternatives:
        assert choices, clause
        for name, option in choices.items():
            choice = CHOICES[name].choice
            assert choice
            assert option in choice.options[1:], "the first option is the plain answer"
        assert not same(expected, example.expected), clause


def rows(heading: str) -> dict[str, list[str]]:
    """The table below `## heading`: first cell (without backticks) to the other cells."""
    section = TEXT.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    cells = [line.strip("|").split("|") for line in section.splitlines() if line.startswith("| `")]
    return {first.strip(" `"): [cell.strip() for cell in rest] for first, *rest in cells}


def test_table_of_choices() -> None:
    told = {
        name: [f"[{clause.id}](#{clause.id})", ", ".join(clause.choice.options)]
        for name, clause in CHOICES.items()
        if clause.choice
    }
    assert rows("Choices") == told


VARIANTS = {
    "render-print-per-line": "render",
    "transcript-reading": "transcript",
    "transcript-prompt": "transcript",
    "history-gemini": "history",
    "prompt-aliases": "prompt",
    "declaration-forms": "prompt",
    "dialect-formats": "dialects",
}
"""Capabilities that extend another one; a case asks for them by the form of its input."""


def test_table_of_capabilities() -> None:
    table = rows("Capabilities")
    used = {clause.capability for clause in SPEC.clauses if clause.capability}
    assert used <= set(table)
    assert {name for name in set(table) - used if name not in VARIANTS} == {"scan", "utf16"}
    assert VARIANTS.keys() <= set(table)
    assert set(VARIANTS.values()) <= used
    for clause in SPEC.clauses:
        if clause.capability:
            assert listed(table[clause.capability][1], clause.id), clause.id


def listed(cell: str, clause: str) -> bool:
    """Whether `A.1, A.3 to A.5` names the clause; a range covers whole numbers."""
    for item in cell.split(", "):
        first, _, last = item.partition(" to ")
        if item == clause:
            return True
        if last and first.startswith(clause.partition(".")[0] + "."):
            low, number, high = (int(re.sub(r"\D", "", one)) for one in (first, clause, last))
            if low <= number <= high:
                return True
    return False


def test_links_lead_somewhere() -> None:
    prose = re.sub(r"^(`{3,})[^`\n]*\n.*?^\1$", "", TEXT, flags=re.DOTALL | re.MULTILINE)
    named = set(
        re.findall(
            r"\b((?:MODEL|ENV|CALL|ARG|LIT|THINK|OUT|STREAM|RENDER|DIALECT)\.\d+[a-z]?)", prose
        )
    )
    linked = set(re.findall(r"\]\(#([^)]*)\)", prose))
    titles = {
        re.sub(r"[^a-z0-9 -]", "", title.lower()).replace(" ", "-")
        for title in re.findall(r"^##+ (.*)$", prose, re.MULTILINE)
    }
    whole = {re.sub(r"[a-z]$", "", clause) for clause in CLAUSES}
    assert named <= set(CLAUSES) | whole
    assert linked <= set(CLAUSES) | titles


def test_hazards_are_lists_of_strings() -> None:
    found = re.search(r"^```hazards\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)
    assert found
    lists = [json.loads(line) for line in found[1].splitlines()]
    assert lists
    assert all(isinstance(item, str) and item for line in lists for item in line)


def test_index_is_current() -> None:
    current = (ROOT / "corpus" / "clauses.json").read_text(encoding="utf-8")
    assert current == spec.index(SPEC), "run python -m toolcode_conformance.spec --write"


def test_choices_of_the_corpus_are_those_of_the_document() -> None:
    table = json.loads((ROOT / "corpus" / "choices.json").read_text(encoding="utf-8"))
    told = {name: (tuple(entry["options"]), entry["clause"]) for name, entry in table.items()}
    assert told == {
        name: (clause.choice.options, clause.id)
        for name, clause in CHOICES.items()
        if clause.choice
    }


# --- the reader's own errors

GOOD = """# T

## CALL: calls

<a id="CALL.1"></a>
### CALL.1 A title

Level: must · Origin: doc

One sentence.

```input
hi
```

```json
[{"text": "hi"}]
```
"""


def test_the_good_sample_is_read() -> None:
    (clause,) = spec.parse(GOOD).clauses
    assert (clause.id, clause.area, clause.level, clause.line) == ("CALL.1", "CALL", "must", 6)
    (example,) = clause.examples
    assert (example.given, example.expected, example.line) == ("hi", [{"text": "hi"}], 12)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('id="CALL.1"', 'id="CALL.2"', r"S:6: .*above it"),
        ("## CALL: calls", "## ENV: blocks", r"S:6: .*stands in section ENV"),
        ("### CALL.1 A", "## CALL.1 A", r"S:6: .*heading"),
        ("Level: must", "Level: shall", r"S:6: .*'shall'"),
        ("Origin: doc", "Origin: me", r"S:6: .*'me'"),
        ("Level: must · ", "", r"S:6: .*badges"),
        ("Origin: doc", "Capability: x · Origin: doc", r"S:6: .*badges"),
        (" · Origin: doc", "", r"S:6: .*origin"),
        ("Level: must", "Level: may", r"S:6: .*choice"),
        ("Level: must · Origin: doc", "Level: may · Choice: one (a)", r"S:6: .*choice is"),
        ("```json", "```jsn", r"S:12: .*followed by json"),
        ("```input\nhi\n```", "", r"S:14: json answers"),
        ('"hi"}]\n```', '"hi"}]', r"S:16: .*never closed"),
        ('"hi"}]', '"hi"}', r"S:16: no JSON"),
        ("```input", '```input {"a"', r"S:12: no JSON"),
        ("```input", "```input []", r"S:12: .*options"),
        ("### CALL.1 A title", "Title", r"S:1: no clause"),
    ],
)
def test_errors_name_the_line(old: str, new: str, message: str) -> None:
    assert old in GOOD
    with pytest.raises(spec.SpecError, match=message):
        spec.parse(GOOD.replace(old, new, 1), "S")


def test_an_id_is_used_once() -> None:
    again = GOOD + GOOD[GOOD.index("<a id") :]
    with pytest.raises(spec.SpecError, match=r"S:20: .*second time"):
        spec.parse(again, "S")


def test_a_stale_index_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "corpus").mkdir()
    (tmp_path / "SPEC.md").write_text(GOOD, encoding="utf-8")
    root = ["--root", str(tmp_path)]
    assert spec.main(root) == 1
    assert spec.main([*root, "--write"]) == 0
    assert spec.main(root) == 0
    (tmp_path / "SPEC.md").write_text("nothing", encoding="utf-8")
    assert spec.main(root) == 2
    assert "SPEC.md:1: no clause found" in capsys.readouterr().err
