"""Cases and results made on the spot, some of them meant to break a page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from tests.harness import helpers
from toolcode_conformance.cases import Case, make_case
from toolcode_conformance.matrix.store import Failure, Result

if TYPE_CHECKING:
    from collections.abc import Mapping

EVIL: Final = "</script><img src=x onerror=\"document.title='owned'\"><b>&amp;</b>"
"""What would run, or show as bold, if a page took it for markup."""


def case(slug: str, text: str = "hello", *, area: str = "env", **keys: Any) -> Case:
    """Return a scan case of ENV.3a that expects its text back."""
    made = helpers.case(text, **keys)
    raw = made.raw | {"id": f"{area}.made.{slug}"} | keys
    return make_case(raw, group=f"{area}.made", clause="ENV.3a", path=made.path)


def result(name: str, verdicts: Mapping[str, str | Failure], **keys: Any) -> Result:
    """Return a result in which each case has a verdict, or fails as stated."""
    about = {
        "version": "1.2",
        "language": "Python",
        "url": "https://example.org/" + name,
        "mode": "adapter",
        "capabilities": ["scan"],
        "features": [],
    }
    made = Result(name, "2026-01-02", "0.1.0", "quick", about, {}, [])
    for case_id, verdict in verdicts.items():
        if isinstance(verdict, Failure):
            made.failures[case_id] = verdict
            made.verdicts[case_id] = verdict.verdict
        else:
            made.verdicts[case_id] = verdict
    for key, value in keys.items():
        setattr(made, key, value)
    return made


EVIL_CASE: Final = case(
    "evil",
    f"{EVIL}\n{EVIL}",
    title=f"A title with {EVIL}",
    derivation=f"Because {EVIL}",
    why="leak-to-user",
)
CASES: Final = (
    case("blank", "a  b\tc\n\u200bd", title="Odd white space", why="slow", level="should"),
    case("cut", "one two three", title="A cut", why="lost-call"),
    EVIL_CASE,
    case("plain", "zebra", title="Nothing odd", area="call", why="crash"),
    case("more", "quagga", title="Nobody offers it", area="call", why="crash", level="may"),
)
RESULTS: Final = (
    result("reference", {one.id: "pass" for one in CASES[:-1]} | {CASES[-1].id: "not-offered"}),
    result(
        "other",
        {
            "env.made.blank": Failure("wrong-answer", "", "text 'a b'", "text differs from 2"),
            "env.made.cut": Failure(
                "streaming-differs", "#cut=4,8", "nothing", "one piece is right"
            ),
            "env.made.evil": Failure("wrong-answer", "", f"text '{EVIL}'", f"got {EVIL}", EVIL),
            "call.made.plain": "pass",
            "call.made.more": "not-offered",
        },
        reasons={"call.made.more": "bytes"},
    ),
    result(
        "third",
        {
            "env.made.blank": Failure("wrong-answer", "", "text 'a b'", "text differs from 2"),
            "env.made.cut": "pass",
            "env.made.evil": Failure("error", "", "", f"RangeError: {EVIL}"),
            "call.made.plain": Failure("timeout", "", "", "no answer"),
            "call.made.more": "not-offered",
        },
    ),
)
