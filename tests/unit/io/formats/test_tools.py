"""Formats of evaluation tools: files that the tools wrote (`tests/data/tools`) are recognised by content, and read or refused with a reason."""

import gzip
import json
from math import log2
from pathlib import Path

import pytest
from refusals import refusal

import judged as jd
from judged.io.texts import read_texts

DATA = Path(__file__).parents[3] / "data" / "tools"
MTEB, MULTILINGUAL = (DATA / f"Mock{name}Task_predictions.json" for name in ("Retrieval", "MultilingualRetrieval"))
SENTENCES = DATA / "Information-Retrieval_evaluation_shop_predictions_cosine.jsonl"
SHOP = {"q1": {"d1": 1}, "q2": {"d2": 1}}


def write(path, *records):
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def loaded(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.mark.parametrize("split", ["test", "val", "default/test"])
def test_a_split_of_predictions_of_mteb_is_a_run(split):
    held = json.loads(MTEB.read_text())["default"][split.rpartition("/")[2]]
    for source in (MTEB, str(MTEB), json.loads(MTEB.read_text())):
        run = jd.read_run(source, split=split)
        assert jd.evaluate(SHOP, run, "AP").to_dict() == jd.evaluate(SHOP, held, "AP").to_dict()
        assert jd.evaluate(SHOP, source, "AP", split=split).to_dict() == jd.evaluate(SHOP, held, "AP").to_dict()
        assert run.rank is None  # the order of an object means nothing


def test_several_splits_are_an_error_that_lists_them_and_names_one(tmp_path):
    error = refusal("split", jd.evaluate, SHOP, MTEB, "AP")
    assert "'default/val', 'default/test'" in str(error)
    assert "split='default/test'" in str(error)
    refusal("split", jd.read_run, MULTILINGUAL, split="test")
    assert "split='eng/test'" in str(refusal("split", jd.read_run, MULTILINGUAL, split="test"))
    refusal("split", jd.read_run, MULTILINGUAL, split="train")
    assert len(jd.read_run(MULTILINGUAL, split="fra/val").query) == 4


def test_a_single_split_and_older_predictions_need_no_choice(tmp_path):
    held = json.loads(MTEB.read_text())
    held["default"].pop("val")
    whole = jd.evaluate(SHOP, MTEB, "nDCG@10", split="test").mean()
    for name, value in (("new", held), ("old", held["default"]["test"])):
        path = write(tmp_path / f"{name}_predictions.json", value)
        assert jd.evaluate(SHOP, path, "nDCG@10").mean() == whole


@pytest.mark.parametrize(
    ("parts", "slug"),
    [
        ({}, "empty-run"),
        ({"default": [1]}, "form"),
        ({"default": {"test": [0, 1, 1]}}, "form"),
        ({"default": {"test": {"q1": ["d1"]}}}, "form"),
        ({"default": {"test": {"q1": {"d1": "x"}}}}, "score-type"),
        ({"default": {"test": {"q1": {"d1": None}}}}, "score-nan"),
        ({"default": {"test": {}}}, "empty-run"),
        ({"v1.0": {"test": 3}}, "form"),
    ],
)
def test_wrong_values_in_predictions_of_mteb_are_named_with_their_place(parts, slug, tmp_path):
    document = {"mteb_model_meta": {"model_name": "m", "revision": "1"}, **parts}
    path = write(tmp_path / "x_predictions.json", document)
    for source in (path, document):
        refusal(slug, jd.read_run, source)
        refusal(slug, jd.evaluate, SHOP, source, "AP")


@pytest.mark.parametrize("source", [MTEB, SENTENCES], ids=["mteb", "sentence-transformers"])
def test_predictions_are_no_judgments(source):
    refusal("swapped", jd.read_qrels, source)


def test_predictions_of_sentence_transformers_are_a_run_and_have_the_texts_of_queries(tmp_path):
    records = loaded(SENTENCES)
    rankings = {r["query_id"]: {e["corpus_id"]: e["score"] for e in r["results"]} for r in records}
    packed = tmp_path / "predictions.jsonl.gz"
    packed.write_bytes(gzip.compress(SENTENCES.read_bytes()))
    one = write(tmp_path / "one.jsonl", records[0])
    for source in (SENTENCES, packed, records):
        assert jd.evaluate(SHOP, source, "AP").to_dict() == jd.evaluate(SHOP, rankings, "AP").to_dict()
    assert jd.read_run(one).score.tolist() == list(rankings["q1"].values())
    assert read_texts(SENTENCES, kind="queries")["q2"].text == "rain coat"


@pytest.mark.parametrize(
    ("results", "slug"),
    [
        ([{"corpus_id": "d2", "score": 1}, {"corpus_id": "d1"}], "form"),
        ([{"score": 1.0}], "form"),
        ([{"corpus_id": "d1", "score": "x"}], "score-type"),
        ([{"corpus_id": "d2", "score": 1}, {"corpus_id": "d1", "score": None}], "score-nan"),
        ({"d1": 1.0}, "form"),
    ],
)
def test_a_wrong_prediction_is_named_with_its_line(results, slug, tmp_path):
    path = write(tmp_path / "p.jsonl", *loaded(SENTENCES), {"query_id": "q3", "query": "x", "results": results})
    error = refusal(slug, jd.read_run, path)
    assert str(error).startswith(f"{path}:3:")


def test_an_entry_without_a_field_is_named_in_every_kind_of_list(tmp_path):
    lists = {"q1": [{"docno": "d1", "score": 2}], "q2": [{"docno": "d1", "score": 2}, {"docno": "d2"}]}
    path = write(tmp_path / "r.jsonl", *({"qid": query, "ranking": ranking} for query, ranking in lists.items()))
    assert str(refusal("columns", jd.read_run, path)).startswith(f"{path}:2: a record has no 'score'")
    assert str(refusal("columns", jd.read_run, lists)).startswith("run['q2'][1]: a record has no 'score'")


def test_two_predictions_for_one_query_are_an_error(tmp_path):
    first, second = loaded(SENTENCES)
    for source in ([first, {**second, "query_id": "q1"}], write(tmp_path / "p.jsonl", first, first)):
        refusal("duplicate-query", jd.read_run, source)


def test_judgments_of_umbrela_have_texts_as_ids_or_the_ids_that_they_have():
    records = loaded(DATA / "umbrela.jsonl")
    for source in (DATA / "umbrela.jsonl", records):
        qrels = jd.read_qrels(source)
        assert qrels.grade.tolist() == [3, 0]
        assert qrels.doc.tolist() == [b"Red running shoes.", b"Shoe box."]
        assert jd.evaluate(source, {"red shoes": ["Shoe box.", "Red running shoes."]}, "RR").mean() == {"RR": 1 / 2}
    named = jd.read_qrels([{**record, "qid": "q1", "docid": f"d{i}"} for i, record in enumerate(records)])
    assert (named.queries.tolist(), named.doc.tolist()) == ([b"q1"], [b"d0", b"d1"])


def test_an_answer_of_umbrela_without_a_grade_is_left_out_and_counted(tmp_path):
    records = [{**record, "result_status": i} for i, record in enumerate(loaded(DATA / "umbrela.jsonl"))]
    other = {**records[0], "query": "boots"}
    qrels = jd.read_qrels(write(tmp_path / "umbrela.jsonl", *records, other))
    assert (qrels.queries.tolist(), qrels.grade.tolist()) == ([b"red shoes"], [0])
    assert [(warned.slug, warned.count) for warned in qrels.warnings] == [("unrated", 2)]


@pytest.mark.parametrize(
    ("change", "slug"),
    [({"judgment": None}, "grade-type"), ({"judgment": "good"}, "grade-type"), ({"query": None}, "id-type")],
)
def test_a_wrong_judgment_of_umbrela_is_named_with_its_line(change, slug, tmp_path):
    records = loaded(DATA / "umbrela.jsonl")
    path = write(tmp_path / "umbrela.jsonl", records[0], {**records[1], **change})
    error = refusal(slug, jd.read_qrels, path)
    assert str(error).startswith(f"{path}:2:")
    refusal("swapped", jd.read_run, path)


def test_records_of_azure_are_questions_in_the_order_of_their_lists():
    source = DATA / "azure_data.jsonl"
    result = jd.evaluate(source, measures="RR(level=2) nDCG@3 Judged@3")
    values = result.to_dict()
    # The list of the first record is not in the order of its scores.
    assert values["red shoes"]["RR(level=2)"] == 1 / 2
    assert values["red shoes"]["nDCG@3"] == (1 + 3 / log2(3)) / (3 + 1 / log2(3))
    assert values["rain coat"] == {"RR(level=2)": 1.0, "nDCG@3": 1.0, "Judged@3": 1 / 2}
    assert "scores-rise" in [warned.slug for warned in result.warnings]
    assert (len(jd.read_run(source).query), len(jd.read_qrels(source).query)) == (5, 4)


@pytest.mark.parametrize(
    ("change", "slug"),
    [
        ({"retrieved_documents": [{"relevance_score": 1}]}, "columns"),
        ({"retrieved_documents": [{"document_id": "d1", "relevance_score": "high"}]}, "score-type"),
        ({"query": "red shoes"}, "duplicate-query"),
    ],
)
def test_a_wrong_record_of_azure_is_named_with_its_line(change, slug, tmp_path):
    first, second = loaded(DATA / "azure_data.jsonl")
    path = write(tmp_path / "data.jsonl", first, second, {**second, "query": "hat", **change})
    error = refusal(slug, jd.evaluate, path, measures="AP")
    assert str(error).startswith(f"{path}:3:")


@pytest.mark.parametrize(
    "source",
    [DATA / "ragas_ids.jsonl", DATA / "ragas_texts.jsonl"],
    ids=["ragas ids", "ragas texts"],
)
def test_exports_of_records_with_references_are_questions(source):
    assert sorted(value["RR"] for value in jd.evaluate(source, measures="RR").to_dict().values()) == [1 / 2, 1.0]


class Dumped:
    """As the samples of RAGAS."""

    def __init__(self, fields):
        self.fields = fields

    def model_dump(self):
        return self.fields


class Samples:
    """As the datasets of RAGAS and Hugging Face: neither lists nor frames."""

    def __init__(self, records):
        self.records = records

    def __iter__(self):
        return iter(self.records)

    def __getitem__(self, at):
        return self.records[at]


def test_the_objects_of_ragas_are_questions():
    source = Samples([Dumped(record) for record in loaded(DATA / "ragas_ids.jsonl")])
    assert sorted(value["RR"] for value in jd.evaluate(source, measures="RR").to_dict().values()) == [1 / 2, 1.0]
    assert len(jd.compare(None, {"a": source, "b": source}, "RR").results) == 2


def test_columns_of_an_experiment_of_langsmith_are_named():
    fields = {"question": "inputs.question", "retrieved": "outputs.documents", "relevant": "reference.documents"}
    values = jd.evaluate(DATA / "langsmith_experiment.jsonl", measures="RR", **fields).to_dict().values()
    assert sorted(value["RR"] for value in values) == [1 / 2, 1.0]


def test_exports_without_what_is_needed_are_refused():
    refusal("questions", jd.evaluate, DATA / "ragas_ids.csv", measures="RR")
    answers = [
        {"inputs": {"question": "why?"}, "outputs": {"answer": "so"}}
    ]  # a dataset of LangSmith: nothing was retrieved
    refusal("runs", jd.evaluate, answers, measures="RR")


def test_what_a_retriever_returned_is_a_run_in_its_order(tmp_path):
    documents = [{"page_content": "t", "metadata": {"id": "d4"}}, {"page_content": "t", "metadata": {"id": "d1"}}]
    span = {"run_type": "retriever", "inputs": {"query": "red shoes"}, "outputs": {"documents": documents}}
    for source in ([span], write(tmp_path / "spans.jsonl", span, {**span}) and [span]):
        assert jd.evaluate({"red shoes": {"d1": 1}}, source, "RR").mean() == {"RR": 1 / 2}
    refusal("duplicate-query", jd.read_run, write(tmp_path / "spans.jsonl", span, span))
    refusal("swapped", jd.read_qrels, [span])


def test_a_document_of_no_known_format_is_refused_with_the_list_of_formats():
    (record,) = loaded(DATA / "azure_data.jsonl")[:1]
    record["retrieval_groundtruth"] = record.pop("retrieval_ground_truth")
    assert "docs/reference/formats.md" in str(refusal("form", jd.read_qrels, {"took": 3, "record": record}))
