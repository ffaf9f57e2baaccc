"""Runs and judgments as mappings of queries."""

import pickle

import pytest

import judged as jd

ROWS = {"q2": {"c": 1.0}, "q1": {"a": 0.9, "b": 0.4}}
RUN = jd.Run(ROWS, name="bm25")
QRELS = jd.Qrels({"q2": {"c": 1}, "q1": {"a": 2, "b": 0}, "q3": {}})


def test_a_run_iterates_over_its_queries_like_a_dict():
    assert list(RUN) == list(ROWS)
    assert len(RUN) == len(list(RUN)) == 2
    assert list(RUN.keys()) == list(ROWS)
    assert dict(RUN) == {**RUN} == dict(RUN.items()) == RUN.to_dict() == ROWS
    assert all(RUN[query] == ROWS[query] for query in RUN)
    assert "q1" in RUN
    assert "q3" not in RUN
    with pytest.raises(KeyError):
        RUN["q3"]


def test_judgments_iterate_over_their_queries_with_those_without_documents():
    assert (list(QRELS), len(QRELS), QRELS["q3"]) == (["q2", "q1", "q3"], 3, {})


def test_ids_keep_their_type():
    run = jd.Run({2: {7: 1.0}, 1: {8: 0.5}})
    assert (list(run), 2 in run, "2" in run) == ([2, 1], True, False)
    assert run != jd.Run({"2": {"7": 1.0}, "1": {"8": 0.5}})


def test_the_same_queries_documents_and_numbers_are_equal_in_any_order_and_from_any_source(tmp_path):
    jd.write_run(RUN, tmp_path / "x.run")
    same = [
        jd.Run({"q1": {"b": 0.4, "a": 0.9}, "q2": {"c": 1.0}}),
        jd.read_run(tmp_path / "x.run"),
        jd.Run([("q1", "b", 0.4), ("q2", "c", 1.0), ("q1", "a", 0.9)], name="other"),
        pickle.loads(pickle.dumps(RUN)),
    ]
    for one in same:
        assert one == RUN
        assert not one != RUN  # noqa: SIM202


@pytest.mark.parametrize(
    "other",
    [
        jd.Run({**ROWS, "q1": {"a": 0.9, "b": 0.5}}),
        jd.Run({**ROWS, "q1": {"a": 0.9, "c": 0.4}}),
        jd.Run({**ROWS, "q1": {"a": 0.9}}),
        jd.Run({**ROWS, "q3": {}}),
        jd.Run([("q1", "a", 0.9), ("q1", "b", 0.4), ("q2", "c", 1.0), ("q2", "c", 1.0)]),
        jd.Qrels(ROWS),
        ROWS,
        None,
    ],
)
def test_what_differs_in_any_of_these_is_not_equal(other):
    run = RUN
    assert run != other
    assert other != run


def test_judgments_of_other_subtopics_are_not_equal(tmp_path):
    for name, aspect in (("a", 1), ("b", 2)):
        (tmp_path / name).write_text(f"q1 1 d 1\nq1 {aspect} e 1\n")
    one, two = (jd.read_qrels(tmp_path / name) for name in "ab")
    assert one.to_dict() == two.to_dict()
    assert one != two
    assert one == jd.read_qrels(tmp_path / "a")


def test_neither_has_a_hash_as_no_mapping_that_compares_by_content_has():
    for one in (RUN, QRELS):
        with pytest.raises(TypeError, match="unhashable"):
            hash(one)


def test_a_notebook_shows_the_first_documents_of_the_first_queries():
    run = jd.Run({f"q{q}": {f"d{q}-{d}": 1 / (d + 1) for d in range(5)} for q in range(9)}, name="<b>")
    html = run._repr_html_()
    assert "&lt;b&gt;: 9 queries, 45 rows" in html
    assert "0.5000" in html
    assert [f"d{q}-{d}" in html for q in range(9) for d in range(5)] == [
        q < 5 and d < 3 for q in range(9) for d in range(5)
    ]
    assert "relevance" in QRELS._repr_html_()
    assert jd.Qrels({"q1": {}, "q2": {"a": 1}}).take([])._repr_html_()
