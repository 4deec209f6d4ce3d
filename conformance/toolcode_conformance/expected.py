"""Which answer is right for an implementation that made certain choices, and whether it came."""

from __future__ import annotations

import itertools
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from toolcode_conformance.compare import Comparison, difference, shown
from toolcode_conformance.normal import Normal, from_segments

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from toolcode_conformance.cases import Case

LITERAL_CALL: Final = "f"
LITERAL_KEY: Final = "x"
_GOVERNS: Final = {"LIT.9a": "non-finite", "LIT.9b": "huge-int"}
_DIAGNOSTIC: Final[tuple[tuple[str, Any], ...]] = (
    ("unresolved", []),
    ("skipped", []),
    ("conditional", False),
)
_ANY: Final = {"any": True}
_MANY: Final = 8
"""Segments, and arguments of a call, that an outline names."""


@dataclass(frozen=True, slots=True)
class Judging:
    """How strictly answers are compared, from choices and capabilities."""

    how: Comparison
    trim: bool
    diagnostics: bool

    @staticmethod
    def of(choices: Mapping[str, str], capabilities: frozenset[str]) -> Judging:
        """Return the judging for an implementation."""
        return Judging(
            Comparison(choices.get("numbers") == "double", choices.get("object-order") == "any"),
            choices.get("text-trim") == "trimmed",
            "diagnostics" in capabilities,
        )


def expectation(case: Case, choices: Mapping[str, str]) -> dict[str, Any]:
    """Return what the case expects under these choices, in the form of op `scan` or `render`.

    The most specific `accept` entry that the choices fulfil wins, then the case's own `expect`.
    What only `non-literal` and its kin change is derived (LIT.6b, LIT.9).
    """
    fitting = [
        entry
        for entry in case.accept
        if all(choices.get(name) == option for name, option in entry.when.items())
    ]
    best = max(fitting, key=lambda entry: len(entry.when), default=None)
    named = frozenset(best.when) if best else frozenset()
    expect = best.expect if best else case.expect
    if case.op == "literal":
        return _literal(case, expect, choices, named)
    if case.op == "scan" and "non-literal" not in named:
        return _without_unresolved(expect, choices.get("non-literal", "source-text"))
    return expect


def _literal_call(arguments: dict[str, Any], unresolved: list[str] | None) -> dict[str, Any]:
    call = {"name": LITERAL_CALL, "arguments": arguments, "unresolved": unresolved}
    return {"segments": [{"call": call}], "dropped": []}


def _literal(
    case: Case,
    expect: dict[str, Any],
    choices: Mapping[str, str],
    named: frozenset[str],
) -> dict[str, Any]:
    if expect.get("any"):
        return _ANY
    if "value" in expect:
        return _literal_call({LITERAL_KEY: expect["value"]}, [])
    if "omitted" in expect:
        return _literal_call({}, None)
    if "refused" in expect:
        return {"segments": [], "dropped": None}
    source = expect["nonliteral"]
    if case.clause.startswith("LIT.10") and choices.get("deep-nesting") == "value":
        return _ANY
    choice = _GOVERNS.get(case.clause, "non-literal")
    option = "source-text" if choice in named else choices.get(choice, "source-text")
    return _nonliteral(source, option)


def _nonliteral(source: str, option: str) -> dict[str, Any]:
    match option:
        case "omit":
            return _literal_call({}, [LITERAL_KEY])
        case "refuse-call":
            return {"segments": [], "dropped": None}
        case "null":
            return _literal_call({LITERAL_KEY: None}, None)
        case "exact" if source.lstrip("+-").isdecimal():
            sys.set_int_max_str_digits(0)  # the case is about an integer past that limit
            return _literal_call({LITERAL_KEY: int(source)}, None)
        case "exact" | "double":
            return _ANY
    return _literal_call({LITERAL_KEY: source}, [LITERAL_KEY])


def _without_unresolved(expect: dict[str, Any], option: str) -> dict[str, Any]:
    if option == "source-text" or expect.get("any"):
        return expect
    segments = []
    refused = False
    for segment in expect["segments"]:
        call = segment.get("call")
        names = call.get("unresolved", ()) if call else ()
        if not names:
            segments.append(segment)
        elif option == "omit":
            kept = {key: value for key, value in call["arguments"].items() if key not in names}
            segments.append({"call": {**call, "arguments": kept}})
        else:
            refused = True
    return {"segments": segments, "dropped": None if refused else expect.get("dropped", [])}


def other_readings(
    case: Case,
    choices: Mapping[str, str],
    options: Mapping[str, tuple[str, ...]],
) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield `(choice, option, expectation)` for each choice that would change this case."""
    own = expectation(case, choices)
    touched = {name for entry in case.accept for name in entry.when}
    touched |= {_GOVERNS.get(case.clause, "non-literal")}
    for name in sorted(touched & options.keys()):
        for option in options[name]:
            other = expectation(case, {**choices, name: option})
            if other not in (own, _ANY):
                yield name, option, other


def mismatch(expect: dict[str, Any], got: Normal, judging: Judging) -> str | None:
    """Return how an answer differs from what is expected, or None if it is right."""
    if expect.get("any"):
        return None
    want = from_segments(expect["segments"])
    want_segments, got_segments = want.segments, got.segments
    if judging.trim:
        want_segments, got_segments = _trimmed(want_segments), _trimmed(got_segments)
    if not got.ordered:
        want_segments, got_segments = _unordered(want_segments), _unordered(got_segments)
    if [next(iter(s)) for s in want_segments] != [next(iter(s)) for s in got_segments]:
        shapes = [outline(found, arguments=False) for found in (want_segments, got_segments)]
        return f"want {shapes[0]}, got {shapes[1]}"
    for index, (left, right) in enumerate(zip(want_segments, got_segments, strict=True)):
        found = _segment(left, right, judging)
        if found:
            return f"segment {index + 1}: {found}"
    dropped = expect.get("dropped", [])
    if judging.diagnostics and dropped is not None and dropped != got.dropped:
        return f"dropped: want {dropped}, got {got.dropped}"
    return None


def outline(segments: list[dict[str, Any]], *, arguments: bool = True) -> str:
    """Return segments in one short line: a text's first characters, calls as Python has them."""
    if not segments:
        return "nothing"
    shapes = [_shape(*next(iter(s.items())), arguments=arguments) for s in segments[:_MANY]]
    more = len(segments) - len(shapes)
    return ", ".join(shapes) + (f" and {more} more" if more else "")


def _shape(key: str, value: Any, *, arguments: bool) -> str:  # noqa: ANN401  as the key says
    if key != "call":
        return f"{key} {_cut(shown(value), 40)}"
    name = _word(value["name"])
    return f"call {name}({_arguments(value['arguments'])})" if arguments else f"call {name}"


def _arguments(given: dict[str, Any]) -> str:
    first = itertools.islice(given.items(), _MANY)
    listed = [f"{_word(key)}={_cut(shown(value), 60)}" for key, value in first]
    more = len(given) - len(listed)
    return ", ".join([*listed, f"and {more} more"] if more else listed)


def _word(name: str) -> str:
    # What a parser calls a name may hold anything, and this goes to a terminal.
    return _cut(name if name.isidentifier() else shown(name), 60)


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[:limit]}..."


def _trimmed(segments: list[dict[str, Any]]) -> list[dict[str, Any]]:
    stripped = [
        {"text": segment["text"].strip()} if "text" in segment else segment for segment in segments
    ]
    return [segment for segment in stripped if segment != {"text": ""}]


def _unordered(segments: list[dict[str, Any]]) -> list[dict[str, Any]]:
    text = "".join(segment.get("text", "") for segment in segments)
    calls = [segment for segment in segments if "call" in segment]
    return [*calls, {"text": text}] if text else calls


def _segment(want: dict[str, Any], got: dict[str, Any], judging: Judging) -> str | None:
    if "call" not in want:
        key = next(iter(want))
        return _text_difference(key, want[key], got[key])
    left, right = want["call"], got["call"]
    for key in ("name", "arguments"):
        found = difference(left[key], right[key], judging.how)
        if found:
            return f"{key} of call {left['name']}: {found}"
    if not judging.diagnostics:
        return None
    for key, none in _DIAGNOSTIC:
        wanted = left.get(key, none)
        if wanted is not None and wanted != right.get(key, none):
            return _pair(key, left["name"], wanted, right.get(key, none))
    for key in ("callee", "source"):
        if key in left and left[key] != right.get(key):
            return _pair(key, left["name"], left[key], right.get(key))
    return None


def _pair(key: str, name: str, want: object, got: object) -> str:
    return f"{key} of call {name}: want {shown(want)}, got {shown(got)}"


def _text_difference(key: str, want: str, got: str) -> str | None:
    if want == got:
        return None
    same = 0
    for left, right in zip(want, got, strict=False):
        if left != right:
            break
        same += 1
    start = max(0, same - 20)
    left, right = shown(want[start:]), shown(got[start:])
    return f"{key} differs from character {same}: want ...{left}, got ...{right}"
