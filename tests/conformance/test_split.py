"""The split law on real and on large runs: cut into any parts, rows in any order, the bits are those of one process, for every measure."""

from dataclasses import dataclass

import numpy as np
import pytest
from needs import optional
from recorded import DATA

from judged.core.join import join
from judged.core.judged import Judged
from judged.core.parts.run import LocalPartitions, PartitionedRun
from judged.core.policy import Policy
from judged.distributed.executors import Threads
from judged.io.open_table import open_whole_run
from judged.io.read import read_qrels, read_run
from judged.measures.registry import MEASURES, Measure

pa = optional("pyarrow")
pytestmark = pytest.mark.needs("pyarrow")

PARTS = (1, 2, 7, 64)
EVERY = [Measure(d) for d in MEASURES if d.family != "own" and d.needs == "grades" and not d.text]
BY_ASPECT = [Measure(d) for d in MEASURES if d.family != "own" and d.needs not in ("grades", "spans") and not d.text]
RUNS = [
    ("dl21_passage/qrels.txt.gz", "dl21_passage/runs/p_bm25.run.gz"),
    ("cast21/qrels.txt.gz", "cast21/runs/manual_bm25.run.gz"),
    ("cacm/qrels.txt.gz", "cacm/runs/bm25.run.gz"),
]


@dataclass(frozen=True)
class Rows:
    """Some rows of a table, in batches."""

    table: pa.Table
    rows: np.ndarray
    batch: int

    @property
    def size(self) -> int:
        return len(self.rows)

    def batches(self):
        for start in range(0, len(self.rows), self.batch):
            yield open_whole_run(self.table.take(self.rows[start : start + self.batch]))


def cut(table: pa.Table, parts: int, *, batch: int = 1 << 19) -> PartitionedRun:
    """The rows, shuffled, over so many parts of different sizes."""
    rng = np.random.default_rng(parts)
    order = rng.permutation(len(table))
    owner = np.sort(rng.integers(0, parts, len(table)))
    pieces = np.split(order, np.searchsorted(owner, np.arange(1, parts)))
    partitions = LocalPartitions(tuple(Rows(table, piece, batch) for piece in pieces), executor=Threads())
    return PartitionedRun(name="run", read=lambda: read_run(table), partitions=partitions)


def same_columns(a: Judged, b: Judged) -> bool:
    names = ("retrieved", "answered", "query", "rank", "grade", "judgment", "tie_first", "tie_last")
    return all(np.array_equal(getattr(a, name), getattr(b, name)) for name in names)


def bits(column: np.ndarray) -> bytes:
    return column.astype(float).tobytes()


def table_of(run) -> pa.Table:
    queries, docs = ([raw.decode() for raw in text.tolist()] for text in (run.queries, run.doc))
    query = pa.DictionaryArray.from_arrays(run.query.astype(np.int32), pa.array(queries)).cast(pa.string())
    return pa.table({"query": query, "doc": docs, "score": run.score})


@pytest.mark.needs("collections")
@pytest.mark.conformance
@pytest.mark.parametrize(("qrels", "run"), RUNS, ids=lambda name: name.split("/")[0])
@pytest.mark.parametrize("parts", PARTS)
def test_real_runs_in_shuffled_parts_give_the_bits_of_one_process(qrels, run, parts):
    judgments, table = read_qrels(DATA / qrels), table_of(read_run(DATA / run))
    for ties in ("id-desc", "id-asc", "expected"):
        policy = Policy(ties=ties)
        whole = join(judgments, open_whole_run(table), policy)
        split = join(judgments, cut(table, parts, batch=10_000), policy)
        assert same_columns(split, whole)
        assert split.policy.partitioned
        for measure in EVERY:
            assert bits(measure.on(split)) == bits(measure.on(whole)), measure


@pytest.mark.needs("collections")
@pytest.mark.conformance
@pytest.mark.parametrize("parts", PARTS)
def test_judgments_of_subtopics_in_shuffled_parts_give_the_bits_of_one_process(parts):
    judgments = read_qrels(DATA / "web2013_diversity/qrels.ndeval.txt.gz")
    table = table_of(read_run(DATA / "web2013_diversity/runs/cedr.run.gz"))
    whole, split = join(judgments, open_whole_run(table), Policy()), join(judgments, cut(table, parts), Policy())
    assert same_columns(split, whole)
    for measure in (*EVERY, *BY_ASPECT):
        assert bits(measure.on(split)) == bits(measure.on(whole)), measure


@pytest.fixture(scope="module")
def large() -> tuple[object, pa.Table]:
    """Two million rows: 2,000 queries, 1,000 documents each, scores rounded so that they tie everywhere; and 22 judgments a query."""
    queries, depth, docs = 2_000, 1_000, 300_007
    rng = np.random.default_rng(8)
    query = np.repeat(np.arange(queries, dtype=np.int32), depth)
    doc = ((np.tile(np.arange(depth), queries) * 8837 + query * 31337) % docs).astype(np.int32)
    names = (
        pa.array(np.char.add("q", np.arange(queries).astype(str))),
        pa.array(np.char.add("D", np.arange(docs).astype(str))),
    )
    coded = [pa.DictionaryArray.from_arrays(code, name) for code, name in zip((query, doc), names, strict=True)]
    table = pa.table({"query": coded[0], "doc": coded[1], "score": np.round(rng.exponential(2.0, len(query)), 2)})
    place = np.argsort(rng.random((queries, 64)), axis=1)[:, :22] * 31  # two thirds of them are retrieved
    judged = (place * 8837 + np.arange(queries)[:, None] * 31337) % docs
    found = {"query": np.repeat(np.arange(queries), 22), "doc": judged.ravel()}
    text = {name: names[i].take(pa.array(code)) for i, (name, code) in enumerate(found.items())}
    return read_qrels(pa.table({**text, "grade": rng.integers(0, 4, queries * 22)})), table


@pytest.mark.slow
def test_two_million_rows_in_shuffled_parts_give_the_bits_of_one_process(large):
    judgments, table = large
    whole = join(judgments, open_whole_run(table), Policy())
    assert len(whole.query) > 20_000
    assert (whole.tie_last > whole.tie_first).mean() > 0.5
    values = {str(m): bits(m.on(whole)) for m in EVERY}
    for parts in (7, 64):
        split = join(judgments, cut(table, parts), Policy())
        assert same_columns(split, whole)
        for measure in EVERY:
            assert bits(measure.on(split)) == values[str(measure)], measure
