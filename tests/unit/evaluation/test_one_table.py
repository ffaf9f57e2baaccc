"""One input with labels and scores: a table is judgments and run at once, and lists of labels need no ids."""

import json

import numpy as np
import pytest
from for_each import for_each
from needs import optional
from refusals import refusal

import judged as jd

pd = optional("pandas")

ROWS = [("q1", "a", 0, 3.5), ("q1", "b", 2, 2.5), ("q2", "a", 1, 0.5), ("q2", "c", 0, 0.25)]
NAMES = ("qid", "docid", "label", "score")
RECORDS = [dict(zip(NAMES, row, strict=True)) for row in ROWS]
QRELS = {"q1": {"a": 0, "b": 2}, "q2": {"a": 1, "c": 0}}
RUN = {"q1": {"a": 3.5, "b": 2.5}, "q2": {"a": 0.5, "c": 0.25}}
MEASURES = "nDCG AP RR P@1 R@1"
FORMS = {
    "pred.csv": "qid,docid,label,score\n" + "".join(",".join(map(str, row)) + "\n" for row in ROWS),
    "pred.tsv": "label\tscore\tdocid\tqid\n" + "".join(f"{g}\t{s}\t{d}\t{q}\n" for q, d, g, s in ROWS),
    "german.csv": "qid;docid;label;score\n" + "".join(f"{q};{d};{g};{s}\n".replace(".", ",") for q, d, g, s in ROWS),
    "pred.jsonl": "".join(json.dumps(record) + "\n" for record in RECORDS),
    "pred.json": json.dumps(RECORDS),
}


def same(found, expected) -> None:
    assert found.queries == expected.queries
    for m in expected.measures:
        assert found[m].tolist() == expected[m].tolist()


@for_each("name", list(FORMS))
def test_one_table_gives_the_values_of_judgments_and_run(name, tmp_path):
    path = tmp_path / name
    path.write_text(FORMS[name])
    same(jd.evaluate(path, measures=MEASURES), jd.evaluate(QRELS, RUN, MEASURES))


@pytest.mark.needs("pandas", "pyarrow")
def test_frames_are_one_table_too(tmp_path):
    frame = pd.DataFrame(RECORDS)
    frame.to_parquet(tmp_path / "pred.parquet")
    frame.to_csv(tmp_path / "pred.csv")  # with an index
    for source in (
        frame,
        frame.to_dict("records"),
        frame.to_dict("list"),
        tmp_path / "pred.parquet",
        tmp_path / "pred.csv",
    ):
        same(jd.evaluate(source, measures=MEASURES), jd.evaluate(QRELS, RUN, MEASURES))


def test_columns_and_words_are_named_as_usual(tmp_path):
    path = tmp_path / "pred.csv"
    path.write_text("Suche,Artikel,Urteil,Wert\nq1,a,schlecht,3.5\nq1,b,gut,2.5\nq2,a,gut,0.5\n")
    names = {"query_col": "Suche", "doc_col": ["Artikel"], "grade_col": "Urteil", "score_col": "Wert"}
    found = jd.evaluate(path, measures="RR", grade_map={"gut": 1, "schlecht": 0}, **names)
    assert found["RR"].tolist() == [1 / 2, 1]
    error = refusal("grade-type", jd.evaluate, path, measures="RR", **names)
    assert "grade_map" in str(error)
    assert error.where.line == 2


def test_without_queries_or_documents_it_is_one_list(tmp_path):
    path = tmp_path / "one.csv"
    path.write_text("ID,label,predict\n1,1,0.3\n2,0,0.9\n3,1,0.8\n")
    ap = (1 / 2 + 2 / 3) / 2
    assert jd.evaluate(path, measures="AP").mean() == {"AP": ap}
    path.write_text("label,score\n1,0.3\n0,0.9\n1,0.8\n")
    assert jd.evaluate(path, measures="AP").mean() == {"AP": ap}


def test_grades_are_never_scores_at_once(tmp_path):
    path = tmp_path / "qrels.csv"
    for header in ("query,doc,grade", "query,doc,score"):  # either may be judgments; none is both
        path.write_text(f"{header}\nq,a,1\nq,b,0\n")
        error = refusal("questions", jd.evaluate, path)
        assert "pass both" in str(error)
    refusal("runs", jd.evaluate, QRELS)


def test_labels_alone_are_in_the_order_of_the_ranking():
    assert jd.metrics.ndcg([1, 0, 1]) == (1 + 1 / np.log2(4)) / (1 + 1 / np.log2(3))
    assert jd.metrics.average_precision([1, 0, 1]) == (1 + 2 / 3) / 2
    assert jd.metrics.average_precision([[1, 0, 1], [0, 1]]).tolist() == [(1 + 2 / 3) / 2, 1 / 2]
    assert jd.metrics.average_precision([1, 0, 1, 0, 1], group=[3, 2]).tolist() == [(1 + 2 / 3) / 2, 1 / 2]
    assert jd.metrics.precision(np.array([[1, 0], [0, 1]]), k=1).tolist() == [1, 0]
    assert jd.score([[0, 1], [1, 0]], measures="RR")["RR"].tolist() == [1 / 2, 1]
    assert jd.metrics.ndcg([0, 1, 1], [3, 2, 1]) == jd.metrics.ndcg([0, 1, 1])


def test_an_explanation_takes_labels_with_or_without_scores():
    labels, scores = [1, 0, 1], [0.1, 0.9, 0.8]
    assert jd.explain("AP", labels, scores).value == jd.metrics.average_precision(labels, scores) == (1 / 2 + 2 / 3) / 2
    assert jd.explain("AP", np.array(labels)).value == jd.metrics.average_precision(labels)
    assert [row[1] for row in jd.explain("AP", labels, scores).rows] == ["item 2", "item 3", "item 1"]
    tied = [0, 1, 1], [1.0, 1.0, 1.0]
    assert jd.explain("RR", *tied).value == jd.metrics.reciprocal_rank(*tied) == 1 / 2


def test_ranks_take_the_place_of_scores(tmp_path):
    path = tmp_path / "list.csv"
    path.write_text("rank;doc;relevant\n1;a;1\n3;c;0\n2;b;1\n4;d;1\n")
    assert jd.evaluate(path, measures="AP", grade_col="relevant").mean() == {"AP": (1 + 1 + 3 / 4) / 3}
