"""What a faulty parser is made of: a copy of the reference, and changes to what it gives."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Protocol

from tests.zoo.variants import Edit, handler

if TYPE_CHECKING:
    from collections.abc import Callable

Event = dict[str, Any]
Steps = list[list[Event]]


class Handler(Protocol):
    """Answers the protocol's messages."""

    def handle(self, request: dict[str, Any]) -> dict[str, Any]: ...


@dataclass(frozen=True)
class Faulty:
    """One faulty parser.

    Attributes:
        name: Its name.
        like: Which real code does this, or why somebody would.
        witness: A message, or a whole request, on which it is wrong.
        right: What is right there, in the form of a case's `expect`; see `gives`.
        edits: Where its copy of the reference differs.
        steps: Changes the answer, a list of events for each step.
        value: Changes every argument value.
        dialect: Whose scans are changed.
        own: A parser of its own, in place of a changed reference.
        beside: The faulty parser whose catchers do not count, since its mistake is there as well.
        clause: By which the witness is judged, where judging depends on it.
        remembers: Whether an answer depends on what came before, so that each case is run afresh.
        large: Whether it is wrong on size alone, so that the large cases are run, and only they.
    """

    name: str
    like: str
    witness: Any
    right: dict[str, Any]
    edits: tuple[Edit, ...] = ()
    steps: Callable[[Steps], Steps] | None = None
    value: Callable[[Any], Any] | None = None
    dialect: str = "gemini"
    own: Callable[[], Handler] | None = None
    beside: str = ""
    clause: str = "MODEL.1"
    remembers: bool = False
    large: bool = False

    def make(self) -> Handler:
        """Return a handler with this fault."""
        return self.own() if self.own else Parser(self)


@cache
def reference() -> Any:
    """Return the reference, which no fault changes."""
    return handler()


class Parser:
    """Answers the protocol with one fault."""

    def __init__(self, fault: Faulty) -> None:
        self._fault = fault
        self._handler = handler(fault.edits) if fault.edits else reference()

    def handle(self, request: dict[str, Any]) -> dict[str, Any]:
        """Answer one message."""
        dialect = (request.get("options") or {}).get("dialect") or "gemini"
        if request["op"] != "scan" or dialect != self._fault.dialect:
            return self._answer(request)
        return self._answer(request, self._steps)

    def _answer(
        self, request: dict[str, Any], change: Callable[[Steps], Steps] = lambda steps: steps
    ) -> dict[str, Any]:
        try:
            answer: dict[str, Any] = self._handler.handle(request)
            result = answer.get("result", {})
            for run in result.get("runs", [result]):
                if "steps" in run:
                    run["steps"] = change(run["steps"])
        except Exception as error:  # noqa: BLE001 - what a faulty parser throws is its answer
            return {"id": request["id"], "error": repr(error)}
        return answer

    def _steps(self, steps: Steps) -> Steps:
        if self._fault.value:
            for call in (event["call"] for step in steps for event in step if "call" in event):
                call["arguments"] = {
                    key: self._fault.value(item) for key, item in call["arguments"].items()
                }
        return self._fault.steps(steps) if self._fault.steps else steps


# --- changes to what is given


def everywhere(change: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Apply a change to a value and all that it holds."""

    def changed(value: Any) -> Any:
        if isinstance(value, list):
            return [changed(item) for item in value]
        if isinstance(value, dict):
            return {key: changed(item) for key, item in value.items()}
        return change(value)

    return changed


def stringly(change: Callable[[str], str]) -> Callable[[Any], Any]:
    """Apply a change to every string of a value."""
    return everywhere(lambda value: change(value) if isinstance(value, str) else value)


def each_call(change: Callable[[dict[str, Any]], Any]) -> Callable[[Steps], Steps]:
    """Apply a change to every call."""

    def changed(steps: Steps) -> Steps:
        for step in steps:
            for event in step:
                if "call" in event:
                    change(event["call"])
        return steps

    return changed


def keep(wanted: Callable[[Event, list[Event]], bool]) -> Callable[[Steps], Steps]:
    """Keep only some events; the second argument holds those before."""

    def kept(steps: Steps) -> Steps:
        before: list[Event] = []
        result = []
        for step in steps:
            fresh = []
            for event in step:
                if wanted(event, before):
                    fresh.append(event)
                before.append(event)
            result.append(fresh)
        return result

    return kept


def calls_of(events: list[Event]) -> list[dict[str, Any]]:
    """Return the calls among events."""
    return [event["call"] for event in events if "call" in event]


def set_name(name: Callable[[dict[str, Any]], str]) -> Callable[[Steps], Steps]:
    """Name every call otherwise."""
    return each_call(lambda call: call.update(name=name(call)))


def drop_keys(unwanted: Callable[[str], bool]) -> Callable[[Steps], Steps]:
    """Leave out arguments with some keys."""

    def drop(call: dict[str, Any]) -> None:
        kept = {key: value for key, value in call["arguments"].items() if not unwanted(key)}
        call["arguments"] = kept

    return each_call(drop)


# --- witnesses


def block(body: str, *, before: str = "", after: str = "") -> str:
    """A message with one tool block."""
    return f"{before}```tool_code\n{body}\n```{after}"


def gemma(text: str) -> dict[str, Any]:
    """A message of Gemma 4."""
    return {"op": "scan", "chunks": [text], "options": {"dialect": "gemma"}}


def op(name: str, **fields: Any) -> dict[str, Any]:
    """A request for another operation than scanning."""
    return {"op": name, **fields}


def cut(text: str, *cuts: int) -> dict[str, Any]:
    """A message in chunks."""
    places = [0, *cuts, len(text)]
    chunks = [text[a:b] for a, b in pairwise(places)]
    return {"op": "scan", "chunks": chunks}


# --- what is right


def gives(*segments: str | dict[str, Any], dropped: str | None = None) -> dict[str, Any]:
    """What a scan has to give; a string is text."""
    return {
        "segments": [{"text": one} if isinstance(one, str) else one for one in segments],
        "dropped": [dropped] if dropped else [],
    }


def call(_name: str, _more: dict[str, Any] | None = None, /, **arguments: Any) -> dict[str, Any]:
    """A call; `_more` are its diagnostics."""
    return {"call": {"name": _name, "arguments": arguments, **(_more or {})}}


def thought(text: str) -> dict[str, Any]:
    """A thought."""
    return {"thinking": text}


REFUSED: dict[str, Any] = {"refused": True}
