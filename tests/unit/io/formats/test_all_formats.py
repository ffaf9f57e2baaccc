"""Each form that a run or judgments can have gives what their TREC file gives."""

import dataclasses
import json
import pickle
from collections import OrderedDict, defaultdict, namedtuple
from types import MappingProxyType

import numpy as np
import pytest
from small_collection import RUN

from judged.io.read import read_qrels, read_run

RUN_DICT = {"q1": {"d1": 0.5, "d2": 0.9, "d3": 0.7}, "q2": {"d4": 0.3, "d1": 0.8}}
QRELS_DICT = {"q1": {"d1": 1, "d2": 0, "d3": 2}, "q2": {"d1": 0, "d4": 0.5}}
RUN_TUPLES = [(q, d, s) for q, docs in RUN_DICT.items() for d, s in docs.items()]
QRELS_TUPLES = [(q, d, g) for q, docs in QRELS_DICT.items() for d, g in docs.items()]
Scored = namedtuple("Scored", "query_id doc_id score")
Judgment = namedtuple("Judgment", "query_id doc_id relevance iteration")


@dataclasses.dataclass
class Hit:
    qid: str
    docno: str
    score: float


def records(tuples, *names):
    return [dict(zip(names, row, strict=True)) for row in tuples]


def lines(items):
    return "".join(json.dumps(item) + "\n" for item in items)


RUN_RECORDS = records(RUN_TUPLES, "query_id", "doc_id", "score")
QRELS_RECORDS = records(QRELS_TUPLES, "query_id", "doc_id", "relevance")
NESTED = [{"qid": q, "results": [{"docid": d, "score": s} for d, s in docs.items()]} for q, docs in RUN_DICT.items()]

RUNS = {
    "a dict of dicts": RUN_DICT,
    "another mapping": MappingProxyType(OrderedDict((q, defaultdict(float, d)) for q, d in RUN_DICT.items())),
    "a dict of pairs": {q: list(docs.items()) for q, docs in RUN_DICT.items()},
    "a dict of records": {q: [{"doc": d, "score": s} for d, s in docs.items()] for q, docs in RUN_DICT.items()},
    "tuples": RUN_TUPLES,
    "lists in a tuple": tuple(map(list, RUN_TUPLES)),
    "an object array": np.array(RUN_TUPLES, dtype=object),
    "a structured array": np.array(RUN_TUPLES, dtype=[("qid", "U9"), ("docno", "U9"), ("score", ">f8")]),
    "named tuples": [Scored(*row) for row in RUN_TUPLES],
    "dataclasses": [Hit(*row) for row in RUN_TUPLES],
    "records": RUN_RECORDS,
    "records of rankings": NESTED,
    "a mapping of columns": {name: [row[name] for row in RUN_RECORDS] for name in ("query_id", "doc_id", "score")},
    "a mapping of arrays": {name: np.array([row[name] for row in RUN_RECORDS]) for name in RUN_RECORDS[0]},
    "ids in bytes": [(q.encode(), d.encode(), s) for q, d, s in RUN_TUPLES],
}


@pytest.mark.parametrize("form", RUNS)
def test_a_run_in_memory_is_what_its_trec_file_is(form, rows, run_rows):
    run = read_run(RUNS[form])
    assert rows(run) == run_rows
    assert (run.query_kind, run.doc_kind, run.name) == ("text", "text", "run")


QRELS_FORMS = {
    "a dict of dicts": QRELS_DICT,
    "tuples": QRELS_TUPLES,
    "tuples of constant subtopic": [(q, "0", d, g) for q, d, g in QRELS_TUPLES],
    "named tuples with an iteration": [Judgment(*row, "0") for row in QRELS_TUPLES],
    "records": QRELS_RECORDS,
}


@pytest.mark.parametrize("form", QRELS_FORMS)
def test_judgments_in_memory_are_what_their_trec_file_is(form, rows, qrels_rows):
    assert rows(read_qrels(QRELS_FORMS[form])) == qrels_rows


RUN_FILES = {
    "a.json": json.dumps(RUN_DICT),
    "pretty.json": json.dumps(RUN_DICT, indent=2),
    "pairs.json": json.dumps({q: list(d.items()) for q, d in RUN_DICT.items()}),
    "tuples.json": json.dumps(RUN_TUPLES),
    "records.json": json.dumps(RUN_RECORDS),
    "columns.json": json.dumps(RUNS["a mapping of columns"]),
    "bom.json": "\ufeff" + json.dumps(RUN_DICT),
    "a.jsonl": lines(RUN_RECORDS),
    "crlf.jsonl": lines(RUN_RECORDS).replace("\n", "\r\n"),
    "cr.jsonl": lines(RUN_RECORDS).replace("\n", "\r"),
    "gaps.jsonl": lines(RUN_RECORDS).replace("\n", "\n\n"),
    "tuples.jsonl": lines(RUN_TUPLES),
    "nested.jsonl": lines(NESTED),
    "ids.jsonl": lines({"query": q, "docs": d} for q, d in RUN_DICT.items()),
    "a.csv": "query_id,doc_id,score\n" + "".join(f"{q},{d},{s}\n" for q, d, s in RUN_TUPLES),
    "spaced.csv": "query_id, doc_id, score\n" + "".join(f"{q}, {d}, {s}\n" for q, d, s in RUN_TUPLES),
    "quoted.csv": '"Score","QID","Doc No"\n' + "".join(f'{s},"{q}","{d}"\n' for q, d, s in RUN_TUPLES),
    "semicolon.csv": "topic;docid;sim\n" + "".join(f"{q};{d};{s}\n" for q, d, s in RUN_TUPLES),
    "crlf.csv": "qid,docno,score\r\n" + "".join(f"{q},{d},{s}\r\n" for q, d, s in RUN_TUPLES),
    "cr.csv": "qid,docno,score\r" + "".join(f"{q},{d},{s}\r" for q, d, s in RUN_TUPLES),
    "comment.csv": "# a run\n\nqid,docno,score\n" + "".join(f"{q},{d},{s}\n" for q, d, s in RUN_TUPLES),
    "text.csv": "qid,query,docno,score\n" + "".join(f'{q},"a\nlong ""query""",{d},{s}\n' for q, d, s in RUN_TUPLES),
    "a.tsv": "qid\tQ0\tdocno\trank\tscore\ttag\n" + "".join(f"{q}\tQ0\t{d}\t1\t{s}\tt\n" for q, d, s in RUN_TUPLES),
    "bom.tsv": "\ufeffqid\tdocno\tscore\n" + "".join(f"{q}\t{d}\t{s}\n" for q, d, s in RUN_TUPLES),
}


@pytest.mark.parametrize("name", RUN_FILES)
def test_a_run_in_a_file_is_what_its_trec_file_is(name, save, rows, run_rows):
    path = save(name, RUN_FILES[name])
    run = read_run(path)
    assert rows(run) == run_rows
    assert (run.name, run.warnings, run.doc_kind) == (str(path), (), "text")


QRELS_FILES = {
    "a.json": json.dumps(QRELS_DICT),
    "a.jsonl": lines(QRELS_RECORDS),
    "a.csv": "query_id,doc_id,label\n" + "".join(f"{q},{d},{g}\n" for q, d, g in QRELS_TUPLES),
    "a.tsv": "topic\titeration\tdocid\trel\n" + "".join(f"{q}\t0\t{d}\t{g}\n" for q, d, g in QRELS_TUPLES),
}


@pytest.mark.parametrize("name", QRELS_FILES)
def test_judgments_in_a_file_are_what_their_trec_file_is(name, save, rows, qrels_rows):
    assert rows(read_qrels(save(name, QRELS_FILES[name]))) == qrels_rows


def test_what_was_read_is_returned_as_it_is():
    run, qrels = read_run(RUN_DICT), read_qrels(QRELS_DICT)
    assert read_run(run) is run
    assert read_qrels(qrels) is qrels


def test_a_list_of_documents_stands_best_first(rows, save):
    ranked = {"q1": ["d2", "d1"], "q2": ["d3"]}
    wanted = [(b"q1", b"d2", 2), (b"q1", b"d1", 1), (b"q2", b"d3", 1)]
    for source in (ranked, {q: np.array(d) for q, d in ranked.items()}, save("a.json", json.dumps(ranked))):
        run = read_run(source)
        assert rows(run) == wanted
        assert run.rank.tolist() == [1, 2, 1]


def test_documents_that_are_only_listed_are_relevant(rows, save):
    wanted = [(b"q1", b"d1", 1), (b"q1", b"d2", 1)]
    nested = save("a.jsonl", '{"query_id": "q1", "relevant": ["d1", "d2"]}\n')
    for source in ({"q1": ["d1", "d2"]}, {"q1": {"d2", "d1"}}, save("a.json", '{"q1": ["d1", "d2"]}'), nested):
        assert rows(read_qrels(source)) == wanted


def test_subtopics_are_told_apart_where_they_vary(rows, save):
    wanted = [(b"q", b"d", 1, b"1"), (b"q", b"d", 0, b"2")]
    tuples = [("q", "1", "d", 1), ("q", "2", "d", 0)]
    named = records(tuples, "qid", "subtopic", "docno", "grade")
    for source in (save("q.txt", "q 1 d 1\nq 2 d 0\n"), tuples, named, save("q.jsonl", lines(named))):
        assert rows(read_qrels(source)) == wanted
    unfilled = [{"qid": "q", "docno": "d", "grade": 1, "subtopic": nothing} for nothing in ("", "")]
    assert read_qrels(unfilled).aspect is None
    assert read_qrels([{**record, "subtopic": None} for record in unfilled]).aspect is None
    for word in ("0", "Q0", "1"):  # 0 and Q0 throughout are no subtopics, unless the column is named
        constant = records([("q", word, "d", 1), ("q", word, "e", 1)], "qid", "intent", "docno", "grade")
        expected = [word.encode()] * 2 if word == "1" else None
        for source in (
            constant,
            [tuple(record.values()) for record in constant],
            save("q.txt", f"q {word} d 1\nq {word} e 1\n"),
        ):
            aspect = read_qrels(source).aspect
            assert (None if aspect is None else aspect.tolist()) == expected
        assert read_qrels(constant, aspect_col="intent").aspect.tolist() == [word.encode()] * 2


def test_queries_without_documents_are_answers_too(rows):
    run = read_run({"q1": {"d1": 1.0}, "q2": {}, "q3": []})
    assert run.queries.tolist() == [b"q1", b"q2", b"q3"]
    assert rows(run) == [(b"q1", b"d1", 1)]
    assert read_run({"q1": []}).queries.tolist() == [b"q1"]
    assert read_qrels({"q1": {"d1": 1}, "q2": {}}).queries.tolist() == [b"q1", b"q2"]


@pytest.mark.parametrize("form", RUNS)
def test_a_run_can_be_sent_to_another_process(form, rows, run_rows):
    run = pickle.loads(pickle.dumps(read_run(RUNS[form])))
    assert rows(run) == run_rows
    assert str(run.where(3)).startswith("run[")


def test_the_name_may_be_chosen(save):
    assert read_run(save("a.run", RUN), name="bm25").name == "bm25"
    assert read_qrels(QRELS_DICT, name="judge A").name == "judge A"


def test_a_trec_file_that_looks_like_another_form_is_still_one(save, rows):
    for query in ('{"a":1}', "[1]", "query_id,doc_id,score", "PAR2", "qid\tdocno"):
        line = f"{query}\t0\td1\t1\n" if "\t" not in query else f"{query.split()[0]}\t0\t{query.split()[1]}\t1\n"
        assert rows(read_qrels(save("odd.txt", line)))[0][0] == query.split("\t")[0].encode()
