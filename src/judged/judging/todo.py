"""Documents to judge: the list, the scale of grades, who judges what, and the texts that judges read."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from judged.core.resample import whole_seed
from judged.core.tables import Id, Qrels
from judged.errors import DataError, Hint, UsageError, Wording, shown
from judged.io.atomic import write_atomically
from judged.io.cells import Column
from judged.io.columns import NAMES, Role
from judged.io.open_table import open_role_table
from judged.io.read import read_qrels
from judged.io.texts import Texts, read_texts
from judged.registry import choose_one
from judged.tables.result import Result
from judged.tables.table import Table, counted, number, some


@dataclass(frozen=True, slots=True)
class Grade:
    """A grade: its number, its name, and when to give it."""

    number: int
    name: str
    description: str = ""

    def __str__(self) -> str:
        return f"{self.number} = {self.name}" + (f": {self.description}" if self.description else "")


@dataclass(frozen=True, slots=True)
class Scale:
    """The grades that a judge may give, from the lowest up.

    >>> print(Scale.of({0: "Not relevant", 1: "Relevant"}))
    0 = Not relevant
    1 = Relevant
    """

    grades: tuple[Grade, ...]

    def __str__(self) -> str:
        return "\n".join(map(str, self.grades))

    @property
    def numbers(self) -> tuple[int, ...]:
        """The grades as numbers."""
        return tuple(grade.number for grade in self.grades)

    @classmethod
    def of(cls, source: Any) -> Scale:
        """Make a scale from a name (`graded`, `binary`), {number: name}, {number: [name, description]}, or a JSON file of one.

        Raises:
            UsageError: fewer than two grades, a grade that is no integer, or no name.
        """
        if isinstance(source, Scale):
            return source
        if isinstance(source, str | os.PathLike):
            name = os.fspath(source)
            if name in SCALES:
                return SCALES[name]
            try:
                source = json.loads(Path(name).read_text(encoding="utf-8"))
            except (OSError, ValueError) as error:
                cause = error.strerror if isinstance(error, OSError) else error
                problem = f"{shown(name)} is neither a scale nor a JSON file of one ({cause})"
                raise UsageError("scale", problem, hint=choose_one(name, SCALES), value=name) from error
        try:
            grades = sorted((_grade(number, words) for number, words in source.items()), key=lambda grade: grade.number)
        except (ValueError, TypeError, AttributeError):
            grades = []
        if not 2 <= len({grade.number for grade in grades}) == len(grades) <= 10:
            hint = 'write it as {0: "Not relevant", 1: "Relevant"}, with two to ten grades'
            raise UsageError("scale", f"a scale maps integers to names, got {shown(source)}", hint=hint, value=source)
        return cls(tuple(grades))


def _grade(number: Any, words: Any) -> Grade:
    name, description = (words, "") if isinstance(words, str) else words
    if isinstance(number, bool | float) or not name.strip():
        raise ValueError
    return Grade(int(number), name.strip(), description.strip())


SCALES = {
    "graded": Scale(  # from 1 on, the default level of binary measures, a document answers something
        (
            Grade(0, "Not relevant", "does not answer the query, even if it is on the topic"),
            Grade(1, "Partly relevant", "answers part of the query, or the answer is hidden among other matter"),
            Grade(2, "Perfectly relevant", "is devoted to the query and contains the exact answer"),
        )
    ),
    "binary": Scale(
        (
            Grade(0, "Not relevant", "does not help with the query"),
            Grade(1, "Relevant", "helps with the query"),
        )
    ),
}


@dataclass(frozen=True, slots=True)
class Judgment:
    """A grade that a judge gave to a document; `grade` is None if the judge gave no answer.

    Args:
        query, doc: the ids.
        grade: the grade.
        judge: name of the person or the model.
        by: "model", unless it was a person.
        time: when, as ISO 8601 text.
        note: words of the judge.
        grades: all answers, if a model was asked more than once.
    """

    query: Id
    doc: Id
    grade: float | None
    judge: str = ""
    by: str = ""
    time: str = ""
    note: str = ""
    grades: tuple[int, ...] = ()

    def record(self) -> dict[str, Any]:
        """Return the record of a file: fields without information are left out, but for the grade."""
        fields = asdict(self) | {"grades": list(self.grades) if len(self.grades) > 1 else ""}
        return {name: value for name, value in fields.items() if value != ""}


@dataclass(frozen=True, slots=True, repr=False)
class Judgments(Result):
    """Judgments of one or several judges, in the order of the documents."""

    items: tuple[Judgment, ...]
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[Judgment]:
        return iter(self.items)

    @property
    def unanswered(self) -> int:
        """The number of documents without a grade."""
        return sum(item.grade is None for item in self.items)

    @property
    def qrels(self) -> Qrels:
        """The judgments that have a grade, for `evaluate`.

        Raises:
            DataError: none has.
        """
        triples = [(item.query, item.doc, item.grade) for item in self.items if item.grade is not None]
        if not triples:
            raise DataError("empty-qrels", "no document has a grade", hint="look at the notes of the judgments")
        return read_qrels(triples, name=self.items[0].judge or "judgments")

    def headline(self) -> Sequence[str]:
        """Return the number of judgments, and of documents without an answer."""
        queries = len({item.query for item in self.items})
        said = f"{counted(len(self) - self.unanswered, 'judgment')} of {counted(queries, 'query')}"
        return (f"{said}; no answer for {counted(self.unanswered, 'document')}.",)

    def tables(self, *, places: int = 4) -> list[Table]:
        """Return the number of documents with each grade."""
        counts = Counter(item.grade for item in self.items if item.grade is not None)
        rows = tuple((number(grade, 0), f"{counts[grade]:,}") for grade in sorted(counts))
        return [Table(("grade", "documents"), rows, notes=self.notes)]

    def records(self) -> list[dict[str, Any]]:
        """Return one mapping per judgment, all with the same keys."""
        names = ("query", "doc", "grade", "judge", "time", "note")
        return [{name: getattr(item, name) for name in names} for item in self.items]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write one JSON record per line, which every reader of judgments takes; documents without an answer are left out."""
        with write_atomically(path) as file:
            lines = (json.dumps(item.record(), ensure_ascii=False) for item in self.items if item.grade is not None)
            file.writelines(f"{line}\n" for line in lines)


@dataclass(frozen=True, slots=True)
class TodoItem:
    """A document to judge.

    Args:
        query, doc: the ids.
        rank: the best rank that a run gave it; 0 if unknown.
        runs: names of the runs that retrieved it.
        reason: why it should be judged, in words.
    """

    query: Id
    doc: Id
    rank: int = 0
    runs: tuple[str, ...] = ()
    reason: str = ""

    def record(self) -> dict[str, Any]:
        """Return what a file contains of it: fields without information are left out."""
        fields = asdict(self) | {"runs": list(self.runs)}
        return {name: value for name, value in fields.items() if value or name in ("query", "doc")}


@dataclass(frozen=True, slots=True, repr=False)
class Todo(Result):
    """Documents to judge, in the order in which they should be judged.

    >>> todo = Todo((TodoItem("q1", "d7", rank=1, runs=("bm25", "dense")),))
    >>> [item.doc for item in todo]
    ['d7']
    """

    items: tuple[TodoItem, ...]
    title: str = "documents to judge"
    notes: tuple[str, ...] = ()
    answer: str = ""  # whether judging them can change anything

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[TodoItem]:
        return iter(self.items)

    def headline(self) -> Sequence[str]:
        """Return whether judging can change anything, and the number of documents and queries."""
        queries = len({item.query for item in self.items})
        count = f"{counted(len(self), 'document')} to judge, of {counted(queries, 'query')}."
        return (self.answer, count) if self.answer else (count,)

    def tables(self, *, places: int = 4) -> list[Table]:
        """Return the documents as one table; columns that say nothing are left out."""
        if not self.items:
            return []
        headers = ("query", "doc", "rank", "runs", "reason")
        rows = tuple(
            (str(item.query), str(item.doc), str(item.rank or ""), ", ".join(item.runs), item.reason)
            for item in self.items
        )
        table = Table(headers, rows, title=self.title, notes=self.notes, words=(0, 1, 3, 4), optional=(3,))
        return [table.without(frozenset(i for i in range(2, 5) if not any(row[i] for row in rows)))]

    def records(self) -> list[dict[str, Any]]:
        """Return one mapping per document, all with the same keys."""
        return [asdict(item) | {"rank": item.rank or None, "runs": " ".join(item.runs)} for item in self.items]

    def to_data(self) -> list[dict[str, Any]]:
        """Return the records of a file."""
        return [item.record() for item in self.items]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the documents as JSON Lines, one record per document; `read_todo` reads them. CSV if the name ends in .csv."""
        with write_atomically(path) as file:
            if Path(path).suffix == ".csv":
                file.write(self.to_csv())
            else:
                file.writelines(json.dumps(item.record(), ensure_ascii=False) + "\n" for item in self.items)


def read_todo(source: Any) -> Todo:
    """Read documents to judge: a file that `Todo.save` wrote, any table with columns of query and document ids, or pairs of ids.

    Raises:
        DataError: a document is listed twice for a query.
    """
    if isinstance(source, Todo):
        return source
    if isinstance(source, list | tuple) and all(isinstance(pair, tuple) and len(pair) == 2 for pair in source):
        source = [{"query": query, "doc": doc} for query, doc in source]
    try:
        table = open_role_table(source, "documents to judge", _ROLES)
    except DataError as error:
        raise error.changed(slug="runs") if error.slug == "columns" else error from None
    query, doc = table.ids["query"], table.ids["doc"]
    columns = {role: column.tolist() for role, column in table.numbers.items()}
    items: list[TodoItem] = []
    seen: dict[tuple[int, int], int] = {}
    for row, (q, d) in enumerate(zip(query.code.tolist(), doc.code.tolist(), strict=True)):
        if (q, d) in seen:
            problem = f"duplicate document {shown(doc.ids[d])} in query {shown(query.ids[q])}; first at {table.place(seen[q, d], 'doc')}"
            raise DataError("duplicate-doc", problem, where=table.place(row, "doc"), value=doc.ids[d])
        seen[q, d] = row
        found = {role: column[row] for role, column in columns.items()}
        items.append(TodoItem(query.ids[q], doc.ids[d], **found))
    return Todo(tuple(items))


def _cells(read: Callable[[Any], Any], empty: Any) -> Callable[[Column], NDArray[Any] | None]:
    """Return a reader of a column: the value of each cell, `empty` for an empty one; None if a cell has none."""

    def values(column: Column) -> NDArray[Any] | None:
        found = np.empty(len(column), dtype=object)
        try:
            for row, cell in enumerate(column):
                found[row] = empty if cell is None or cell == "" or cell != cell else read(cell)
        except (ValueError, TypeError, OverflowError):
            return None
        return found

    return values


def _count(cell: Any) -> int:
    if int(cell) < 0:
        raise ValueError
    return int(cell)


def _names_of(cell: Any) -> tuple[str, ...]:
    """Return the names of a list, or of words separated by blanks."""
    return tuple(map(str, cell.split() if isinstance(cell, str) else cell))


_ROLES = {
    "query": Role(NAMES["query"], "query ids (query, query_id, qid …)"),
    "doc": Role(NAMES["doc"], "document ids (doc, doc_id, docno …)"),
    "rank": Role((("rank",),), "best ranks", _cells(_count, 0), False, "an integer ≥ 0", "rank-type"),
    "runs": Role((("runs",),), "names of runs", _cells(_names_of, ()), False, "a list of names"),
    "reason": Role((("reason",),), "reasons", _cells(str, ""), False, "text"),
}


Missing = Literal["error", "skip"]


def texts_to_judge(
    items: Sequence[TodoItem],
    doc_texts: Any,
    query_texts: Any = None,
    missing: Missing = "error",
    different: set[str] | None = None,
) -> list[tuple[str, Texts] | None]:
    """Return the text of the query and of the document, for each document to judge; None where one is missing.

    Args:
        items: documents to judge.
        doc_texts: texts of documents, as `read_texts` reads them.
        query_texts: texts of queries; None: the ids are the texts.
        missing: what to do if a text is missing: raise an error, or leave it out.
        different: a set to which ids of documents with several different texts are added; the first text counts.

    Raises:
        DataError: a text is missing.
    """
    docs = read_texts(doc_texts, {str(item.doc) for item in items}, different=different)
    ids = {str(item.query) for item in items}
    queries = None if query_texts is None else read_texts(query_texts, ids, kind="queries")
    found: list[tuple[str, Texts] | None] = []
    absent: list[str] = []
    for item in items:
        document = docs.get(str(item.doc))
        query = str(item.query) if queries is None else whole_text(queries.get(str(item.query)))
        if document is None or whole_text(document) is None or query is None:
            absent.append(str(item.query if query is None else item.doc))
            found.append(None)
        else:
            found.append((query, document))
    if absent and missing == "error":
        skip = Wording("missing='skip'", "--skip-missing")
        hint = Hint("add the texts, or leave the documents out with {skip}", skip=skip)
        problem = f"no text for {counted(len(absent), 'document or query', 'documents or queries')}: {some(absent)}"
        raise DataError("no-text", problem, hint=hint)
    return found


def whole_text(texts: Texts | None) -> str | None:
    """Return title and text; None if there is neither."""
    parts = [] if texts is None else [part for part in (texts.title, texts.text) if part]
    return "\n".join(parts) if parts else None


_MOST = 100


def assign(
    items: Sequence[TodoItem], judges: Any = None, overlap: Any = 0.2, seed: int = 0
) -> dict[str, tuple[int, ...]]:
    """Give each query to one judge, who judges all its documents, and a share of its documents to the other judges too.

    Returns:
        The documents of each judge by name, as positions in `items`, in the order in which to judge them; of one empty name if anyone may judge everything.

    So the grades of a query are consistent, and the agreement of judges can be measured on every query. The number of documents per judge is
    balanced. Queries keep their order; the documents of a query are shuffled, for each judge differently.

    Args:
        items: documents to judge.
        judges: names of the judges, or their number; None: anyone judges everything.
        overlap: share of the documents that every judge judges, 0 to 1.
        seed: random seed.

    >>> found = assign([TodoItem("q1", "a"), TodoItem("q2", "b"), TodoItem("q2", "c")], ["ann", "bob"], overlap=0)
    >>> {judge: sorted(order) for judge, order in found.items()}
    {'ann': [1, 2], 'bob': [0]}
    """
    names = _names(judges)
    if isinstance(overlap, bool) or not isinstance(overlap, int | float | np.number) or not 0 <= overlap <= 1:
        raise UsageError("parameter", f"overlap must be a number from 0 to 1, got {shown(overlap)}", value=overlap)
    rng = np.random.default_rng(whole_seed(seed))
    queries: dict[Any, list[int]] = {}
    for position, item in enumerate(items):
        queries.setdefault(str(item.query), []).append(position)
    shared = _shared(list(queries.values()), float(overlap) if len(names) > 1 else 0.0, rng)
    owner = _owners([len(places) - len(shared & set(places)) for places in queries.values()], len(names))
    orders = {}
    for judge, name in enumerate(names):
        order: list[int] = []
        for query, places in enumerate(queries.values()):
            own = [place for place in places if owner[query] == judge or place in shared]
            order.extend(own[i] for i in rng.permutation(len(own)).tolist())
        orders[name] = tuple(order)
    return orders


def _names(judges: Any) -> tuple[str, ...]:
    if judges is None:
        return ("",)
    if isinstance(judges, int | np.integer) and not isinstance(judges, bool) and 1 <= judges <= _MOST:
        return tuple(f"judge {i + 1}" for i in range(judges))
    names = tuple(judges) if isinstance(judges, list | tuple) else (judges,)
    good = all(isinstance(name, str) and name.strip() for name in names) and 1 <= len(set(names)) == len(names)
    if not good or len(names) > _MOST:
        problem = f"judges must be different names, or a number from 1 to {_MOST}, got {shown(judges)}"
        raise UsageError("names", problem, value=judges)
    return tuple(name.strip() for name in names)


def _shared(queries: Sequence[Sequence[int]], share: float, rng: np.random.Generator) -> set[int]:
    """Choose the share of each query at random. What rounding leaves is carried to the next query, so that the total is right."""
    chosen: set[int] = set()
    seen = 0
    for places in queries:
        seen += len(places)
        count = min(len(places), round(share * seen) - len(chosen))
        chosen.update(places[i] for i in rng.permutation(len(places))[:count].tolist())
    return chosen


def _owners(sizes: Sequence[int], judges: int) -> dict[int, int]:
    """Return the judge of each query: from the largest query on, the one who has the fewest documents."""
    loads = [0] * judges
    owner: dict[int, int] = {}
    for query in sorted(range(len(sizes)), key=lambda query: -sizes[query]):
        owner[query] = loads.index(min(loads))
        loads[owner[query]] += sizes[query]
    return owner
