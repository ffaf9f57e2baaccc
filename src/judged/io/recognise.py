"""Recognise what a source is, without importing what reads it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import islice
from typing import Any, Literal, NoReturn

import numpy as np

from judged.core.judged import Judged
from judged.core.tables import HasName, Questions, Run
from judged.core.unread_runs import UnreadRun
from judged.errors import DataError, Hint, Place, UsageError, shown, to_choose
from judged.io.columns import RELEVANT, RETRIEVED, named_fields, plain_name
from judged.io.files import PATH, OpenFile, file_path, is_file_like, open_content

_STREAMS = ("/dev/", "/proc/")  # a file may be behind such a name, with one position for all readers
_SAMPLE = 20  # records by which questions are recognised

Kind = Literal["read", "questions", "partitions", "spark", "table"]


@dataclass(frozen=True, slots=True)
class Input:
    """A source that was looked at once.

    Args:
        kind: `read` into judgments or a run already; `questions` with retrieved and relevant documents; a run in several `partitions`; a
            `spark` DataFrame; or any other `table`, in one file or object.
        source: the object; a regular file is an `OpenFile`, which nobody needs to open again.
    """

    kind: Kind
    source: Any


def recognise(source: Any, **fields: str) -> Input:
    """Look at a source, without importing what reads it. An `Input` is returned unchanged.

    Args:
        source: anything that `evaluate` takes. A pipe or an open file, which can be read only once, is not examined.
        fields: names of the fields of questions, as in `read_questions`.

    >>> recognise([{"query": "why?", "retrieved": ["c2", "c1"], "relevant": ["c1"]}]).kind
    'questions'
    >>> recognise({"q1": ["d1"]}).kind
    'table'
    """
    if isinstance(source, Input):
        return source
    if isinstance(source, PATH):
        return _recognise_path(source, fields)
    if type(source) is dict:
        first = next(iter(source.values()), None)
        if type(first) is dict and type(next(iter(first.values()), None)) in (int, float):
            return Input("table", source)  # {query: {doc: number}}
    elif source is None or isinstance(source, HasName):
        return Input("read", source)
    elif isinstance(source, Questions):
        return Input("questions", source)
    elif is_spark(source):
        return Input("spark", source)
    elif is_dataset(source) or is_lazy(source) or are_files(source):
        return Input("partitions", source)
    items = _first_items(source)
    return Input("questions" if items and _have_questions(items, fields) else "table", source)


def _recognise_path(source: Any, fields: Mapping[str, str]) -> Input:
    path = file_path(source)
    if path is None:
        return Input("partitions" if are_files(source) else "table", source)
    if path.startswith(_STREAMS):
        return Input("table", source)
    try:
        file = source if isinstance(source, OpenFile) else OpenFile(source)
    except OSError:
        return Input("table", source)  # the reader says why
    with open_content(file) as content:
        text = bytes(content.head).decode("utf-8-sig", "ignore").lstrip().removeprefix("[").lstrip()
    if not text.startswith("{"):
        return Input("table", file)
    import json

    try:
        first = json.JSONDecoder().raw_decode(text)[0]
    except (ValueError, RecursionError):
        return Input("table", file)
    return Input("questions" if _have_questions([first], fields) else "table", file)


def are_files(source: Any) -> bool:
    """Return whether this names several files: a directory, a pattern, a list of paths."""
    if isinstance(source, PATH):
        if source == "-" or file_path(source) is not None:
            return False
    elif not (isinstance(source, list | tuple) and source and isinstance(source[0], PATH)):
        return False
    from judged.io.stored import is_listable

    return is_listable(source)


def is_dataset(source: Any) -> bool:
    """Return whether this is a dataset of pyarrow."""
    return "pyarrow" in _packages(source) and hasattr(source, "get_fragments")


def is_lazy(source: Any) -> bool:
    """Return whether this is a lazy frame of polars."""
    kind = type(source)
    return "polars" in _packages(source) and hasattr(kind, "collect_schema") and hasattr(kind, "collect")


def is_spark(source: Any) -> bool:
    """Return whether this is a Spark DataFrame, of a classic session or of Spark Connect."""
    return type(source).__module__.startswith("pyspark.sql.") and hasattr(source, "mapInArrow")


def _packages(source: Any) -> set[str]:
    return {kind.__module__.partition(".")[0] for kind in type(source).__mro__}


# ── questions ────────────────────────────────────────────────────────────────────────────────────


def _have_questions(items: list[Any], fields: Mapping[str, str]) -> bool:
    records = [record for item in items if (record := as_mapping(item)) is not None]
    try:
        return bool(records) and bool(find_fields(records, fields, Place("")))
    except DataError:
        return False


def _first_items(source: Any) -> list[Any]:
    """Return the first records of an object that may contain questions; none if it has no records."""
    if isinstance(source, list | tuple):
        return list(source[:_SAMPLE]) if source and not isinstance(source[0], str) else []
    if isinstance(source, Mapping):
        return [source] if len(source) <= _SAMPLE else []
    if hasattr(source, "to_pylist") and hasattr(source, "slice"):  # Arrow
        return list_records(source.slice(0, _SAMPLE), Place("questions"))
    if hasattr(source, "to_dicts") or (hasattr(source, "iloc") and hasattr(source, "columns")):  # polars, pandas
        return list_records(source.head(_SAMPLE), Place("questions"))
    listed = hasattr(source, "__iter__") and getattr(source, "ndim", True)  # an array of one number is no list
    if listed and hasattr(source, "__getitem__") and not is_file_like(source):
        return list(islice(source, _SAMPLE))  # datasets of RAGAS and Hugging Face
    return []


# Without case, - and _; the most reliable first. Ids come before texts.
_FIELD_NAMES: dict[str, tuple[tuple[str, ...], ...]] = {
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


def as_mapping(item: Any) -> Mapping[Any, Any] | None:
    """Return a record as a mapping; None if it is none."""
    if isinstance(item, Mapping):
        return item
    if hasattr(item, "model_dump"):  # pydantic, as in RAGAS
        dumped: Mapping[Any, Any] = item.model_dump()
        return dumped
    names = named_fields(type(item))
    return None if names is None else {name: getattr(item, name) for name in names}


def find_fields(records: Sequence[Mapping[str, Any]], named: Mapping[str, str], where: Place) -> dict[str, str]:
    """Return the field of each role; raise if it is missing or ambiguous, with the candidates."""
    names = list(dict.fromkeys(name for record in records for name in record))
    fields: dict[str, str] = {}
    for role in _FIELD_NAMES:
        field = named.get(role)
        if field is not None and field not in names:
            _raise(f"no field {field!r}; the fields are", names, role, where)
        candidates = [field] if field is not None else _candidates(role, names, records)
        if len(candidates) != 1:
            problem = "several fields with {}:" if candidates else "no field with {}; the fields are"
            _raise(problem.format(_MEANING[role]), candidates or names, role, where)
        fields[role] = candidates[0]
    return fields


def text_field(records: Sequence[Mapping[str, Any]], key: str) -> str | None:
    """Return the field of the texts of questions beside that of their ids, or None."""
    names = dict.fromkeys(name for record in records for name in record if name != key)
    texts = _FIELD_NAMES["question"][-1]
    known = {plain_name(name): name for name in reversed(names)}
    return next((known[name] for name in texts if name in known), None)


def _candidates(role: str, names: list[str], records: Sequence[Mapping[str, Any]]) -> list[str]:
    for tier in _FIELD_NAMES[role]:
        if fitting := [name for name in names if plain_name(name) in tier and _fits(role, name, records)]:
            return fitting
    return []


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


def list_records(source: Any, where: Place) -> list[Any]:
    """Return the records of a list or a frame; a mapping is one record."""
    if isinstance(source, Mapping):
        return [source]
    if hasattr(source, "to_dicts"):  # polars
        return list(source.to_dicts())
    if hasattr(source, "to_pylist"):  # Arrow
        return list(source.to_pylist())
    if hasattr(source, "to_dict") and hasattr(source, "iloc"):  # pandas
        return list(source.to_dict("records"))
    if isinstance(source, Iterable) and not isinstance(source, (str, bytes)):
        return list(source)
    return raise_no_questions(type(source).__name__, where)


def raise_no_questions(got: str, where: Place) -> NoReturn:
    text = (
        "if judgments and run are separate files, pass both; of one table, name the columns: {grade_col}, {score_col}"
    )
    raise DataError(
        "questions",
        "a table with grades and scores, or records with question, retrieved and relevant chunks in JSON Lines",
        got=got,
        where=where,
        hint=Hint(text, grade_col=to_choose("grade_col"), score_col=to_choose("score_col")),
    )


# ── Several runs in one call ────────────────────────────────────────────────────────────────────────


def named_runs(runs: Any) -> list[tuple[str | None, Any]]:
    """Return one run or several, each with its name if the caller named it.

    Several runs are a list, or {name: run}. A mapping from queries to rankings is one run.
    """
    listed = list(runs.values()) if isinstance(runs, Mapping) else runs if isinstance(runs, list | tuple) else []
    whole = [
        run for run in listed if not isinstance(run, Mapping) or run
    ]  # an empty mapping is an error when it is read
    if whole and all(map(_is_whole_run, whole)):
        names = map(str, runs) if isinstance(runs, Mapping) else [None] * len(listed)
        named: list[tuple[str | None, Any]] = list(zip(names, listed, strict=True))
    else:
        named = [(None, runs)]
    if not named or runs is None:
        raise UsageError("runs", "no run given")
    return named


def _is_whole_run(thing: Any) -> bool:
    """Return whether this is a file, a table, or a mapping from queries to rankings; not a ranking, a record or an id with its score."""
    if isinstance(thing, str | os.PathLike | Judged | Run | UnreadRun):
        return True
    if isinstance(thing, Mapping):
        from judged.io.formats.shapes import shape_of

        whole = any(isinstance(ranking, Mapping | list | tuple) for ranking in list(thing.values())[:1])
        return whole and not ((shape := shape_of(thing)) is not None and shape.one_query)
    if isinstance(thing, list | tuple) and thing and all(isinstance(path, str | os.PathLike) for path in thing):
        return are_files(thing)  # not documents
    from judged.io.formats.collections import is_collection

    tabular = hasattr(thing, "__arrow_c_stream__") or hasattr(type(thing), "columns")
    return tabular or is_dataset(thing) or is_lazy(thing) or is_collection(thing)
