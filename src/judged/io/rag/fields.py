"""Which field of a record holds the question, what was retrieved, and what is relevant: by the names that RAG tools use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import Any

import numpy as np

from judged.errors import DataError, Place, shown

__all__ = ["find_fields", "flat"]

_UNITS = ("context", "chunk", "doc", "document", "node", "passage")
_MANY = tuple(f"{unit}s" for unit in _UNITS)


def _named(stem: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names of ids, and of the things themselves: `relevant_chunk_ids`, then `relevant`, `relevant_chunks`."""
    plain = (
        *(f"{stem}{unit}ids" for unit in _UNITS),
        f"{stem}ids",
        *(f"{stem}{unit}id" for unit in _UNITS),
        f"{stem}id",
    )
    return plain, (stem, f"{stem}s", *(f"{stem}{unit}" for unit in (*_MANY, *_UNITS, "span", "spans")))


_GOLD = [_named(stem) for stem in ("relevant", "expected", "gold", "groundtruth", "reference", "positive")]

# Without case, - and _; the surest first. Ids come before texts.
_NAMES: dict[str, tuple[tuple[str, ...], ...]] = {
    "question": (
        ("questionid", "queryid", "qid", "sampleid", "exampleid"), ("id",), ("question", "query", "userinput", "input", "prompt"),
    ),
    "retrieved": (
        _named("retrieved")[0],
        (*_named("retrieved")[1], "retrievalcontext", "retrievalresults"),
        ("sourcenodes", "sourcedocuments", *_MANY, "results", "ranking", "hits", "context", "chunkids", "docids", "contextids"),
    ),
    "relevant": (
        tuple(name for ids, _ in _GOLD for name in ids),
        (*(name for _, things in _GOLD for name in things), "qrels", "judgments", "judgements", "highlights"),
    ),
}  # fmt: skip
_MEANING = {
    "question": "ids or texts of questions (question_id, id, question, query …)",
    "retrieved": "retrieved chunks (retrieved, retrieved_ids, contexts, chunks, results …)",
    "relevant": "relevant chunks (relevant, expected_ids, gold, ground_truth, reference_contexts …)",
}
_SIDES = {  # LangSmith keeps the three apart
    "inputs": "question", "outputs": "retrieved", "referenceoutputs": "relevant", "reference": "relevant", "expectedoutput": "relevant",
}  # fmt: skip


def _plain(name: object) -> str:
    return str(name).casefold().replace("-", "").replace("_", "").replace(" ", "")


def flat(record: Mapping[Any, Any]) -> dict[str, Any]:
    """The fields of a record; those of `inputs`, `outputs` and `reference_outputs` under their paths, such as `outputs.documents`."""
    out: dict[str, Any] = {}
    for key, value in record.items():
        if _plain(key) in _SIDES and isinstance(value, Mapping):
            out |= {f"{key}.{inner}": held for inner, held in value.items()}
        else:
            out[str(key)] = value
    return out


def find_fields(records: Sequence[Mapping[str, Any]], named: Mapping[str, str], where: Place) -> dict[str, str]:
    """The field of each role, or an error that names the candidates and says how to choose."""
    names = list(dict.fromkeys(name for record in records for name in record))
    found: dict[str, str] = {}
    for role in _NAMES:
        given = named.get(role)
        if given is not None and given not in names:
            _refuse(f"a field called {given!r}", names, role, where)
        candidates = [given] if given is not None else _candidates(role, names, records)
        if len(candidates) != 1:
            several = bool(candidates)
            _refuse(f"{'one field' if several else 'a field'} of {_MEANING[role]}", candidates or names, role, where)
        found[role] = candidates[0]
    return found


def _candidates(role: str, names: list[str], records: Sequence[Mapping[str, Any]]) -> list[str]:
    for tier in _NAMES[role]:
        found = []
        for name in names:
            side, _, inner = name.rpartition(".")
            own = _SIDES.get(_plain(side))
            usual = (
                (*tier, *_NAMES["retrieved"][-1]) if own == role == "relevant" else tier
            )  # `documents` of a reference
            if own in (None, role) and _plain(inner or name) in usual:
                found.append(name)
        fitting = [name for name in found if _fits(role, name, records)]
        if fitting:
            return fitting
    return []


def _fits(role: str, name: str, records: Sequence[Mapping[str, Any]]) -> bool:
    """Whether the values are what the role holds: a text that answers the question is no list of chunks."""
    held = [value for record in records if (value := record.get(name)) is not None]
    lists = [isinstance(value, (list, tuple, Mapping, Set, np.ndarray)) for value in held]
    if role == "question":
        return not held or not all(lists)
    return any(lists) or (bool(held) and role == "relevant" and _plain(name).endswith("id"))


def _refuse(expected: str, names: Sequence[str], role: str, where: Place) -> None:
    got = ", ".join(shown(name, 40) for name in names[:20]) or "none"
    raise DataError("fields", expected, got=got, hint=f"name it: {role}='…' (--{role} …)", where=where, value=got)
