"""Empty but well-formed inputs: the table of docs/guides/inputs.md, in every form of input."""

from pathlib import Path

import numpy as np
import pytest

import judged as jd

QRELS, RUN = {"q": {"a": 1}, "p": {"b": 1}}, {"q": ["a"]}
FILES = {
    "nothing": "",
    "blank lines": "\n\n",
    "mapping.json": "{}",
    "list.json": "[]",
    "header.csv": "query_id,doc_id,score,relevance\n",
}


def frames():
    import pandas
    import polars
    import pyarrow

    columns = {
        name: np.array([], dtype)
        for name, dtype in (("query", "U1"), ("doc", "U1"), ("score", float), ("grade", float))
    }
    yield pandas.DataFrame(columns)
    yield polars.DataFrame(
        columns, schema={"query": polars.String, "doc": polars.String, "score": polars.Float64, "grade": polars.Float64}
    )
    yield pyarrow.table(
        {
            name: pyarrow.array([], pyarrow.string() if name in ("query", "doc") else pyarrow.float64())
            for name in columns
        }
    )


@pytest.fixture
def nothings(tmp_path, monkeypatch):
    """Sources without a row."""
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        Path(name).write_text(text)
    return [{}, [], *FILES, *frames()]


def slug(function, *args, **options) -> str:
    with pytest.raises(jd.JudgedError) as caught:
        function(*args, **options)
    return caught.value.slug


@pytest.mark.needs("pandas", "polars", "pyarrow")
def test_a_run_without_rankings_is_refused(nothings):
    assert [slug(jd.evaluate, QRELS, nothing, "AP") for nothing in nothings] == ["empty-run"] * len(nothings)
    assert slug(jd.compare, QRELS, {"a": {}, "b": RUN}, "AP") == "empty-run"


@pytest.mark.needs("pandas", "polars", "pyarrow")
def test_judgments_without_any_are_refused(nothings):
    assert [slug(jd.evaluate, nothing, RUN, "AP") for nothing in (*nothings, {"q": {}})] == ["empty-qrels"] * (
        len(nothings) + 1
    )


@pytest.mark.parametrize("nothing", [[], {}])
def test_a_ranking_without_documents_counts_0(nothing):
    result = jd.evaluate(QRELS, {"q": nothing, "p": ["b"]}, "AP RR P@5")
    assert result.of("q") == {"AP": 0, "RR": 0, "P@5": 0}
    assert [(w.slug, w.count) for w in result.warnings] == [("empty-list", 1)]
    assert result.warnings[0].text.endswith(": 'q'")  # such queries are the first to be looked at
    assert jd.evaluate(QRELS, {"q": nothing, "p": nothing}, "AP").mean() == {"AP": 0}


@pytest.mark.parametrize(
    ("labels", "scores", "layout"),
    [
        ([[]], [[]], {}),
        (np.zeros((1, 0)), np.zeros((1, 0)), {}),
        ([[1, 0]], [[1, 2]], {"mask": [[False, False]]}),
        ([], [], {"group": [0]}),
    ],
)
def test_a_list_without_items_counts_0(labels, scores, layout):
    result = jd.score(labels, scores, "AP P@5", **layout)
    assert result.mean() == {"AP": 0, "P@5": 0}
    assert "empty-list" in {w.slug for w in result.warnings}
    assert jd.metrics.ndcg(labels, scores, **layout).tolist() == [0]
