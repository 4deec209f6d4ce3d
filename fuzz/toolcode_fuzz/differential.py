"""The reference against any implementation: a difference counts only where the spec decides.

The harness connects, asks and compares, so choices, capabilities and forms mean here what they
mean in the suite; `undecided` leaves out what the spec leaves open.
"""

from __future__ import annotations

import dataclasses
import difflib
import json
import re
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from toolcode_conformance.answers import check_runs
from toolcode_conformance.cases import Case
from toolcode_conformance.corpus import load_corpus
from toolcode_conformance.expected import expectation, mismatch
from toolcode_conformance.faults import Fault, NotOfferedError
from toolcode_conformance.implementation import connect
from toolcode_conformance.normal import Normal, from_filter, from_segments, from_steps
from toolcode_conformance.plan import not_offered, options_for, text_for
from toolcode_conformance.reference_handler import Reference
from toolcode_conformance.runner import DEFAULT_TIMEOUT, Session
from toolcode_fuzz.findings import without_values
from toolcode_fuzz.inputs import Reader
from toolcode_fuzz.undecided import undecided

if TYPE_CHECKING:
    from toolcode_conformance.expected import Judging

_LONGEST_WAIT: Final = 5.0
_PRIVATE: Final = ("id", "callee", "source")
_LAST_BREAK: Final = re.compile(r"\r?\n\Z")


class Difference(AssertionError):  # noqa: N818 - a verdict on an implementation
    """The implementation does not give what the spec wants.

    Attributes:
        kind: A key of the harness's `KINDS`.
        signature: Verdict, exception, and place and kinds of the first event that differs.
        message: What is wrong, in a line.
        detail: Both answers as a diff.
        hangs: A thread of this process is stuck for good.
    """

    def __init__(self, kind: str, place: str, message: str, detail: str = "") -> None:
        super().__init__(message)
        self.kind = kind
        self.signature = f"{kind} {place}".strip()
        self.message = f"{kind}: {message}"
        self.detail = detail
        self.hangs = False


class Differential:
    """Runs inputs through both; a plain function of bytes once it is started."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.asked = 0
        self._reference = Reference(session.choices.get("fence-in-string", "string-aware"))
        self._offered = session.impl.capabilities
        self._searches = session.choices.get("control-flow") == "search"

    @classmethod
    def start(cls, impl: str) -> Differential:
        """Connect to an implementation and find out its choices, as the suite does.

        Raises:
            StartError: It would not start or did not answer the greeting.
        """
        found = connect(impl)
        wait = min(found.timeout or DEFAULT_TIMEOUT, _LONGEST_WAIT)
        session = Session(found, "quick", wait)
        session.settle_choices(load_corpus())
        return cls(session)

    def close(self) -> None:
        """End the implementation."""
        self.session.close()

    def __call__(self, data: bytes) -> None:
        """Run one input.

        Raises:
            Difference: The implementation gives what the spec rules out.
        """
        reader = Reader(data)
        options = self._options(reader)
        chunks = reader.chunks()
        text = "".join(chunks)
        if "thinking" not in self._offered and "```thinking" in text:
            return
        want = self._wanted(text, options)
        case = _case(text, options, want, mark=not self._searches)
        if not_offered(case, self.session.impl):
            return
        if undecided(text, want, self.session.choices, self.session.settled):
            return
        self._judge(case, chunks)

    def _options(self, reader: Reader) -> dict[str, Any]:
        """Return the options that are offered, those that change nothing left out."""
        given, found = reader.options(), dict[str, Any]()
        if self.session.impl.mode == "filter":
            return found
        if "thinking" in self._offered and not given["parse_thinking"]:
            found["parse_thinking"] = False
        if "guard" in self._offered and given["stop_on_tool_outputs"]:
            found["stop_on_tool_outputs"] = True
        if "declared-tools" in self._offered and given["tools"]:
            found["tools"] = given["tools"]
        return found

    def _wanted(self, text: str, options: dict[str, Any]) -> Normal:
        request = {"id": 0, "op": "scan", "chunks": [text], "options": options}
        return from_steps(self._reference.handle(request)["result"]["steps"])

    def _judge(self, case: Case, chunks: list[str]) -> None:
        self.asked += 1
        whole = [text_for(case, self.session.impl)]
        streaming = "streaming" in self.session.impl.capabilities and whole[0] == case.text
        wrong = self._wrong(case, chunks if streaming else whole)
        if wrong is None:
            return
        if streaming and len(chunks) > 1 and not self._wrong(case, whole):
            got, place, words = wrong
            raise Difference(
                "streaming-differs",
                place,
                f"in one piece it is right, in these chunks {words}",
                self._diff(case, got),
            )
        got, place, words = wrong
        raise Difference("wrong-answer", place, words, self._diff(case, got))

    def _wrong(self, case: Case, chunks: list[str]) -> tuple[Normal, str, str] | None:
        """Ask once; the answer, the place and the words where it is wrong."""
        try:
            got = self._ask(case, chunks)
            self.session.impl.client.settle()
        except Fault as fault:
            difference = Difference(fault.verdict, _fault_place(fault), str(fault))
            difference.hangs = fault.verdict == "timeout" and self.session.impl.mode == "python"
            raise difference from None
        except NotOfferedError:
            return None
        expect, judging = self._expected(case), self.session.judging()
        if self.session.choices.get("thinking-newline") == "thought":
            # The reference gives the last line break to the fence: compare without it.
            expect = {**expect, "segments": _unbroken(expect["segments"])}
            got = dataclasses.replace(got, segments=_unbroken(got.segments))
        words = mismatch(expect, got, judging)
        if words is None:
            return None
        return got, _place(from_segments(expect["segments"]), got, judging), words

    def _ask(self, case: Case, chunks: list[str]) -> Normal:
        impl, wait = self.session.impl, self.session.timeout
        if impl.mode == "filter":
            return from_filter(impl.client.ask({"op": "scan", "text": "".join(chunks)}, wait))
        request = {"op": "scan", "chunks": chunks, "options": options_for(case, impl)}
        return from_steps(check_runs(impl.client.ask(request, wait), [len(chunks)], batch=False)[0])

    def _expected(self, case: Case) -> dict[str, Any]:
        return expectation(case, self.session.choices)

    def _diff(self, case: Case, got: Normal) -> str:
        """Both answers, one segment a line."""
        expect = self._expected(case)
        diagnostics = "diagnostics" in self.session.impl.capabilities
        wanted = _lines(from_segments(expect["segments"]).segments, diagnostics=diagnostics)
        lines = _lines(got.segments, diagnostics=diagnostics)
        marked = [line for line in difflib.ndiff(wanted, lines) if line[0] != "?"]
        return "\n".join([f"- spec, + {self.session.impl.name}:", *(f"  {x}" for x in marked)])


def _case(text: str, options: dict[str, Any], want: Normal, *, mark: bool) -> Case:
    """Return the input as a case, so that the harness can plan and judge it.

    Args:
        text: The input.
        options: Those of the scan.
        want: The reference's answer.
        mark: Whether calls under a condition have to be marked (CALL.7a).
    """
    segments = []
    for segment in want.segments:
        call = segment.get("call")
        if call is None:
            segments.append(segment)
            continue
        kept = {key: value for key, value in call.items() if key not in _PRIVATE}
        kept["conditional"] = kept["conditional"] if mark else None
        segments.append({"call": kept})
    return Case(
        id="fuzz.found.input",
        title="",
        clause="MODEL.1",
        level="must",
        why="wrong-call",
        op="scan",
        group="fuzz.found",
        area="fuzz",
        path=Path("made.json"),
        text=text,
        chunks=None,
        input={},
        options=options,
        expect={"segments": segments, "dropped": want.dropped},
        accept=(),
        needs=frozenset({"thinking"} if _has_thought(want) else ()),
        aliases=(),
        derivation="",
        oracle_note="",
        source={},
        raw={},
    )


def _has_thought(answer: Normal) -> bool:
    return any("thinking" in segment for segment in answer.segments)


def _unbroken(segments: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return segments whose thoughts have lost their last line break."""
    cut = [
        {"thinking": _LAST_BREAK.sub("", segment["thinking"])} if "thinking" in segment else segment
        for segment in segments
    ]
    return from_segments(one for one in cut if one != {"thinking": ""}).segments


def _fault_place(fault: Fault) -> str:
    """Return the exception's name and its words without their values."""
    words = str(fault).removeprefix("the implementation threw: ").removeprefix("raised ")
    return without_values(words)


def _lines(segments: list[dict[str, Any]], *, diagnostics: bool) -> list[str]:
    hidden = {"id"} if diagnostics else {"id", "unresolved", "skipped", "conditional"}
    lines = []
    for segment in segments:
        call = segment.get("call")
        if call is not None:
            keys = ("name", "arguments", *(k for k in call if k not in ("name", "arguments")))
            kept = {k: call[k] for k in keys if k not in {*hidden, *_PRIVATE} and call[k]}
            segment = {"call": {"name": call["name"], "arguments": call["arguments"], **kept}}  # noqa: PLW2901
        lines.append(json.dumps(segment, ensure_ascii=True))
    return lines or ["nothing"]


def _place(want: Normal, got: Normal, judging: Judging) -> str:
    """Return where the first difference is and of which kinds the two sides are there."""
    left, right = want.segments, got.segments
    for one, other in zip(left, right, strict=False):
        if one == other:
            continue
        kinds = next(iter(one)), next(iter(other))
        if kinds[0] != kinds[1]:
            return f"{kinds[0]}/{kinds[1]}"
        if "call" not in one:
            return f"{kinds[0]} {_characters(one[kinds[0]], other[kinds[0]])}"
        found = _call_place(one["call"], other["call"])
        if found or judging.diagnostics:
            return f"call {found or 'diagnostics'}"
    if len(left) != len(right):
        longer = left if len(left) > len(right) else right
        kind = next(iter(longer[min(len(left), len(right))]))
        return f"{kind}/end" if longer is left else f"end/{kind}"
    return "dropped"


def _call_place(want: dict[str, Any], got: dict[str, Any]) -> str:
    if want["name"] != got["name"]:
        return f"name {_characters(want['name'], got['name'])}"
    return _value_place(want["arguments"], got["arguments"])


def _value_place(want: Any, got: Any) -> str:
    """Follow two values to where they part."""
    found = f"{type(want).__name__}/{type(got).__name__}"
    if type(want) is type(got):
        found = type(want).__name__
        if want == got:
            found = ""
        elif isinstance(want, str):
            found = _characters(want, got)
        elif isinstance(want, dict) and want.keys() != got.keys():
            sides = len(want.keys() - got.keys()), len(got.keys() - want.keys())
            found = f"keys {min(1, sides[0])}/{min(1, sides[1])}"
        elif isinstance(want, list) and len(want) != len(got):
            found = "list lengths"
        elif isinstance(want, list | dict):
            places = range(len(want)) if isinstance(want, list) else want
            return next((p for key in places if (p := _value_place(want[key], got[key]))), "")
    return found


def _characters(want: str, got: str) -> str:
    """Return the kinds of the first characters that differ."""
    at = next((i for i, pair in enumerate(zip(want, got, strict=False)) if pair[0] != pair[1]), -1)
    at = min(len(want), len(got)) if at < 0 else at
    return f"{_class(want[at : at + 1])}/{_class(got[at : at + 1])}"


def _class(char: str) -> str:
    """Return a character's kind: itself where it has a meaning, else its Unicode category."""
    if not char:
        return "end"
    return char if char in "\\'\"`#()[]{}," else unicodedata.category(char)
