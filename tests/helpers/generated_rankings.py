"""Judgments and runs, and labels and scores, as hypothesis strategies: ties, negative grades, missing and unjudged queries."""

from hypothesis import strategies as st

QUERIES = ["q1", "q2", "q3", "q4", "q10"]
DOCS = [f"d{i}" for i in range(14)]
GRADES = st.sampled_from([-1, 0, 0, 1, 1, 2, 3])
SCORES = st.one_of(st.sampled_from([0.0, 0.5, 1.0, -2.0]), st.floats(-10, 10, width=32))


def _judged(row: dict[str, int]) -> dict[str, int]:
    """With a document that is not below 0: pytrec_eval crashes on queries with negative grades only."""
    return row if any(grade >= 0 for grade in row.values()) else {**row, "d0": 0}


QRELS = st.dictionaries(
    st.sampled_from(QUERIES[:4]), st.dictionaries(st.sampled_from(DOCS), GRADES, min_size=1).map(_judged), min_size=1
)
RUNS = st.dictionaries(st.sampled_from(QUERIES), st.dictionaries(st.sampled_from(DOCS), SCORES, min_size=1), min_size=1)


@st.composite
def answered(draw: st.DrawFn) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    """Judgments, and a run with at least one of their queries."""
    qrels = draw(QRELS)
    run = draw(RUNS)
    query = draw(st.sampled_from(sorted(qrels)))
    return qrels, {**run, query: run.get(query) or {"d1": 1.0, "d2": 1.0}}


@st.composite
def same_queries(draw: st.DrawFn) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    """Judgments of grades ≥ 0, and a run with exactly their queries."""
    qrels = draw(QRELS)
    ranking = st.dictionaries(st.sampled_from(DOCS), SCORES, min_size=1)
    return (
        {query: {doc: max(grade, 0) for doc, grade in row.items()} for query, row in qrels.items()},
        {query: draw(ranking) for query in qrels},
    )
