"""Read SPEC.md: its clauses, and the examples that make them checkable.

SPEC.md is written for people, and stays the only place where a clause is worded. This module
reads it, strictly: a badge line, a fence or an expectation that does not follow the form that the
document's own introduction describes is a `SpecError` that names the line. From what it reads
come `corpus/clauses.json` (the index other tools use) and the examples that `tests/test_spec.py`
runs.

    python -m toolcode_conformance.spec           # check that clauses.json is current
    python -m toolcode_conformance.spec --write   # write it
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

LEVELS: Final = ("must", "should", "may")
ORIGINS: Final = ("doc", "safety", "python", "seen")
BADGES: Final = ("Level", "Origin", "Capability", "Choice")
# What may be given to an implementation, and the fences its answer may stand in.
ANSWERS: Final = {
    "input": ("json",),
    "input-json": ("json",),
    "stream": ("json",),
    "stream-hex": ("json",),
    "render": ("text", "refused"),
    "op": ("json", "text", "refused"),
}

_AREA: Final = re.compile(r"## ([A-Z]+): \S")
_CLAUSE: Final = re.compile(r"### (([A-Z]+)\.[0-9]+[a-z]?) (\S.*)")
_CLAUSE_LIKE: Final = re.compile(r"###? .*\b[A-Z]+\.[0-9]")
_ANCHOR: Final = re.compile(r'<a id="([^"]*)"></a>')
_CHOICE: Final = re.compile(r"([a-z-]+) \(([a-z-]+(?: \| [a-z-]+)+)\)")
_FENCE: Final = re.compile(r"(`{3,})([^`]*)")


class SpecError(ValueError):
    """SPEC.md does not follow its own form; the message starts with `file:line:`."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One point on which several readings are legitimate; the reference takes the first."""

    name: str
    options: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Example:
    """One runnable example: what is given, and what must come out.

    Attributes:
        kind: The word of its first fence, a key of `ANSWERS`.
        line: Line of that fence in SPEC.md, counted from 1.
        options: Options of the scan or the rendering.
        given: The message (str) for the `input` kinds, the chunks for the `stream` kinds,
            the JSON object for `render`, the request for `op`.
        answer: The word of the answer's fence.
        expected: JSON for a `json` answer, else the text of the fence.
        alternatives: Answers of implementations that made other choices: (choices, expected).
    """

    kind: str
    line: int
    options: dict[str, Any]
    given: Any
    answer: str
    expected: Any
    alternatives: tuple[tuple[dict[str, str], Any], ...] = ()


@dataclass(frozen=True, slots=True)
class Clause:
    """One numbered statement of SPEC.md, its prose in `text` (Markdown without the examples)."""

    id: str
    area: str
    title: str
    level: str
    origin: str | None
    capability: str | None
    choice: Choice | None
    text: str
    examples: tuple[Example, ...]
    line: int = 0

    @property
    def summary(self) -> str:
        """The first sentence."""
        return first_sentence(self.text)

    def entry(self) -> dict[str, Any]:
        """What corpus/clauses.json says of this clause."""
        choice = self.choice and {"name": self.choice.name, "options": list(self.choice.options)}
        return {
            "id": self.id,
            "title": self.title,
            "level": self.level,
            "origin": self.origin,
            "capability": self.capability,
            "choice": choice,
            "summary": self.summary,
        }


@dataclass(frozen=True, slots=True)
class Spec:
    """The whole document: its clauses, and the examples of its introduction."""

    clauses: tuple[Clause, ...]
    introduction: tuple[Example, ...] = ()


@dataclass(slots=True)
class _Fence:
    line: int
    word: str
    rest: str
    content: str


@dataclass(slots=True)
class _Section:
    """A clause while it is read; the introduction is one without a heading."""

    line: int
    heading: re.Match[str] | None = None
    prose: list[str] = field(default_factory=list)
    fences: list[_Fence] = field(default_factory=list)


def first_sentence(text: str) -> str:
    """Cut `text` after its first full stop that ends a sentence, outside `code`."""
    flat = " ".join(text.split("\n\n", 1)[0].split())
    code = False
    for index, char in enumerate(flat):
        if char == "`":
            code = not code
        elif char == "." and not code and flat[index + 1 : index + 2] in {"", " "}:
            return flat[: index + 1]
    return flat


def join_parts(value: Any) -> Any:  # noqa: ANN401  JSON in, JSON out
    """Replace the shorthands for long values inside `value`.

    `{"parts": [..]}` and `{"$parts": [..]}` mean a string: each part is a string or
    `{"repeat": str, "times": n}`, joined by nothing. `{"$integer": {"repeat": digit, "times": n}}`
    is an integer; it is computed, as `int()` refuses more than 4,300 digits.
    """
    if isinstance(value, list):
        return [join_parts(item) for item in value]
    if not isinstance(value, dict):
        return value
    match value:
        case {"parts": list(parts)} | {"$parts": list(parts)} if len(value) == 1 and all(
            # Gemini calls something else `parts`, too.
            isinstance(part, str) or part.keys() == {"repeat", "times"}
            for part in parts
        ):
            return "".join(
                part if isinstance(part, str) else part["repeat"] * part["times"] for part in parts
            )
        case {"$integer": {"repeat": str(digit), "times": int(times)}}:
            return int(digit) * ((10**times - 1) // 9)
    return {key: join_parts(item) for key, item in value.items()}


def parse(text: str, name: str = "SPEC.md") -> Spec:
    """Read the document.

    Args:
        text: The whole of SPEC.md, lines ended by LF.
        name: The file's name for error messages.

    Raises:
        SpecError: The document breaks its form; the message names file and line.
    """
    reader = _Reader(name)
    introduction, *sections = reader.sections(text.split("\n"))
    clauses: dict[str, Clause] = {}
    for section in sections:
        if section.heading is None:
            if any(reader.examples(section.fences)):
                raise reader.error(section.line, "an example here belongs to no clause")
            continue
        clause = reader.clause(section, section.heading)
        if clause.id in clauses:
            raise reader.error(clause.line, f"{clause.id} is defined a second time")
        clauses[clause.id] = clause
    if not clauses:
        raise reader.error(1, "no clause found")
    return Spec(tuple(clauses.values()), tuple(reader.examples(introduction.fences)))


def load(path: Path) -> Spec:
    """Read SPEC.md at `path`; OSError and SpecError pass through."""
    return parse(path.read_text(encoding="utf-8"), path.name)


def index(spec: Spec) -> str:
    """Write the text of corpus/clauses.json: one clause a line, in SPEC.md's order."""
    rows = [json.dumps(clause.entry(), ensure_ascii=True) for clause in spec.clauses]
    return "[\n " + ",\n ".join(rows) + "\n]\n"


class _Reader:
    """The steps of `parse`; holds the file's name, for errors."""

    def __init__(self, name: str) -> None:
        self.name = name

    def error(self, line: int, message: str) -> SpecError:
        return SpecError(f"{self.name}:{line}: {message}")

    def sections(self, lines: Sequence[str]) -> Iterator[_Section]:
        """Split at clause headings; text under any other heading belongs to no clause."""
        section = _Section(1)
        area, anchor = "", ""
        numbered = enumerate(lines, 1)
        for number, line in numbered:
            if fence := _FENCE.match(line):
                section.fences.append(self._fence(fence, number, numbered))
            elif found := _ANCHOR.fullmatch(line):
                anchor = found[1]
            elif heading := _CLAUSE.fullmatch(line):
                self._check_heading(number, heading, area, anchor)
                yield section
                section = _Section(number, heading)
            elif _CLAUSE_LIKE.match(line):
                raise self.error(number, "a clause heading is `### AREA.1a Title`")
            elif line.startswith("## "):
                area = found[1] if (found := _AREA.match(line)) else ""
                if section.heading:
                    yield section
                    section = _Section(number)
            else:
                section.prose.append(line)
        yield section

    def _check_heading(self, line: int, heading: re.Match[str], area: str, anchor: str) -> None:
        if heading[2] != area:
            raise self.error(line, f"{heading[1]} stands in section {area or 'without an area'}")
        if anchor != heading[1]:
            raise self.error(line, f'{heading[1]} needs <a id="{heading[1]}"></a> above it')

    def _fence(
        self, opener: re.Match[str], line: int, numbered: Iterator[tuple[int, str]]
    ) -> _Fence:
        """Read on to the closing fence: at least as long, alone on its line."""
        content: list[str] = []
        for _, text in numbered:
            bare = text.rstrip()
            if len(bare) >= len(opener[1]) and not bare.strip("`"):
                word, _, rest = opener[2].strip().partition(" ")
                return _Fence(line, word, rest, "\n".join(content))
            content.append(text)
        raise self.error(line, "this fence is never closed")

    def clause(self, section: _Section, heading: re.Match[str]) -> Clause:
        badges, text = self._badges(section)
        return Clause(
            id=heading[1],
            area=heading[2],
            title=heading[3],
            level=badges["Level"],
            origin=badges.get("Origin"),
            capability=badges.get("Capability"),
            choice=self._choice(section.line, badges),
            text=text,
            examples=tuple(self.examples(section.fences)),
            line=section.line,
        )

    def _badges(self, section: _Section) -> tuple[dict[str, str], str]:
        prose = "\n".join(section.prose).strip()
        first, _, text = prose.partition("\n")
        badges = dict(badge.partition(": ")[::2] for badge in first.split(" · "))
        known = [key for key in BADGES if key in badges]
        if not first.startswith("Level: ") or list(badges) != known:
            raise self.error(section.line, f"the first line must be badges {BADGES}, not {first!r}")
        if badges["Level"] not in LEVELS:
            raise self.error(section.line, f"unknown level {badges['Level']!r}")
        if badges.get("Origin", ORIGINS[0]) not in ORIGINS:
            raise self.error(section.line, f"unknown origin {badges['Origin']!r}")
        return badges, re.sub(r"\n{3,}", "\n\n", text).strip()

    def _choice(self, line: int, badges: dict[str, str]) -> Choice | None:
        if (badges["Level"] == "may") != ("Choice" in badges):
            raise self.error(line, "a may-clause has a choice, and only a may-clause has one")
        if (badges["Level"] != "may") and "Origin" not in badges:
            raise self.error(line, "a must and a should name their origin")
        if "Choice" not in badges:
            return None
        found = _CHOICE.fullmatch(badges["Choice"])
        if not found:
            raise self.error(line, "a choice is `name (first | second)`")
        return Choice(found[1], tuple(found[2].split(" | ")))

    def examples(self, fences: Sequence[_Fence]) -> Iterator[Example]:
        """Pair each question with the fences that answer it."""
        rest = list(fences)
        while rest:
            question = rest.pop(0)
            if question.word not in ANSWERS:
                if question.word in {"json", "text", "refused"}:
                    raise self.error(question.line, f"{question.word} answers no example")
                continue
            if not rest or rest[0].word not in ANSWERS[question.word] or rest[0].rest:
                wanted = " or ".join(ANSWERS[question.word])
                raise self.error(question.line, f"{question.word} must be followed by {wanted}")
            answer = rest.pop(0)
            others = []
            while rest and rest[0].rest.startswith("when "):
                others.append(rest.pop(0))
            yield self._example(question, answer, others)

    def _example(self, question: _Fence, answer: _Fence, others: Sequence[_Fence]) -> Example:
        options = self._json(question, question.rest) if question.rest else {}
        if not isinstance(options, dict):
            raise self.error(question.line, "the options of an example are a JSON object")
        plain = question.word == "input"
        return Example(
            kind=question.word,
            line=question.line,
            options=options,
            given=question.content if plain else self._json(question, question.content),
            answer=answer.word,
            expected=self._answer(answer),
            alternatives=tuple(
                (self._json(other, other.rest.removeprefix("when ")), self._answer(other))
                for other in others
            ),
        )

    def _answer(self, fence: _Fence) -> Any:  # noqa: ANN401  JSON or text
        return self._json(fence, fence.content) if fence.word == "json" else fence.content

    def _json(self, fence: _Fence, text: str) -> Any:  # noqa: ANN401  whatever the fence holds
        try:
            return join_parts(json.loads(text))
        except (ValueError, KeyError, TypeError) as error:
            raise self.error(fence.line, f"no JSON in this example: {error}") from error


def main(arguments: Sequence[str] | None = None) -> int:
    """Check or write corpus/clauses.json; 0 when it is current, 1 when stale, 2 on an error."""
    root = Path(__file__).resolve().parents[2]
    parser = argparse.ArgumentParser(prog="python -m toolcode_conformance.spec")
    parser.add_argument("--write", action="store_true", help="write corpus/clauses.json")
    parser.add_argument("--root", type=Path, default=root, help="folder that holds SPEC.md")
    options = parser.parse_args(arguments)
    target = options.root / "corpus" / "clauses.json"
    try:
        spec = load(options.root / "SPEC.md")
        wanted = index(spec)
        current = target.read_text(encoding="utf-8") if target.exists() else ""
        if options.write and wanted != current:
            target.write_text(wanted, encoding="utf-8", newline="\n")
            current = wanted
    except (OSError, SpecError) as error:
        print(error, file=sys.stderr)  # noqa: T201
        return 2
    examples = sum(len(clause.examples) for clause in spec.clauses) + len(spec.introduction)
    state = "current" if wanted == current else "stale: run with --write"
    print(f"{len(spec.clauses)} clauses, {examples} examples; clauses.json {state}")  # noqa: T201
    return int(wanted != current)


if __name__ == "__main__":
    sys.exit(main())
