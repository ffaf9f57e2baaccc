"""Every law for every measure that claims it, taken from the registry: no list of names."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest
from for_each import for_each
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from judged.core.join import join
from judged.core.judged import Judged
from judged.core.judged_views import stack_runs
from judged.core.policy import Policy
from judged.core.tables import IdColumn, Qrels, Run
from judged.measures.registry import MEASURES, Definition, Measure, parse

DEFINITIONS = [d for d in MEASURES if d.family != "own" and d.needs != "spans"]  # those have a test of their own
GRADES = st.sampled_from([None, None, 0.0, 1.0, 1.0, 2.0, 3.0, 0.5, 1.5, -1.0])
CUTOFFS = (1, 2, 3, 5, 10)
settings.register_profile("laws", max_examples=25, deadline=None, derandomize=True)
settings.load_profile("laws")
of_all_measures = settings(phases=[Phase.generate])  # examples are small, and shrinking them takes minutes

Query = tuple[list[float | None], list[float]]
QUERY = st.tuples(st.lists(GRADES, max_size=12), st.lists(GRADES.filter(lambda g: g is not None), max_size=4))
QUERIES = st.lists(QUERY, min_size=1, max_size=4).filter(
    lambda qs: all(any(g is not None for g in r) or p for r, p in qs)
)


def judged(queries: list[Query], *, aspects: bool = False, tail: int = 0) -> Judged:
    """Rankings of grades (None: unjudged), with judged documents that were not retrieved."""
    return _joined(tuple((tuple(ranking), tuple(missed)) for ranking, missed in queries), aspects, tail)


@lru_cache(maxsize=16)
def _joined(queries, aspects: bool, tail: int) -> Judged:
    judgments, rows = [], []
    for q, (ranking, missed) in enumerate(queries):
        for rank, grade in enumerate([*ranking, *[None] * tail]):
            rows.append((q, f"r{rank:02}", -float(rank)))
            if grade is not None:
                judgments.append((q, f"r{rank:02}", grade))
        judgments += [(q, f"x{i}", grade) for i, grade in enumerate(missed)]
    ids = IdColumn.of(f"q{q}".encode() for q in range(len(queries)))
    qrels = Qrels(
        name="qrels", queries=ids, query=np.array([j[0] for j in judgments], dtype=np.int64),
        doc=IdColumn.of(j[1].encode() for j in judgments), grade=np.array([j[2] for j in judgments], dtype=float),
        aspect=IdColumn.of(str(len(j[1]) + i % 3).encode() for i, j in enumerate(judgments)) if aspects else None,
        sub=IdColumn.of(b"1" for _ in judgments) if aspects else None,
    )  # fmt: skip
    run = Run(
        name="run", queries=ids, query=np.array([r[0] for r in rows], dtype=np.int64),
        doc=IdColumn.of(r[1].encode() for r in rows), score=np.array([r[2] for r in rows], dtype=float),
    )  # fmt: skip
    return join(qrels, run, Policy())


def variants(definition) -> list[Measure]:
    """The measure as it is, and at a few cutoffs where it takes one."""
    base = Measure(definition)
    return [base, *(base @ k for k in CUTOFFS)] if definition.at == "cutoff" else [base]


def claiming(law: str | None) -> list[Definition]:
    """The measures that claim a law. A test of generated queries takes all of them at once: generating takes longer than measuring."""
    return [d for d in DEFINITIONS if law is None or law in d.laws]


def claims(law: str | None):
    return for_each("definition", claiming(law))


def bits(column) -> list:
    return column.tolist() if column.dtype == object else column.view(np.int64).tolist()


@pytest.mark.slow
@of_all_measures
@given(queries=QUERIES)
def test_any_split_of_the_queries_merged_gives_the_same_bits(queries):
    parts = {}
    for definition in claiming(None):
        aspects = definition.needs != "grades"
        whole = judged(queries, aspects=aspects)
        if aspects not in parts:
            alone = [whole.select([i]) for i in range(len(whole))]
            parts[aspects] = alone, Judged.merge([whole.select([i]) for i in range(len(whole))])
        alone, merged = parts[aspects]
        for measure in variants(definition):
            assert bits(measure.on(whole)) == bits(np.concatenate([measure.on(part) for part in alone])), measure
        assert bits(Measure(definition).on(merged)) == bits(Measure(definition).on(whole)), definition.name


@of_all_measures
@given(queries=QUERIES)
def test_the_same_call_in_two_threads_gives_the_same_bits(queries):
    with ThreadPoolExecutor(2) as pool:
        for definition in claiming(None):
            whole, measure = judged(queries, aspects=definition.needs != "grades"), Measure(definition)
            fresh = whole.select(range(len(whole)))  # nothing of it was computed before
            first, second = pool.map(measure.on, [fresh, fresh])
            assert bits(first) == bits(second) == bits(measure.on(whole)), measure


@of_all_measures
@given(queries=QUERIES)
def test_values_lie_between_0_and_1(queries):
    for definition in claiming("unit"):
        whole = judged(queries, aspects=definition.needs != "grades")
        for measure in variants(definition):
            values = measure.on(whole)
            assert ((values >= 0) & (values <= 1 + 1e-12)).all(), (measure, values)


@of_all_measures
@given(queries=QUERIES)
def test_the_ideal_ranking_scores_1(queries):
    pool = [([], [g for g in [*r, *m] if g is not None]) for r, m in queries]
    for definition in claiming("perfect"):
        whole = judged(pool, aspects=definition.needs != "grades")
        has_relevant = whole.relevant(1) > 0
        for measure in variants(definition) if "capped" in definition.laws else [Measure(definition)]:
            values = measure.on(whole.ideal)
            assert values[has_relevant] == pytest.approx(1), (measure, values)


@of_all_measures
@given(queries=QUERIES)
def test_moving_a_better_document_up_never_lowers(queries):
    def worth(grade):
        return 0.0 if grade is None or grade < 0 else grade

    for ranking, missed in queries:
        swaps = [i for i in range(1, len(ranking)) if worth(ranking[i]) > worth(ranking[i - 1])]
        for i in swaps[:1]:
            better = [*ranking[: i - 1], ranking[i], ranking[i - 1], *ranking[i + 1 :]]
            before, after = judged([(ranking, missed)]), judged([(better, missed)])
            for definition in claiming("swap"):
                for measure in variants(definition):
                    assert measure.on(after)[0] >= measure.on(before)[0] - 1e-12, (measure, i)


@of_all_measures
@given(queries=QUERIES)
def test_nothing_below_the_cutoff_matters(queries):
    for definition in claiming("cutoff"):
        whole = judged(queries, aspects=definition.needs != "grades")
        for k in CUTOFFS:
            measure = Measure(definition) @ k
            assert bits(measure.on(whole)) == bits(measure.on(whole.cut(k))), measure
            for last in CUTOFFS[CUTOFFS.index(k) :]:
                assert bits(measure.on(whole)) == bits(measure.on(whole.only(whole.tie_first <= last))), measure


@of_all_measures
@given(queries=QUERIES)
def test_runs_measured_together_have_the_bits_that_each_has_alone(queries):
    whole = judged(queries)
    runs = [whole, whole.cut(3), whole.ideal, whole]
    for definition in DEFINITIONS:
        for measure in variants(definition) if definition.needs == "grades" and not definition.text else []:
            together = measure.on(stack_runs(runs))
            assert bits(together) == bits(np.concatenate([measure.on(one) for one in runs])), measure


@of_all_measures
@given(queries=QUERIES, extra=st.integers(1, 5))
def test_unjudged_documents_at_the_tail_never_raise(queries, extra):
    for definition in claiming("tail"):
        aspects = definition.needs != "grades"
        short, long = judged(queries, aspects=aspects), judged(queries, aspects=aspects, tail=extra)
        for measure in variants(definition):
            assert (measure.on(long) <= measure.on(short) + 1e-12).all(), measure


@claims(None)
def test_printing_and_parsing_are_inverse(definition):
    for measure in variants(definition):
        assert parse(str(measure)) == measure


@for_each("definition", [d for d in DEFINITIONS if d.example], ids=lambda d: d.name)
def test_the_declared_example_comes_out(definition):
    from judged.measures.registry import ranked

    grades, value = definition.example
    got = Measure(definition)(**definition.example_params).on(ranked(grades))[0]
    assert got == pytest.approx(value, rel=1e-14, abs=1e-15)


@claims(None)
def test_every_measure_says_what_it_is(definition):
    assert definition.description
    assert definition.formula
    assert definition.family


@given(queries=QUERIES)
def test_hits_are_in_rank_order_and_the_pool_from_the_highest_grade_down(queries):
    j = judged(queries)
    assert (np.diff(j.query * 1000 + j.rank) > 0).all()
    assert (np.diff(j.pool_query) >= 0).all()
    assert ((np.diff(j.pool_grade) <= 0) | (np.diff(j.pool_query) > 0)).all()
    assert (j.pool_grade[j.judgment] == j.grade).all()
    assert (replace(j).hits.sum(), len(j)) == (len(j.rank), len(queries))
