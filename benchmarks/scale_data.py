"""Runs of millions of rows in Parquet, the same rows on every machine, a file's worth in memory at a time.

A row is found by its place: a permutation of all places (a Feistel network, walked until it falls inside) says which document of which query
stands there. So every file is made by itself, rows of all queries are shuffled over all files, and nothing is ever sorted or held.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

__all__ = ["JUDGMENTS", "PER_FILE", "Data", "Shape", "difference", "make"]

Ints = NDArray[np.uint64]

PER_FILE = 625_000
JUDGMENTS = 22  # a query
FOUND, POOL = 14, 250  # of them, among the first so many of a ranking, the nearer to the top the likelier
ELSEWHERE = 1_000_000  # no ranking is as deep: the others are not retrieved
QUERIES = 20_000  # of runs up to 40 million rows: they differ in depth alone, and hold the same judged documents
DOCS = 8_841_823  # a prime: steps of any length meet every document once before they meet one again
GRADES = np.array([0, 0, 0, 0, 0, 1, 1, 2, 2, 3])
FORM = "v2"  # part of the folder's name: another form of the data is another folder
ROUNDS = 4


@dataclass(frozen=True)
class Shape:
    """A run of `queries` × `depth` rows."""

    queries: int
    depth: int

    @classmethod
    def of(cls, millions: float, depth: int | None = None) -> Shape:
        """Up to 40 million rows the queries and judgments stay the same, and the depth grows; above it is 1,000."""
        rows = round(millions * 1_000_000)
        if depth is None:
            depth = max(50, rows // QUERIES) if rows <= 2_000 * QUERIES else 1_000
        return cls(rows // depth, depth)

    @classmethod
    def named(cls, name: str) -> Shape:
        """The inverse of `str`."""
        return cls(*(int(number) for number in re.findall(r"\d+", name)))

    def __str__(self) -> str:
        return f"{self.queries}x{self.depth}"

    @property
    def rows(self) -> int:
        return self.queries * self.depth

    @property
    def files(self) -> int:
        return math.ceil(self.rows / PER_FILE)


@dataclass(frozen=True)
class Data:
    """Where a collection lies."""

    folder: Path

    @property
    def run(self) -> Path:
        return self.folder / "run"

    @property
    def qrels(self) -> Path:
        return self.folder / "qrels.parquet"

    @property
    def bytes(self) -> int:
        return sum(path.stat().st_size for path in self.run.iterdir())

    def warm(self) -> None:
        """Read every byte once, so that the first contender does not wait for the disk on behalf of the others."""
        for path in (self.qrels, *self.run.iterdir()):
            with path.open("rb") as file:
                while file.read(1 << 24):
                    pass


def make(shape: Shape, folder: Path, tell: Callable[[str], None] = lambda text: None) -> Data:
    """The collection, made unless it is there; files that an interrupted run has left are kept."""
    data = Data(folder / f"{FORM}-{shape}")
    data.run.mkdir(parents=True, exist_ok=True)
    paths = [data.run / f"part-{number:05d}.parquet" for number in range(shape.files)]
    missing = [(number, path) for number, path in enumerate(paths) if not path.exists()]
    if missing:
        tell(f"making {len(missing)} files of {PER_FILE:,} rows in {data.run}")
    for number, path in missing:
        _write(path, iter([_rows(shape, number)]))
    if not data.qrels.exists():
        _write(data.qrels, _judgments(shape.queries))
    return data


def difference(values: Path, wanted: Path) -> tuple[float, int]:
    """The largest difference of two files of values per query, and how many values differ at all.

    Raises:
        ValueError: they are not of the same queries.
    """
    a, b = (pq.read_table(path).sort_by("query") for path in (values, wanted))
    if a["query"].to_pylist() != b["query"].to_pylist():
        raise ValueError(f"values of {len(a)} queries in {values.name}, of {len(b)} in {wanted.name}, not of the same")
    # The columns stand in the same order; @ is no part of a name in SQL.
    apart = np.array([abs(x.to_numpy() - y.to_numpy()) for x, y in zip(a.columns[1:], b.columns[1:], strict=True)])
    if np.isnan(apart).any():
        raise ValueError(f"a value in {values.name} or {wanted.name} is missing")
    return float(apart.max()), int((apart > 0).sum())


def _write(path: Path, tables: Iterator[pa.Table]) -> None:
    """A file that is there is whole."""
    part = path.with_name(f".{path.name}.part")  # readers of folders pass over names with a dot in front
    first = next(tables)
    with pq.ParquetWriter(part, first.schema, compression="zstd") as writer:
        writer.write_table(first)
        for table in tables:
            writer.write_table(table)
    part.replace(path)


def _rows(shape: Shape, number: int) -> pa.Table:
    places = np.arange(number * PER_FILE, min(shape.rows, (number + 1) * PER_FILE), dtype=np.uint64)
    query, item = np.divmod(_shuffled(places, shape.rows), np.uint64(shape.depth))
    # Two decimals: some of a query's documents tie, most often with one in another file.
    score = np.round(30 * np.exp(item / (-0.4 * shape.depth)) + 3 * _uniform(query, item, salt=1), 2)
    return pa.table({"query": _ids(b"q", query), "doc": _ids(b"D", _doc(query, item)), "score": score})


def _judgments(queries: int) -> Iterator[pa.Table]:
    """One document from each of 14 strata at the top of a ranking, whose widths grow downwards, and eight from elsewhere."""
    place = np.arange(FOUND + 1) / FOUND
    edge = np.round(place * FOUND + (POOL - FOUND) * place**3).astype(np.uint64)
    rest = JUDGMENTS - FOUND
    start = np.concatenate([edge[:-1], ELSEWHERE + np.arange(rest, dtype=np.uint64)])
    width = np.concatenate([np.diff(edge), np.ones(rest, np.uint64)])
    for first in range(0, queries, 50_000):
        some = np.arange(first, min(first + 50_000, queries), dtype=np.uint64)
        query, stratum = np.repeat(some, JUDGMENTS), np.tile(np.arange(JUDGMENTS, dtype=np.uint64), len(some))
        within = _uniform(query, stratum, salt=2) * np.tile(width, len(some))
        item = np.tile(start, len(some)) + within.astype(np.uint64)
        grade = GRADES[(_uniform(query, stratum, salt=3) * len(GRADES)).astype(np.int64)]
        yield pa.table({"query": _ids(b"q", query), "doc": _ids(b"D", _doc(query, item)), "grade": grade})


def _doc(query: Ints, item: Ints) -> Ints:
    """A query's documents in steps of its own: no two are the same, and ids say nothing about scores."""
    start, step = _mixed(query, salt=4) % np.uint64(DOCS), 1 + _mixed(query, salt=5) % np.uint64(DOCS - 1)
    return (start + item * step) % np.uint64(DOCS)


def _shuffled(places: Ints, size: int) -> Ints:
    half = np.uint64(math.ceil(math.log2(size) / 2))
    result = _crossed(places, half)
    outside = np.flatnonzero(result >= size)
    while len(outside):
        result[outside] = _crossed(result[outside], half)
        outside = outside[result[outside] >= size]
    return result


def _crossed(places: Ints, half: np.uint64) -> Ints:
    low = (np.uint64(1) << half) - np.uint64(1)
    left, right = places >> half, places & low
    for turn in range(ROUNDS):
        left, right = right, left ^ (_mixed(right, salt=100 + turn) & low)
    return left << half | right


def _uniform(query: Ints, item: Ints, *, salt: int) -> NDArray[np.float64]:
    return (_mixed(query << np.uint64(32) | item, salt=salt) >> np.uint64(11)) / 2.0**53


def _mixed(values: Ints, *, salt: int) -> Ints:
    """The numbers as if drawn at random (the last steps of splitmix64)."""
    z = values + np.uint64(salt * 0x9E3779B97F4A7C15 & (1 << 64) - 1)
    z = (z ^ z >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ z >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return z ^ z >> np.uint64(31)


def _ids(letter: bytes, numbers: Ints) -> pa.Array:
    """A letter and seven digits, made as a table of bytes."""
    text = np.empty((len(numbers), 8), np.uint8)
    text[:, 0] = letter[0]
    rest = numbers.astype(np.uint32)
    for column in range(7, 0, -1):
        rest, digit = np.divmod(rest, np.uint32(10))
        text[:, column] = digit + 48
    offsets = np.arange(0, 8 * len(numbers) + 1, 8, dtype=np.int32)
    return pa.StringArray.from_buffers(len(numbers), pa.py_buffer(offsets), pa.py_buffer(text))
