"""Questions with retrieved and relevant chunks in one file, one record per question; and one table with grades and scores."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from judged.core.tables import Passages, Questions
from judged.errors import DataError, Hint, Place, UsageError, Warned, shown
from judged.io.cells import floats
from judged.io.chunks import are_sets, is_pair, read_chunk_entries, read_entry
from judged.io.columns import ANY_COLUMNS, ColumnRequest
from judged.io.containers import flatten_sets
from judged.io.files import PATH, Content, is_file_like
from judged.io.lines import read_head
from judged.io.open_table import open_table, open_values
from judged.io.origin import Context
from judged.io.outputs import located
from judged.io.recognise import (
    Input,
    as_mapping,
    find_fields,
    list_records,
    raise_no_questions,
    text_field,
)
from judged.io.table import ColumnBatches, SourceTable, as_qrels, as_run
from judged.io.text import with_points
from judged.tables.table import counted

# ── Questions with retrieved and relevant chunks in one file: one record per question ───────────────

_NUMBER = (int, float, np.number)


def read_questions(
    source: Any,
    *,
    question: str | None = None,
    retrieved: str | None = None,
    relevant: str | None = None,
    grade_map: Mapping[str, float] | None = None,
) -> Questions:
    """Read questions from one file or from memory: one record per question, with retrieved and relevant chunks.

    The source is JSON Lines, a JSON list, a list of records, or a frame. Fields are found by their known names (RAGAS, LlamaIndex,
    DeepEval). Retrieved chunks are ids or objects (id, text, doc, start, end, tokens, score), best first; scores are used
    only to roll chunks up to documents. Relevant chunks are ids, `{id: grade}`, objects with a grade, spans (doc, start, end), or
    alternative sets (`[[a, b], [c]]`).

    Args:
        source: the file or the records.
        question: the field of the question, its id or its text, if its name is not known.
        retrieved: the field of the retrieved chunks.
        relevant: the field of the relevant chunks.
        grade_map: grades for words, as in `read_qrels`.

    Raises:
        DataError: a missing or ambiguous field, a duplicate question, a chunk that cannot be read; with its line.

    >>> read_questions([{"query": "why?", "retrieved": ["c2", "c1"], "relevant": ["c1"]}]).run
    Run('questions', 1 query, 2 rows)
    """
    source = source.source if isinstance(source, Input) else source
    given = {"question": question, "retrieved": retrieved, "relevant": relevant}
    named = {role: name for role, name in given.items() if name is not None}
    items, context = _read_items(source)
    records = []
    origin = context.items()
    for i, item in enumerate(items):
        record = as_mapping(item)
        if record is None:
            raise_no_questions(shown(item), origin.place(i))
        records.append(record)
    fields = find_fields(records, named, context.place)
    for row, record in enumerate(records):
        missing = next((name for name in fields.values() if name not in record), None)
        if missing is not None:
            own = ", ".join(map(shown, record)) or "nothing"
            problem = f"a record has no {missing!r}{origin.describe_row(row)}, only {own}"
            hint = "write null if it has no value"
            raise DataError("fields", problem, where=origin.place(row), hint=hint, value=missing)
    columns = {role: [record[name] for record in records] for role, name in fields.items()}
    seen: dict[str, int] = {}
    for row, asked in enumerate(columns["question"]):
        first = seen.setdefault(str(asked), row)
        if first != row and asked is not None:
            earlier = f"{origin.place(first)}{origin.describe_row(first)}"
            problem = f"duplicate question {shown(asked)}{origin.describe_row(row)}; first at {earlier}"
            hint = "add an id (question_id) to each record, or remove one of them"
            raise DataError("duplicate-query", problem, where=origin.place(row), value=asked, hint=hint)
    table = _table("run", columns["question"], columns["retrieved"], fields["retrieved"], context)
    run = located(as_run(table), source)
    again = run.opened if isinstance(source, PATH) or is_file_like(source) else source
    run = replace(run, texts=None if again is None else partial(_texts, again, fields))
    table = _table("qrels", columns["question"], columns["relevant"], fields["relevant"], context)
    if grade_map is not None:
        table = replace(table, request=table.request._replace(grade_map=grade_map))
    if not len(table.doc):
        problem = f"no question has a relevant chunk in {fields['relevant']!r}, so no measure has a value"
        answered = f"{len(np.unique(run.query))} of {counted(len(records), 'question')} have a retrieved chunk"
        hint = "add questions with an answer; the rate of false answers is shown beside their means"
        raise DataError("empty-qrels", f"{problem}; {answered}", where=context.name, hint=hint)
    return Questions(replace(located(as_qrels(table), source), questions=True), run)


def _texts(source: Any, fields: Mapping[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """Read a source again, and return the texts of its questions and of its chunks by id; where the text is the id, there is none."""
    items, context = _read_items(source)
    records = [as_mapping(item) or {} for item in items]
    asked, key = text_field(records, fields["question"]), fields["question"]
    queries = {str(one[key]): text for one in records if isinstance(text := one.get(asked or ""), str)}
    docs: dict[str, str] = {}
    for row, record in enumerate(records):
        for role, number in (("retrieved", "score"), ("relevant", "grade")):
            for entry in _entries(record[fields[role]] or [], number, fields[role], row, context):
                chunk = read_entry(entry)
                if isinstance(chunk.text, str) and chunk.text != chunk.name:
                    docs.setdefault(str(chunk.name), chunk.text)
    return queries, docs


def rank_by_scores(questions: Questions) -> Questions:
    """Rank the retrieved chunks by their scores, not in the order of the lists."""
    run = questions.run
    if run.scored:  # of a table
        return questions
    score = None if run.passages is None else run.passages.score
    if score is None:
        hint = Hint("omit {order}, or write a score for each chunk", order="score")
        raise UsageError("policy", "the retrieved chunks have no scores", where=run.name, hint=hint, value="score")
    warnings = tuple(warned for warned in run.warnings if warned.slug != "scores-rise")
    return replace(questions, run=replace(run, score=score, rank=None, scored=True, warnings=warnings))


_BOTH = {role: ANY_COLUMNS.request("qrels").all_roles[role] for role in ("query", "doc", "grade")}
_BOTH |= {"score": ANY_COLUMNS.request("run").all_roles["score"]}
_BOTH = {role: declared._replace(required=role in ("grade", "score")) for role, declared in _BOTH.items()}
_WITH_RANK = {role: declared for role, declared in _BOTH.items() if role != "score"}
_WITH_RANK |= {"rank": ANY_COLUMNS.request("run").all_roles["rank"]}


def read_graded_run(source: Any, columns: ColumnRequest = ANY_COLUMNS) -> Questions:
    """Read judgments and a run from one table, which has columns of grades, and of scores or ranks; without queries it is one list.

    Args:
        source: see `open_table`; it has a header or names.
        columns: the columns that the caller named, and the grades of words.

    >>> read_graded_run([{"ID": "a", "label": 1, "predict": 0.5}]).run
    Run('judgments', 1 query, 1 row)
    """
    try:
        table = open_table(source, columns._replace(what="judgments", roles=_BOTH))
    except DataError as error:
        try:
            table = open_table(source, columns._replace(what="judgments", roles=_WITH_RANK))
        except DataError:
            raise error from None
    assert isinstance(table, ColumnBatches)
    cells, origin = table.cells(), table.origin()
    count = len(cells["grade"])
    lines = list(map(str, range(1, count + 1)))
    both = (
        SourceTable(
            **(table.context.basics() | {"request": ANY_COLUMNS.request(what)._replace(grade_map=grade_map)}),
            origin=origin,
            query=cells.get("query", lines[:1] * count),
            doc=cells.get("doc", lines),
            number=None if number is None else with_points(cells[number]) if table.in_text else cells[number],
            rank=cells.get("rank"),
            in_text=table.in_text,
        )
        for what, number, grade_map in (
            ("qrels", "grade", columns.grade_map),
            ("run", "score" if "score" in cells else None, None),
        )
    )
    return Questions(located(as_qrels(next(both)), source), located(as_run(next(both)), source))


# ── records ──────────────────────────────────────────────────────────────────────────────────────


def _read_items(source: Any) -> tuple[list[Any], Context]:
    """Return the records of a source, and their context."""
    context, value = Context(ColumnRequest("questions")), source
    if isinstance(source, PATH) or is_file_like(source):
        value, context = open_values(source, context.request)
        if isinstance(value, Content):
            head = read_head(value)
            raise_no_questions(shown(head.line.decode("utf-8", "replace")), Place(context.name, head.number))
    items = value if context.lines is not None else list_records(value, context.place)
    if not items:
        raise DataError("questions", "the input has no questions", where=context.name)
    return items, context


# ── run and judgments ────────────────────────────────────────────────────────────────────────────


def _table(what: Any, questions: list[Any], lists: list[Any], field: str, context: Context) -> SourceTable:
    """Return the chunks of the questions whose list is not null. Scores do not decide their order, but are kept."""
    is_run, items = what == "run", context.items()
    held = [i for i, one in enumerate(lists) if one is not None]
    questions = [questions[i] for i in held]
    rankings = [_entries(lists[i], "score" if is_run else "grade", field, i, context) for i in held]
    choice = None
    if not is_run:
        rankings, choice = flatten_sets(questions, rankings, replace(context, request=ColumnRequest("qrels")))
    size, rows = np.array(list(map(len, rankings)), dtype=np.int64), np.array(held, dtype=np.int64)
    origin = context.items(item=np.repeat(rows, size))
    entries = [entry for ranking in rankings for entry in ranking]
    docs, number, passages = read_chunk_entries(entries, what, origin)
    warnings = []
    if nulls := [i for i, one in enumerate(lists) if one is None]:
        some = ", ".join(f"{items.place(i)}{items.describe_row(i)}" for i in nulls[:3]) + " …" * (len(nulls) > 3)
        have, outcome = "has" if len(nulls) == 1 else "have", "not answered" if is_run else "excluded"
        text = f"{counted(len(nulls), 'question')} {have} null in {field!r} ({outcome}): {some}"
        warnings.append(Warned("null-field", len(nulls), text))
    if is_run and number is not None:
        score = floats(number, origin, "score")
        item = np.repeat(np.arange(len(size)), size)
        rises = len(np.unique(item[1:][(item[1:] == item[:-1]) & (score[1:] > score[:-1])]))
        if rises:
            about = f"in {counted(rises, 'question')} of {context.name}; the order of the list decides"
            hint = Hint("rank by scores with {order}", order="score")
            warnings.append(Warned("scores-rise", rises, f"scores increase along the list {about}", hint))
        number, passages = None, replace(passages or Passages(), score=score)
    return SourceTable(
        name=context.name if is_run else f"field {field!r}",
        request=ColumnRequest(what),
        origin=origin,
        query_origin=context.items(item=rows),
        query=questions,
        doc=docs,
        size=size,
        number=number,
        choice=choice,
        passages=passages,
        warnings=tuple(warnings),
    )


def _entries(value: Any, number: str, field: str, row: int, context: Context) -> list[Any]:
    """Return the entries of a list; those of `{id: number}` and pairs become objects."""
    value = value.tolist() if isinstance(value, np.ndarray) else value
    if isinstance(value, Mapping):
        pairs = list(value.items())
        if number == "score":
            pairs.sort(key=lambda pair: -float(pair[1]) if isinstance(pair[1], _NUMBER) else 0.0)
        return [{"id": name, number: held} for name, held in pairs]
    if number == "grade":
        if isinstance(value, Set):
            return sorted(value, key=str)
        if isinstance(value, (str, int)) and not isinstance(value, bool):
            return [value]
        if are_sets(value):
            return list(value)
    if not isinstance(value, (list, tuple)):
        raise context.items().error("fields", f"a list in {field!r}", row, value=value)
    return [{"id": entry[0], number: entry[1]} if is_pair(entry) else entry for entry in value]
