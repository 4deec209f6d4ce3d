"""Families: cases that the harness derives from one base by relations, declared as data.

`corpus/families.json` names bases and relations; see `relations` for what each does. A variant is
a case like any other, with the id `family.<family>.<relation>`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolcode_conformance.cases import make_case
from toolcode_conformance.edits import NotPythonError
from toolcode_conformance.errors import CorpusError
from toolcode_conformance.relations import RELATIONS, Answer, variant
from toolcode_conformance.tables import clauses

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from toolcode_conformance.cases import Case

FILE: Final = "families.json"
AREA: Final = "family"


def derived(
    path: Path,
    raw: Any,  # noqa: ANN401 - JSON, judged here
    by_id: Mapping[str, Case],
) -> Iterator[tuple[str, str, list[Case]]]:
    """Yield each family's name, its base and its variants.

    Args:
        path: The file, for messages.
        raw: Its content.
        by_id: The cases that may be bases.

    Raises:
        CorpusError: A base or a relation does not exist, or finds nothing to edit in its base.
    """
    if not isinstance(raw, dict) or not isinstance(raw.get("families"), list):
        raise CorpusError("is no file of families: it needs a list `families`", path=path)
    for family in raw["families"]:
        name, base_id = family["name"], family["base"]
        base = by_id.get(base_id)
        if base is None or base.op != "scan":
            raise CorpusError(f"family {name}: base {base_id} is no scan case", path=path)
        if base.accept:
            raise CorpusError(f"family {name}: base {base_id} depends on a choice", path=path)
        yield name, base_id, [_made(path, name, base, relation) for relation in family["relations"]]


def _made(path: Path, family: str, base: Case, name: str) -> Case:
    where = f"family {family}: relation {name}"
    if name not in RELATIONS:
        raise CorpusError(f"{where} does not exist; there are {', '.join(RELATIONS)}", path=path)
    answer = Answer(base.expect["segments"], tuple(base.expect.get("dropped", ())))
    try:
        found = variant(name, base.text, answer)
    except NotPythonError as error:
        raise CorpusError(f"{where}: {error}", path=path) from error
    if found is None:
        raise CorpusError(f"{where} finds nothing to edit in {base.id}", path=path)
    text, right = found
    relation = RELATIONS[name]
    expect: dict[str, Any] = {"segments": right.segments}
    if right.dropped:
        expect["dropped"] = list(right.dropped)
    same = relation.answer is None and relation.clause != "ENV.6"
    raw = {
        "id": f"{AREA}.{family}.{name}",
        "title": f"{base.title}, {relation.title}",
        "clause": relation.clause,
        "level": clauses()[relation.clause].level if clauses() else base.level,
        "why": "lost-call" if same else "unsafe-execution",
        "op": "scan",
        "input": text,
        **({"options": base.options} if base.options else {}),
        **({"needs": sorted(base.needs)} if base.needs else {}),
        "expect": expect,
        "derivation": f"Derived from {base.id}: {relation.title}, the answer is "
        f"{'the same' if same else 'another, as the relation states'}.",
        "source": {"kind": "derived", "base": base.id, "relation": name},
        "since": base.raw.get("since", "0.1"),
    }
    return make_case(raw, group=f"{AREA}.{family}", clause=relation.clause, path=path)
