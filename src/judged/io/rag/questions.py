"""Questions with what was retrieved for them and what is relevant, all in one file: a record for each question."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from judged.core.tables import Passages, Qrels, Run
from judged.errors import DataError, Place, Warned, shown
from judged.io.files.source import file_path
from judged.io.rag.fields import find_fields
from judged.io.rag.question_records import records_of, sample_records
from judged.io.tables.chunks import Chunks, are_sets, is_pair, read_chunk_entries
from judged.io.tables.columns import ColumnRequest
from judged.io.tables.context import Context
from judged.io.tables.nested import flatten_sets
from judged.io.tables.origin import Origin
from judged.io.tables.table import SourceTable, as_qrels, as_run

__all__ = ["Questions", "is_questions", "read_questions"]

_NUMBER = (int, float, np.number)


@dataclass(frozen=True, slots=True)
class Questions:
    """What was retrieved for each question, and what is relevant to it."""

    qrels: Qrels
    run: Run

    def named(self, name: str) -> Questions:
        """Return the questions with a name for the run."""
        return replace(self, run=replace(self.run, name=name))


def is_questions(source: Any, **fields: str) -> bool:
    """Return whether a source has questions with retrieved and relevant documents, by its first records.

    Args:
        source: anything that `read_questions` takes; a pipe or an open file, which can be read only once, is not examined.
        fields: names of the fields, as in `read_questions`.

    >>> is_questions([{"query": "why?", "retrieved": ["c2", "c1"], "relevant": ["c1"]}])
    True
    """
    if isinstance(source, Questions):
        return True
    records = sample_records(source)
    try:
        return bool(records) and bool(find_fields(records, fields, Place("")))
    except DataError:
        return False


def read_questions(
    source: Any,
    *,
    question: str | None = None,
    retrieved: str | None = None,
    relevant: str | None = None,
    count_words: bool = False,
) -> Questions:
    """Questions from one file, or from memory: a record for each, with what was retrieved and what is relevant.

    JSON Lines, a JSON list, a list of records, a frame. Fields are found by their usual names (RAGAS, LlamaIndex, LangSmith, DeepEval). Retrieved are
    ids or objects (id, text, doc, start, end, tokens, score) in the order of the ranking, best first; scores beside it only serve to roll chunks up to
    documents. Relevant are ids, `{id: grade}`, objects with a grade, spans (doc, start, end), or sets of which any one will do (`[[a, b], [c]]`).

    Args:
        source: the file or the records.
        question: the field of the question, where it is called otherwise; its id or its text.
        retrieved: the field of what was retrieved.
        relevant: the field of what is relevant.
        count_words: the tokens of a chunk that does not say them are the words and punctuation marks of its text.

    Raises:
        DataError: a field that is missing or ambiguous, a question twice, a chunk that cannot be read; with its line.

    >>> read_questions([{"query": "why?", "retrieved": ["c2", "c1"], "relevant": ["c1"]}]).run
    Run('questions', 1 query, 2 rows)
    """
    records, context = records_of(source, Context(ColumnRequest("questions")))
    named = {"question": question, "retrieved": retrieved, "relevant": relevant}
    fields = find_fields(records, {role: name for role, name in named.items() if name is not None}, context.place)
    items = context.items()
    columns = {
        role: [_held(record, name, i, items) for i, record in enumerate(records)] for role, name in fields.items()
    }
    _refuse_repeats(columns["question"], items)
    path = file_path(source)
    run = _run(columns["question"], columns["retrieved"], fields["retrieved"], context, count=count_words)
    run = replace(run, path=path)
    return Questions(
        replace(_qrels(columns["question"], columns["relevant"], fields["relevant"], context), path=path), run
    )


def _held(record: Mapping[str, Any], name: str, row: int, items: Origin) -> Any:
    if name not in record:
        got = ", ".join(map(shown, record)) or "nothing"
        raise DataError("fields", f"{name!r} in every record{items.describe_row(row)}", got=got, where=items.place(row),
                        hint="write null where there is none", value=name)  # fmt: skip
    return record[name]


def _refuse_repeats(questions: list[Any], items: Origin) -> None:
    seen: dict[str, int] = {}
    for row, question in enumerate(questions):
        if isinstance(question, (list, Mapping, Set)):
            raise DataError(
                "fields",
                f"a question as text or an id{items.describe_row(row)}",
                got=shown(question),
                where=items.place(row),
            )
        first = seen.setdefault(str(question), row)
        if first != row and question is not None:
            raise DataError(
                "duplicate-query", f"each question once{items.describe_row(row)}", got=f"{shown(question)}, as at {items.place(first)}{items.describe_row(first)}",
                where=items.place(row), value=question, hint="give the records ids of their own (question_id), or leave one out",
            )  # fmt: skip


# ── what was retrieved, what is relevant ─────────────────────────────────────────────────────────


def _run(questions: list[Any], lists: list[Any], field: str, context: Context, *, count: bool) -> Run:
    answered = [i for i, one in enumerate(lists) if one is not None]
    rankings = [_listed(lists[i], "score", field, i, context) for i in answered]
    table, chunks = _table("run", [questions[i] for i in answered], rankings, answered, context, count=count)
    run = as_run(table)
    notes = [*run.warnings, *_nulls(len(lists) - len(answered), lists, field, context, "not answered")]
    if chunks.number is None:
        return replace(run, warnings=tuple(notes))
    score = np.array([float(value) if isinstance(value, _NUMBER) else np.nan for value in chunks.number])
    if np.isnan(score).any():
        row = int(np.argmax(np.isnan(score)))
        raise DataError(
            "score-type",
            f"scores as numbers{table.origin.describe_row(row)}",
            got=shown(chunks.number[row]),
            where=table.origin.place(row),
        )
    rises = np.unique(run.query[1:][(run.query[1:] == run.query[:-1]) & (score[1:] > score[:-1])]).size
    if rises:
        text = f"in {rises} {'question' if rises == 1 else 'questions'} of {context.name} scores rise along the list; the order of the list decides"
        notes.append(Warned("scores-rise", int(rises), text))
    return replace(run, warnings=tuple(notes), passages=replace(run.passages or Passages(), score=score))


def _qrels(questions: list[Any], lists: list[Any], field: str, context: Context) -> Qrels:
    judged = [i for i, one in enumerate(lists) if one is not None]
    rankings = [_listed(lists[i], "grade", field, i, context) for i in judged]
    asked = [questions[i] for i in judged]
    if not any(map(len, rankings)):
        raise DataError(
            "empty-qrels", f"a relevant chunk for at least one question, in {field!r}", got="none", where=context.name
        )
    sets: Any = Context(ColumnRequest("qrels"), context.path, context.lines)
    rankings, choice = flatten_sets(asked, rankings, sets)
    table, _ = _table("qrels", asked, rankings, judged, context)
    qrels = as_qrels(replace(table, name=field, choice=choice))
    return replace(
        qrels, warnings=(*qrels.warnings, *_nulls(len(lists) - len(judged), lists, field, context, "left out"))
    )


def _table(
    what: Any,
    questions: list[Any],
    rankings: list[list[Any]],
    record: list[int],
    context: Context,
    *,
    count: bool = False,
) -> tuple[SourceTable, Chunks]:
    size = np.array([len(ranking) for ranking in rankings], dtype=np.int64)
    rows = np.array(record, dtype=np.int64)
    origin, items = context.items(item=np.repeat(rows, size)), context.items(item=rows)
    entries = [entry for ranking in rankings for entry in ranking]
    for row, entry in enumerate(entries):
        if entry is None:
            raise DataError(
                "id-null",
                f"a chunk{origin.describe_row(row)}",
                got="null in the list",
                where=origin.place(row),
                hint="leave it out",
            )
    chunks = read_chunk_entries(entries, what, origin, count=count)
    table = SourceTable(
        name=context.name, request=ColumnRequest(what), origin=origin, query_origin=items, query=questions, doc=chunks.ids, size=size,
        number=chunks.number if what == "qrels" else None, passages=chunks.passages,
    )  # fmt: skip
    return table, chunks


def _listed(value: Any, number: str, field: str, row: int, context: Context) -> list[Any]:
    """The entries of a list; `{id: number}` and pairs of both become objects."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, Mapping):
        pairs = sorted(value.items(), key=lambda pair: _key(pair[1])) if number == "score" else list(value.items())
        return [{"id": name, number: held} for name, held in pairs]
    if isinstance(value, Set) and number == "grade":
        return sorted(value, key=str)
    if number == "grade" and isinstance(value, (str, int)) and not isinstance(value, bool):
        return [value]
    if not isinstance(value, (list, tuple)):
        items = context.items()
        raise DataError(
            "fields",
            f"a list in {field!r}{items.describe_row(row)}",
            got=shown(value),
            where=items.place(row),
            value=value,
        )
    if number == "grade" and are_sets(value):
        return list(value)
    return [{"id": entry[0], number: entry[1]} if is_pair(entry) else entry for entry in value]


def _key(score: Any) -> float:
    return -float(score) if isinstance(score, _NUMBER) else 0.0


def _nulls(count: int, lists: list[Any], field: str, context: Context, what: str) -> list[Warned]:
    if not count:
        return []
    items = context.items()
    rows = [i for i, one in enumerate(lists) if one is None]
    some = ", ".join(f"{items.place(i)}{items.describe_row(i)}" for i in rows[:3]) + " …" * (count > 3)
    text = f"{count} {'question has' if count == 1 else 'questions have'} null in {field!r}, {what}: {some}"
    return [Warned("null-field", count, text)]
