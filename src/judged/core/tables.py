"""Judgments and rankings as columns, as the readers return them; ids as bytes in one buffer, with no Python string per row."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Hashable, ItemsView, Iterable, Iterator, KeysView, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import partial
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from judged._types import Bools, Floats, Ints, Words
from judged.core.native import native
from judged.errors import Place, UsageError, Warned
from judged.tables.result import ArrowTable, RecordTable, utf8_ids
from judged.tables.table import counted

_WIDE = 64  # ids longer than this are hashed and compared one by one
_QUERIES, _DOCS = 5, 3  # that a notebook shows
_BLOCK = 1 << 17  # rows at a time: their data fits into the processor's cache
_ODD = np.uint64(0x9E3779B97F4A7C15)
_MIX = np.uint64(0xBF58476D1CE4E5B9)
_MASKS = np.array([(1 << (8 * k)) - 1 for k in range(8)] + [(1 << 64) - 1], dtype=np.uint64)


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class IdColumn:
    """Ids as slices of one buffer. Equality and order are those of the bytes.

    The buffer ends with eight padding bytes, so that words can be read past the end of an id.
    """

    buffer: NDArray[np.uint8]
    start: Ints
    length: Ints

    @classmethod
    def of(cls, items: Iterable[bytes]) -> IdColumn:
        blobs = list(items)
        length = np.fromiter(map(len, blobs), np.int64, len(blobs))
        start = np.concatenate([np.zeros(1, np.int64), np.cumsum(length)[:-1]]) if blobs else length
        return cls(np.frombuffer(b"".join(blobs) + bytes(8), np.uint8), start, length)

    @classmethod
    def concatenate(cls, columns: Sequence[IdColumn]) -> IdColumn:
        """Return the ids of several columns as one."""
        shifts = np.cumsum([0, *(len(column.buffer) for column in columns[:-1])])
        return cls(
            np.concatenate([column.buffer for column in columns]),
            np.concatenate([column.start + shift for column, shift in zip(columns, shifts, strict=True)]),
            np.concatenate([column.length for column in columns]),
        )

    def __len__(self) -> int:
        return len(self.start)

    def __getitem__(self, row: int) -> bytes:
        start = int(self.start[row])
        return self.buffer[start : start + int(self.length[row])].tobytes()

    def tolist(self) -> list[bytes]:
        pairs = zip(self.start.tolist(), (self.start + self.length).tolist(), strict=True)
        if 4 * int(self.length.sum()) > len(self.buffer):  # most of the buffer: slices of bytes are the quickest
            whole = self.buffer.tobytes()
            return [whole[a:b] for a, b in pairs]
        data = self.buffer.data
        return [bytes(data[a:b]) for a, b in pairs]

    def texts(self) -> list[str]:
        """Decode the ids; bytes that are not UTF-8 are kept."""
        if not len(self):
            return []
        # No id contains a zero byte, and no character contains the byte of another one: all are decoded in one call.
        return b"\0".join(self.tolist()).decode("utf-8", "surrogateescape").split("\0")

    def take(self, rows: Ints | Bools | slice) -> IdColumn:
        return IdColumn(self.buffer, self.start[rows], self.length[rows])

    def arrays(self) -> tuple[NDArray[np.uint8], Ints, Ints]:
        """Return the columns as the native core takes them."""
        plain = np.ascontiguousarray
        return plain(self.buffer), plain(self.start, np.int64), plain(self.length, np.int64)

    def compact(self) -> IdColumn:
        """Copy the ids into a buffer that contains nothing else."""
        end = np.cumsum(self.length)
        start = end - self.length
        size = int(end[-1]) if len(end) else 0
        buffer = np.zeros(size + 8, np.uint8)
        for row in range(0, len(self), _BLOCK):  # the position of every byte of every id takes eight times their memory
            rows = slice(row, row + _BLOCK)
            target = slice(int(start[row]), int(end[rows][-1]))
            at = np.repeat(self.start[rows] - start[rows], self.length[rows])
            buffer[target] = self.buffer[at + np.arange(target.start, target.stop)]
        return IdColumn(buffer, start, self.length)

    def words(self, rows: Ints, position: int) -> Words:
        """Bytes 8·position … 8·position+7 of each id as one little-endian word, zero-padded."""
        step = 8 * position
        view: Words = np.ndarray((len(self.buffer) - 7,), "<u8", self.buffer, strides=(1,))
        left = np.minimum(np.maximum(self.length[rows] - step, 0), 8)
        at = np.minimum(self.start[rows] + step, len(self.buffer) - 8)
        return view[at] & _MASKS[left]

    def hash(self) -> Words:
        """A 64-bit hash of each id; equal ids have equal hashes, on every machine."""
        blocks = [self.take(slice(at, at + _BLOCK)) for at in range(0, len(self), _BLOCK)]
        return np.concatenate([_hash_block(block) for block in blocks]) if blocks else np.empty(0, np.uint64)

    def same(self, rows: Ints, other: IdColumn, others: Ints) -> Bools:
        """Return whether id `rows[i]` of this column equals id `others[i]` of the other, byte for byte."""
        equal: Bools = self.length[rows] == other.length[others]
        widest = int(self.length[rows].max(initial=0))
        for position in range((min(widest, _WIDE) + 7) // 8):
            equal &= self.words(rows, position) == other.words(others, position)
        for i in np.flatnonzero(equal & (self.length[rows] > _WIDE)):
            equal[i] = self[int(rows[i])] == other[int(others[i])]
        return equal

    def order(self, *major: Ints | Floats) -> Ints:
        """Row order by the `major` keys (first is most significant), then by id, ascending by bytes."""
        widest = int(self.length.max(initial=0))
        if widest > _WIDE:
            ids = self.tolist()
            keys = list(zip(*(k.tolist() for k in major), ids, strict=True))
            return np.array(sorted(range(len(ids)), key=keys.__getitem__), dtype=np.int64)
        words = [self._word(p) for p in range((widest + 7) // 8)]
        return np.lexsort([*reversed(words), *reversed(major)]) if words or major else np.arange(len(self))

    def distinct(self) -> tuple[IdColumn, Ints]:
        """Return the distinct ids in order, and the index of each row's id among them."""
        if not len(self):
            return self, np.empty(0, np.int64)
        order = self.order()
        new = np.concatenate([[True], ~self.same(order[1:], self, order[:-1])])
        code = np.empty(len(self), np.int64)
        code[order] = np.cumsum(new) - 1
        return self.take(order[new]), code

    def _word(self, position: int) -> Words:
        """Bytes 8·position … 8·position+7 of each id as one word, ordered like the bytes."""
        out = np.empty(len(self), np.uint64)
        for row in range(0, len(self), _BLOCK):
            out[row : row + _BLOCK] = self.words(np.arange(row, min(row + _BLOCK, len(self))), position)
        return out.byteswap(inplace=True)


def _hash_block(ids: IdColumn) -> Words:
    rows = np.arange(len(ids))
    code = ids.length.astype(np.uint64) * _ODD
    widest = int(ids.length.max(initial=0))
    for position in range((min(widest, _WIDE) + 7) // 8):
        if position:  # most ids are short: later words touch fewer rows
            rows = rows[ids.length[rows] > 8 * position]
        word = (code[rows] ^ ids.words(rows, position)) * _MIX
        code[rows] = word ^ (word >> np.uint64(29))
    for row in np.flatnonzero(ids.length > _WIDE):
        import hashlib

        digest = hashlib.blake2b(ids[int(row)], digest_size=8).digest()
        code[row] ^= np.uint64(int.from_bytes(digest, "little"))
    return code


def as_text(raw: bytes) -> str:
    """Decode an id; bytes that are not UTF-8 are kept."""
    return raw.decode("utf-8", "surrogateescape")


def raw_id(query: Id) -> bytes:
    """The bytes of a query id in the file."""
    return str(query).encode("utf-8", "surrogateescape")


# ── judgments and rankings as columns ─────────────────────────────────────────────────────────────


class Kept(dict[Hashable, Any]):
    """Results by key. Copies and pickles of the object begin without any: results may be large, or belong to this process."""

    def __reduce__(self) -> tuple[Any, ...]:
        return Kept, ()


class Deferred:
    """An attribute of an immutable object: a value, or a function of the object that returns it at its first use.

    Ids as `Names` are decoded at the first use.

    >>> class Sum:
    ...     total = Deferred("total")
    >>> some = Sum()
    >>> some.total = lambda owner: 1 + 2
    >>> some.total
    3
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __set__(self, owner: Any, value: Any) -> None:
        vars(owner)[self._name] = value

    def __get__(self, owner: Any, cls: type) -> Any:
        if owner is None:
            return self
        value = vars(owner)[self._name]
        if callable(value):
            value = vars(owner)[self._name] = value(owner)
        return value.decode() if isinstance(value, Names) else value


Id = Hashable
IdKind = Literal["text", "integer", "other"]
READERS: dict[str, Callable[..., Any]] = {}  # of sources, by the name of the class; `io/read.py` adds them


def decoded(ids: IdColumn, kind: IdKind) -> list[Id]:
    """Ids as text, or as integers if they were integers."""
    texts = ids.texts()
    return [int(text) for text in texts] if kind == "integer" else list(texts)


def order_by_id(ids: IdColumn, kind: IdKind) -> Ints:
    """Return the order of ids: integers by value, others by bytes."""
    return np.argsort(np.array(decoded(ids, kind), object)) if kind == "integer" else ids.order()


class Names(Sequence[Id]):
    """Ids of queries, like a tuple of them; they are decoded when they are needed, which most evaluations never do.

    `decode` makes the tuple, which is what users see: `Judged.queries`, `Values.queries`.
    """

    __slots__ = ("_all", "_ids", "_kind")

    def __init__(self, ids: IdColumn, kind: IdKind) -> None:
        self._ids, self._kind = ids, kind
        self._all: tuple[Id, ...] | None = None

    def decode(self) -> tuple[Id, ...]:
        """Return the ids as a tuple, which is kept."""
        if self._all is None:
            self._all = tuple(decoded(self._ids, self._kind))
        return self._all

    def __len__(self) -> int:
        return len(self._ids.start)

    def __getitem__(self, at: Any) -> Any:
        return self.decode()[at]

    def __iter__(self) -> Iterator[Id]:
        return iter(self.decode())

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, tuple | Names) and tuple(other) == self.decode())

    def __hash__(self) -> int:
        return hash(self.decode())

    def __reduce__(self) -> tuple[Any, ...]:
        return Names, (self._ids.compact(), self._kind)


def _nowhere(row: int) -> Place:
    return Place(f"row {row + 1}")


def _place(where: Callable[[int], Place], rows: Ints, row: int) -> Place:
    return where(int(rows[row]))


def unknown_row(name: str, row: int) -> Place:
    """The place of a row from another machine: only the name of the run is known."""
    return Place(name)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class HasName:
    """Input with a name, and the path if it is a file.

    `files` are the absolute paths of its source: of a file, an open file, or a directory. An output must not replace them. `opened` is the
    file as it was opened, to be read again.
    """

    name: str
    path: str | None = None
    files: tuple[str, ...] = ()
    opened: str | os.PathLike[str] | None = None

    @property
    def label(self) -> str:
        """The name that the caller gave, or that of the file without folders."""
        if self.path is not None and self.name != self.path:
            return self.name
        return self.name.rstrip("/").rpartition("/")[2]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class Passages:
    """Documents, spans and token counts of chunks; None for what is unknown.

    `start` and `end` count characters of the document (or tokens), the end not included.
    """

    doc: IdColumn | None = None  # the document that contains the chunk
    start: Ints | None = None
    end: Ints | None = None
    tokens: Ints | None = None  # -1 for a chunk without a count
    score: Floats | None = None  # the original score, if the order of a list decides

    @property
    def spans(self) -> bool:
        """True if document, start and end of each chunk are known."""
        return self.doc is not None and self.start is not None and self.end is not None

    def take(self, rows: Ints | Bools) -> Passages:
        """Return the columns of some rows."""
        known = {spec.name: getattr(self, spec.name) for spec in fields(self)}
        return Passages(**{name: _take(column, rows) for name, column in known.items()})


def _take(column: Any, rows: Ints | Bools) -> Any:
    return column.take(rows) if isinstance(column, IdColumn) else None if column is None else column[rows]


class _ReadsSources(type):
    """Makes `Run(source)` the same as `read_run(source)`."""

    def __call__(cls, *source: Any, **columns: Any) -> Any:
        if not source and not columns:
            hint = f"pass a mapping, a frame or a file: jd.{cls.__name__}({{'q1': {{'doc1': 1}}}})"
            raise UsageError("columns", f"jd.{cls.__name__} needs a source", hint=hint)
        return READERS[cls.__name__](*source, **columns) if source else super().__call__(**columns)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class _IdTable(HasName, ArrowTable, metaclass=_ReadsSources):
    """Rows of (query, doc): `query` indexes `queries`; ids are text, whatever type they had."""

    _number: ClassVar[tuple[str, str]]  # the attribute of the numbers, and their name in a table
    queries: IdColumn  # each query id once, in order of appearance
    query: Ints
    doc: IdColumn
    query_kind: IdKind = "text"
    doc_kind: IdKind = "text"
    where: Callable[[int], Place] = field(default=_nowhere, repr=False)
    warnings: tuple[Warned, ...] = ()
    passages: Passages | None = None

    __hash__ = None  # type: ignore[assignment]  # like other mappings

    def __eq__(self, other: object) -> bool:
        """The same mapping of queries to documents with numbers, in any order and of any name.

        Judgments also have the same aspects, sets and spans. The rank column of a run is not compared.
        """
        if self is other or not isinstance(other, type(self)):
            return True if self is other else NotImplemented
        return self.keys() == other.keys() and Counter(self._rows()) == Counter(other._rows())

    def _rows(self) -> Iterator[tuple[Any, ...]]:
        ids, spans = decoded(self.queries, self.query_kind), self.passages
        more = [getattr(self, name, None) for name in ("aspect", "sub", "choice")]
        more += [getattr(spans, name, None) for name in ("start", "end")]
        columns = [column.tolist() for column in (getattr(self, self._number[0]), *more) if column is not None]
        return zip(map(ids.__getitem__, self.query.tolist()), decoded(self.doc, self.doc_kind), *columns, strict=True)

    def __len__(self) -> int:
        """The number of queries."""
        return len(self.queries)

    def __iter__(self) -> Iterator[Id]:
        return iter(decoded(self.queries, self.query_kind))

    def keys(self) -> KeysView[Id]:
        """The queries, in order of appearance."""
        return dict.fromkeys(self).keys()

    def items(self) -> ItemsView[Id, dict[Id, float]]:
        """The queries with their documents, as in `to_dict`."""
        return self.to_dict().items()

    def __getitem__(self, query: Id) -> dict[Id, float]:
        """{doc: number} of one query: scores of a run, or grades of judgments, of several aspects the highest."""
        ids = decoded(self.queries, self.query_kind)
        if query not in ids:
            raise KeyError(query)
        return self.take(self.query == ids.index(query)).to_dict()[query]

    def to_dict(self) -> dict[Id, dict[Id, float]]:
        """{query: {doc: number}}: scores of a run, or grades of judgments, of several aspects the highest."""
        ids, docs = decoded(self.queries, self.query_kind), decoded(self.doc, self.doc_kind)
        table: dict[Id, dict[Id, float]] = {query: {} for query in ids}
        for at, doc, number in zip(self.query.tolist(), docs, getattr(self, self._number[0]).tolist(), strict=True):
            row = table[ids[at]]
            row[doc] = max(number, row.get(doc, number))
        return table

    def to_columns(self) -> dict[str, Any]:
        """{name: column}: query_id, doc_id and score or relevance, one row per row of the source."""
        ids, (attribute, name) = utf8_ids(list(self)), self._number
        docs = utf8_ids(decoded(self.doc, self.doc_kind))
        return {"query_id": [ids[at] for at in self.query.tolist()], "doc_id": docs, name: getattr(self, attribute)}

    def take(self, rows: Ints | Bools) -> Self:
        """Return the same queries with some of the rows."""
        where = partial(_place, self.where, np.arange(len(self.query))[rows])
        columns: dict[str, Any] = {"query": self.query[rows], "doc": self.doc.take(rows), "where": where}
        known = ("score", "rank", "grade", "aspect", "sub", "choice")
        columns |= {name: _take(getattr(self, name), rows) for name in known if hasattr(self, name)}
        kept = None if self.passages is None else self.passages.take(rows)
        return replace(self, **columns, passages=kept)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.label!r}, {self._size})"

    @property
    def _size(self) -> str:
        return f"{counted(len(self), 'query')}, {counted(len(self.query), 'row')}"

    def _repr_html_(self) -> str:
        """The first documents of the first queries, with their numbers."""
        first = (np.flatnonzero(self.query == at)[:_DOCS] for at in range(_QUERIES))
        columns = {k: tuple(column) for k, column in self.take(np.concatenate([*first])).to_columns().items()}
        return RecordTable(columns, ("query_id", "doc_id"), f"{self.label}: {self._size}")._repr_html_()


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class Run(_IdTable):
    """Rankings: documents with the scores that a system gave them, per query.

    `jd.Run(source)`, the same as `jd.read_run(source)`, makes one from a mapping, a frame or a file.

    >>> import judged as jd
    >>> run = jd.Run({"q1": {"a": 0.9, "b": 0.4}}, name="bm25")
    >>> run
    Run('bm25', 1 query, 2 rows)
    >>> run["q1"]
    {'a': 0.9, 'b': 0.4}
    """

    _number: ClassVar[tuple[str, str]] = ("score", "score")
    score: Floats
    rank: Ints | None = None  # the rank column, if there is one
    wrong_rank: tuple[Place, str] | None = None  # the first cell of a rank column that is not an integer ≥ 0
    tag: str = ""
    scored: bool = True  # False if the scores are made of ranks, or of positions in lists
    texts: Callable[[], Sequence[dict[str, str]]] | None = None  # reads those of questions and of chunks, by id


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class Qrels(_IdTable):
    """Judgments: documents with the grades that a judge gave them.

    `jd.Qrels(source)`, the same as `jd.read_qrels(source)`, makes them from a mapping, a frame or a file.
    `aspect` distinguishes judgments of one document: a subtopic, or a group of judges; `sub` divides an
    aspect further (the sub-groups of preference judgments). `choice` numbers the alternative sets of a query.
    With `passages` that have spans, parts of documents are judged, and `overlap` is the rule by which chunks match them.
    """

    _number: ClassVar[tuple[str, str]] = ("grade", "relevance")
    grade: Floats
    aspect: IdColumn | None = None
    sub: IdColumn | None = None
    choice: Ints | None = None
    overlap: str = "any"
    questions: bool = False  # of a question file, in which a question without relevant documents has no answer
    results: Kept = field(default_factory=Kept, init=False, compare=False)  # such as the pool, which all runs share

    def __post_init__(self) -> None:
        for name in ("query", "grade"):  # an array that changes would contradict what is kept of it
            column = getattr(self, name).view()
            column.flags.writeable = False
            object.__setattr__(self, name, column)


NO_SUBTOPIC = (b"0", b"Q0")


def are_subtopics(column: IdColumn) -> bool:
    """Return whether the second column of judgments has subtopics: not if it is 0 or Q0 throughout, as in files without any."""
    rows = np.arange(len(column))
    return bool(len(rows)) and not (column[0] in NO_SUBTOPIC and column.same(rows, column, np.zeros_like(rows)).all())


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Questions:
    """The retrieved chunks of each question as a run, the relevant ones as judgments."""

    qrels: Qrels
    run: Run

    def __repr__(self) -> str:
        return f"Questions(qrels={self.qrels!r}, run={self.run!r})"

    def named(self, name: str) -> Questions:
        """Return the questions with a name for the run."""
        return replace(self, run=replace(self.run, name=name))


def read_dict(table: dict[Any, Any]) -> tuple[dict[str, Any], Floats] | None:
    """Return the columns and the numbers of nested dicts; None if only the reference can read them, or they have no rows."""
    columns = native and native.read_dict(table)
    if not columns:
        return None
    queries, query, doc, number, *integer = columns
    query_kind, doc_kind = ("integer" if one else "text" for one in integer)
    ids = {"queries": IdColumn(*queries), "query": query, "doc": IdColumn(*doc)}
    return {**ids, "query_kind": query_kind, "doc_kind": doc_kind}, number
