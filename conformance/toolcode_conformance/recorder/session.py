"""Records runs one after the other: prompts in, records out, progress beside it."""

from __future__ import annotations

import hashlib
import time
from typing import TYPE_CHECKING, Final

from toolcode_conformance.recorder import pieces, prompts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from toolcode_conformance.recorder.model import Model
    from toolcode_conformance.recorder.plan import Run
    from toolcode_conformance.recorder.scenario import Sampling
    from toolcode_conformance.recorder.store import Journal, Record

_OPENER: Final = prompts.FENCE + "tool_code"


def take_reply(
    tokens: Iterator[bytes | None],
    limit: int,
    stops: Iterable[str],
) -> tuple[list[bytes], str]:
    """Return the tokens of one reply and why it ended: `eos`, `stop` or `limit`."""
    marks = [stop.encode() for stop in stops]
    taken: list[bytes] = []
    for token in tokens:
        if token is None:
            return taken, "eos"
        taken.append(token)
        cut = pieces.cut_at_stop(taken, marks, fresh=1)
        if cut is not None:
            return cut, "stop"
        if len(taken) >= limit:
            break
    return taken, "limit"


def record_run(model: Model, run: Run, sampling: Sampling) -> Record:
    """Record one transcript: one reply, or several with a scripted tool between them.

    The tool answers only a reply that opened a tool block and was not cut by the limit.
    """
    shared = prompts.prefix(run.domain, run.form)
    rest = prompts.question(run.ask, run.form)
    replies: list[Record] = []
    for turn in range(run.form.turns):
        stream = model.reply(shared, rest, sampling, run.temperature, run.seed + turn)
        tokens, finish = take_reply(stream, run.limit, prompts.stops(run.form))
        reply: Record = {"finish": finish, "tokens": [pieces.to_piece(token) for token in tokens]}
        if turn:
            reply = {"result": run.answer, **reply}
        replies.append(reply)
        text = pieces.full_text(reply["tokens"])
        if finish == "limit" or _OPENER not in text:
            break
        rest += prompts.follow_up(text, run.answer, run.form)
    return {
        "id": run.id,
        "prompt": run.prompt,
        "prompt_sha256": _digest(shared, run),
        "seed": run.seed,
        "temperature": run.temperature,
        "limit": run.limit,
        "replies": replies,
    }


def _digest(shared: str, run: Run) -> str:
    text = shared + prompts.question(run.ask, run.form)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


class Progress:
    """One line that says how far, how fast and how long still.

    Args:
        total: Number of runs to record.
        write: Takes the line; it begins with CR where a terminal can overwrite it.
        clock: Seconds, monotonic.
        live: Whether to overwrite one line rather than print every tenth.
    """

    def __init__(
        self,
        total: int,
        write: Callable[[str], object],
        clock: Callable[[], float] = time.monotonic,
        *,
        live: bool = False,
    ) -> None:
        self._total, self._write, self._clock, self._live = total, write, clock, live
        self._start = clock()
        self._done = self._tokens = 0

    def step(self, tokens: int) -> None:
        """Count one finished run of so many tokens."""
        self._done += 1
        self._tokens += tokens
        spent = max(self._clock() - self._start, 1e-9)
        left = spent / self._done * (self._total - self._done)
        line = (
            f"{self._done}/{self._total} transcripts, {self._tokens / spent:.0f} tokens/s,"
            f" {int(left) // 60}:{int(left) % 60:02d} left"
        )
        if self._live:
            self._write(f"\r{line:<70}" + ("\n" if self._done == self._total else ""))
        elif self._done % 10 == 0 or self._done == self._total:
            self._write(line + "\n")


def record_all(
    model: Model,
    runs: list[Run],
    sampling: Sampling,
    journal: Journal,
    progress: Progress,
) -> None:
    """Record every run that the journal does not hold yet."""
    for run in runs:
        if run.id in journal.done:
            continue
        record = record_run(model, run, sampling)
        journal.append(record)
        progress.step(sum(len(reply["tokens"]) for reply in record["replies"]))
