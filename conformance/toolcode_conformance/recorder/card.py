"""The computed parts of the data card: counts, outcomes, readings, differences.

They stand in `README.md` between `<!-- made: NAME -->` and `<!-- end -->`; the prose around them is
written by hand. `recorder card` writes them anew, `recorder card --check` says whether they are
current.
"""

from __future__ import annotations

import collections
import json
import re
from typing import TYPE_CHECKING, Any, Final

from toolcode_conformance import readings_store as store
from toolcode_conformance.corpus import group_files, load_group
from toolcode_conformance.errors import CorpusError
from toolcode_conformance.readings import CHOICES, read
from toolcode_conformance.recorder.outcomes import OUTCOMES, outcomes, table
from toolcode_conformance.tables import choices as all_choices

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

CARD: Final = "README.md"
_PART: Final = re.compile(r"(<!-- made: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def renew(folder: Path) -> tuple[str, str]:
    """Return the card of a folder as it is and as it should be.

    Raises:
        CorpusError: The card is missing, or names a part that nobody makes, or lacks one.
    """
    path = folder / CARD
    try:
        text = path.read_text("utf-8")
    except OSError as error:
        raise CorpusError(f"cannot be read: {error.strerror}", path=path) from error
    parts = _parts(folder)
    named = [match[2] for match in _PART.finditer(text)]
    if sorted(named) != sorted(parts):
        raise CorpusError(f"has the parts {named}, want {sorted(parts)}", path=path)
    return text, _PART.sub(lambda match: match[1] + parts[match[2]] + match[3], text)


def _parts(folder: Path) -> dict[str, str]:
    replies = list(store.replies(folder))
    records = list({reply.record["id"]: reply.record for reply in replies}.values())
    readings = store.load(folder)
    return {
        "counts": _counts(folder, records, replies),
        "outcomes": "\n" + table(records) + "\n",
        "shapes": _shapes(folder, replies),
        "readings": _readings(replies, readings),
        "differences": _differences(store.decisions(folder), promoted(folder)),
        "choices": _choices([reply.text for reply in replies if reply.key in readings]),
    }


def _rows(head: str, rows: Iterable[Iterable[object]]) -> str:
    """Return a Markdown table; a column whose head ends in a colon is of numbers."""
    heads = head.split("|")
    lines = ["| " + " | ".join(one.rstrip(":") for one in heads) + " |"]
    lines.append("|" + "|".join("--:" if one.endswith(":") else "---" for one in heads) + "|")
    lines += ["| " + " | ".join(map(str, row)) + " |" for row in rows]
    return "\n" + "\n".join(lines) + "\n\n"


def _counts(folder: Path, records: list[dict[str, Any]], replies: Iterable[store.Reply]) -> str:
    raw = [reply for record in records for reply in record["replies"]]
    finishes = collections.Counter(reply["finish"] for reply in raw)
    cases = sum(len(load_group(path).cases) for path in group_files([folder]))
    rows = [
        ("transcripts", len(records)),
        ("replies", len(raw)),
        ("tokens", sum(len(reply["tokens"]) for reply in raw)),
        ("domains", len({record["id"].split(".")[0] for record in records})),
        ("prompt forms", len({record["id"].split(".")[1] for record in records})),
        ("transcripts with a scripted tool's answer", sum(len(r["replies"]) > 1 for r in records)),
        ("replies cut by the token limit", finishes["limit"]),
        ("replies that end where the next user turn begins", finishes["stop"]),
        ("replies that the model ended itself", finishes["eos"]),
        ("replies promoted to named cases", cases),
        ("replies without a reading (undecided)", len(store.undecided(folder))),
        ("kilobytes, all files of this folder", _size(folder)),
    ]
    assert len(raw) == sum(1 for _ in replies)
    return _rows("what|count:", ((name, f"{count:,}") for name, count in rows))


def _size(folder: Path) -> int:
    kept = ("*.gz", "*.json", "*.toml", "undecided/*")
    return sum(path.stat().st_size for glob in kept for path in folder.glob(glob)) // 1024


def _readings(replies: list[store.Reply], readings: dict[str, store.Reading]) -> str:
    found = [readings[reply.key] for reply in replies if reply.key in readings]
    counts = collections.Counter[str]()
    for reading in found:
        calls = [segment["call"] for segment in reading.segments if "call" in segment]
        counts["calls"] += len(calls)
        counts["clean calls"] += sum(not call.keys() & _UNSURE for call in calls)
        counts["replies with a call"] += bool(calls)
        counts["replies with a thought"] += any("thinking" in s for s in reading.segments)
        counts[f"read by {reading.second}"] += 1
        for reason in sorted(set(reading.dropped)):
            counts[f"replies with a block dropped as {reason}"] += 1
    order = sorted(counts, key=lambda name: (not name.startswith("read"), name))
    names = {
        "read by ast": "replies read a second time by CPython's `ast` and by the rules",
        "read by rules": "replies read a second time by the rules alone",
    }
    return _rows("what|count:", ((names.get(name, name), f"{counts[name]:,}") for name in order))


_UNSURE: Final = {"unresolved", "skipped", "conditional"}


def promoted(folder: Path) -> dict[str, list[str]]:
    """Return the ids of the named cases by the key of the reply they were made of."""
    found = collections.defaultdict[str, list[str]](list)
    for path in group_files([folder]):
        for case in load_group(path).cases:
            number = case.source.get("reply", 1)
            key = case.source["transcript"] + (f"/{number}" if number > 1 else "")
            found[key].append(case.id)
    return found


def _shapes(folder: Path, replies: list[store.Reply]) -> str:
    cases = promoted(folder)
    counts = collections.Counter(
        mark
        for reply in replies
        for mark in outcomes(reply.record["replies"][reply.number - 1])
        for _ in cases.get(reply.key, ())
    )
    return _rows("shape|named cases:", ((mark, counts[mark]) for mark in OUTCOMES))


def _differences(shapes: list[store.Shape], cases: dict[str, list[str]]) -> str:
    rows = [
        (
            len(shape.replies),
            shape.question,
            shape.clause,
            shape.other,
            sum(len(cases.get(key, ())) for key in shape.replies),
        )
        for shape in sorted(shapes, key=lambda shape: -len(shape.replies))
    ]
    whole = sum(len(shape.replies) for shape in shapes), sum(row[-1] for row in rows)
    return _rows(
        "replies:|question|decided by|oh-my-pi gives|named cases:",
        [*rows, (whole[0], "all", "", "", whole[1])],
    )


def _choices(texts: list[str]) -> str:
    """Return how many readings each option changes, by the second reading."""
    own = [json.dumps(read(text)) for text in texts]
    rows = []
    for name in sorted(CHOICES):
        for option in all_choices()[name].options[1:]:
            other = (json.dumps(read(text, {name: option})) for text in texts)
            changed = sum(left != right for left, right in zip(own, other, strict=True))
            rows.append((changed, f"`{name}` = `{option}`", all_choices()[name].clause))
    rows.sort(key=lambda row: (-row[0], row[1]))
    return _rows("readings changed:|choice|clause", rows)
