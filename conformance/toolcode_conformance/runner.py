"""Runs cases against one implementation and says what came of each."""

from __future__ import annotations

import base64
import contextlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from toolcode_conformance import chunking, emission, growth, rendering, structured, token_cuts
from toolcode_conformance.answers import check_runs
from toolcode_conformance.compare import shown
from toolcode_conformance.expected import Judging, expectation, mismatch, other_readings, outline
from toolcode_conformance.faults import Fault, NotOfferedError
from toolcode_conformance.features import has_surrogate
from toolcode_conformance.normal import Normal, from_filter, from_steps
from toolcode_conformance.plan import (
    gemma,
    needs,
    not_offered,
    options_for,
    other_request,
    renders,
    text_for,
)
from toolcode_conformance.tables import choices as all_choices

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from toolcode_conformance.cases import Case
    from toolcode_conformance.chunking import Cuts
    from toolcode_conformance.corpus import Corpus
    from toolcode_conformance.implementation import Implementation

DEFAULT_TIMEOUT: Final = 10.0
PASS: Final = "pass"  # noqa: S105  a verdict
NOT_OFFERED: Final = "not-offered"
_BATCH_CHARACTERS: Final = 200_000
_BATCH_RUNS: Final = 250
_COMPARATORS: Final = {
    "numbers": ("exact", "double"),
    "object-order": ("kept", "any"),
    "text-trim": ("exact", "trimmed"),
}
_INSIDE: Final = {"quick": 4, "tokens": 4, "standard": 24, "full": 400}

Steps = list[list[dict[str, Any]]]


@dataclass(slots=True)
class Outcome:
    """What came of one case.

    Attributes:
        verdict: pass, not-offered, or a key of `faults.KINDS`.
        detail: Why, in one or a few lines; for not-offered the missing capability or form.
        where: "#cut=12" and the like when one chunking failed, else "".
        got: The answer in short, when there was one.
    """

    case: Case
    verdict: str
    detail: str = ""
    where: str = ""
    got: str = ""

    @property
    def failed(self) -> bool:
        """Whether this is a failure (not offered is neither a failure nor a pass)."""
        return self.verdict not in {PASS, NOT_OFFERED}


@dataclass(slots=True)
class Session:
    """One greeted implementation, with its choices settled.

    Attributes:
        level: A key of `chunking.LEVELS`.
        timeout: Seconds per exchange.
        settled: For each choice, how it is known: "declared", a probe's id, or "assumed".
        tokens: At level `tokens`, each text's cuts between tokens.
    """

    impl: Implementation
    level: str = "standard"
    timeout: float = DEFAULT_TIMEOUT
    choices: dict[str, str] = field(default_factory=dict)
    settled: dict[str, str] = field(default_factory=dict)
    scans: int = 0
    tokens: dict[str, Cuts] = field(default_factory=dict)

    def judging(self) -> Judging:
        """Return how answers are compared."""
        return Judging.of(self.choices, self.impl.capabilities)

    # --- choices -----------------------------------------------------------------------------

    def settle_choices(self, corpus: Corpus) -> None:
        """Take what was declared, then run the probe of every other choice."""
        for choice in all_choices().values():
            declared = self.impl.choices.get(choice.name)
            self.choices[choice.name] = declared or choice.options[0]
            self.settled[choice.name] = "declared" if declared else "assumed"
        # Twice, because an answer may only be recognised once another choice is known.
        for choice in (*all_choices().values(), *all_choices().values()):
            probe = corpus.by_id.get(choice.probe or "")
            if self.settled[choice.name] == "assumed" and probe is not None:
                option = self._probe(probe, choice.name, choice.options)
                if option is not None:
                    self.choices[choice.name] = option
                    self.settled[choice.name] = probe.id

    def _probe(self, case: Case, name: str, options: tuple[str, ...]) -> str | None:
        if not_offered(case, self.impl):
            return None
        try:
            answer = self._answer(case)
        except (Fault, NotOfferedError):
            # The probe is a case as well, and fails there with its reason.
            return None
        for option in options:
            if self._wrong(case, answer, {**self.choices, name: option}) is None:
                return option
        return None

    # --- one case ----------------------------------------------------------------------------

    def run(self, case: Case) -> Outcome:
        """Run one case with its chunkings."""
        missing = not_offered(case, self.impl)
        if missing:
            return Outcome(case, NOT_OFFERED, missing)
        try:
            outcome = self._run(case)
            self.impl.client.settle()
        except Fault as fault:
            return Outcome(case, fault.verdict, str(fault))
        except NotOfferedError as refusal:
            claimed = ", ".join(needs(case))
            return Outcome(
                case, "claims-capability", f"claims {claimed} but answered unsupported: {refusal}"
            )
        return outcome

    def _run(self, case: Case) -> Outcome:
        if case.op == "growth":
            return self._grow(case)
        answer = self._answer(case)
        wrong = self._wrong(case, answer, self.choices)
        if wrong is not None:
            return self._explained(case, answer, wrong)
        if isinstance(answer, Normal) and "streaming" in self.impl.capabilities:
            return self._stream(case, answer)
        if isinstance(answer, Normal) and case.clause == "MODEL.2":
            again = self._answer(case)
            return self._fresh_ids(case, [answer, again] if isinstance(again, Normal) else [answer])
        return Outcome(case, PASS)

    def _grow(self, case: Case) -> Outcome:
        options = options_for(case, self.impl)

        def ask(chunks: list[str]) -> object:
            if self.impl.mode == "filter":
                text = "".join(chunks)
                return self.impl.client.ask({"op": "scan", "text": text}, self.timeout)
            return self._scan_chunks(chunks, options)

        wrong = growth.judge(growth.Shape.of(case.input), ask)
        return Outcome(case, "slow", wrong) if wrong else Outcome(case, PASS)

    def _answer(self, case: Case) -> Normal | dict[str, Any]:
        """Return the normal form of a whole scan, or another operation's result."""
        if case.op not in {"scan", "literal"}:
            return self.impl.client.ask(other_request(case), self.timeout)
        text = text_for(case, self.impl)
        if self.impl.mode == "filter":
            self.scans += 1
            return from_filter(self.impl.client.ask({"op": "scan", "text": text}, self.timeout))
        return from_steps(self._scan_chunks([text], options_for(case, self.impl)))

    def _wrong(
        self,
        case: Case,
        answer: Normal | dict[str, Any],
        choices: dict[str, str],
    ) -> str | None:
        expect = expectation(case, choices)
        if isinstance(answer, Normal):
            return mismatch(expect, answer, Judging.of(choices, self.impl.capabilities))
        if not renders(case):
            return structured.judge(case, expect, answer)
        if isinstance(answer.get("refused"), str):
            return None if "refused" in expect else f"it was refused: {shown(answer['refused'])}"
        if not isinstance(answer.get("text"), str):
            raise Fault("protocol", f"a rendering is {{text}} or {{refused}}, not {shown(answer)}")
        return rendering.judge(case, expect, answer["text"], choices)

    def _explained(
        self,
        case: Case,
        answer: Normal | dict[str, Any],
        wrong: str,
        where: str = "",
    ) -> Outcome:
        got = outline(answer.segments) if isinstance(answer, Normal) else shown(answer)
        for name, option in self._readings(case, answer):
            if self.settled.get(name, "assumed") == "assumed":
                wrong += f" (the answer of {name}={option}, which was neither declared nor found)"
                break
            return Outcome(
                case, "contradicts-choice", self._contradiction(name, option), where, got
            )
        return Outcome(case, "rendering" if renders(case) else "wrong-answer", wrong, where, got)

    def _readings(
        self,
        case: Case,
        answer: Normal | dict[str, Any],
    ) -> Iterator[tuple[str, str]]:
        """Yield the choices under whose other option the answer would have been right."""
        options = {choice.name: choice.options for choice in all_choices().values()}
        if isinstance(answer, Normal):
            for name, option, other in other_readings(case, self.choices, options):
                if mismatch(other, answer, self.judging()) is None:
                    yield name, option
        for name, both in _COMPARATORS.items():
            other_option = both[self.choices.get(name) == both[0]]
            if self._wrong(case, answer, {**self.choices, name: other_option}) is None:
                yield name, other_option

    def _contradiction(self, name: str, option: str) -> str:
        how = self.settled[name]
        known = how if how == "declared" else f"found by {how}"
        probe = all_choices()[name].probe
        return (
            f"this is the answer of {name}={option}, but the choice is "
            f"{name}={self.choices.get(name)} ({known}; its probe is {probe})"
        )

    def run_cut(self, case: Case, cuts: Cuts) -> Outcome:
        """Run one chunking of a scan case that is offered, as plain chunks."""
        text = text_for(case, self.impl)
        try:
            steps = self._scan_chunks(chunking.split(text, cuts), options_for(case, self.impl))
            return self._one_cut(case, text, cuts, steps) or Outcome(case, PASS)
        except (Fault, NotOfferedError) as error:
            return Outcome(case, getattr(error, "verdict", "claims-capability"), str(error))

    # --- chunkings ---------------------------------------------------------------------------

    def _stream(self, case: Case, whole: Normal) -> Outcome:
        text = text_for(case, self.impl)
        expect = expectation(case, self.choices)
        if expect.get("any"):
            expect = {"segments": whole.segments, "dropped": whole.dropped}
        stated = case.chunks if case.op == "scan" and text == case.text else None
        if stated is not None and any(map(has_surrogate, stated)):
            stated = None
        runs = [whole]
        named = list(self.named_cuts(case, text).values())
        others = () if case.cuts else chunking.matrix(text, case.id, self.level, stated)
        cuts_list = named + [cuts for cuts in others if cuts not in named]
        for cuts, steps in self._scan_cuts(text, cuts_list, options_for(case, self.impl)):
            failed = self._one_cut(case, text, cuts, steps, expect)
            if failed:
                return failed
            if case.clause == "MODEL.2":
                runs.append(from_steps(steps))
        if case.clause == "MODEL.2":
            return self._fresh_ids(case, runs)
        return self._odd_chunks(case, text, expect)

    def find_tokens(self, cases: Iterable[Case]) -> None:
        """Find the tokens of all texts at once, for level `tokens`.

        Raises:
            StartError: There is no tokenizer; the message says how to get one.
        """
        offered = (c for c in cases if c.op in {"scan", "literal"} and not c.cuts)
        texts = (text_for(case, self.impl) for case in offered)
        self.tokens = token_cuts.compute(text for text in texts if not has_surrogate(text))

    def named_cuts(self, case: Case, text: str) -> dict[str, Cuts]:
        """Return the chunkings of a case that have a name: recorded ones, or Gemma 3's tokens."""
        if case.cuts:
            named = dict(case.cuts) if text == case.text else {}
        else:
            named = {"tokens": self.tokens.get(text) or token_cuts.precomputed(case, text) or ()}
        return {name: cuts for name, cuts in named.items() if cuts}

    def _name_of(self, case: Case, text: str, cuts: Cuts) -> str:
        named = self.named_cuts(case, text).items()
        return next((f"#cut={name}" for name, own in named if own == cuts), name_of(cuts, text))

    def _one_cut(
        self,
        case: Case,
        text: str,
        cuts: Cuts,
        steps: Steps,
        expect: dict[str, Any] | None = None,
    ) -> Outcome | None:
        normal = from_steps(steps)
        wrong = mismatch(expect or expectation(case, self.choices), normal, self.judging())
        if wrong:
            return Outcome(
                case,
                "streaming-differs",
                f"in one piece it is right, but {wrong}",
                self._name_of(case, text, cuts),
                outline(normal.segments),
            )
        rules = self._rules(case)
        wrong = emission.late(text, cuts, steps, rules) if rules else None
        return Outcome(case, "emission", wrong, self._name_of(case, text, cuts)) if wrong else None

    def _rules(self, case: Case) -> emission.Rules | None:
        """Only the cases of earliest emission are judged for what each step shows."""
        if case.clause not in emission.CLAUSES:
            return None
        return emission.Rules(
            thinking="thinking" in self.impl.capabilities
            and case.options.get("parse_thinking") is not False,
            guard=bool(case.options.get("stop_on_tool_outputs")),
            string_aware=self.choices.get("fence-in-string") != "first-fence",
            trim=self.choices.get("text-trim") == "trimmed",
            gemma=gemma(case),
        )

    def _odd_chunks(self, case: Case, text: str, expect: dict[str, Any]) -> Outcome:
        """Cut inside UTF-8 sequences and surrogate pairs, where that is offered."""
        options = options_for(case, self.impl)
        limit = _INSIDE[self.level]
        if text.isascii() or (has_surrogate(text) and "utf16" not in self.impl.capabilities):
            return Outcome(case, PASS)
        ways: list[tuple[str, Iterable[list[Any]]]] = []
        if "bytes" in self.impl.capabilities and not has_surrogate(text):
            ways.append(("bytes", chunking.byte_cuts(text, limit)))
        if "utf16" in self.impl.capabilities:
            ways.append(("utf16", chunking.surrogate_cuts(text, limit)))
            if case.chunks is not None and any(map(has_surrogate, case.chunks)):
                ways.append(("utf16", [list(case.chunks)]))
        for way, chunkings in ways:
            for number, chunks in enumerate(chunkings):
                normal = from_steps(self._scan_chunks(chunks, options))
                wrong = mismatch(expect, normal, self.judging())
                if wrong:
                    return Outcome(
                        case,
                        "streaming-differs",
                        wrong,
                        f"#cut={way}{number}",
                        outline(normal.segments),
                    )
        return Outcome(case, PASS)

    def _scan_chunks(self, chunks: list[Any], options: dict[str, Any]) -> Steps:
        self.scans += 1
        request: dict[str, Any] = {"op": "scan", "options": options}
        if chunks and isinstance(chunks[0], bytes):
            request["chunks_b64"] = [base64.b64encode(chunk).decode() for chunk in chunks]
        else:
            request["chunks"] = chunks
        result = self.impl.client.ask(request, self.timeout)
        steps: Steps = check_runs(result, [len(chunks)], batch=False)[0]
        return steps

    def _scan_cuts(
        self,
        text: str,
        cuts_list: list[Cuts],
        options: dict[str, Any],
    ) -> Iterator[tuple[Cuts, Steps]]:
        if "cuts" not in self.impl.capabilities:
            for cuts in cuts_list:
                yield cuts, self._scan_chunks(chunking.split(text, cuts), options)
            return
        size = max(1, min(_BATCH_RUNS, _BATCH_CHARACTERS // (len(text) + 1)))
        for start in range(0, len(cuts_list), size):
            batch = cuts_list[start : start + size]
            self.scans += len(batch)
            result = self.impl.client.ask(
                {
                    "op": "scan",
                    "text": text,
                    "cuts": [list(cuts) for cuts in batch],
                    "options": options,
                },
                self.timeout,
            )
            counts = [len(cuts) + 1 for cuts in batch]
            yield from zip(batch, check_runs(result, counts, batch=True), strict=True)

    def _fresh_ids(self, case: Case, runs: list[Normal]) -> Outcome:
        """Every call of every scan has an id of its own (MODEL.2)."""
        seen: set[str] = set()
        for normal in runs:
            for call in (s["call"] for s in normal.segments if "call" in s):
                call_id = call.get("id")
                if not call_id:
                    return Outcome(case, "call-ids", f"call {call['name']} has no id")
                if call_id in seen:
                    return Outcome(case, "call-ids", f"the id {shown(call_id)} came twice")
                seen.add(call_id)
        return Outcome(case, PASS)

    def close(self) -> None:
        """End the implementation."""
        with contextlib.suppress(Fault):
            self.impl.client.close()


def name_of(cuts: Cuts, text: str) -> str:
    """Return the suffix that names a chunking: `#cut=12`, `#cut=3,9`, `#cut=char` or stated."""
    if cuts == chunking.single_characters(text) and len(cuts) > 1:
        return "#cut=char"
    return "#cut=stated" if len(cuts) > 2 else f"#cut={','.join(map(str, cuts))}"  # noqa: PLR2004
