"""Fields of a record: the question, the retrieved chunks and the relevant ones, by the names that RAG tools use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import Any, NoReturn

import numpy as np

from judged.errors import DataError, Hint, Place, shown, to_choose
from judged.io.tables.column_names import RELEVANT, RETRIEVED, plain_name
from judged.io.tables.records import named_fields

# Without case, - and _; the most reliable first. Ids come before texts.
_NAMES: dict[str, tuple[tuple[str, ...], ...]] = {
    "question": (
        ("questionid", "queryid", "qid", "sampleid", "exampleid"),
        ("id",),
        ("question", "query", "userinput", "input", "prompt"),
    ),
    "retrieved": RETRIEVED,
    "relevant": RELEVANT,
}
_MEANING = {
    "question": "ids or texts of questions (question_id, id, question, query …)",
    "retrieved": "retrieved chunks (retrieved, retrieved_ids, contexts, chunks, results …)",
    "relevant": "relevant chunks (relevant, expected_ids, gold, ground_truth, reference_contexts …)",
}
_SIDES = {  # LangSmith and Phoenix store the three in separate objects
    "inputs": "question",
    "outputs": "retrieved",
    "referenceoutputs": "relevant",
    "reference": "relevant",
    "expectedoutput": "relevant",
    "input": "question",
    "output": "retrieved",
    "referenceoutput": "relevant",
}


def flatten(record: Mapping[Any, Any]) -> dict[str, Any]:
    """Return the fields of a record, or of a run of LangSmith and its example; those of `inputs`, `outputs` and `reference_outputs` by path, such as `outputs.documents`."""
    run, example = (as_mapping(record.get(name)) for name in ("run", "example"))
    if run is not None and example is not None:
        from judged.io.formats.tools.langsmith import join_example

        record = join_example(record, run, example)
    out: dict[str, Any] = {}
    for key, value in record.items():
        if has_sides({key: value}):
            out |= {f"{key}.{inner}": held for inner, held in value.items()}
        else:
            out[str(key)] = value
    return out


def as_mapping(item: Any) -> Mapping[Any, Any] | None:
    """Return a record as a mapping; None if it is none."""
    if isinstance(item, Mapping):
        return item
    if hasattr(item, "model_dump"):  # pydantic, as in RAGAS
        dumped: Mapping[Any, Any] = item.model_dump()
        return dumped
    names = named_fields(type(item))
    return None if names is None else {name: getattr(item, name) for name in names}


def is_known(name: str) -> bool:
    """Return whether a field of this name can have a role."""
    inner = plain_name(name.rpartition(".")[2] or name)
    return any(inner in tier for tiers in _NAMES.values() for tier in tiers)


def has_sides(record: Mapping[Any, Any]) -> bool:
    """Return whether a record has fields in objects of their own, see `flatten`."""
    return any(plain_name(key) in _SIDES and isinstance(value, Mapping) for key, value in record.items())


def find_fields(records: Sequence[Mapping[str, Any]], named: Mapping[str, str], where: Place) -> dict[str, str]:
    """Return the field of each role; raise if it is missing or ambiguous, with the candidates."""
    names = list(dict.fromkeys(name for record in records for name in record))
    fields: dict[str, str] = {}
    for role in _NAMES:
        field = named.get(role)
        if field is not None and field not in names:
            _raise(f"no field {field!r}; the fields are", names, role, where)
        candidates = [field] if field is not None else _candidates(role, names, records)
        if not candidates:
            _raise_kind(role, names, records, where)
        if len(candidates) != 1:
            problem = "several fields with {}:" if candidates else "no field with {}; the fields are"
            _raise(problem.format(_MEANING[role]), candidates or names, role, where)
        fields[role] = candidates[0]
    return fields


def _candidates(role: str, names: list[str], records: Sequence[Mapping[str, Any]]) -> list[str]:
    for tier in _NAMES[role]:
        candidates = []
        for name in names:
            side, _, inner = name.rpartition(".")
            own = _SIDES.get(plain_name(side))
            usual = (
                (*tier, *_NAMES["retrieved"][-1]) if own == role == "relevant" else tier
            )  # `documents` of a reference
            if own in (None, role) and plain_name(inner or name) in usual:
                candidates.append(name)
        fitting = [name for name in candidates if _fits(role, name, records)]
        if fitting:
            return fitting
    return []


def _raise_kind(role: str, names: list[str], records: Sequence[Mapping[str, Any]], where: Place) -> None:
    """Raise if a field has a known name of a role, and values of a wrong type."""
    for name in (name for tier in _NAMES[role] for name in names if plain_name(name.rpartition(".")[2]) in tier):
        value = next((record[name] for record in records if record.get(name) is not None), None)
        if value is not None:
            expected, hint = ("text or an id", None) if role == "question" else ("a list of chunks", "write [id, …]")
            problem = f"{expected} in the field {name!r}"
            raise DataError(
                "fields", problem, got=f"{shown(value)} ({type(value).__name__})", where=where, value=name, hint=hint
            )


def _fits(role: str, name: str, records: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether the values can have the role: a text that answers the question is not a list of chunks."""
    held = [value for record in records if (value := record.get(name)) is not None]
    lists = [isinstance(value, (list, tuple, Mapping, Set, np.ndarray)) for value in held]
    if role == "question":
        return not held or not all(lists)
    return any(lists) or (bool(held) and role == "relevant" and plain_name(name).endswith("id"))


def _raise(problem: str, names: Sequence[str], role: str, where: Place) -> NoReturn:
    listing = ", ".join(shown(name, 40) for name in names[:20]) or "none"
    hint = Hint(f"name the right field with {{{role}}}", **{role: to_choose(role, "FIELD")})
    raise DataError("fields", f"{problem} {listing}", hint=hint, where=where, value=listing)
