"""The columns of any source, checked and turned into `Run`, `Qrels` or columns by role."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, NoReturn, TypeVar

import numpy as np
from numpy.typing import NDArray

from judged._types import Floats, Ints
from judged.core import segments
from judged.core.tables import Id, IdColumn, IdKind, Passages, Qrels, Run, are_subtopics
from judged.errors import DataError, Hint, Place, Warned, shown
from judged.io.cells import Column, RawIds, as_list, encode_ids, floats, group_ids, ranks
from judged.io.columns import ColumnRequest, Role, is_borrowed, list_columns, same_column
from judged.io.origin import Context, Origin
from judged.io.text import first_wrong, is_decimal, is_text, parse_number, raise_number
from judged.tables.table import counted

# ── Columns of a table by role, gathered batch by batch ─────────────────────────────────────────────

Batch = Mapping[str, Column]
AnyTable = TypeVar("AnyTable", Run, Qrels)


@dataclass(frozen=True, slots=True)
class ColumnBatches:
    """Columns by role, batch by batch, as the reader of each format returns them.

    Args:
        columns: the column of each role.
        batches: the cells of each role; taken once.
        origin: gives the places of all rows, once the batches were taken.
        in_text: True if numbers are text.
    """

    context: Context
    columns: Mapping[str, str]
    batches: Iterable[Batch]
    origin: Callable[[], Origin]
    in_text: bool = False

    def cells(self) -> dict[str, Any]:
        """Return the cells of each role, of all batches."""
        batches = list(self.batches)
        if len(batches) == 1:
            return dict(batches[0])
        return {
            role: [cell for batch in batches for cell in batch[role]]
            for role in (batches[0] if batches else self.columns)
        }


@dataclass(frozen=True, slots=True)
class Coded:
    """Ids: each once, and the index of every row's id among them."""

    ids: tuple[Id, ...]
    code: NDArray[Any]


@dataclass(frozen=True, slots=True)
class RoleTable:
    """The columns of a table by role: ids as `Coded`, the others as arrays; and the place of a row."""

    name: str
    ids: Mapping[str, Coded]
    numbers: Mapping[str, NDArray[Any]]
    place: Callable[[int, str], Place]

    def __len__(self) -> int:
        return len(next(iter(self.ids.values())).code)


def gather_columns(source: ColumnBatches) -> RoleTable:
    """Read all batches; a wrong cell is reported with its place."""
    context, roles = source.context, source.context.request.roles
    columns = source.columns
    seen: dict[str, dict[Any, int]] = {role: {} for role in columns if roles[role].read is None}
    parts: dict[str, list[NDArray[Any]]] = {role: [] for role in columns}
    count = 0
    for batch in source.batches:
        for role, column in batch.items():
            read = roles[role].read
            part = _encode(column, seen[role]) if read is None else read(column)
            if part is None:
                _raise_cell(roles[role], role, column, count, source.origin())
            parts[role].append(part)
        count += len(next(iter(batch.values())))
    if not count:
        raise_empty(context)
    origin = source.origin()
    codes = {role: np.concatenate(parts[role]) for role in columns}
    coded = {role: _check_ids(list(known), codes[role], origin, role) for role, known in seen.items()}
    return RoleTable(context.name, coded, {role: codes[role] for role in columns if role not in seen}, origin.place)


def _encode(column: Column, seen: dict[Any, int]) -> NDArray[Any] | None:
    """Return codes of the ids of a batch, in order of appearance; None if one cannot be hashed."""
    items = column if isinstance(column, list) else as_list(column, Origin(name="rows"), "doc")
    try:
        for item in dict.fromkeys(items):
            seen.setdefault(item, len(seen))
        return np.fromiter(map(seen.__getitem__, items), np.int32, len(items))
    except TypeError:
        return None


def _check_ids(names: list[Any], code: NDArray[Any], origin: Origin, role: str) -> Coded:
    """Return the ids as they are kept, after the checks of every id."""
    rows = replace(origin, rows=lambda at: int(np.argmax(code == at)), role=role)
    text, kind = encode_ids(names, rows, "query" if role == "query" else "doc")
    ids = names if kind == "integer" else text.texts()
    merged = {item: i for i, item in enumerate(dict.fromkeys(ids))}  # 7 and "7" of a JSON file are one id
    return Coded(tuple(merged), np.array([merged[item] for item in ids], dtype=np.int32)[code])


def _raise_cell(role: Role, name: str, column: Column, before: int, origin: Origin) -> NoReturn:
    """Raise for the first cell of a batch that is wrong; `before` is the number of rows before the batch."""
    read = role.read or (lambda cells: _encode(cells, {}))
    row, value = next((i, cell) for i, cell in enumerate(column) if read([cell]) is None)
    is_id = role.read is None
    slug, expected = ("id-type", f"{role.meaning} as text or integers") if is_id else (role.slug, role.expected)
    held = None if is_id else value
    raise origin.error(slug, expected, before + row, name, value=held, got=shown(value))


def raise_empty(context: Context) -> NoReturn:
    hint = "check that this is the right input and not empty"
    raise DataError("columns", f"the {context.request.what} have no rows", where=context.name, hint=hint)


# ── Tables of runs and judgments ────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceTable:
    """Columns of a run or of judgments, not yet checked. With `size`, `query` has one entry per ranking of that many rows."""

    name: str
    request: ColumnRequest
    origin: Origin
    query: RawIds
    doc: Column | IdColumn
    number: Column | None  # None: documents are listed best first, or all are relevant
    rank: Column | None = None
    aspect: Column | IdColumn | None = None
    size: Ints | None = None
    query_origin: Origin | None = None
    in_text: bool = False  # numbers are text
    scored: bool = True  # numbers, if there are any, are not those of positions in lists
    borrowed: bool = False
    implicit: bool = False  # each row is an interaction, which has no grade
    once: bool = False  # the source can be read only once
    choice: Ints | None = None
    passages: Passages | None = None
    warnings: tuple[Warned, ...] = ()


def concatenate(source: SourceTable | ColumnBatches) -> SourceTable:
    """Return all batches of a run or of judgments as one table."""
    if isinstance(source, SourceTable):
        return source
    columns, context = source.cells(), source.context
    return SourceTable(
        **context.basics(),
        origin=source.origin(),
        query=columns["query"],
        doc=columns["doc"],
        number=columns.get(context.request.number),
        rank=columns.get("rank"),
        aspect=columns.get("aspect"),
        in_text=source.in_text,
        borrowed=is_borrowed(source.columns, context.request),
        implicit="time" in source.columns,
    )


def as_run(source: SourceTable | ColumnBatches) -> Run:
    table = concatenate(source)
    keys = _keys(table)
    rank = _rank(table)
    if table.number is not None:
        score = _numbers(table, table.number)
    elif rank is not None:
        score = -rank.astype(np.float64)
    else:
        rank, score = _best_first(table, len(keys["queries"]))
    wrong = None
    if rank is None and table.rank is not None:
        row = _wrong_rank(table.rank)
        wrong = table.origin.place(row, "rank"), shown(np.asarray(table.rank[row : row + 1]).tolist()[0])
    scored = table.scored and table.number is not None
    return Run(**keys, score=score, rank=rank, wrong_rank=wrong, passages=table.passages, scored=scored)


def _best_first(table: SourceTable, queries: int) -> tuple[Ints, Floats]:
    """Return ranks and scores of lists: the first document of n has rank 1 and score n."""
    size = table.size
    assert size is not None
    if queries < len(size):
        hint = "join the lists of a query, or give scores"
        raise DataError("duplicate-query", f"{len(size)} lists for {queries} queries", hint=hint, where=table.name)
    rank = segments.ranks(size)
    return rank, (np.repeat(size, size) + 1 - rank).astype(np.float64)


def as_qrels(source: SourceTable | ColumnBatches) -> Qrels:
    table = concatenate(source)
    keys = _keys(table)
    if not len(keys["doc"]):
        _raise_empty(table)
    grade = np.ones(len(keys["doc"])) if table.number is None else _numbers(table, table.number)
    if table.borrowed and len(fractions := np.flatnonzero(grade != np.trunc(grade))):
        row = int(fractions[0])
        raise DataError(
            "swapped",
            f"'score' is {grade[row]:g}{table.origin.describe_row(row)}, which looks like a run, not grades",
            hint=Hint("pass the judgments first, then the run; or name the column: {grade_col}", grade_col="score"),
            where=table.origin.place(row, "grade"),
            value=float(grade[row]),
        )
    if table.number is not None and table.request.grade_map is not None:
        words = {
            cell.strip() if isinstance(cell, str) else cell for cell in as_list(table.number, table.origin, "grade")
        }
        if not words & with_spellings(table.request.grade_map, words).keys():
            keys["warnings"] += (warn_unused_words(table.request.grade_map, table.name),)
    if table.implicit:
        count = len(grade)
        some = f"its {counted(count, 'interaction')} count{'s' if count == 1 else ''} as relevant"
        keys["warnings"] += (Warned("no-grades", count, f"{table.name} has no grades: {some}"),)
    return Qrels(**keys, grade=grade, aspect=_aspect(table), choice=table.choice, passages=table.passages)


def decode_ids(table: AnyTable) -> AnyTable:
    """Return a run or judgments with the ids that are not UTF-8 read as cp1252, the encoding of Excel in Western Europe."""
    columns: dict[str, Any] = {}
    count = 0
    for role in ("queries", "doc"):
        column: IdColumn = getattr(table, role)
        wrong = {raw for raw in set(column.tolist()) if not is_text([raw.decode("utf-8", "surrogateescape")])}
        decoded: dict[bytes, bytes] = {}
        for raw in wrong:
            with suppress(UnicodeDecodeError):  # five bytes are no character
                decoded[raw] = raw.decode("cp1252").encode()
        columns[role] = IdColumn.of(decoded.get(raw, raw) for raw in column.tolist()) if decoded else column
        count += len(decoded)
    if not count or len(set(columns["queries"].tolist())) < len(table.queries):
        return table
    text = f"{counted(count, 'id')} of {table.name} {'is' if count == 1 else 'are'} not UTF-8; read as cp1252"
    kept: list[Warned] = [warned for warned in table.warnings if warned.slug != "encoding"]
    return replace(table, **columns, warnings=(*kept, Warned("encoding", count, text)))


def _keys(table: SourceTable) -> dict[str, Any]:
    """Return the arguments that runs and judgments have in common."""
    if not len(table.query):
        _raise_empty(table)
    queries, query, query_kind = group_ids(table.query, table.query_origin or table.origin, "query")
    doc_kind: IdKind
    doc, doc_kind = encode_ids(table.doc, table.origin, "doc") if len(table.doc) else (IdColumn.of([]), "text")
    origin = table.origin
    if table.size is not None:
        if origin.queries is not None:  # without the objects that were read, to free their memory
            origin = replace(origin, queries=queries.take(query), docs=None if origin.docs is None else doc)
        query = np.repeat(query, table.size)
    return {
        "name": table.name,
        "queries": queries,
        "query": query,
        "doc": doc,
        "query_kind": query_kind,
        "doc_kind": doc_kind,
        "where": origin.place,
        "warnings": table.warnings,
    }


def _numbers(table: SourceTable, column: Column) -> Floats:
    """Return scores or grades."""
    what, origin = table.request.number, table.origin
    if table.request.grade_map is not None:
        return _map_grades(table, column, table.request.grade_map)
    if not table.in_text:
        return floats(column, origin, what)
    cells = [cell.strip().encode("utf-8", "surrogateescape") for cell in column]
    values = [parse_number(cell, what) for cell in cells]
    if None in values:
        row = values.index(None)
        where, empty = origin.place(row, what), cells.count(b"")
        if what == "grade" and not cells[row]:  # most such files are lists that are not filled in yet
            have, noun = "has" if empty == 1 else "have", where.column_name or "grade"
            problem, hint = (
                f"{empty} of {len(cells)} rows of {table.name} {have} no {noun}",
                "fill in the missing grades, or drop these rows",
            )
            raise DataError("grade-type", problem, where=where, value="", hint=hint)
        raise_number(cells[row], where, what, origin.describe_row(row))
    return np.array(values, dtype=np.float64)


def _map_grades(table: SourceTable, column: Column, grades: Mapping[str, float]) -> Floats:
    """Return the grades of words; numbers stay."""
    cells = [cell.strip() if isinstance(cell, str) else cell for cell in as_list(column, table.origin, "grade")]
    known, grades = list_columns(grades), with_spellings(grades, cells)
    for row, cell in enumerate(cells):
        if not isinstance(cell, str) or cell in grades:
            continue
        if not table.in_text or not is_decimal(cell.encode("utf-8", "replace")):
            where, hint = table.origin.place(row, "grade"), Hint("add it to {grade_map}", grade_map=None)
            problem = f"unknown grade {shown(cell)}{table.origin.describe_row(row)}; the known words are {known}"
            raise DataError("grade-type", problem, where=where, value=cell, hint=hint)
    values = [grades[cell] if cell in grades else float(cell) if isinstance(cell, str) else cell for cell in cells]
    return floats(values, table.origin, "grade")


def warn_unused_words(grades: Mapping[str, float], name: str) -> Warned:
    """Warn that no grade is one of the words of a map."""
    return Warned("grade-type", len(grades), f"no grade of {name} is one of the words {list_columns(map(str, grades))}")


def with_spellings(grades: Mapping[str, float], words: Iterable[Any]) -> dict[Any, float]:
    """Return the grades of words, also of those that differ from one word of the map only in case, blanks, hyphens or underscores.

    >>> with_spellings({"Exact": 3}, ["exact", "EXACT", "other"])
    {'Exact': 3, 'exact': 3, 'EXACT': 3}
    """
    known = [word for word in grades if isinstance(word, str)]
    meant = {word: same_column(word, known) for word in {w: None for w in words if isinstance(w, str)}}
    return {**grades, **{word: grades[same] for word, same in meant.items() if same is not None}}


def _wrong_rank(column: Column) -> int:
    return first_wrong(len(column), lambda size: ranks(column[:size]))


def _rank(table: SourceTable) -> Ints | None:
    if table.rank is None:
        return None
    rank = ranks(table.rank)
    if rank is None and ("rank" in table.request.named or table.number is None):
        row = _wrong_rank(table.rank)
        hint = "convert the ranks, or provide scores"
        raise table.origin.error("rank-type", "a rank as an integer ≥ 0", row, "rank", value=table.rank[row], hint=hint)
    return rank


def _aspect(table: SourceTable) -> IdColumn | None:
    """Return subtopics, if the column has them or was named by the caller."""
    if table.aspect is None:
        return None
    named = "aspect" in table.request.named
    if isinstance(table.aspect, IdColumn):
        return table.aspect if named or are_subtopics(table.aspect) else None
    values = as_list(table.aspect, table.origin, "aspect")
    kinds = set(map(type, values))
    if not named and (kinds == {type(None)} or (kinds == {str} and not any(values))):
        return None  # a column that was never filled
    text = encode_ids(values, table.origin, "aspect")[0]
    return text if named or are_subtopics(text) else None


def _raise_empty(table: SourceTable) -> None:
    what = table.request.what
    if table.once:
        hint = "convert it to a list, or pass the result of read_run or read_qrels"
        raise DataError("form", f"the {what} is an iterator that has already been read", where=table.name, hint=hint)
    hint = "check that this is the right input and not empty"
    noun = "rankings" if what == "run" else "judgments"
    raise DataError(f"empty-{what}", f"no {noun} found", hint=hint, where=table.name)
