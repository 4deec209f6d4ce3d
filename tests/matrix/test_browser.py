"""The HTML page in a real browser; skipped by name where no Chromium is installed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.matrix.chromium import Browser, find
from tests.matrix.samples import CASES, EVIL, RESULTS, case
from toolcode_conformance.matrix import html

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.skipif(find() is None, reason="no Chromium is installed")

WORDING = {"ENV.3a": f"Text is unchanged. {EVIL}"}
LISTED = "[...document.querySelectorAll('details.case')].map(e => e.id.slice(5))"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    many = [case(f"number-{n:03}", f"text {n}") for n in range(60)]
    for result in RESULTS:
        result.verdicts.update({one.id: "pass" for one in many})
    path = tmp_path_factory.mktemp("page") / "matrix.html"
    path.write_text(html.page(RESULTS, [*CASES, *many], WORDING), "utf-8")
    return path


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with Browser() as browser:
        yield browser


@pytest.fixture
def browser(chromium: Browser, page: Path) -> Iterator[Browser]:
    chromium.problems.clear()
    chromium.resize(1280, 900)
    chromium.load(page)
    yield chromium
    assert chromium.problems == []


def choose(browser: Browser, **values: str) -> None:
    for name, value in values.items():
        browser.evaluate(
            f"e = document.getElementById({name!r}); e.value = {value!r};"
            "e.dispatchEvent(new Event('input', {bubbles: true}))"
        )


def text_of(browser: Browser, selector: str) -> str:
    return str(browser.evaluate(f"document.querySelector({selector!r}).textContent"))


def test_it_loads_and_shows_both_tables(browser: Browser) -> None:
    assert text_of(browser, "#count") == "65 of 65 cases"
    rows = "[...document.querySelectorAll('#parsers tbody tr')].map(r => r.textContent)"
    assert "25 %" not in browser.evaluate(rows)[0]
    assert browser.evaluate("document.querySelectorAll('#matrix button').length") == 6
    cell = "[data-area=call][data-parser=third]"
    assert text_of(browser, cell) == "0 %"
    label = browser.evaluate(f"document.querySelector('{cell}').getAttribute('aria-label')")
    assert label == "third, call: 0 of 1 pass, 1 fail, 1 not offered"


@pytest.mark.parametrize(
    ("values", "found"),
    [
        ({"level": "should"}, ["env.made.blank"]),
        ({"effect": "lost-call"}, ["env.made.cut"]),
        ({"area": "call"}, ["call.made.plain", "call.made.more"]),
        ({"verdict": "T"}, ["call.made.plain"]),
        ({"verdict": "N"}, ["call.made.more"]),
        (
            {"parser": "third", "verdict": "fails"},
            ["env.made.blank", "env.made.evil", "call.made.plain"],
        ),
        ({"parser": "reference", "verdict": "fails"}, []),
        ({"q": "ZEBRA"}, ["call.made.plain"]),
        ({"q": "made odd white"}, ["env.made.blank"]),
        ({"q": "rangeerror"}, ["env.made.evil"]),
    ],
)
def test_filters_and_search(browser: Browser, values: dict[str, str], found: list[str]) -> None:
    choose(browser, **values)
    assert browser.evaluate(LISTED) == found
    assert text_of(browser, "#count") == f"{len(found)} of 65 cases"


def test_a_cell_lists_what_is_behind_it(browser: Browser) -> None:
    browser.evaluate("document.querySelector('[data-area=env][data-parser=third]').click()")
    assert browser.evaluate(LISTED) == ["env.made.blank", "env.made.evil"]
    pressed = "[...document.querySelectorAll('#matrix [aria-pressed=true]')].map(e => e.title)"
    assert len(browser.evaluate(pressed)) == 1
    browser.evaluate("document.querySelector('#filters [type=reset]').click()")
    browser.wait("document.querySelectorAll('details.case').length === 40")
    assert browser.evaluate("location.hash") == ""


def test_the_rest_of_a_long_list_comes_when_asked_for(browser: Browser) -> None:
    assert len(browser.evaluate(LISTED)) == 40
    assert text_of(browser, "#more") == "Show 25 more of 25"
    browser.evaluate("document.querySelector('#more').click()")
    assert len(browser.evaluate(LISTED)) == 65
    assert browser.evaluate("document.querySelector('#more').hidden")


OPENED = "[...document.querySelectorAll('details[open]')].map(e => e.id.slice(5))"


def test_a_link_to_a_case_opens_it(browser: Browser, page: Path) -> None:
    browser.load(page, "#env.made.number-055")
    browser.wait(f"{OPENED}.length === 1")
    assert browser.evaluate(OPENED) == ["env.made.number-055"]
    assert browser.evaluate("document.activeElement.parentElement.id") == "case:env.made.number-055"
    box: dict[str, Any] = browser.evaluate(
        "document.querySelector('details[open]').getBoundingClientRect().toJSON()"
    )
    assert -1 <= box["top"] < 900


def test_a_link_restores_the_filters_too(browser: Browser, page: Path) -> None:
    choose(browser, verdict="fails", q="white")
    browser.evaluate("document.querySelector('details summary').click()")
    browser.wait("location.hash.startsWith('#env.made.blank?')")
    link = browser.evaluate("location.hash")
    browser.load(page, link)
    browser.wait(f"{OPENED}.length === 1")
    assert browser.evaluate(LISTED) == ["env.made.blank"]
    assert browser.evaluate("document.getElementById('q').value") == "white"
    assert browser.evaluate("location.hash") == link


def test_a_link_to_a_case_that_the_filters_hide_wins(browser: Browser, page: Path) -> None:
    browser.load(page, "#call.made.plain?area=env")
    browser.wait(f"{OPENED}.length === 1")
    assert browser.evaluate(OPENED) == ["call.made.plain"]


@pytest.mark.parametrize("fragment", ["#no.such.case", "#%E0%A4%A", "#?area=nowhere&q=", "#list"])
def test_a_broken_link_shows_the_list(browser: Browser, page: Path, fragment: str) -> None:
    browser.load(page, fragment)
    assert text_of(browser, "#count") == "65 of 65 cases"


def test_no_text_of_a_case_becomes_markup(browser: Browser, page: Path) -> None:
    browser.load(page, "#env.made.evil")
    browser.wait(f"{OPENED}.length === 1")
    assert browser.evaluate("document.images.length") == 0
    assert browser.evaluate("document.querySelectorAll('b').length") == 0
    assert browser.evaluate("document.title") == "Parsers of Pythonic tool calls, compared"
    shown = text_of(browser, "details[open]")
    # Its title, its input twice, its right answer, two wrong ones, the clause and the reason.
    assert shown.count("onerror") >= 8
    assert shown.count(EVIL) >= 6


def test_white_space_and_cuts_are_visible(browser: Browser, page: Path) -> None:
    browser.load(page, "#env.made.blank")
    browser.wait(f"{OPENED}.length === 1")
    assert text_of(browser, "details[open] pre.input") == "a  b→\tc⏎\nU+200Bd"
    browser.load(page, "#env.made.cut")
    browser.wait(f"{OPENED}.length === 1")
    blocks = "[...document.querySelectorAll('details[open] pre.input')].map(e => e.textContent)"
    assert "one ✂two ✂three" in browser.evaluate(blocks)


def test_a_section_says_right_wrong_clause_and_why(browser: Browser, page: Path) -> None:
    browser.load(page, "#env.made.blank")
    browser.wait(f"{OPENED}.length === 1")
    headings = browser.evaluate(
        "[...document.querySelectorAll('details[open] h3')].map(e => e.textContent)"
    )
    assert headings[:4] == [
        "Input",
        "Right answer",
        "✗ other, third: wrong-answer (slow)",
        "✓ Right",
    ]
    assert headings[4].startswith("Clause ENV.3a: ")
    assert "can do: slow, the time grows faster than the text." in text_of(browser, "details[open]")


def test_the_keyboard_suffices(browser: Browser) -> None:
    browser.press("/", "Slash", "/")
    assert browser.evaluate("document.activeElement.id") == "q"
    assert browser.evaluate("document.getElementById('q').value") == ""
    choose(browser, q="zebra")
    browser.evaluate("document.querySelector('#filters [type=reset]').focus()")
    browser.press("Tab")
    assert browser.evaluate("document.activeElement.tagName") == "SUMMARY"
    browser.press("Enter", text="\r")
    browser.wait(f"{OPENED}.length === 1")
    browser.evaluate("document.querySelector('[data-area=env][data-parser=other]').focus()")
    browser.press("Enter", text="\r")
    assert browser.evaluate(LISTED) == ["env.made.blank", "env.made.cut", "env.made.evil"]


@pytest.mark.parametrize("width", [1280, 390, 320])
def test_the_page_never_scrolls_sideways(browser: Browser, page: Path, width: int) -> None:
    browser.resize(width, 800)
    browser.load(page, "#env.made.evil")
    browser.wait(f"{OPENED}.length === 1")
    assert browser.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_colour_is_never_the_only_sign(browser: Browser) -> None:
    empty = "[...document.querySelectorAll('#matrix td, #parsers td')].filter(e => !e.textContent)"
    assert browser.evaluate(f"{empty}.length") == 0
    marks = browser.evaluate(
        "[...document.querySelectorAll('.tag.fails, .tag.passes')].map(e => e.textContent[0])"
    )
    assert set(marks) == {"✗", "✓"}
