"""Judgments that were read for one evaluation are in memory once, in the order of their pool."""

import numpy as np
import pytest

import judged as jd
from judged.core.scan import INDEX
from judged.io.fingerprint import content_of

RUN = "q10 Q0 c 1 9 t\nq10 Q0 b 2 8 t\nq2 Q0 x 1 7 t\nq2 Q0 a 2 7 t\nq1 Q0 z 1 1 t\n"
PLAIN = "q2 0 a 1\nq10 0 b 0\nq2 0 x 2\nq10 0 c 3\nq1 0 y -1\n"
INPUTS = {
    "plain": PLAIN,
    "judged twice": PLAIN + "q2 0 a 1\n",
    "form": "q2 1 a 1\nq10 1 b 0\nq2 2 x 2\nq10 2 c 3\nq2 2 a 1\n",
    "a query without judgments": '{"q2": {"a": 1, "x": 2}, "q3": {}, "q10": {"c": 3, "b": 300}}',
}
needs_native = pytest.mark.needs("native")  # the reference does not sort judgments in place


@pytest.fixture
def files(tmp_path):
    (tmp_path / "run.txt").write_text(RUN)

    def write(judgments):
        (tmp_path / "qrels.txt").write_text(judgments)
        return str(tmp_path / "qrels.txt"), str(tmp_path / "run.txt")

    return write


@pytest.mark.parametrize("judgments", INPUTS.values(), ids=INPUTS)
@pytest.mark.parametrize("options", [{}, {"queries": "both"}, {"ties": "expected"}, {"rejudged": "max"}], ids=str)
def test_files_and_judgments_read_before_give_the_same_result(files, judgments, options):
    qrels, run = files(judgments)
    ours, theirs = (jd.evaluate(source, run, "nDCG AP RR", **options) for source in (qrels, jd.read_qrels(qrels)))
    assert ours.to_dict() == theirs.to_dict()
    assert list(ours.queries) == list(theirs.queries)
    assert [(w.slug, w.text) for w in ours.warnings] == [(w.slug, w.text) for w in theirs.warnings]
    assert content_of(ours.source.qrels) == content_of(theirs.source.qrels)
    assert ours.explain("AP", "q2").to_markdown() == theirs.explain("AP", "q2").to_markdown()


@needs_native
def test_the_pool_shares_the_columns_of_judgments_that_nobody_else_has(files):
    qrels, run = files(PLAIN)
    source = jd.evaluate(qrels, run, "AP").source
    for ours, pooled in (
        (source.qrels.grade, source.judged.pool.grade),
        (source.qrels.doc.start, source.judged.pool.doc.start),
    ):
        assert np.shares_memory(ours, pooled)


def test_judgments_of_the_caller_keep_the_order_of_their_rows(files):
    qrels, run = files(PLAIN)
    judgments = jd.read_qrels(qrels)
    jd.evaluate(judgments, run, "AP")
    assert judgments.doc.texts() == ["a", "b", "x", "c", "y"]
    assert judgments.where(2).line == 3


def test_two_grades_of_a_document_are_an_error_with_both_lines(files):
    qrels, run = files(PLAIN + "q2 0 a 2\n")
    with pytest.raises(jd.DataError, match=r"qrels\.txt:1.*") as caught:
        jd.evaluate(qrels, run, "AP")
    assert caught.value.slug == "duplicate-judgment"
    assert caught.value.where.line == 6


def test_a_column_of_scores_belongs_to_labels_in_the_order_of_the_file(tmp_path):
    (tmp_path / "labels.txt").write_text("0 qid:2 1:1\n3 qid:1 1:1\n1 qid:1 1:1\n2 qid:2 1:1\n")
    (tmp_path / "scores.txt").write_text("0.1\n0.2\n0.3\n0.4\n")
    result = jd.evaluate(str(tmp_path / "labels.txt"), str(tmp_path / "scores.txt"), "RR(level=2)")
    assert result.to_dict() == {"1": {"RR(level=2)": 1 / 2}, "2": {"RR(level=2)": 1.0}}
    assert result.source.run_table.score.tolist() == [0.1, 0.2, 0.3, 0.4]


@needs_native
def test_the_index_of_a_pool_is_kept_only_for_judgments_that_other_runs_may_be_joined_with(files):
    qrels, run = files(PLAIN)
    assert INDEX not in jd.evaluate(qrels, run, "AP").source.judged.pool.results
    assert INDEX in jd.evaluate(jd.read_qrels(qrels), run, "AP").source.judged.pool.results
