"""Judgments that are spans of documents: which chunk holds one, who has the credit, and how much text that is."""

import numpy as np
import pytest
from needs import optional
from refusals import refusal

import judged as jd

pd = optional("pandas")

GOLD = {"q": [("d", 120, 180), ("d", 400, 440, 2)]}


def value(run, measure, gold=GOLD, **options):
    return jd.evaluate(gold, run, measure, **options).mean()[str(jd.measures.parse(measure))]


@pytest.mark.parametrize(
    "chunks",
    [
        [("d", 100, 200), ("e", 0, 9)],
        [["d", 100, 200], ["e", 0, 9]],
        [{"doc": "d", "start": 100, "end": 200}, {"doc": "e", "start": 0, "end": 9}],
        [{"chunk_id": "c1", "doc_id": "d", "start_index": 100, "end_index": 200}, {"chunk_id": "c2", "doc_id": "e", "start_index": 0, "end_index": 9}],
        [{"id": "c1", "text": "x" * 100, "metadata": {"source": "d", "start_index": 100}}, {"id": "c2", "text": "y" * 9, "metadata": {"source": "e", "start_index": 0}}],
        [{"node": {"id_": "c1", "ref_doc_id": "d", "start_char_idx": 100, "end_char_idx": 200}}, {"node": {"id_": "c2", "ref_doc_id": "e", "start_char_idx": 0, "end_char_idx": 9}}],
    ],
    ids=["tuples", "lists", "objects", "ids", "langchain", "llamaindex"],
)  # fmt: skip
def test_chunks_with_spans_are_read_in_any_form(chunks):
    assert jd.evaluate(GOLD, {"q": chunks}, "R@1 P@2 CharRecall").mean() == {"R@1": 0.5, "P@2": 0.5, "CharRecall": 0.6}


@pytest.mark.needs("pandas")
@pytest.mark.parametrize("form", ["mapping", "frame", "csv"])
def test_ids_are_looked_up_in_a_table_of_chunks(form, tmp_path):
    table = {"c1": ("d", 100, 200), "c2": ("e", 0, 9)}
    frame = pd.DataFrame([(c, *s) for c, s in table.items()], columns=["chunk_id", "doc_id", "start", "end"])
    frame.to_csv(tmp_path / "chunks.csv", index=False)
    chunks = {"mapping": table, "frame": frame, "csv": str(tmp_path / "chunks.csv")}[form]
    result = jd.evaluate(GOLD, {"q": ["c2", "c1"]}, "RR CharRecall", chunks=chunks)
    assert result.mean() == {"RR": 0.5, "CharRecall": 0.6}
    assert [row[1] for row in result.explain("RR", "q").rows] == ["c2", "c1"]


def test_judgments_that_are_spans_need_chunks_that_are():
    with pytest.raises(jd.DataError, match="chunks=") as caught:
        jd.evaluate(GOLD, {"q": ["c1"]}, "RR")
    assert caught.value.slug == "columns"
    refusal("columns", jd.evaluate, {"q": ["c1"]}, {"q": ["c1"]}, "CharRecall")


@pytest.mark.parametrize(
    ("chunk", "slug"),
    [
        ({"doc": "d", "start": 5, "end": 5}, "form"),
        ({"doc": "d", "start": -1, "end": 5}, "form"),
        ({"doc": "d", "start": 0.5, "end": 5}, "form"),
        ({"doc": "d", "start": "0", "end": 5}, "form"),
        ({"doc": "d", "start": 0}, "columns"),
        ({"start": 0, "end": 3}, "columns"),
    ],
)
def test_a_span_that_is_none_is_refused_with_its_place(chunk, slug):
    with pytest.raises(jd.DataError, match=r"run\['q'\]\[1\]") as caught:
        jd.evaluate(GOLD, {"q": [{"doc": "d", "start": 0, "end": 3}, chunk]}, "RR")
    assert caught.value.slug == slug


def test_a_span_is_found_once_and_by_the_first_chunk_that_holds_it():
    run = {"q": [("d", 100, 150), ("d", 140, 200), ("d", 390, 500)]}
    result = jd.evaluate(GOLD, run, "P R nDCG AP NumRel")
    assert [row[2] for row in result.explain("AP", "q").rows] == [1, 0, 2]
    assert result.of("q")["P"] == pytest.approx(2 / 3)
    assert result.of("q")["R"] == 1
    assert result.of("q")["NumRel"] == 2


def test_spans_that_nobody_retrieved_are_missed():
    result = jd.evaluate(GOLD, {"q": [("d", 400, 500), ("x", 0, 9)]}, "R NumRel NumRelMissed")
    assert result.of("q") == {"R": 0.5, "NumRel": 2.0, "NumRelMissed": 1.0}
    assert b"gold d:120-180" in result.source.judged.pool_doc.tolist()


def test_spans_that_come_in_one_chunk_take_one_rank():
    run = {"q": [("e", 0, 10), ("d", 0, 500)]}
    assert jd.evaluate(GOLD, run, "R@1 R@2 RR nDCG StRecall@2").mean() == {
        "R@1": 0.0, "R@2": 1.0, "RR": 0.5, "nDCG": pytest.approx(1 / np.log2(3)), "StRecall@2": 1.0,
    }  # fmt: skip


def test_the_share_of_spans_does_not_depend_on_how_documents_are_cut():
    small = {"q": [("d", start, start + 50) for start in range(0, 500, 50)]}
    large = {"q": [("d", 0, 250), ("d", 250, 500)]}
    assert value(small, "StRecall") == value(large, "StRecall") == 1
    assert value(small, "R") == value(large, "R") == 1
    assert value(small, "CharRecall") == value(large, "CharRecall") == 1


def test_questions_without_an_answer_count_as_0():
    gold = {**GOLD, "r": [("d", 0, 10)]}
    assert jd.evaluate(gold, {"q": [("d", 0, 500)]}, "R CharRecall CharIoU").of("r") == {
        "R": 0.0,
        "CharRecall": 0.0,
        "CharIoU": 0.0,
    }


def test_the_name_of_a_chunk_is_never_taken_for_a_span_that_was_missed():
    run = {"q": [{"id": "gold d:120-180", "doc": "e", "start": 0, "end": 9}]}
    assert value(run, "R") == 0


RULES = {
    "any": [True, True, True, False],
    "gold>=0.5": [True, True, False, False],
    "gold>=1": [False, True, False, False],
    "chunk>=0.5": [True, False, True, False],
    "chunk>=1": [False, False, True, False],
    "iou>=0.5": [True, False, False, False],
}


@pytest.mark.parametrize("rule", list(RULES))
def test_a_rule_says_which_chunks_hold_a_span(rule):
    gold = {"q": [("d", 100, 200)]}
    chunks = [("d", 110, 210), ("d", 0, 1000), ("d", 150, 170), ("d", 200, 300)]
    held = [value({"q": [chunk]}, "Success", gold, overlap=rule) == 1 for chunk in chunks]
    assert held == RULES[rule]


@pytest.mark.parametrize("rule", ["half", "gold>=0", "gold>=1.5", "gold", "iou>=x", ""])
def test_a_rule_that_does_not_exist_is_refused(rule):
    refusal("parameter", jd.evaluate, GOLD, {"q": [("d", 0, 9)]}, "R", overlap=rule)


def test_the_rule_stands_in_the_policy():
    assert jd.evaluate(GOLD, {"q": [("d", 0, 9)]}, "R").policy.prepared == ("spans found by overlap: any",)
    assert jd.evaluate(GOLD, {"q": [("d", 0, 9)]}, "R", overlap="iou >= 0.3").policy.prepared == (
        "spans found by overlap: iou>=0.3",
    )


def test_an_order_by_luck_has_no_first_chunk():
    with pytest.raises(jd.UsageError, match="ties"):
        jd.evaluate(GOLD, {"q": [("d", 0, 9)]}, "R", ties="expected")


def by_hand(gold, chunks, k):
    """Chroma's token-wise numbers: what was looked for counts once, what was retrieved as often as it comes."""
    wanted = {(doc, i) for doc, start, end in gold for i in range(start, end)}
    retrieved = [(doc, i) for doc, start, end in chunks[:k] for i in range(start, end)]
    both = len(wanted & set(retrieved))
    recall = both / len(wanted)
    precision = both / len(retrieved) if retrieved else 0.0
    return recall, precision, both / (len(retrieved) + len(wanted) - both)


def test_recall_precision_and_iou_of_text_are_those_of_counting_characters():
    random = np.random.default_rng(4)

    def spans(count, longest):
        found = set()
        while len(found) < count:
            start = int(random.integers(0, 80))
            found.add((f"d{random.integers(0, 3)}", start, start + int(random.integers(1, longest))))
        return sorted(found, key=lambda span: random.random())

    gold = {f"q{i}": spans(int(random.integers(1, 4)), 20) for i in range(30)}
    run = {f"q{i}": spans(int(random.integers(1, 9)), 40) for i in range(30)}
    for k in (1, 3, 10):
        names = [f"CharRecall@{k}", f"CharPrecision@{k}", f"CharIoU@{k}"]
        result = jd.evaluate(gold, run, names)
        for query in gold:
            assert tuple(result.of(query).values()) == pytest.approx(by_hand(gold[query], run[query], k))


def test_measures_of_text_keep_their_laws():
    run = {"a": [("d", 0, 130), ("d", 100, 150), ("e", 0, 5)], "b": [("d", 0, 10)]}
    gold = {"a": GOLD["q"], "b": [("d", 5, 8)]}
    whole = jd.join(gold, run)
    for name in ("CharRecall", "CharPrecision", "CharIoU", "CharRecall@1", "CharIoU@2"):
        measure = jd.measures.parse(name)
        values = measure.on(whole)
        assert ((values >= 0) & (values <= 1)).all()
        parts = [whole.select([0]), whole.select([1])]
        assert np.concatenate([measure.on(part) for part in parts]).tolist() == values.tolist()
        assert measure.on(jd.Judged.merge(parts)).tolist() == values.tolist()


def test_text_within_a_budget_of_tokens():
    chunks = [
        {"doc": "d", "start": 100, "end": 200, "tokens": 30},
        {"doc": "d", "start": 380, "end": 480, "tokens": 30},
    ]
    result = jd.evaluate(GOLD, {"q": chunks}, "CharRecall@30tok CharRecall@60tok R@30tok")
    assert list(result.mean().values()) == [0.6, 1.0, 0.5]


def test_sets_of_spans_of_which_any_one_will_do():
    gold = {"q": [[("d", 0, 10), ("d", 50, 60)], [("e", 0, 10)]]}
    assert jd.evaluate(gold, {"q": [("e", 0, 20), ("d", 0, 20)]}, "AnySet@1 R@1 CharRecall@1").mean() == {
        "Complete@1": 1.0, "R@1": 1.0, "CharRecall@1": 1.0,
    }  # fmt: skip


def test_spans_roll_up_to_their_documents():
    assert value({"q": [("e", 0, 10), ("d", 0, 10)]}, "RR", roll_up="first") == 0.5
