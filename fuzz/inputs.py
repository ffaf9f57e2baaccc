"""Bytes as a case: how to rank, and a run. The first eight bytes choose, the rest is the run.

`scan.cpp` reads the same eight bytes, so that both share their inputs.
"""

from __future__ import annotations

import atexit
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache, partial
from io import BytesIO
from math import inf, nextafter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, get_args
from unittest import mock

import numpy as np
from fuzz.json_inputs import json_text, opened
from numpy.typing import NDArray

from judged.core import unread_runs
from judged.core.policy import Duplicates, Order, Policy, Precision, Ties
from judged.core.tables import IdColumn, Qrels, Run
from judged.core.unread_runs import UnreadRun
from judged.io.files import PAD
from judged.io.formats.trec import parse_run, unread_bytes
from judged.io.open_table import open_whole_run
from judged.io.read import read_qrels, read_run
from judged.io.text import is_decimal

__all__ = ["HEADER", "TARGETS", "Case", "case_of", "documents_of", "read_by_reference", "read_natively", "source_of"]

HEADER = 8
DEPTHS = (None, 1, 2, 3, 7)
PARTS = (1, 16, 64, 1 << 20)  # bytes or rows that a thread takes at a time


@dataclass(frozen=True, slots=True)
class Case:
    """One run, as the native core takes it and as the reference does; and how to rank it."""

    qrels: Qrels
    opened: Callable[[], Run | UnreadRun]
    read: Callable[[], Run]
    policy: Policy
    part: int
    threads: int


def case_of(target: str, data: bytes) -> Case:
    """The case that some bytes stand for; every sequence of bytes is one."""
    head, body = data[:HEADER].ljust(HEADER, b"\0"), data[HEADER:]
    policy = _policy(*(_of(options, byte) for options, byte in zip(_OPTIONS, head, strict=False)))
    part, threads = _of(PARTS, head[5]), 1 + (head[5] // len(PARTS)) % 3
    return Case(*TARGETS[target](body, head), policy, part, threads)


_OPTIONS = (get_args(Order), get_args(Ties), get_args(Duplicates), DEPTHS, get_args(Precision))


@cache
def _policy(order: Any, ties: Any, duplicates: Any, depth: int | None, precision: Any) -> Policy:
    return Policy(order=order, ties=ties, duplicates=duplicates, depth=depth, precision=precision)


Source = tuple[Qrels, Callable[[], Run | UnreadRun], Callable[[], Run]]


def _of(options: Sequence[Any], byte: int) -> Any:
    return options[byte % len(options)]


@cache
def _qrels() -> Qrels:
    """Judgments of ids that are easy to hit, and of ids whose length is a border; a query without any."""
    judged: dict[str, dict[str, float]] = {}
    for line in (Path(__file__).parent / "judgments.tsv").read_text("utf-8").splitlines():
        query, doc, grade = line.split("\t")
        judged.setdefault(query, {}).update({doc: float(grade)} if doc else {})
    return read_qrels(judged)


@cache
def _whole_qrels() -> Qrels:
    return read_qrels({1: {10: 2, 11: 1, 12: 0, -13: 1, 2**63 - 1: 3}, 2: {10: 1, 7: 2}, -3: {7: 1}, 4: {}})


# ── text ─────────────────────────────────────────────────────────────────────────────────────────


def _lines(body: bytes, head: bytes) -> Source:
    """The bytes as they are; between lines that move them to where chunks (16 KB) and the copied end (4 KB) begin."""
    text = _before(head[6]) + body + _after(head[7])
    return _file(text) if head[5] >= 192 else _text(text)


def _file(text: bytes) -> Source:
    """A file on disk, where a look at its beginning decides what it is."""
    path = _folder() / "run.txt"
    path.write_bytes(text)
    return _qrels(), partial(open_whole_run, path), partial(read_run, path)


@cache
def _folder() -> Path:
    folder = TemporaryDirectory(prefix="judged-fuzz-")
    atexit.register(folder.cleanup)
    return Path(folder.name)


def _text(text: bytes) -> Source:
    data, name = text + PAD, "run.txt"
    return _qrels(), lambda: unread_bytes(data, name) or parse_run(data, name), partial(parse_run, data, name)


def _before(byte: int) -> bytes:
    if byte < 192:
        return b""
    size = (16 << 10) - (byte - 192) // 2 * 4
    return b"#".ljust(size - 1, b"-") + b"\n" if byte % 2 else _filled(b"before", size)


def _after(byte: int) -> bytes:
    return b"" if byte < 192 else _filled(b"1", (4 << 10) + (byte - 224) * 2)


def _filled(query: bytes, size: int) -> bytes:
    """Whole lines of exactly so many bytes."""
    lines = [b"%s Q0 x%04d 1 0 t\n" % (query, i) for i in range(size // len(b"%s Q0 x0000 1 0 t\n" % query))]
    rest = size - sum(map(len, lines))
    return b"".join(lines) + (b"#".ljust(rest - 1, b"-") + b"\n" if rest > 1 else b"\n" * rest)


BEGINNINGS = (
    b"query_id,doc_id,score\n", b"qid\tdocno\trank\tscore\n", b'"query";"doc";"score";"title"\r\n', b"query, doc, rank\n",
    b"query_id,doc_id,title,rank,score\n", b"query-id\tcorpus-id\tscore\n", b"\xef\xbb\xbfqid,docid,subtopic,relevance\n", b"query,doc\n",
    b"", b"1 0 a 1\n", b"1 qid:1 1:2 # docid = a\n",
)  # fmt: skip


def _tables(body: bytes, head: bytes) -> Source:
    """A file of any format, in memory; the bytes follow a beginning that decides what it is."""
    text = _of(BEGINNINGS, head[6]) + body
    return _qrels(), lambda: open_whole_run(stream_of(text)), lambda: read_by_reference(read_run, text)


def stream_of(text: bytes) -> BytesIO:
    stream = BytesIO(text)
    stream.name = "run.txt"
    return stream


def source_of(target: str, data: bytes) -> Any:
    """The file or the mapping of an input, which can also be read as judgments; None of other inputs."""
    if target == "tables" and len(data) > HEADER:
        return _of(BEGINNINGS, data[6]) + data[HEADER:]
    return _containers(data[HEADER:], data[:HEADER]) if target == "mapping" and len(data) > HEADER else None


def read_natively(read: Callable[[Any], Any], source: Any) -> Any:
    return read(stream_of(source) if isinstance(source, bytes) else source)


def read_by_reference(read: Callable[[Any], Any], source: Any) -> Any:
    with mock.patch.object(unread_runs, "native", None):
        return read_natively(read, source)


# ── numbers ──────────────────────────────────────────────────────────────────────────────────────

WITH_A = (b"1", b"2", b"10", b"q", b"w" * 64, b"\xc3\xa9")  # queries that judge document a


def _numbers(body: bytes, head: bytes) -> Source:
    """A few scores, each among the double that it stands for and its neighbours: who ties with it shows every bit."""
    cells = [cell for cell in body.split(b"\n") if not head[6] % 2 or is_decimal(cell)]
    return _text(b"".join(_scored(*pair) for pair in zip(WITH_A, cells, strict=False)))


def _scored(query: bytes, cell: bytes) -> bytes:
    scores = [cell]
    if is_decimal(cell):
        value = float(cell)
        scores += [repr(near).encode() for near in (value, nextafter(value, inf), nextafter(value, -inf))]
    return b"".join(b"%s Q0 %s 1 %s t\n" % (query, doc, score) for doc, score in zip(DOCS, scores, strict=False))


# ── rows ─────────────────────────────────────────────────────────────────────────────────────────

QUERIES = (b"1", b"2", b"q", b"10", b"bare", b"other", b"11", b"1 1")
DOCS = (b"a", b"b", b"c", b"d", b"e", b"a b", *(b"x" * n for n in (7, 8, 15, 16, 17, 63, 64, 65)),
        *(b"y" * n for n in (1, 8, 16, 17, 64, 65)), b"aa", b"\xc3\xa9", b"\xff", b"A")  # fmt: skip
SCORES = (1.0, 2.0, 0.0, -0.0, 0.5, 3.0, -1.0, 1e39, -1e39, 1.0 + 2**-30, float("inf"), float("-inf"), 5e-324, 1e-50,
          7.25, 1e308)  # fmt: skip


def _rows(body: bytes, head: bytes) -> Source:
    """Four bytes a row: query, document, score, rank; as columns, as text, or as a mapping."""
    rows = [tuple(body[i : i + 4]) for i in range(0, len(body) - 3, 4)]
    form = head[6] % 4
    if form == 0:
        return _text(b"".join(_line(*row, head[7]) for row in rows))
    queries = [_of(QUERIES, row[0]) for row in rows]
    docs = [_of(DOCS, row[1]) for row in rows]
    score = [_of(SCORES, row[2]) for row in rows]
    if form == 1:
        return _nested(queries, docs, score, listed=bool(head[7] % 2))
    known = [*dict.fromkeys([*(QUERIES[: head[7] % 3]), *queries])]  # a query may have no row at all
    run = Run(
        name="run",
        queries=IdColumn.of(known),
        query=np.array([known.index(query) for query in queries], np.int64),
        doc=IdColumn.of(docs),
        score=np.array(score, np.float64),
        rank=None if form == 2 else np.array([row[3] - 8 for row in rows], np.int64),
    )
    return _qrels(), lambda: run, lambda: run


def _line(query: int, doc: int, score: int, rank: int, style: int) -> bytes:
    cells = [_of(QUERIES, query), b"Q0", _of(DOCS, doc), b"%d" % rank, repr(_of(SCORES, score)).encode(), b"t"]
    return _of((b" ", b"\t", b"  ", b"\t "), style).join(cells) + _of((b"\n", b"\r\n", b" \n"), style // 4)


def _nested(queries: list[bytes], docs: list[bytes], score: list[float], *, listed: bool) -> Source:
    run: dict[str, Any] = {}
    for query, doc, number in zip(queries, docs, score, strict=True):
        name, id = query.decode(), doc.decode("utf-8", "replace")
        if listed:
            run.setdefault(name, []).append(id)
        else:
            run.setdefault(name, {})[id] = number
    return _of_mapping(_qrels(), run)


# ── mappings ─────────────────────────────────────────────────────────────────────────────────────


class _Word(str):
    __slots__ = ()


ODD_IDS = ("", "a\0", "\ud800", _Word("a"), 7, 2**63, True, None, b"a", 1.5, ("a",), "query", "doc", "score")
ODD_NUMBERS = (True, None, float("nan"), "1.5", 2**1100, -(2**1100), 2**53 + 1, np.float32(0.1), np.float64(2), np.int64(3),
               np.bool_(True), Decimal("0.1"), 1j, {})  # fmt: skip
WHOLE = (1, 2, -3, 4, 10, 11, 12, -13, 7, 0, 2**63 - 1, -(2**63), 5)


class _Bytes:
    """Bytes to take, one after the other; zeros behind the last."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def __bool__(self) -> bool:
        return self.at < len(self.data)

    def next(self) -> int:
        self.at += 1
        return self.data[self.at - 1] if self.at <= len(self.data) else 0


def _mapping(body: bytes, head: bytes) -> Source:
    return _of_mapping(_whole_qrels() if head[6] % 2 else _qrels(), _containers(body, head))


def _containers(body: bytes, head: bytes) -> dict[Any, Any]:
    """Mappings and lists with whatever Python has for ids and numbers; how odd it gets, the header says."""
    left = _Bytes(body)
    whole, mixed, oddity = head[6] % 2 == 1, head[6] // 2 % 4 == 3, head[7] % 32
    run: dict[Any, Any] = {}
    while left:
        query = _id(left, QUERIES, oddity & 1, whole)
        form = left.next() if mixed else head[6] // 2
        ranking: Any = [] if form % 3 == 1 else {}
        for _ in range(left.next() % 40):
            if not left:
                break
            doc = _id(left, DOCS, oddity & 2, whole)
            if form % 3 == 1:
                ranking.append((doc, _number(left, oddity & 4)) if oddity & 8 else doc)
            else:
                ranking[doc] = _number(left, oddity & 4)
        run[query] = tuple(ranking) if oddity & 16 and form % 3 == 1 else ranking
    return run


def _id(left: _Bytes, ids: Sequence[bytes], odd: int, whole: bool) -> Any:
    byte = left.next()
    if odd and byte >= 240:
        return _of(ODD_IDS, byte)
    return _of(WHOLE, byte) if whole else _of(ids, byte).decode("utf-8", "replace")


def _number(left: _Bytes, odd: int) -> Any:
    byte = left.next()
    if odd and byte >= 224:
        return _of(ODD_NUMBERS, byte)
    return byte - 100 if byte >= 96 else _of(SCORES, byte)


def _of_mapping(qrels: Qrels, run: dict[Any, Any]) -> Source:
    return qrels, partial(open_whole_run, run), partial(read_run, run)


# ── JSON ─────────────────────────────────────────────────────────────────────────────────────────


def _json(body: bytes, head: bytes) -> Source:
    """JSON in a stream, or in a file."""
    text = json_text(body, head, (QUERIES, DOCS), SCORES)
    return _file(text) if head[5] >= 192 else (_qrels(), *opened(text))


# ── documents of several runs ────────────────────────────────────────────────────────────────────


def documents_of(data: bytes) -> tuple[NDArray[np.int64], int, IdColumn, int]:
    """The query of each row, the number of queries, the document of each row, and the number of threads.

    A line is a row: its first byte chooses the query, the rest is the id, after the same beginning for all.
    """
    head, body = data[:HEADER].ljust(HEADER, b"\0"), data[HEADER:]
    queries, beginning = 1 + head[0] % 5, b"p" * (head[1] % 70)
    rows = [line.replace(b"\0", b"\1") for line in body.split(b"\n") if len(line) > 1]
    query = np.array([line[0] % queries for line in rows], np.int64)
    return query, queries, IdColumn.of(beginning + line[1:] for line in rows), 1 + head[5] % 3


TARGETS: dict[str, Callable[[bytes, bytes], Source]] = {
    "lines": _lines,
    "tables": _tables,
    "numbers": _numbers,
    "rows": _rows,
    "mapping": _mapping,
    "json": _json,
}
