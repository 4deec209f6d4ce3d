"""One case of the corpus, and the short forms in which its texts may be written.

A case file states long or multi-line texts so that a person can read them (`lines`, `parts`,
`repeat`); everything behind this module sees plain strings.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from toolcode_conformance.errors import CorpusError

if TYPE_CHECKING:
    from pathlib import Path

LEVELS: Final = ("must", "should", "may")
EFFECTS: Final = (
    "unsafe-execution",
    "wrong-call",
    "crash",
    "stall",
    "lost-call",
    "corrupt-argument",
    "leak-to-user",
    "slow",
)
"""What failing a case does to a user, the worst first."""

CASE_KEYS: Final = (
    "id",
    "aliases",
    "title",
    "clause",
    "level",
    "why",
    "needs",
    "op",
    "input",
    "options",
    "expect",
    "accept",
    "derivation",
    "oracle_note",
    "source",
    "leak",
    "twin",
    "twinless",
    "since",
)
"""Every key a case may have, in canonical order."""

SCAN_OPS: Final = frozenset({"scan", "literal"})


@dataclass(frozen=True, slots=True)
class Accept:
    """Another right answer, for implementations whose choices match `when`."""

    when: dict[str, str]
    expect: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Case:
    """One case, its texts expanded.

    Attributes:
        text: The input's text for op `scan` and `literal`, else "".
        chunks: The stated chunking of a `{"chunks": [..]}` input, else None.
        raw: The case as the file has it, for display and for the formatter.
        cuts: Of a recorded reply, its named chunkings; no others are tried then.
    """

    id: str
    title: str
    clause: str
    level: str
    why: str
    op: str
    group: str
    area: str
    path: Path
    text: str
    chunks: tuple[str, ...] | None
    input: dict[str, Any]
    options: dict[str, Any]
    expect: dict[str, Any]
    accept: tuple[Accept, ...]
    needs: frozenset[str]
    aliases: tuple[str, ...]
    derivation: str
    oracle_note: str
    source: dict[str, Any]
    raw: dict[str, Any] = field(compare=False, repr=False)
    cuts: tuple[tuple[str, tuple[int, ...]], ...] = ()


def _part(part: Any) -> str:  # noqa: ANN401  checked here
    match part:
        case str():
            return part
        case {"repeat": str(text), "times": int(times)} if len(part) == 2 and times >= 0:  # noqa: PLR2004
            return text * times
        case {"lines": list(lines)} if len(part) == 1 and all(isinstance(x, str) for x in lines):
            return "\n".join(lines)
    raise ValueError(f"a part is a string, {{repeat, times}} or {{lines}}, not {part!r:.80}")


def expand_text(form: Any) -> str:  # noqa: ANN401  checked here
    """Return the text that a short form stands for.

    Args:
        form: A string, `{"lines": [..]}` (joined by LF), `{"parts": [..]}` (joined by nothing)
            or `{"chunks": [..]}` (likewise).

    Raises:
        ValueError: The form is none of these.
    """
    match form:
        case str():
            return form
        case {"parts": list(parts)} if len(form) == 1:
            return "".join(_part(part) for part in parts)
        case {"chunks": list(chunks)} if len(form) == 1 and all(
            isinstance(chunk, str) for chunk in chunks
        ):
            return join_surrogates("".join(chunks))
    return _part(form)


def join_surrogates(text: str) -> str:
    """Return `text` with each high and low surrogate pair made the character it encodes."""
    if text.isascii() or not any("\ud800" <= char <= "\udfff" for char in text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def expand_value(value: Any) -> Any:  # noqa: ANN401  JSON in, JSON out
    """Return the JSON value with every `{"$parts": [..]}` replaced by its text.

    Raises:
        ValueError: A `$parts` that does not hold parts.
    """
    if isinstance(value, list):
        return [expand_value(item) for item in value]
    if not isinstance(value, dict):
        return value
    if list(value) == ["$parts"] and isinstance(value["$parts"], list):
        return "".join(_part(part) for part in value["$parts"])
    return {key: expand_value(item) for key, item in value.items()}


def _wanted(raw: dict[str, Any], key: str, kind: type, default: object = None) -> Any:  # noqa: ANN401
    value = raw.get(key, default)
    if value is None:
        raise CorpusError("is missing", key=key)
    if not isinstance(value, kind):
        raise CorpusError(f"must be {kind.__name__}, not {type(value).__name__}", key=key)
    return value


def _texts(raw: dict[str, Any], op: str) -> tuple[str, tuple[str, ...] | None, dict[str, Any]]:
    form = raw.get("input")
    try:
        if op not in SCAN_OPS:
            return "", None, expand_value(_wanted(raw, "input", dict))
        text = expand_text(form)
    except ValueError as error:
        raise CorpusError(str(error), key="input") from error
    chunks = tuple(form["chunks"]) if isinstance(form, dict) and "chunks" in form else None
    return text, chunks, {}


def _accepts(raw: dict[str, Any]) -> tuple[Accept, ...]:
    accepts = []
    for entry in _wanted(raw, "accept", list, []):
        if not isinstance(entry, dict) or set(entry) != {"when", "expect"}:
            raise CorpusError("each entry is {when, expect}", key="accept")
        accepts.append(Accept(dict(entry["when"]), _expanded(entry, "expect", "accept")))
    return tuple(accepts)


def _expanded(raw: dict[str, Any], key: str, shown: str) -> dict[str, Any]:
    try:
        value = expand_value(_wanted(raw, key, dict))
    except ValueError as error:
        raise CorpusError(str(error), key=shown) from error
    assert isinstance(value, dict)
    return value


def make_case(raw: dict[str, Any], *, group: str, clause: str, path: Path) -> Case:
    """Build a case from its JSON object; `group` and `clause` are its group's.

    Raises:
        CorpusError: A key is missing or of the wrong kind; the message names file, case, key.
    """
    try:
        return _make_case(raw, group, clause, path)
    except CorpusError as error:
        if error.case:
            raise
        name = raw.get("id") or raw.get("title")
        message = str(error).split(": ", 1)[1]
        raise CorpusError(message, path=path, case=str(name), key=error.key) from None


def _make_case(raw: dict[str, Any], group: str, clause: str, path: Path) -> Case:
    for key in raw:
        if key not in CASE_KEYS:
            raise CorpusError(f"unknown key; the keys are {', '.join(CASE_KEYS)}", key=key)
    op = _wanted(raw, "op", str, "scan")
    level = _wanted(raw, "level", str)
    if level not in LEVELS:
        raise CorpusError(f"must be one of {', '.join(LEVELS)}", key="level")
    why = _wanted(raw, "why", str)
    if why not in EFFECTS:
        raise CorpusError(f"must be one of {', '.join(EFFECTS)}", key="why")
    text, chunks, payload = _texts(raw, op)
    case_id = _wanted(raw, "id", str)
    return Case(
        id=case_id,
        title=_wanted(raw, "title", str),
        clause=_wanted(raw, "clause", str, clause),
        level=level,
        why=why,
        op=op,
        group=group,
        area=case_id.split(".", 1)[0],
        path=path,
        text=text,
        chunks=chunks,
        input=payload,
        options=expand_value(_wanted(raw, "options", dict, {})),
        expect=_expanded(raw, "expect", "expect"),
        accept=_accepts(raw),
        needs=frozenset(_wanted(raw, "needs", list, [])),
        aliases=tuple(_wanted(raw, "aliases", list, [])),
        derivation=_wanted(raw, "derivation", str, ""),
        oracle_note=_wanted(raw, "oracle_note", str, ""),
        source=_wanted(raw, "source", dict, {}),
        raw=raw,
    )
