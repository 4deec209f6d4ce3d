"""The reports: what they count, how failures are grouped, and that no text breaks them."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET

import pytest

from tests.matrix.samples import CASES, EVIL, RESULTS, case, result
from toolcode_conformance.matrix import answers, findings, html, junit, markdown, tally
from toolcode_conformance.matrix.kinds import KIND_TEXT, effect, kind
from toolcode_conformance.matrix.store import Failure

WORDING = {"ENV.3a": f"Text is unchanged. {EVIL}"}
OTHER = RESULTS[1]


def test_what_is_not_offered_enters_no_percentage() -> None:
    counts = tally.count(OTHER, CASES)
    assert counts == tally.Counts(passed=1, failed=3, not_offered=1)
    assert counts.text == "25 % (1/4)"
    assert tally.count(OTHER, CASES[-1:]).text == "-"


def test_a_share_is_rounded_down_so_that_100_means_all() -> None:
    assert tally.Counts(passed=999, failed=1).share == "99 %"
    assert tally.Counts(passed=999).share == "100 %"


def test_a_case_that_no_parser_was_given_is_not_counted() -> None:
    unknown = case("unknown")
    assert tally.ran(RESULTS, [*CASES, unknown]) == list(CASES)
    assert tally.count(OTHER, [unknown]) == tally.Counts(not_run=1)


def test_the_fragment_for_the_readme() -> None:
    text = markdown.fragment(RESULTS, CASES)
    lines = text.splitlines()
    assert (lines[0], lines[-1]) == (markdown.BEGIN, markdown.END)
    assert "3 parsers, 5 cases, run on 2026-01-02" in text
    core = "| [other](https://example.org/other) | 1.2 | lost-call 1, leak-to-user 1, slow 1 "
    assert f"{core}| 33 % (1/3) | 25 % (1/4) | 1 |" in lines
    assert "| other | 100% | 0% |" in lines


def test_matrix_md_names_hard_cases_and_escapes_their_titles() -> None:
    text = markdown.page(RESULTS, CASES)
    assert "| `env.made.blank` | Odd white space | should | slow | 2 |" in text
    assert "<img" not in text.replace("\\<img", "")


def test_junit_is_xml_whatever_a_case_holds() -> None:
    odd = result("odd", {"env.made.cut": Failure("error", "", "", "\0\ud800\x1b & <x>")})
    odd.unexpected["env.made.cut"] = "\0\ud800\x1b & <x>"
    root = ET.fromstring(junit.document([*RESULTS, odd], CASES))  # noqa: S314  our own
    counts = {s.get("name"): (s.get("tests"), s.get("failures"), s.get("skipped")) for s in root}
    assert counts == {
        "reference": ("5", "0", "1"),
        "other": ("5", "0", "4"),
        "third": ("5", "0", "4"),
        "odd": ("1", "1", "0"),
    }
    failure = root.find("./testsuite[@name='odd']/testcase/failure")
    assert failure is not None
    assert failure.get("message") == "error: \\x00\\ud800\\x1b & <x>"


def test_failures_of_one_cause_are_one_finding_even_across_clauses() -> None:
    cases = [case("a"), case("b", clause="ENV.2a"), case("c"), case("d")]
    cause = {"cause": "tabs are lost", "clause": "LIT.1a"}
    found = findings.group(
        result(
            "x",
            {
                cases[0].id: Failure("wrong-answer", detail="want call f, got nothing", **cause),
                cases[1].id: Failure("wrong-answer", detail="text differs from 1", **cause),
                cases[2].id: Failure("wrong-answer", detail="text differs from 1"),
                cases[3].id: Failure("wrong-answer", detail="text differs from 7"),
            },
        ),
        cases,
    )
    sizes = {(one.clause, one.cause): len(one.failures) for one in found}
    assert sizes == {("LIT.1a", "tabs are lost"): 2, ("ENV.3a", ""): 2}


def test_without_a_cause_clause_and_kind_are_the_signature() -> None:
    cases = [case("a"), case("b"), case("c", clause="ENV.2a")]
    more, fewer = "want nothing, got call f", "want call f, got nothing"
    details = dict(zip((one.id for one in cases), (more, fewer, fewer), strict=True))
    made = result("x", {name: Failure("wrong-answer", detail=d) for name, d in details.items()})
    assert sorted((one.clause, *one.kinds) for one in findings.group(made, cases)) == [
        ("ENV.2a", "fewer-calls"),
        ("ENV.3a", "fewer-calls"),
        ("ENV.3a", "more-calls"),
    ]


def test_what_the_cutting_breaks_is_one_finding_per_way_in_which_it_breaks() -> None:
    cases = [case("a"), case("b", clause="ENV.2a"), case("c")]
    details = [
        "in one piece it is right, but want call f, got text '```tool_cod', call f",
        "in one piece it is right, but want call g, got text '```to', call g",
        "in one piece it is right, but want call f, got nothing",
    ]
    failures = {
        one.id: Failure("streaming-differs", "#cut=4", detail=detail)
        for one, detail in zip(cases, details, strict=True)
    }
    found = findings.group(result("x", failures), cases)
    assert [(one.clause, len(one.failures)) for one in found] == [
        ("STREAM.1a", 2),
        ("STREAM.1a", 1),
    ]


def test_a_finding_shows_the_text_that_the_parser_was_given() -> None:
    literal = case("a", "('a')", op="literal", expect={"value": "a"})
    made = result("x", {literal.id: Failure("wrong-answer", detail="want call f, got nothing")})
    assert "```tool_code\nprint(default_api.f(x=('a')))" in findings.page(made, [literal], WORDING)
    made.implementation["features"] = ["list"]
    assert "````text\nf(x=('a'))\n````" in findings.page(made, [literal], WORDING)


def test_one_error_is_one_finding_whatever_the_cases_are_about() -> None:
    cases = [case("a", why="slow"), case("b", clause="ENV.2a", why="crash"), case("c")]
    said = "the implementation threw: ValueError: malformed node or string: <ast.Name at 0x...>"
    other = "the implementation threw: SyntaxError: invalid syntax (<unknown>, line 1)"
    details = dict(zip((one.id for one in cases), (said, said, other), strict=True))
    made = result("x", {name: Failure("error", detail=d) for name, d in details.items()})
    assert sorted(
        (one.clause, one.error, len(one.failures)) for one in findings.group(made, cases)
    ) == [
        ("ENV.2a", "ValueError: malformed node or string", 2),
        ("ENV.3a", "SyntaxError: invalid syntax", 1),
    ]


@pytest.mark.parametrize(
    ("why", "failure", "seen"),
    [
        ("unsafe-execution", Failure("error", detail="it threw"), "crash"),
        ("unsafe-execution", Failure("timeout"), "stall"),
        (
            "unsafe-execution",
            Failure("wrong-answer", detail="want call f, got nothing"),
            "lost-call",
        ),
        ("unsafe-execution", Failure("wrong-answer", detail="want nothing, got call f"), None),
        (
            "crash",
            Failure("error", detail="Evaluated: evaluates model output: 1"),
            "unsafe-execution",
        ),
        ("leak-to-user", Failure("error", detail="it threw"), None),
        ("corrupt-argument", Failure("wrong-answer", detail="text differs from 1"), "leak-to-user"),
        (
            "unsafe-execution",
            Failure("wrong-answer", detail="arguments of call f: at .x: want '6*7', got '6 * 7'"),
            "corrupt-argument",
        ),
        ("unsafe-execution", Failure("error", detail="TypeError: a value is set set()"), "crash"),
    ],
)
def test_a_parser_is_charged_with_no_more_than_was_seen(
    why: str, failure: Failure, seen: str | None
) -> None:
    assert effect(case("a", why=why), failure) == (seen or why)


def test_the_example_has_the_worst_effect_and_then_the_smallest_input() -> None:
    cases = [
        case("long", "aaaa", why="wrong-call"),
        case("short", "a", why="wrong-call"),
        case("mild", "", why="slow"),
    ]
    failure = Failure("wrong-answer", detail="text differs from 0")
    found = findings.group(result("x", {one.id: failure for one in cases}), cases)
    assert [one.id for one, _ in found[0].failures] == [cases[n].id for n in (1, 0, 2)]
    assert [one.id for one, _ in found[0].examples()] == [cases[1].id]


@pytest.mark.parametrize(
    ("verdict", "detail", "expected"),
    [
        ("wrong-answer", "want call f, got call f, call g", "more-calls"),
        ("wrong-answer", "want call f, got nothing", "fewer-calls"),
        ("wrong-answer", "want text, call f, got call f, text", "other-order"),
        ("wrong-answer", "segment 1: name of call f: at the top: want 'f', got 'g'", "other-name"),
        ("wrong-answer", "segment 1: arguments of call f: at .x: want 1, got 2", "value"),
        ("wrong-answer", "segment 2: arguments of call f: at the top: extra keys ['a']", "keys"),
        ("wrong-answer", "segment 1: unresolved of call f: want [], got ['a']", "announcement"),
        ("wrong-answer", "at .dialect: want 'gemini', got 'gemma'", "other"),
        ("streaming-differs", "in one piece it is right, but want call f, got nothing", "chunking"),
        ("rendering", "this must be refused, but 'x' was rendered", "not-refused"),
        ("rendering", "the body is no Python: 'x'", "rendering"),
        ("error", "the implementation threw: Evaluated: evaluates model output: 1", "evaluation"),
        ("error", "the implementation threw: TypeError: a value is set set()", "no-json"),
        ("exit", "the process ended with 3", "crash"),
        ("no-newline", "wrote 9 bytes", "timeout"),
        ("garbage", "no JSON", "undecodable"),
    ],
)
def test_kinds_of_difference(verdict: str, detail: str, expected: str) -> None:
    assert kind(Failure(verdict, detail=detail)) == expected
    assert expected in KIND_TEXT


def test_no_text_of_a_case_ends_the_code_block_it_stands_in() -> None:
    fences = case("fences", "```tool_code\n`````\n# not a heading\n```")
    failure = Failure("wrong-answer", "", "text '``````'", "text differs from `````` 0")
    text = findings.page(result("x", {fences.id: failure}), [fences], WORDING)
    outside, fence = [], ""
    for line in text.splitlines():
        ticks = re.match("`{4,}", line)
        if ticks and not fence:
            fence = ticks[0]
        elif line == fence:
            fence = ""
        elif not fence:
            outside.append(line)
    assert not fence
    assert not any(line.startswith("# not") for line in outside)
    assert any(line.startswith("Difference: ") for line in outside)


def test_a_finding_says_what_a_maintainer_needs() -> None:
    text = findings.page(OTHER, CASES, {"ENV.3a": "Text is unchanged."})
    for words in (
        "# other 1.2: 3 findings",
        "Effect: **lost-call**, a call of the model never happens.",
        "(../../../SPEC.md#ENV.3a)",
        "> Text is unchanged.",
        "one two three",
        "Given in pieces (`#cut=4,8`)",
        "toolcode replay 'env.made.cut#cut=4,8' --impl other",
    ):
        assert words in text


def test_an_island_holds_no_character_that_markup_needs() -> None:
    text = html.island({"a": f"{EVIL}\u2028<!--"})
    assert not set("<>&\u2028") & set(text)
    assert json.loads(text) == {"a": f"{EVIL}\u2028<!--"}


def test_the_page_holds_each_text_only_in_its_island() -> None:
    text = html.page(RESULTS, CASES, WORDING)
    assert "<img" not in text
    assert text.count("</script>") == 2
    assert "innerHTML" not in text
    assert html.page(RESULTS, CASES, WORDING) == text


def test_wrong_answers_are_grouped_by_the_parsers_that_give_them() -> None:
    rows = html.data(RESULTS, CASES, WORDING)["cases"]
    blank = rows[0]
    assert blank[11] == "PFF"
    assert blank[12] == [["wrong-answer", "text 'a b'", "text differs from 2", "", 7, [], [1, 2]]]
    assert rows[2][11] == "PFC"
    assert len(rows[2][12]) == 2


def test_a_choice_of_a_parser_has_its_own_right_answer() -> None:
    accept = [{"when": {"text-trim": "trimmed"}, "expect": {"segments": [{"text": "b"}]}}]
    trims = case("trim", " b ", accept=accept)
    chose = result("x", {trims.id: "pass"}, choices={"text-trim": "trimmed"})
    row = html.data([chose], [trims], WORDING)["cases"][0]
    assert row[9] == "text ' b '"
    assert row[13] == [["text 'b'", [0]]]


def test_cuts_are_shown_in_the_text_that_the_parser_was_given() -> None:
    literal = case("a", "('a')", op="literal", expect={"value": "a"})
    assert answers.pieces(literal, frozenset(["list"]), "#cut=2,6") == ["f(", "x=('", "a'))"]
    assert answers.pieces(case("b", "one two"), frozenset(), "#cut=4") == ["one ", "two"]
    assert answers.pieces(case("b", "one two"), frozenset(), "#cut=char") == []
    far = answers.pieces(case("c", "a" * 500 + "b" * 500), frozenset(), "#cut=500")
    assert far == ["..." + "a" * 160, "b" * 160 + "..."]


def test_a_long_text_keeps_both_its_ends() -> None:
    text, left_out = answers.trimmed("a" * 2000 + "b" * 3000)
    assert left_out == 3900
    assert text.startswith("a" * 900)
    assert text.endswith("b" * 200)
    assert answers.trimmed("a" * 1300) == ("a" * 1300, 0)
