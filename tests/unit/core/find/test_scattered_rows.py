"""Tables whose rows are in no order: those of each query are brought together first, with the same outcome."""

from functools import cache

import numpy as np
import pytest
from for_each import for_each
from needs import optional
from refusals import refusal

from judged.core import reference, scan
from judged.core.policy import Policy
from judged.core.pool import pool_of
from judged.io.open_table import open_whole_run
from judged.io.read import read_qrels, read_run

pa = optional("pyarrow")

pytestmark = [pytest.mark.needs("native", "pyarrow")]

QUERIES, ROWS = 300, 40_000  # more than are looked at to tell
AT_ONCE = scan._ROWS


@cache
def table(*, dictionary: bool = False, repeat: bool = False) -> pa.Table:
    rng = np.random.default_rng(5)
    pairs = rng.choice(QUERIES * 900, ROWS, replace=False)
    if repeat:  # of a judged query
        pairs[-1] = pairs[np.flatnonzero(pairs // 900 % 2 == 0)[0]]
    query = pa.array([f"q{pair // 900}" for pair in pairs.tolist()])
    doc = [f"d{pair % 900}" for pair in pairs.tolist()]
    return pa.table(
        {
            "query": query.dictionary_encode() if dictionary else query,
            "doc": doc,
            "score": np.where(rng.random(ROWS) < 0.001, np.inf, rng.integers(0, 50, ROWS) / 4),
        }
    )


QRELS = read_qrels([(f"q{q}", f"d{d}", d % 3) for q in range(0, QUERIES, 2) for d in range(0, 900, 30)])


@cache
def expected_of(policy: Policy):
    return reference.find(pool_of(QRELS, policy), read_run(table()), policy)


@for_each("dictionary", [False, True])
@for_each("chunks", [1, 7])
@for_each("in_rounds", [False, True])
@for_each(
    "policy",
    [
        Policy(),
        Policy(ties="id-asc"),
        Policy(ties="input"),
        Policy(ties="best"),
        Policy(order="input"),
        Policy(depth=5),
        Policy(duplicates="first"),
    ],
    ids=str,
)
def test_shuffled_rows_give_what_the_reference_gives(dictionary, chunks, in_rounds, policy, monkeypatch):
    monkeypatch.setattr(scan, "_ROWS", 1 if in_rounds else AT_ONCE)  # a quarter of the rows at a time, or all
    rows = table(dictionary=dictionary)
    rows = pa.concat_tables(
        [rows.slice(i * ROWS // chunks, (i + 1) * ROWS // chunks - i * ROWS // chunks) for i in range(chunks)]
    )
    pool, expected = pool_of(QRELS, policy), expected_of(policy)
    for run in (open_whole_run(rows), read_run(rows)):
        found = scan.find(pool, run, policy, ("text", "text"))
        assert found is not None
        for name in ("retrieved", "answered", "query", "rank", "judgment", "tie_first", "tie_last"):
            assert getattr(found, name).tolist() == getattr(expected, name).tolist(), name
        assert (found.unjudged, found.some_unjudged) == (expected.unjudged, expected.some_unjudged)
        assert found.infinite == expected.infinite


@pytest.mark.parametrize("in_rounds", [False, True])
def test_progress_over_shuffled_rows_grows_to_their_number(in_rounds, monkeypatch):
    if in_rounds:
        monkeypatch.setattr(scan, "_ROWS", 1)
    seen = []
    scan.find(pool_of(QRELS, Policy()), read_run(table()), Policy(), ("text", "text"), lambda *step: seen.append(step))
    assert seen == sorted(seen)
    assert seen[-1] == (ROWS, ROWS)
    assert {size for _, size in seen} == {ROWS}


@pytest.mark.parametrize("wrong", ["nan", "empty"])
def test_an_invalid_row_among_shuffled_rows_is_left_to_the_reference(wrong):
    rows = table()
    column = rows["score"].to_pylist() if wrong == "nan" else rows["doc"].to_pylist()
    column[ROWS // 2] = float("nan") if wrong == "nan" else ""
    rows = rows.set_column(2 if wrong == "nan" else 1, "score" if wrong == "nan" else "doc", pa.array(column))
    assert scan.find(pool_of(QRELS, Policy()), open_whole_run(rows), Policy(), ("text", "text")) is None


def test_a_repeat_among_shuffled_rows_is_found_where_it_stands():
    rows, pool = table(repeat=True), pool_of(QRELS, Policy())
    said = []
    for find in (scan.find, lambda pool, run, policy, kinds: reference.find(pool, run, policy)):
        error = refusal("duplicate-doc", find, pool, read_run(rows), Policy(), ("text", "text"))
        said.append(str(error))
    assert said[0] == said[1]
