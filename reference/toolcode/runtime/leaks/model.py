"""What recovery finds, and the options it is told (LEAK)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from toolcode.runtime.conversation import ToolCall

if TYPE_CHECKING:
    from toolcode import JSON

Channel: TypeAlias = Literal[
    "text", "finish_message", "executable_code", "thought", "tool_argument", "structured_output"
]
"""Where a text was found; a file's content or a structured value is talk until proven a leak."""

CHANNELS: Final[tuple[Channel, ...]] = (
    "text",
    "finish_message",
    "executable_code",
    "thought",
    "tool_argument",
    "structured_output",
)

Reason: TypeAlias = Literal[
    "truncated", "non-literal", "ambiguous", "positional", "undeclared", "withheld"
]
"""Why a call is not handed out. `truncated`: it never ends, or has no arguments at all.
`non-literal`: a value is a program's. `ambiguous`: more than one reading. `positional`: positional
and keyword arguments are mixed. `undeclared`: the service itself refused the name. `withheld`: the
finish reason says that the service held the message back."""

Match: TypeAlias = Literal["exact", "namespace", "folded", "undeclared"]
"""How a name was matched to a declared tool: as written; behind another namespace; but for case
and underscores; not at all."""

WITHHELD: Final = frozenset(
    {"safety", "recitation", "blocklist", "prohibited_content", "spii", "content_filter"}
)
"""Finish reasons, in lower case, under which no call is handed out."""


@dataclass(frozen=True, slots=True)
class Options:
    """How far recovery may go; every doubt it may resolve is named here.

    Attributes:
        tools: The declared names; None where they are not known.
        namespaces: Namespaces under which a call of any name is a call, and a capitalised name
            with keyword arguments is a value (LEAK.4).
        repair_quotes: Whether a string may end at the one quote that a delimiter follows, when the
            first quote leads nowhere.
        withheld: Finish reasons, in lower case, under which no call is handed out.
    """

    tools: frozenset[str] | None = None
    namespaces: tuple[str, ...] = ("default_api",)
    repair_quotes: bool = True
    withheld: frozenset[str] = WITHHELD


@dataclass(frozen=True, slots=True)
class RecoveredCall:
    """A call whose every argument is a literal.

    Attributes:
        name: The name as written, without the tools' namespace.
        arguments: Keyword to value; a list where all arguments were positional.
        tool: The declared tool that the name means; None where it means none, or none are known.
        match: How that was found.
    """

    name: str
    arguments: dict[str, JSON] | list[JSON]
    tool: str | None
    match: Match


@dataclass(frozen=True, slots=True)
class Unresolved:
    """A call that must not run: its name, where it has one, and why."""

    name: str | None
    reason: Reason


FAMILIES: Final = {
    "fence": "A1",
    "label": "A2",
    "tag": "A3",
    "bracket": "A3",
    "bare": "A4",
    "token": "A5",
    "brace": "A6",
    "fused": "A7",
    "message": "A8",
    "code": "A10",
    "history": "A11",
    "native": "A12",
    "json": "A13",
    "thought": "C1",
}
"""The family of each kind of finding, as the cases of the suite name it (corpus/leaks)."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One leak.

    Attributes:
        start: Where it begins in the text.
        end: Where the text goes on behind it.
        kind: The envelope, one of `FAMILIES`: `token` is a call behind a control token, `fused` one
            behind a word that is not `call`, `native` another model's own form; `thought` is no
            call at all.
        calls: What it calls, in order.
        unresolved: What it tried to call.
    """

    start: int
    end: int
    kind: str
    calls: tuple[RecoveredCall, ...] = ()
    unresolved: tuple[Unresolved, ...] = ()

    @property
    def span(self) -> tuple[int, int]:
        """Where it begins, and where the text goes on."""
        return self.start, self.end

    @property
    def family(self) -> str:
        """The family of its kind."""
        return FAMILIES[self.kind]

    @property
    def reason(self) -> Reason | None:
        """Why not all of it is handed out; None where it is."""
        return self.unresolved[0].reason if self.unresolved else None


@dataclass(frozen=True, slots=True)
class Recovery:
    """What a text holds beside what may be shown.

    Attributes:
        findings: The leaks, in order.
        pieces: What may be shown, as it stood between the leaks.
        behind: What the model wrote behind its own first call, results and claims included: it
            knew no result when it wrote that (LEAK.5).
        in_file: Whether the text is a file's content, whose white space is data.
    """

    findings: tuple[Finding, ...] = ()
    pieces: tuple[str, ...] = ()
    behind: str = ""
    in_file: bool = False

    @property
    def text(self) -> str:
        """What may be shown: the pieces, stripped and joined by line breaks.

        A file without a leak is given back as it is, and one with a leak keeps the margin of its
        first line.
        """
        if self.in_file and not self.findings:
            return "".join(self.pieces)
        stripped = [piece.strip() for piece in self.pieces if piece.strip()]
        if self.in_file and stripped:
            first = next(piece for piece in self.pieces if piece.strip())
            stripped[0] = first.rstrip().lstrip("\r\n")
        return "\n".join(stripped)

    @property
    def calls(self) -> list[RecoveredCall]:
        """Every recovered call, of declared tools or not."""
        return [call for finding in self.findings for call in finding.calls]

    @property
    def unresolved(self) -> list[Unresolved]:
        """Every call that must not run, with its reason."""
        return [one for finding in self.findings for one in finding.unresolved]

    @property
    def runnable(self) -> list[ToolCall]:
        """The calls of declared tools, under the tools' own names: what a runtime may run."""
        return [
            ToolCall(call.tool, call.arguments)
            for call in self.calls
            if call.tool is not None and isinstance(call.arguments, dict)
        ]
