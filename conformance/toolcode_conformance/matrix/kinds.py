"""In which way an answer differs from the right one: half of a failure's signature.

The other half is its clause. Read from the words in which the harness says how they differ.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from toolcode_conformance.cases import EFFECTS
from toolcode_conformance.faults import KINDS

if TYPE_CHECKING:
    from toolcode_conformance.cases import Case
    from toolcode_conformance.matrix.store import Failure

KIND_TEXT: Final = {
    "evaluation": "what the model wrote is evaluated",
    "crash": "the parser breaks off",
    "no-json": "an argument is nothing that JSON has",
    "timeout": "no answer in time",
    "undecodable": "the answer cannot be read",
    "chunking": "the answer depends on how the text is cut",
    "emission": "text is shown later than it could be",
    "slow": "the time grows faster than the text",
    "call-ids": "calls share an id, or have none",
    "choice": "the answer contradicts a choice made elsewhere",
    "not-refused": "something is written that should be refused",
    "rendering": "what is written does not read back as it was",
    "more-calls": "a call comes that should not",
    "fewer-calls": "a call does not come",
    "other-order": "text, thoughts and calls come in other pieces",
    "other-name": "another name is called",
    "keys": "arguments are missing, or too many",
    "value": "an argument has another value",
    "text": "the text or thought differs",
    "announcement": "what is unsure or lost is announced differently",
    "other": "the answer differs",
}
"""The kinds of difference, each in words."""

_OF_VERDICT: Final = {
    "streaming-differs": "chunking",
    "emission": "emission",
    "slow": "slow",
    "call-ids": "call-ids",
    "contradicts-choice": "choice",
    "claims-capability": "choice",
}
_BY_WORDS: Final = (
    (re.compile(r"name of call"), "other-name"),
    (re.compile(r"arguments of call.*?: (?:extra|missing) keys"), "keys"),
    (re.compile(r"arguments of call"), "value"),
    (
        re.compile(r"(?:unresolved|skipped|conditional|callee|source) of call|dropped:"),
        "announcement",
    ),
    (re.compile(r"(?:text|thinking) differs"), "text"),
)
_EVALUATES: Final = "evaluates model output"  # what peer_host's recorder says in eval's place
_NO_JSON: Final = re.compile(
    r"TypeError: a (?:value|key) is |Out of range float|which JSON does not"
)
_WORST_OF: Final = {
    "evaluation": "unsafe-execution",
    "crash": "crash",
    "no-json": "crash",
    "timeout": "stall",
    "undecodable": "crash",
    "fewer-calls": "lost-call",
    "value": "corrupt-argument",
    "text": "leak-to-user",
    "emission": "stall",
}
_SHAPES: Final = re.compile(r"want (.*), got (.*)", re.DOTALL)


def kind(failure: Failure) -> str:
    """Return the kind of difference, a key of `KIND_TEXT`."""
    if KINDS[failure.verdict] != "fail":
        return _broken_off(failure)
    if failure.verdict in _OF_VERDICT:
        return _OF_VERDICT[failure.verdict]
    if failure.verdict == "rendering":
        return "not-refused" if "must be refused" in failure.detail else "rendering"
    for pattern, name in _BY_WORDS:
        if pattern.search(failure.detail[:200]):
            return name
    shapes = _SHAPES.match(failure.detail)
    return _by_shape(*shapes.groups()) if shapes else "other"


def _broken_off(failure: Failure) -> str:
    if _EVALUATES in failure.detail:
        return "evaluation"
    return "no-json" if _NO_JSON.search(failure.detail) else KINDS[failure.verdict]


def effect(case: Case, failure: Failure) -> str:
    """Return what a failure does to a user, a member of `EFFECTS`.

    A case names the worst that failing it can do. A parser that breaks off, or loses the call,
    does less than that, and is not charged with more than was seen.
    """
    found = kind(failure)
    seen = _WORST_OF.get(found, case.why)
    return seen if found == "evaluation" else max(seen, case.why, key=EFFECTS.index)


def _by_shape(want: str, got: str) -> str:
    wanted, came = (len(re.findall(r"\bcall ", text)) for text in (want, got))
    if not wanted and not came:
        return "text"  # nothing is called on either side: what is shown differs
    if wanted == came:
        return "other-order"
    return "fewer-calls" if came < wanted else "more-calls"
