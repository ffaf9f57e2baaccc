"""Questions with retrieved and relevant chunks in one file: one record per question."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import replace
from typing import Any

import numpy as np

from judged.core.native import NATIVE
from judged.core.tables import Passages, Qrels, Questions, Run
from judged.errors import DataError, JudgedError, Place, Warned, shown
from judged.io.chunks import Chunks, are_sets, is_pair, read_chunk_entries
from judged.io.columns import ColumnRequest
from judged.io.containers import flatten_sets
from judged.io.files import Content, file_path, is_file_like, is_path, open_content
from judged.io.formats.json import first_record, lists, read_json_rows
from judged.io.formats.shapes import has_questions, parts_of, read_shape
from judged.io.open_table import open_values
from judged.io.origin import Context, Origin
from judged.io.outputs import located
from judged.io.recognise import (
    Input,
    as_mapping,
    find_fields,
    flatten,
    has_sides,
    is_known,
    list_records,
    raise_no_questions,
)
from judged.io.table import SourceTable, as_qrels, as_run
from judged.io.text.lines import read_head

# ── Questions with retrieved and relevant chunks in one file: one record per question ───────────────

_NUMBER = (int, float, np.number)


def read_questions(
    source: Any,
    *,
    question: str | None = None,
    retrieved: str | None = None,
    relevant: str | None = None,
    count_words: bool = False,
) -> Questions:
    """Read questions from one file or from memory: one record per question, with retrieved and relevant chunks.

    The source is JSON Lines, a JSON list, a list of records, or a frame. Fields are found by their known names (RAGAS, LlamaIndex,
    LangSmith, DeepEval). Retrieved chunks are ids or objects (id, text, doc, start, end, tokens, score), best first; scores are used
    only to roll chunks up to documents. Relevant chunks are ids, `{id: grade}`, objects with a grade, spans (doc, start, end), or
    alternative sets (`[[a, b], [c]]`).

    Args:
        source: the file or the records.
        question: the field of the question, its id or its text, if its name is not known.
        retrieved: the field of the retrieved chunks.
        relevant: the field of the relevant chunks.
        count_words: if a chunk has no number of tokens, count the words and punctuation marks of its text.

    Raises:
        DataError: a missing or ambiguous field, a duplicate question, a chunk that cannot be read; with its line.

    >>> read_questions([{"query": "why?", "retrieved": ["c2", "c1"], "relevant": ["c1"]}]).run
    Run('questions', 1 query, 2 rows)
    """
    source = source.source if isinstance(source, Input) else source
    given = {"question": question, "retrieved": retrieved, "relevant": relevant}
    named = {role: name for role, name in given.items() if name is not None}
    questions = None if count_words or file_path(source) is None else read_listed_questions(source, named)
    if questions is not None:
        return questions
    items, context = _read_items(source)
    if not named and (shaped := _read_shaped(items, context)) is not None:
        return Questions(located(shaped[0], source), located(shaped[1], source))
    records = _flatten(items, context)
    try:
        fields = find_fields(records, named, context.place)
    except DataError as error:
        part = next(iter(parts_of(items[:1]) or ()), None)
        if part is None or named:
            raise
        problem, hint = f"not a question file, but: {part.shape.name}", "pass judgments and a run"
        raise DataError("fields", problem, where=context.place, hint=hint) from error
    origin = context.items()
    columns = {
        role: [_get(record, name, i, origin) for i, record in enumerate(records)] for role, name in fields.items()
    }
    _check_distinct(columns["question"], origin)
    run = _run(columns["question"], columns["retrieved"], fields["retrieved"], context, count=count_words)
    qrels = _qrels(columns["question"], columns["relevant"], fields["relevant"], context)
    return Questions(located(qrels, source), located(run, source))


def _get(record: Mapping[str, Any], name: str, row: int, items: Origin) -> Any:
    if name not in record:
        problem = (
            f"a record has no {name!r}{items.describe_row(row)}, only {', '.join(map(shown, record)) or 'nothing'}"
        )
        raise DataError("fields", problem, where=items.place(row), hint="write null if it has no value", value=name)
    return record[name]


def _check_distinct(questions: list[Any], items: Origin) -> None:
    seen: dict[str, int] = {}
    for row, question in enumerate(questions):
        where, about = items.place(row), items.describe_row(row)
        if isinstance(question, (list, Mapping, Set)):
            raise DataError("fields", f"a question as text or an id{about}", got=shown(question), where=where)
        first = seen.setdefault(str(question), row)
        if first != row and question is not None:
            problem = (
                f"duplicate question {shown(question)}{about}; first at {items.place(first)}{items.describe_row(first)}"
            )
            hint = "add an id (question_id) to each record, or remove one of them"
            raise DataError("duplicate-query", problem, where=where, value=question, hint=hint)


# ── records ──────────────────────────────────────────────────────────────────────────────────────


def _read_items(source: Any) -> tuple[list[Any], Context]:
    """Return the records of a source, and their context."""
    context, value = Context(ColumnRequest("questions")), source
    if is_path(source) or is_file_like(source):
        value, context = open_values(source, context.request)
        if isinstance(value, Content):
            head = read_head(value)
            if not head.line:
                raise DataError("questions", "the file is empty", where=context.name)
            raise_no_questions(shown(head.line.decode("utf-8", "replace")), Place(context.name, head.number))
    items = value if context.lines is not None else list_records(value, context.place)
    if not items:
        raise DataError("questions", "the input has no questions", where=context.name)
    return items, context


def _read_shaped(items: list[Any], context: Context) -> tuple[Qrels, Run] | None:
    """Read records of another program that have judgments and a ranking, but not as fields; None if they are none."""
    if not has_questions(items[0]):
        return None
    tables = [read_shape(items, replace(context, request=ColumnRequest(what))) for what in ("qrels", "run")]
    assert tables[0] is not None
    assert tables[1] is not None
    return as_qrels(replace(tables[0], warnings=())), as_run(tables[1])


def _flatten(items: list[Any], context: Context) -> list[dict[str, Any]]:
    """Return one record per question, its fields flat."""
    records = []
    for i, item in enumerate(items):
        record = as_mapping(item)
        if record is None:
            raise_no_questions(shown(item), context.items().place(i))
        records.append(flatten(record))
    return records


# ── run and judgments ────────────────────────────────────────────────────────────────────────────


def _run(questions: list[Any], lists: list[Any], field: str, context: Context, *, count: bool) -> Run:
    answered = [i for i, one in enumerate(lists) if one is not None]
    rankings = [_entries(lists[i], "score", field, i, context) for i in answered]
    table, chunks = _table("run", [questions[i] for i in answered], rankings, answered, context, count=count)
    run = as_run(table)
    notes = [*run.warnings, *_nulls(len(lists) - len(answered), lists, field, context, "not answered")]
    if chunks.number is None:
        return replace(run, warnings=tuple(notes))
    score = np.array([float(value) if isinstance(value, _NUMBER) else np.nan for value in chunks.number])
    if np.isnan(score).any():
        row = int(np.argmax(np.isnan(score)))
        expected, got = f"a score as a number{table.origin.describe_row(row)}", shown(chunks.number[row])
        raise DataError("score-type", expected, got=got, where=table.origin.place(row))
    rises = np.unique(run.query[1:][(run.query[1:] == run.query[:-1]) & (score[1:] > score[:-1])]).size
    if rises:
        text = f"scores increase along the list in {rises} {'question' if rises == 1 else 'questions'} of {context.name}; the order of the list decides"
        notes.append(Warned("scores-rise", int(rises), text))
    return replace(run, warnings=tuple(notes), passages=replace(run.passages or Passages(), score=score))


def _qrels(questions: list[Any], lists: list[Any], field: str, context: Context) -> Qrels:
    judged = [i for i, one in enumerate(lists) if one is not None]
    rankings = [_entries(lists[i], "grade", field, i, context) for i in judged]
    judged_questions = [questions[i] for i in judged]
    if not any(map(len, rankings)):
        raise DataError("empty-qrels", f"no question has a relevant chunk in {field!r}", where=context.name)
    rankings, choice = flatten_sets(judged_questions, rankings, replace(context, request=ColumnRequest("qrels")))
    table, _ = _table("qrels", judged_questions, rankings, judged, context)
    qrels = as_qrels(replace(table, name=f"field {field!r}", choice=choice))
    nulls = _nulls(len(lists) - len(judged), lists, field, context, "excluded")
    return replace(qrels, warnings=(*qrels.warnings, *nulls))


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
            problem, where = f"null in a list of chunks{origin.describe_row(row)}", origin.place(row)
            raise DataError("id-type", problem, where=where, hint="leave it out")
    chunks = read_chunk_entries(entries, what, origin, count=count)
    table = SourceTable(
        name=context.name,
        request=ColumnRequest(what),
        origin=origin,
        query_origin=items,
        query=questions,
        doc=chunks.ids,
        size=size,
        number=chunks.number if what == "qrels" else None,
        passages=chunks.passages,
    )
    return table, chunks


def _entries(value: Any, number: str, field: str, row: int, context: Context) -> list[Any]:
    """Return the entries of a list; those of `{id: number}` and pairs become objects."""
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
        expected = f"a list in {field!r}{items.describe_row(row)}"
        raise DataError("fields", expected, got=shown(value), where=items.place(row), value=value)
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


# ── Questions whose chunks are plain lists of ids, as the native core reads them ────────────────────


def read_listed_questions(source: Any, named: Mapping[str, str]) -> Questions | None:
    """Read a file of JSON Lines whose records all have the fields of the first; None if only the reference can."""
    if not NATIVE:
        return None
    with open_content(source) as content:
        first, followed = first_record(read_head(content))
        if first is None or not followed or has_sides(first):
            return None
        try:
            field = find_fields([first], named, Place(content.name))
        except JudgedError:
            return None
        kinds = {
            name: _first_letter(value) if is_known(name) or name in named.values() else "*"
            for name, value in first.items()
        }
        tables = {}
        for role, what in (("retrieved", "run"), ("relevant", "qrels")):
            text = lists(field["question"], field[role], what, kinds)
            tables[what] = read_json_rows(content, text, Context(ColumnRequest(what), content.name))
    if tables["run"] is None or tables["qrels"] is None:
        return None
    run, qrels = (
        replace(tables["run"], warnings=()),
        replace(tables["qrels"], name=f"field {field['relevant']!r}", warnings=()),
    )
    return Questions(located(as_qrels(qrels), source), located(as_run(run), source))


def _first_letter(value: Any) -> str:
    """Return the first letter of a value in JSON, the same for all numbers, and for both truth values."""
    kinds = {str: '"', list: "[", dict: "{", bool: "t", type(None): "n"}
    return kinds.get(type(value), "")
