"""One file of questions: fields by the names that tools use, chunks in any form, and what is wrong with its line."""

import gzip
import io
import json
from dataclasses import dataclass

import pytest
from needs import optional
from refusals import refusal

import judged as jd

pd = optional("pandas")
pl = optional("polars")

RECORDS = [
    {"id": "q1", "question": "why?", "retrieved": ["c2", "c1"], "relevant": ["c1"]},
    {"id": "q2", "question": "how?", "retrieved": ["c3"], "relevant": ["c3", "c4"]},
]
VALUES = {"q1": {"RR": 0.5, "R": 1.0}, "q2": {"RR": 1.0, "R": 0.5}}


def values(source, **named):
    return jd.evaluate(source, measures="RR R", **named).to_dict()


def lines(path, records):
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def test_json_lines_a_json_list_and_compressed_files_are_read(tmp_path):
    text = "\n\n".join(map(json.dumps, RECORDS)).encode()
    (tmp_path / "rag.jsonl").write_bytes(text)
    (tmp_path / "rag.json").write_text(json.dumps(RECORDS, indent=1))
    (tmp_path / "rag.jsonl.gz").write_bytes(gzip.compress(text))
    for name in ("rag.jsonl", "rag.json", "rag.jsonl.gz"):
        assert values(tmp_path / name) == VALUES
    assert values(io.BytesIO(text)) == VALUES


@dataclass
class Sample:
    id: str
    retrieved: list[str]
    relevant: list[str]


class Dumped:
    """As RAGAS's samples, which are pydantic models."""

    def __init__(self, record):
        self.record = record

    def model_dump(self):
        return self.record


@pytest.mark.needs("pandas", "polars")
@pytest.mark.parametrize(
    "source",
    [
        RECORDS,
        iter(RECORDS),
        pd.DataFrame(RECORDS),
        pl.DataFrame(RECORDS),
        pl.DataFrame(RECORDS).to_arrow(),
        [Sample(r["id"], r["retrieved"], r["relevant"]) for r in RECORDS],
        [Dumped(r) for r in RECORDS],
    ],
    ids=["records", "iterator", "pandas", "polars", "arrow", "dataclasses", "pydantic"],
)
def test_records_in_memory_are_read_in_any_form(source):
    assert values(source) == VALUES


def test_one_record_alone_is_one_question(tmp_path):
    (tmp_path / "rag.json").write_text(json.dumps(RECORDS[0]))
    assert values(tmp_path / "rag.json") == {"q1": VALUES["q1"]}


def test_questions_that_were_read_are_evaluated_again():
    questions = jd.read_questions(RECORDS)
    assert values(questions) == VALUES
    assert jd.evaluate(questions.qrels, questions.run, "RR R").to_dict() == VALUES


@pytest.mark.parametrize(
    "record",
    [
        {"user_input": "why?", "retrieved_contexts": ["t2", "t1"], "reference_contexts": ["t1"], "reference": "because", "response": "so"},
        {"user_input": "why?", "retrieved_contexts": ["t"], "retrieved_context_ids": ["c2", "c1"], "reference_contexts": ["t"], "reference_context_ids": ["c1"]},
        {"question": "why?", "contexts": ["t2", "t1"], "ground_truth": "because", "ground_truth_contexts": ["t1"], "answer": "so"},
        {"query": "why?", "retrieved_ids": ["c2", "c1"], "expected_ids": ["c1"], "retrieved_texts": ["x", "y"]},
        {"input": "why?", "retrieval_context": ["t2", "t1"], "expected_output": "because", "gold": ["t1"]},
        {"query": "why?", "source_nodes": [{"node": {"id_": "n2"}, "score": 0.9}, {"node": {"id_": "n1"}, "score": 0.1}], "relevant_ids": ["n1"]},
        {"query": "why?", "source_documents": [{"page_content": "t2", "metadata": {"source": "a"}}, {"page_content": "t1", "metadata": {"source": "a"}}], "gold_contexts": ["t1"]},
        {"qid": 7, "query": "why?", "results": [["c2", 0.9], ["c1", 0.5]], "gold_id": "c1"},
        {"query": "why?", "hits": {"c1": 0.5, "c2": 0.9}, "qrels": {"c1": 2}},
        {"query": "why?", "chunks": [{"doc_id": "c2", "text": "…"}, {"doc_id": "c1", "text": "…"}], "positives": [{"id": "c1", "grade": 3}]},
    ],
    ids=["ragas", "ragas ids", "old ragas", "llamaindex", "deepeval", "nodes", "langchain", "pairs", "mappings", "documents"],
)  # fmt: skip
def test_fields_are_found_by_the_names_that_tools_use(record):
    assert list(values([record]).values()) == [{"RR": 0.5, "R": 1.0}]


def test_two_fields_that_fit_are_an_error_that_names_them_and_says_how_to_choose():
    record = {"query": "why?", "retrieved": ["c1"], "relevant": ["c1"], "gold": ["c2"]}
    error = refusal("fields", jd.read_questions, [record])
    assert error.value == "'relevant', 'gold'"
    assert [name for name, _ in error.hint.options] == ["relevant"]
    assert values([record], relevant="gold") == {"why?": {"RR": 0.0, "R": 0.0}}


@pytest.mark.parametrize("role", ["question", "retrieved", "relevant"])
def test_a_field_can_be_named(role):
    record = {"query": "why?", "retrieved": ["c2", "c1"], "relevant": ["c1"]}
    known = {"question": "query", "retrieved": "retrieved", "relevant": "relevant"}[role]
    renamed = {("mine" if name == known else name): value for name, value in record.items()}
    refusal("fields", jd.read_questions, [renamed])
    assert list(values([renamed], **{role: "mine"}).values()) == [{"RR": 0.5, "R": 1.0}]
    assert "'yours'" in str(refusal("fields", jd.read_questions, [renamed], **{role: "yours"}))


@pytest.mark.parametrize(
    ("second", "slug", "text"),
    [
        ({"id": "q2", "relevant": ["c1"]}, "fields", "'retrieved'"),
        ({"id": "q2", "retrieved": ["c1"]}, "fields", "'relevant'"),
        ({"retrieved": ["c1"], "relevant": ["c1"]}, "fields", "'id'"),
        ({"id": None, "retrieved": ["c1"], "relevant": ["c1"]}, "id-type", "query id"),
        ({"id": "q1", "retrieved": ["c1"], "relevant": ["c1"]}, "duplicate-query", "q1"),
        ({"id": "q2", "retrieved": ["c1", None], "relevant": ["c1"]}, "columns", "an id"),
        ({"id": "q2", "retrieved": ["c1"], "relevant": [None]}, "columns", "an id"),
        ({"id": "q2", "retrieved": "c1", "relevant": ["c1"]}, "fields", "a list in 'retrieved'"),
        ({"id": "q2", "retrieved": [{"tokens": 3}], "relevant": ["c1"]}, "columns", "an id"),
        ({"id": "q2", "retrieved": [""], "relevant": ["c1"]}, "id-type", "document id"),
        ({"id": "q2", "retrieved": [1.5], "relevant": ["c1"]}, "id-type", "document id"),
        ({"id": "q2", "retrieved": ["c1"], "relevant": {"c1": "good"}}, "grade-type", "good"),
        ({"id": "q2", "retrieved": [{"id": "c1", "score": "high"}, {"id": "c2", "score": 1}], "relevant": ["c1"]}, "score-type", "high"),
        ({"id": ["q2"], "retrieved": ["c1"], "relevant": ["c1"]}, "id-type", "query id"),
        (7, "questions", "got 7"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_with_its_line(tmp_path, second, slug, text):
    first = {
        "id": "q1",
        "retrieved": [{"id": "c1", "score": 2}] if "score" in str(second) else ["c1"],
        "relevant": ["c1"],
    }
    error = refusal(slug, jd.read_questions, lines(tmp_path / "rag.jsonl", [first, second]))
    assert error.where.line == 2
    assert text in str(error)


def test_broken_json_is_said_with_its_line(tmp_path):
    (tmp_path / "rag.jsonl").write_text('{"id": 1, "retrieved": [], "relevant": ["a"]}\n{"id": 2, "retr\n')
    assert refusal("json", jd.read_questions, tmp_path / "rag.jsonl").where.line == 2


def test_a_chunk_twice_is_said_with_its_line(tmp_path):
    path = lines(tmp_path / "rag.jsonl", [RECORDS[0], {"id": "q2", "retrieved": ["a", "b", "a"], "relevant": ["b"]}])
    assert refusal("duplicate-doc", values, path).where.line == 2
    assert values(path, duplicates="first")["q2"] == {"RR": 0.5, "R": 1.0}


def test_nulls_and_empty_lists_are_counted_and_named(tmp_path):
    records = [
        *RECORDS,
        {"id": "q3", "retrieved": None, "relevant": ["c1"]},
        {"id": "q4", "retrieved": [], "relevant": ["c1"]},
        {"id": "q5", "retrieved": ["c1"], "relevant": None},
        {"id": "q6", "retrieved": ["c1"], "relevant": []},
    ]
    result = jd.evaluate(lines(tmp_path / "rag.jsonl", records), measures="RR R")
    assert result.to_dict() == {**VALUES, "q3": {"RR": 0.0, "R": 0.0}, "q4": {"RR": 0.0, "R": 0.0}}
    told = {w.slug: w for w in result.warnings}
    assert set(told) == {"null-field", "query-missing", "query-unjudged", "empty-list"}
    assert (result.unanswerable.unanswerable, result.unanswerable.answered_falsely) == (1, 1)
    nulls = [w.text for w in result.warnings if w.slug == "null-field"]
    assert "rag.jsonl:5" in nulls[0] and "rag.jsonl:3" in nulls[1]  # noqa: PT018


@pytest.mark.parametrize("source", [[], {}, b"", b"\n\n"])
def test_a_file_without_questions_is_refused(source, tmp_path):
    if isinstance(source, bytes):
        (tmp_path / "rag.jsonl").write_bytes(source)
        source = tmp_path / "rag.jsonl"
    with pytest.raises(jd.JudgedError, match=r"\[(questions|fields)\]"):
        jd.read_questions(source)


def test_judgments_alone_say_that_a_run_is_missing(tmp_path):
    (tmp_path / "qrels.txt").write_text("q1 0 d1 1\n")
    error = refusal("questions", jd.read_questions, tmp_path / "qrels.txt")
    assert error.hint


def test_the_order_of_the_list_decides_and_scores_that_rise_are_told():
    record = {
        "id": "q",
        "retrieved": [{"id": "a", "score": 0.1}, {"id": "b", "score": 0.9}, {"id": "c", "score": 0.9}],
        "relevant": ["b"],
    }
    result = jd.evaluate([record], measures="RR")
    assert result.mean() == {"RR": 0.5}
    assert [w.slug for w in result.warnings] == ["scores-rise"]


def test_chunks_say_their_tokens_documents_and_scores():
    record = {
        "id": "q",
        "retrieved": [
            {"id": "x1", "doc": "x", "tokens": 50, "score": 0.9},
            {"id": "y1", "doc": "y", "tokens": 60, "score": 0.8},
            {"id": "y2", "doc": "y", "tokens": 10, "score": 0.7},
        ],
        "relevant": ["y2"],
    }
    assert jd.evaluate([record], measures="R@{100tok,110tok,120tok}").of("q") == {
        "R@100tok": 0.0,
        "R@110tok": 0.0,
        "R@120tok": 1.0,
    }
    ranks = {how: jd.evaluate([record], measures="RR", roll_up=how).mean()["RR"] for how in ("first", "max", "sum")}
    assert ranks == {"first": 0.5, "max": 0.5, "sum": 1.0}


def test_judged_ids_that_no_chunk_explains_are_taken_for_documents_and_told():
    record = {"id": "q", "retrieved": [{"id": "x1", "doc": "x"}], "relevant": ["x", "z9"]}
    result = jd.evaluate([record], measures="R NumRel", roll_up="first")
    assert result.of("q") == {"R": 0.5, "NumRel": 2.0}
    assert [w.slug for w in result.warnings] == ["no-document"]


def test_sets_and_spans_are_read_from_a_file(tmp_path):
    chunk = {"doc": "d", "start": 0, "end": 50}
    records = [
        {"id": "q1", "retrieved": [chunk], "relevant": [{"doc": "d", "start": 10, "end": 20}]},
        {
            "id": "q2",
            "retrieved": [chunk],
            "relevant": [[{"doc": "d", "start": 80, "end": 90}], [{"doc": "d", "start": 40, "end": 60}]],
        },
    ]
    result = jd.evaluate(lines(tmp_path / "rag.jsonl", records), measures="R CharRecall")
    assert result.to_dict() == {"q1": {"R": 1.0, "CharRecall": 1.0}, "q2": {"R": 1.0, "CharRecall": 0.5}}
    assert "spans found by overlap: any" in result.policy.prepared


@pytest.mark.parametrize("relevant", [{"a": 2, "b": None}, [{"id": "a", "grade": 2}, {"id": "b", "grade": None}]])
def test_a_grade_that_is_null_is_refused(relevant):
    with pytest.raises(jd.DataError, match="a grade"):
        jd.evaluate([{"id": "q", "relevant": relevant, "retrieved": ["b", "a"]}], measures="RR")
