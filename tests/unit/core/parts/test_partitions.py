"""Partitioned runs: however the rows are cut and shuffled, the hits are those of one scan of all rows, to the last bit."""

import pickle
from dataclasses import dataclass, fields

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from needs import optional
from refusals import refusal

import judged as jd
from judged.core import reference
from judged.core.parts import find, pass_one
from judged.core.parts.find import find_in_partitions
from judged.core.parts.pass_one import LocatedHits, LocateHits
from judged.core.parts.pass_two import CountRanks, index_hits
from judged.core.parts.run import MAX_UNJUDGED, LocalPartitions, PartitionedRun
from judged.core.policy import Policy
from judged.core.pool import pool_of
from judged.core.reference import Hits
from judged.core.unread_runs import TextRun
from judged.io.open_table import open_whole_run
from judged.io.read import read_qrels, read_run

pa = optional("pyarrow")
pytestmark = [pytest.mark.needs("pyarrow"), pytest.mark.needs("native")]

DOCS = ["a", "ab", "abc", "abcd", "d1", "d2", "d3", "d10", "é", "D" * 15, "D" * 16, "D" * 17, "E" * 70]
QUERIES = ["1", "10", "2", "query-with-a-long-name", "ä", "x1", "x2", "x3", "x4"]
SCORES = [1.0, 2.0, 0.0, -0.0, -1.5, 1e-3, np.inf, -np.inf, 0.1, 1.0000001, 123456789.123456789]
QRELS = read_qrels({query: {doc: i % 4 - 1 for i, doc in enumerate(DOCS[::2])} for query in QUERIES[:3]})
KINDS = ("text", "text")
NAMES = ["query", "doc", "score", "rank"]

policies = st.builds(
    Policy,
    order=st.sampled_from(["score", "score", "rank", "input"]),
    ties=st.sampled_from(["id-desc", "id-asc", "input", "best", "worst", "expected"]),
    depth=st.sampled_from([None, 1, 2, 5]),
    precision=st.sampled_from(["float64", "float32"]),
)
rows = st.tuples(st.sampled_from(QUERIES), st.sampled_from(DOCS), st.sampled_from(SCORES), st.integers(1, 12))
runs = st.lists(rows, min_size=1, max_size=60, unique_by=lambda row: row[:2])
cuts = st.lists(
    st.tuples(st.integers(0, 60), st.booleans()), max_size=7
)  # where, and whether a part ends there or only a batch


@dataclass(frozen=True)
class Tables:
    """A part that lies in memory as Arrow tables."""

    tables: tuple[pa.Table, ...]

    @property
    def size(self) -> int:
        return sum(map(len, self.tables))

    def batches(self):
        return (open_whole_run(table) for table in self.tables if len(table))


def table_of(rows, *, dictionary: bool = False) -> pa.Table:
    columns = list(zip(*rows, strict=True)) if rows else [[], [], [], []]
    types = [pa.string(), pa.string(), pa.float64(), pa.int64()]
    arrays = [pa.array(column, kind) for column, kind in zip(columns, types, strict=True)]
    if dictionary:
        arrays[0] = arrays[0].dictionary_encode()
    return pa.table(arrays, names=NAMES)


def scattered(rows, cuts, *, dictionary: bool = False) -> PartitionedRun:
    parts, batches, before = [], [], 0
    for at, ends in sorted({min(at, len(rows)): ends for at, ends in cuts}.items()):
        batches.append(table_of(rows[before:at], dictionary=dictionary))
        before = at
        if ends:
            parts.append(Tables(tuple(batches)))
            batches = []
    parts.append(Tables((*batches, table_of(rows[before:], dictionary=dictionary))))
    return partitioned(parts, rows)


def partitioned(parts, rows=()) -> PartitionedRun:
    partitions = LocalPartitions(tuple(parts))
    return PartitionedRun(name="run", read=lambda: read_run(table_of(rows)), partitions=partitions)


def outcome(find):
    """What came of it, in a form that can be compared to the last bit."""
    try:
        found = find()
    except jd.JudgedError as error:
        return type(error).__name__, error.slug, error.got
    values = [getattr(found, field.name) for field in fields(Hits)]
    return tuple((v.dtype.kind, v.tolist()) if isinstance(v, np.ndarray) else v for v in values)


@pytest.mark.parametrize("kind", ["native", "dictionary", "columns", "reference"])
@given(rows=runs, cuts=cuts, policy=policies)
@settings(max_examples=150, deadline=None, derandomize=True)
def test_any_cut_is_bit_identical_to_one_scan(kind, rows, cuts, policy):
    with pytest.MonkeyPatch.context() as patch:
        if kind == "columns":  # as of a file that only the reference reads
            patch.setattr(pass_one, "ArrowRun", TextRun)
        if kind == "reference":  # all rows are read
            patch.setattr(find, "native", None)
        pool = pool_of(QRELS, policy)
        run = scattered(rows, cuts, dictionary=kind == "dictionary")
        whole = outcome(lambda: reference.find(pool, read_run(table_of(rows)), policy))
        assert outcome(lambda: find_in_partitions(pool, run, policy, KINDS, None)) == whole


@pytest.mark.parametrize("dictionary", [False, True])
@pytest.mark.parametrize("length", [1, 3, 200])
@pytest.mark.parametrize("policy", [Policy(), Policy(order="rank", ties="input"), Policy(ties="expected", depth=7)])
def test_many_queries_are_looked_up_together(policy, length, dictionary):
    """In any order, over chunks with numbers of their own, and with queries that have no judgments among them."""
    rng = np.random.default_rng(length)
    qrels = read_qrels({f"q{i}": {f"d{j}": (i + j) % 3 for j in range(0, 40, 3)} for i in range(0, 60, 2)})
    pairs = rng.permutation([(i, j) for i in range(60) for j in range(40)]).tolist()
    if length > 1:  # stretches of one query
        pairs.sort(key=lambda pair: (pair[1] // length, pair[0]))
    rows = [(f"q{i}", f"d{j}", float(rng.integers(20)), int(rng.integers(1, 40))) for i, j in pairs]
    chunks = [rows[begin : begin + 150] for begin in range(0, len(rows), 150)]
    tables = [table_of(chunk, dictionary=dictionary) for chunk in chunks]
    parts = [Tables((pa.concat_tables(tables[:5]), *tables[5:9])), Tables((pa.concat_tables(tables[9:]),))]
    pool = pool_of(qrels, policy)
    whole = outcome(lambda: reference.find(pool, read_run(table_of(rows)), policy))
    assert outcome(lambda: find_in_partitions(pool, partitioned(parts), policy, KINDS, None)) == whole


@pytest.mark.parametrize("same_score", [True, False])
def test_a_judged_document_in_two_partitions_is_a_duplicate(same_score):
    rows = [("1", "a", 2.0, 1), ("1", "b", 1.5, 2), ("1", "abc", 1.0, 3), ("1", "a", 2.0 if same_score else 0.5, 4)]
    policy = Policy()
    run = scattered(rows, [(2, True)])
    refusal("duplicate-doc", find_in_partitions, pool_of(QRELS, policy), run, policy, KINDS, None)


def test_a_duplicate_below_the_depth_is_ignored():
    rows = [("1", "a", 2.0, 1), ("1", "b", 1.5, 2), ("1", "a", 0.5, 4)]
    policy = Policy(depth=2)
    whole = outcome(lambda: reference.find(pool_of(QRELS, policy), read_run(table_of(rows)), policy))
    found = outcome(
        lambda: find_in_partitions(pool_of(QRELS, policy), scattered(rows, [(1, True)]), policy, KINDS, None)
    )
    assert found == whole


def test_duplicates_of_unjudged_documents_are_counted_and_cannot_be_dropped():
    rows = [("1", "a", 2.0, 1), ("1", "b", 1.5, 2), ("1", "b", 1.0, 3)]
    run, pool = scattered(rows, [(2, True)]), pool_of(QRELS, Policy())
    assert find_in_partitions(pool, run, Policy(), KINDS, None).retrieved[0] == 3
    refusal("engine", find_in_partitions, pool, run, Policy(duplicates="best"), KINDS, None)


def test_a_run_that_changes_between_the_passes_is_an_error():
    rows = [("1", "a", 2.0, 1), ("1", "b", 1.5, 2)]

    class Moody(Tables):
        def batches(self):
            looks.append(1)
            return (open_whole_run(table) for table in self.tables[len(looks) - 1 :][:1])

    for second in ([("1", "a", 2.5, 1), rows[1]], rows[:1], [*rows, ("1", "z", 9.0, 3)]):
        looks: list[int] = []
        run = partitioned([Moody((table_of(rows), table_of(second)))])
        refusal("file-changed", find_in_partitions, pool_of(QRELS, Policy()), run, Policy(), KINDS, None)


def test_integer_ids_match_and_other_types_are_errors():
    qrels = read_qrels([(1, 10, 1), (1, 20, 0), (2, 5, 2)])
    table = pa.table({"query": [1, 1, 2, 3], "doc": [10, 11, 5, 5], "score": [0.5, 0.9, 1.0, 1.0]})
    parts = [Tables((table[:2],)), Tables((table[2:],))]
    run = partitioned(parts)
    policy = Policy()
    whole = outcome(lambda: reference.find(pool_of(qrels, policy), read_run(table), policy))
    found = outcome(lambda: find_in_partitions(pool_of(qrels, policy), run, policy, ("integer", "integer"), None))
    assert found == whole
    refusal("id-type", find_in_partitions, pool_of(QRELS, policy), run, policy, KINDS, None)


def test_errors_in_a_partition_are_those_of_the_reader():
    table = pa.table({"query": ["1", "1"], "doc": ["a", "b"], "score": [1.0, float("nan")]})
    run = partitioned([Tables((table,))])
    refusal("score-nan", read_run, table)
    refusal("score-nan", find_in_partitions, pool_of(QRELS, Policy()), run, Policy(), KINDS, None)


def test_the_count_of_unjudged_queries_is_bounded():
    rows = [("1", "a", 1.0, 1), *((f"other{i}", "a", 1.0, 1) for i in range(MAX_UNJUDGED + 1))]
    policy = Policy()
    found = find_in_partitions(pool_of(QRELS, policy), scattered(rows, [(500, True)]), policy, KINDS, None)
    assert found.more_unjudged
    assert found.unjudged == MAX_UNJUDGED
    assert found.some_unjudged == (b"other0", b"other1", b"other2")


def test_a_table_without_an_order_cannot_be_ordered_by_input(monkeypatch):
    monkeypatch.setattr(LocalPartitions, "ordered", False)
    run = partitioned([Tables((table_of([("1", "a", 1.0, 1)]),))])
    for policy in (Policy(order="input"), Policy(ties="input")):
        refusal("engine", find_in_partitions, pool_of(QRELS, policy), run, policy, KINDS, None)


def test_tasks_and_their_results_survive_pickling():
    policy, pool = Policy(), pool_of(QRELS, Policy())
    part = Tables((table_of([("1", "a", 1.0, 1), ("1", "b", 1.0, 2), ("zz", "b", 1.0, 1)]),))
    look = LocateHits(pool, policy, KINDS)
    looked = look((3, part))
    again = pickle.loads(pickle.dumps(look))((3, part))
    assert isinstance(looked, LocatedHits)
    assert [a.tolist() for a in (again.judgment, again.value, again.position)] == [
        a.tolist() for a in (looked.judgment, looked.value, looked.position)
    ]
    count = CountRanks(index_hits(pool, looked, policy), policy, KINDS)
    counted, other = (
        pickle.loads(pickle.dumps(task((3, part)))) for task in (count, pickle.loads(pickle.dumps(count)))
    )
    assert counted.inside.tolist() == other.inside.tolist()
    assert counted.unjudged_queries == other.unjudged_queries == {b"zz": (3 << 36 | 2, False)}
    error = look((0, Tables((pa.table({"query": ["1"], "doc": ["a"], "nothing": [1.0]}),))))
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_without_the_native_core_all_rows_are_read(monkeypatch):
    rows = [("1", "a", 2.0, 1), ("1", "b", 1.5, 2), ("1", "c", 1.0, 3)]
    policy = Policy(duplicates="best")
    whole = outcome(lambda: reference.find(pool_of(QRELS, policy), read_run(table_of(rows)), policy))
    monkeypatch.setattr(find, "native", None)
    run = scattered(rows, [(2, True)])
    assert outcome(lambda: find_in_partitions(pool_of(QRELS, policy), run, policy, KINDS, None)) == whole


def test_a_worker_needs_the_native_core(monkeypatch):
    monkeypatch.setattr(pass_one, "native", None)
    with pytest.raises(jd.UsageError, match="a worker has no native core") as caught:
        find_in_partitions(pool_of(QRELS, Policy()), scattered([("1", "a", 2.0, 1)], []), Policy(), KINDS, None)
    assert caught.value.slug == "needs"
