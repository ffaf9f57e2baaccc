"""The native core against the reference: the same bits, or the same error, on generated and on awkward runs."""

from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refusal

import judged as jd
from judged.core import reference, scan
from judged.core.policy import Policy
from judged.core.pool import pool_of
from judged.core.reference import Hits
from judged.io.formats.trec import unread_bytes
from judged.io.open_table import open_whole_run
from judged.io.read import read_qrels, read_run

pytestmark = pytest.mark.needs("native")

DOCS = ["a", "ab", "abc", "abcd", "d1", "d2", "d3", "d10", "é", "D" * 15, "D" * 16, "D" * 17, "E" * 70]
QUERIES = ["1", "10", "2", "query-with-a-long-name", "ä"]
SCORES = [
    "1",
    "1.0",
    "2",
    "0",
    "-0.0",
    "-1.5",
    "1e-3",
    "1e999",
    "-inf",
    "123456789.123456789",
    "0.1",
    "1.0000001",
    ".5",
    "5.",
]
QRELS = read_qrels({query: {doc: i % 4 - 1 for i, doc in enumerate(DOCS[::2])} for query in QUERIES[:3]})

policies = st.builds(
    Policy,
    order=st.sampled_from(["score", "rank", "input"]),
    ties=st.sampled_from(["id-desc", "id-asc", "input", "best", "worst", "expected"]),
    duplicates=st.sampled_from(["error", "first", "best"]),
    depth=st.sampled_from([None, 1, 2, 5]),
    precision=st.sampled_from(["float64", "float32"]),
)
rows = st.tuples(st.sampled_from(QUERIES), st.sampled_from(DOCS), st.integers(1, 12).map(str), st.sampled_from(SCORES))
good_lines = rows.map(lambda row: f"{row[0]} Q0 {row[1]} {row[2]} {row[3]} tag")
odd_lines = st.sampled_from(
    ["", "  ", "# note", " # 0 d1 1 1 t", "1 Q0 d1 1 2 t\r", "1\tQ0\td1\t1\t2\tt", "1\tQ0\td 1\t1\t2\tt x", "1  Q0 d1   1 2 t ",
     "1\tQ0\td1 1 2 t", "1 Q0 d2 x 2 t", "1 Q0 d2 1234567890123456789 2 t", "\t1 Q0 d3 7 1 t", "1 Q0 \x0b 1 1 t", "a\rb Q0 d 1 1 t"]
)  # fmt: skip
bad_lines = st.sampled_from(
    ["1 Q0 d1 1 2", "1 Q0 d1 1 2 t u", "1 Q0 d1 1 x t", "1 Q0 d1 1 nan t", "1 Q0 d1 1 1,5 t", "1 0 d1 1", "1 Q0 d\0 1 2 t",
     "1\tQ0\t \t1\t2\tt t", "1 Q0 d1 1 1e t", "1 Q0 d1 1 0x1 t", "1 Q0 d1 1 . t", "1 Q0 d1 1 1.2.3 t", "#\0"]
)  # fmt: skip
texts = st.lists(st.one_of(good_lines, good_lines, good_lines, odd_lines), max_size=40)
run_texts = st.builds(
    lambda lines, bad, at, end: "\n".join([*lines[:at], *bad, *lines[at:]]) + end,
    texts, st.lists(bad_lines, max_size=1), st.integers(0, 40), st.sampled_from(["\n", "", "\n\n"]),
)  # fmt: skip


def outcome(find) -> tuple | None:
    """What came of it, in a form that can be compared to the last bit; None where it is left to the reference."""
    try:
        found = find()
    except jd.JudgedError as error:
        return type(error).__name__, str(error)
    if found is None:
        return None
    values = [getattr(found, field.name) for field in fields(Hits)]
    return tuple((v.dtype.kind, v.tolist()) if isinstance(v, np.ndarray) else v for v in values)


@pytest.fixture(autouse=True)
def small_parts(monkeypatch):
    """So that a few lines are cut into parts, and queries into fragments."""
    monkeypatch.setattr(scan, "BYTES", 50)
    monkeypatch.setattr(scan, "_ROWS", 2)


def check(source, policy, qrels=QRELS):
    """The same from both; an error may be left to the reference, where the run can be read again."""
    pool, kinds = pool_of(qrels, policy), (qrels.query_kind, qrels.doc_kind)
    wanted = outcome(lambda: reference.find(pool, read_run(source), policy))
    seen = outcome(lambda: scan.find(pool, source, policy, kinds))
    assert seen == wanted or (seen is None and wanted[0] == "DataError")


@settings(max_examples=600, deadline=None, derandomize=True)
@given(text=run_texts, policy=policies)
def test_lines_give_what_the_reference_gives(text, policy):
    data = text.encode() + bytes(8)
    lines = unread_bytes(data, "run.txt")
    if lines is not None:
        check(lines, policy)


# Consecutive lines with the same bytes before the document and after the score, which the core does not split into cells; some
# with cells of other lengths, or of another form.
docs = st.one_of(st.sampled_from(DOCS), st.text("ab1\x01\x7fé", min_size=1, max_size=33))
ranks = st.one_of(
    st.integers(0, 120).map(str), st.sampled_from(["9", "10", "09", "0", "99999999", "100000000", "x", "1:", ":"])
)
more_scores = st.sampled_from([*SCORES, "+1.5", "-2.25", "-.5", "--1", "-", "1.2.3", "12.124315", "9.999999", "123456789012345",
                               "1234567890123456", "0.12345678901234567", "1:", "9:.5", "nan", "-nan"])  # fmt: skip
shapes = st.sampled_from([("1 Q0 ", " tag"), ("1\tQ0\t", "\ttag"), ("10  Q0 ", "  tag\r"), ("#1 Q0 ", " t"), ("2 Q0 ", " " + "t" * 70),
                          ("query-with-a-long-name Q0 ", " a-long-tag-of-a-system")])  # fmt: skip
middles = st.tuples(docs, st.sampled_from([" ", " ", " ", "\t", "  ", "\0"]), ranks, more_scores).map(
    lambda row: row[0] + row[1] + row[2] + " " + row[3]
)
alike = st.builds(
    lambda shape, plain, odd, at: [
        shape[0] + middle.replace(" ", "\t" if "\t" in shape[0] else " ") + shape[1]
        for middle in [*plain[:at], *odd, *plain[at:]]
    ],
    shapes,
    st.lists(
        st.tuples(st.text("ab1", min_size=1, max_size=9), st.integers(5, 15), st.integers(900, 1100)), max_size=90
    ).map(lambda rows: [f"{doc} {rank} {score / 100}" for doc, rank, score in rows]),
    st.lists(middles, max_size=2),
    st.integers(0, 90),
)


@settings(max_examples=400, deadline=None, derandomize=True)
@given(strips=st.lists(alike, min_size=1, max_size=3), policy=policies, end=st.sampled_from(["\n", ""]))
def test_lines_that_resemble_each_other_give_what_the_reference_gives(strips, policy, end):
    text = "\n".join(line for strip in strips for line in strip) + end
    lines = unread_bytes(text.encode() + bytes(8), "run.txt")
    if lines is not None:
        check(lines, policy)


@settings(max_examples=250, deadline=None, derandomize=True)
@given(rows=st.lists(rows, min_size=1, max_size=40), policy=policies)
def test_columns_give_what_the_reference_gives(rows, policy):
    run = read_run([(query, doc, float(score)) for query, doc, _, score in rows])
    check(run, policy)


rankings = st.dictionaries(
    st.sampled_from(QUERIES), st.dictionaries(st.sampled_from(DOCS), st.sampled_from(SCORES).map(float), max_size=9),
    min_size=1,
)  # fmt: skip


@settings(max_examples=250, deadline=None, derandomize=True)
@given(run=rankings, policy=policies, listed=st.booleans())
def test_mappings_give_what_the_reference_gives(run, policy, listed):
    check(open_whole_run({query: list(docs) for query, docs in run.items()} if listed else run), policy)


@pytest.mark.needs("pyarrow")
@settings(max_examples=200, deadline=None, derandomize=True)
@given(rows=st.lists(rows, min_size=1, max_size=30), policy=policies, chunks=st.integers(1, 4), form=st.integers(0, 4))
def test_arrow_batches_give_what_the_reference_gives(rows, policy, chunks, form):
    import pyarrow as pa

    text = [pa.string(), pa.large_string(), getattr(pa, "string_view", pa.string)(), pa.dictionary(pa.int8(), pa.string()), pa.dictionary(pa.int32(), pa.large_string())][form]  # fmt: skip
    size = -(-len(rows) // chunks)
    batches = [
        pa.table({"query_id": pa.array([r[0] for r in part]).cast(text), "doc_id": pa.array([r[1] for r in part]).cast(text),
                  "score": [float(r[3]) for r in part]})
        for part in (rows[at : at + size] for at in range(0, len(rows), size))
    ]  # fmt: skip
    frame = pa.concat_tables(batches).slice(0)
    check(open_whole_run(frame), policy)


@pytest.mark.parametrize(
    "last", ["1 Q0 d3 4 8.25 ", "1 Q0 d3 4 8.25\t", "1 Q0 d3 4 8.25 t ", "1 Q0 d3 4 8.25 t\r", "1 Q0 d3 4 8.25"]
)
def test_a_last_line_without_its_end_is_read_like_any_other(last):
    check(unread_bytes(f"1 Q0 d1 1 9 t\n1 Q0 d2 2 8.5 t\n{last}".encode() + bytes(8), "run.txt"), Policy())


def test_the_first_line_with_data_is_known_behind_many_comments():
    check(unread_bytes(b"#\n" * 35_000 + b"1 Q0 a 1 1 t\n1 0 a 1\n" + bytes(8), "run.txt"), Policy())
    check(unread_bytes(b"#\n" * 35_000 + b"1 0 a 1\n1 Q0 a 1 1 t\n" + bytes(8), "run.txt"), Policy())


@pytest.mark.needs("polars")
def test_whole_numbers_are_ids_too():
    import polars

    qrels = read_qrels({1: {10: 1, 9: 1}, 2: {11: 1}})
    rows = [(1, 9, 0.5), (1, 10, 0.5), (1, 100, 0.5), (2, 11, 1.0), (3, 5, 1.0)]
    frame = polars.DataFrame(rows, schema=["query_id", "doc_id", "score"], orient="row")
    nested = {q: {d: s for query, d, s in rows if query == q} for q in (1, 2, 3)}
    for source in (frame, nested, {q: list(docs) for q, docs in nested.items()}):
        check(open_whole_run(source), Policy(), qrels)


@pytest.mark.needs("pyarrow")
def test_a_source_that_can_be_read_once_is_read_once():
    import pyarrow as pa

    table = pa.table({"query": ["q", "q"], "doc": ["a", "b"], "score": [1.0, 2.0]})
    assert jd.evaluate({"q": {"a": 1}}, table.to_reader(), "AP").mean() == {"AP": 1 / 2}
    twice = pa.concat_tables([table, table]).to_reader()
    refusal("duplicate-doc", jd.evaluate, {"q": {"a": 1}}, twice, "AP")


@pytest.mark.needs("pyarrow")
def test_ranks_that_a_double_cannot_tell_apart_are_no_ranks():
    import pyarrow as pa

    table = pa.table({"query": ["1", "1"], "doc": ["a", "ab"], "score": [1.0, 2.0], "rank": [2**53 + 1, 2**53]})
    check(open_whole_run(table), Policy(order="rank"))


@pytest.mark.parametrize("threads", [1, 3])
def test_a_large_shuffled_run_is_put_together_from_its_fragments(monkeypatch, threads):
    random = np.random.default_rng(7)
    queries, docs = random.integers(0, 40, 20_000), random.permutation(20_000)
    scores = random.integers(0, 500, 20_000) / 8
    lines = [f"q{q} Q0 d{d} 1 {s} t" for q, d, s in zip(queries, docs, scores, strict=True)]
    qrels = read_qrels({f"q{q}": {f"d{d}": int(d) % 3 for d in docs[queries == q][::7]} for q in range(35)})
    monkeypatch.setattr(scan, "BYTES", 5_000)
    monkeypatch.setattr(scan, "CORES", threads)
    check(unread_bytes("\n".join(lines).encode() + bytes(8), "run.txt"), Policy(), qrels)


def test_progress_is_told_and_can_stop_the_work(tmp_path):
    run = tmp_path / "run.txt"
    run.write_text("".join(f"q Q0 d{i} 1 {-i} t\n" for i in range(1_000)))
    told = []
    judged = jd.join({"q": {"d7": 1}}, run, progress=lambda done, size: told.append((done, size)))
    assert judged.rank.tolist() == [8]
    assert told[-1] == (run.stat().st_size,) * 2

    def stop(done, size):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        jd.join({"q": {"d7": 1}}, run, progress=stop)


def test_a_file_that_changes_while_it_is_looked_at_is_refused(tmp_path):
    run = tmp_path / "run.txt"
    run.write_text("q Q0 d1 1 1 t\n")
    opened = open_whole_run(run)
    run.write_text("q Q0 d1 1 1 t\nq Q0 d2 1 1 t\n")
    with pytest.raises(jd.FileError, match="changed"):
        jd.join({"q": {"d1": 1}}, opened)
