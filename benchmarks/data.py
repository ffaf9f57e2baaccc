"""Write the collections, the same bytes on every machine: `python benchmarks/data.py FOLDER NAME...`.

Lines are made as columns of bytes, a whole chunk at once: every cell is as wide as the widest, padded with zero
bytes, which are then taken out. Runs are in score order, as systems write them, and no two scores of a query are
nearer than 0.00001, so that tools which keep scores in single precision see the same order.
"""

from __future__ import annotations

import argparse
import gzip
import json
import zlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from shape import SHAPES, Shape, base

Ints = NDArray[np.int64]
Bytes = NDArray[np.uint8]

DOCS = {False: 8_841_823, True: 191_175}  # MS MARCO passages have numbers, CORD-19 papers eight letters
CHUNK = 500_000  # rows at once
LETTERS = np.frombuffer(b"0123456789abcdefghijklmnopqrstuvwxyz", np.uint8)
SPREAD = 0x5DEECE66D  # odd and no multiple of 3, so multiplying by it modulo 36**8 mixes up ids but never two into one


def write(shape: Shape, name: str, folder: Path) -> None:
    """The files of a collection, unless they are there."""
    targets = shape.files(folder, name)
    if all(path.exists() for path in targets):
        return
    folder.mkdir(parents=True, exist_ok=True)
    if shape.format != "run":
        first = replace(shape, format="run", runs=1)
        write(first, base(name), folder)
        path = targets[1]
        part = path.with_name(f"{path.name}.part")
        if shape.runs > 1:
            _write_runs(first.files(folder, name)[1], part, shape)
        else:
            globals()[f"_write_{shape.format.replace('.', '_')}"](first.files(folder, name)[1], part)
        part.replace(path)
        return
    parts = [path.with_suffix(path.suffix + ".part") for path in targets]
    with parts[0].open("wb") as qrels, parts[1].open("wb") as run:
        for judgments, lines in _chunks(shape, np.random.default_rng(zlib.crc32(name.encode()))):
            qrels.write(judgments)
            run.write(lines)
    for part, path in zip(parts, targets, strict=True):
        part.replace(path)


def _chunks(shape: Shape, rng: np.random.Generator) -> Iterator[tuple[bytes, bytes]]:
    depth, stratum = shape.depth, DOCS[shape.letters] // shape.depth
    names = 1 + np.arange(shape.queries) if shape.letters else 1_000_000 + rng.permutation(9 * shape.queries)
    for first in range(0, shape.queries, max(1, CHUNK // depth)):
        query = names[first : min(first + max(1, CHUNK // depth), shape.queries)]
        # One document from each stratum of the ids, in random order: distinct, and never two of one stratum.
        doc = rng.permuted(stratum * np.arange(depth) + rng.integers(stratum, size=(len(query), depth)), axis=1)
        drop = rng.integers(10, 3 + 2 * 8_000_000 // depth, size=(len(query), depth))
        score = np.cumsum(drop[:, ::-1], axis=1)[:, ::-1] + rng.integers(4_000_000, 9_000_000, size=(len(query), 1))
        rank = np.broadcast_to(np.arange(1, depth + 1), doc.shape)
        yield (
            _judgments(shape, query, doc, stratum, rng),
            _lines(_whole(np.repeat(query, depth)), b" Q0 ", _ids(doc.ravel(), shape), b" ", _whole(rank.ravel()),
                   b" ", _millionths(score.ravel()), b" bm25\n"),
        )  # fmt: skip


def _judgments(shape: Shape, query: Ints, doc: Ints, stratum: int, rng: np.random.Generator) -> bytes:
    """Documents judged, the likelier the higher they stand; one not found is another of the same stratum."""
    most = int(np.ceil(shape.judgments))
    key = np.log(np.arange(1, shape.depth + 1)) - rng.gumbel(size=doc.shape)
    at = np.argpartition(key, most - 1, axis=1)[:, :most]
    at.sort(axis=1)
    judged = np.take_along_axis(doc, at, axis=1)
    missed = rng.random(judged.shape) >= shape.found
    judged = judged - missed * (judged % stratum) + missed * ((judged + 1) % stratum)
    grade = rng.choice(np.array(shape.grades), size=judged.shape)
    kept = rng.random(judged.shape) < 1 - most + shape.judgments
    kept[:, 0] = True
    return _lines(
        _whole(np.repeat(query, kept.sum(axis=1))), b" 0 ", _ids(judged[kept], shape), b" ", _whole(grade[kept]), b"\n"
    )


# ── the same run in other formats, and other runs ────────────────────────────────────────────────


def _write_run_gz(run: Path, path: Path) -> None:
    with path.open("wb") as file, gzip.GzipFile(fileobj=file, mode="wb", compresslevel=6, mtime=0) as out:
        out.write(run.read_bytes())


def _write_parts(run: Path, path: Path) -> None:
    """Eight files; queries are not divided."""
    lines = run.read_bytes().splitlines(keepends=True)
    path.mkdir()
    starts = [0, *(i for i in range(1, len(lines)) if lines[i].split(None, 1)[0] != lines[i - 1].split(None, 1)[0])]
    cuts = [starts[len(starts) * i // 8] for i in range(8)] + [len(lines)]
    for i in range(8):
        (path / f"part{i}.run").write_bytes(b"".join(lines[cuts[i] : cuts[i + 1]]))


def _write_parquet(run: Path, path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table(_columns(run)), path)


def _write_csv(run: Path, path: Path) -> None:
    columns = _columns(run)
    rows = ("{},{},{!r}\n".format(*row) for row in zip(*columns.values(), strict=True))
    path.write_text("".join([",".join(columns) + "\n", *rows]))


def _write_jsonl(run: Path, path: Path) -> None:
    columns = _columns(run)
    rows = (json.dumps(dict(zip(columns, row, strict=True))) + "\n" for row in zip(*columns.values(), strict=True))
    path.write_text("".join(rows))


def _write_json(run: Path, path: Path) -> None:
    rankings: dict[str, dict[str, float]] = {}
    for query, doc, score in zip(*_columns(run).values(), strict=True):
        rankings.setdefault(query, {})[doc] = score
    path.write_text(json.dumps(rankings))


def _columns(run: Path) -> dict[str, list[Any]]:
    cells = [line.split() for line in run.read_text().splitlines()]
    return {"query_id": [c[0] for c in cells], "doc_id": [c[2] for c in cells], "score": [float(c[4]) for c in cells]}


def _write_runs(run: Path, path: Path, shape: Shape) -> None:
    """Runs with the documents of the first, whose scores have more and more noise."""
    columns, rng = _columns(run), np.random.default_rng(0)
    score = np.array(columns["score"]).reshape(shape.queries, -1)
    path.mkdir()
    for i, file in enumerate(shape.run_files(path.parent, "")):
        noisy = score + rng.normal(size=score.shape) * score.std() * (0.2 + 2 * i / shape.runs)
        order = np.argsort(-noisy, axis=1, kind="stable")
        rank = np.argsort(order, axis=1)
        lines = [
            f"{q} Q0 {d} {r + 1} {s:.6f} system{i}\n"
            for q, d, r, s in zip(columns["query_id"], columns["doc_id"], rank.ravel(), noisy.ravel(), strict=True)
        ]
        at = (order + np.arange(shape.queries)[:, None] * order.shape[1]).ravel()
        (path / file.name).write_text("".join(lines[k] for k in at))


# ── columns of bytes ─────────────────────────────────────────────────────────────────────────────


def _lines(*columns: Bytes | bytes) -> bytes:
    rows = next(len(c) for c in columns if not isinstance(c, bytes))
    cells: list[Any] = [
        np.broadcast_to(np.frombuffer(c, np.uint8), (rows, len(c))) if isinstance(c, bytes) else c for c in columns
    ]
    table = np.concatenate(cells, axis=1)
    return table[table != 0].tobytes()


def _digits(values: Ints, base: int, places: int) -> Ints:
    return np.stack([values // base**p % base for p in reversed(range(places))], axis=1)


def _whole(values: Ints) -> Bytes:
    places = len(str(values.max()))
    text = LETTERS[_digits(values, 10, places)]
    leading = values[:, None] < 10 ** np.arange(places)[::-1]
    leading[:, -1] = False
    text[leading] = 0
    return text


def _millionths(values: Ints) -> Bytes:
    dot = np.full((len(values), 1), ord("."), np.uint8)
    return np.concatenate([_whole(values // 10**6), dot, LETTERS[_digits(values, 10, 6)]], axis=1)


def _ids(docs: Ints, shape: Shape) -> Bytes:
    return LETTERS[_digits(docs * SPREAD % 36**8, 36, 8)] if shape.letters else _whole(docs)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="+", choices=SHAPES)
    parser.add_argument("--small", action="store_true")
    args = parser.parse_args()
    for wanted in args.names:
        write(SHAPES[wanted].small() if args.small else SHAPES[wanted], wanted, args.folder)
