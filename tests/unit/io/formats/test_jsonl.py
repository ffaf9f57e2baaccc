"""JSON and JSON Lines: every error has its line, nothing is lost in silence."""

import pytest
from refusals import refusal

from judged.io.read import read_qrels, read_run

RECORD = '{"query_id": "q1", "doc_id": "d1", "score": 0.5}\n'


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ('{"q1": {"d1": 1}', 1),
        ('{"q1":\n {"d1": 1,}}', 2),
        ('{"q1": {"d1": }}', 1),
        ("[" * 100_000, None),
        ('{"q1": {"d1": 1' + "0" * 5000 + "}}", None),
        (RECORD + RECORD[:20], 2),
        (RECORD + RECORD.strip() + RECORD, 2),
        (RECORD + "\n\n{]\n", 4),
        ("[1] x", 1),
    ],
)
def test_json_that_is_not_whole_is_refused(content, line, save):
    error = refusal("json", read_run, save("a.json", content))
    assert error.where.line == line
    cut = content in ('{"q1": {"d1": 1}', RECORD + RECORD[:20])
    assert ("truncated" if cut else "Correct it") in str(error)


@pytest.mark.parametrize(
    ("content", "key"),
    [
        ('{"q1": {"d1": 1, "d1": 2}}', "d1"),
        ('{"q1": {"d1": 1},\n "q2": {"d1": 1, "d2": [1, "d2", "d2"]},\n\t"q1": {}}', "q1"),
        ('{"a\\"{": {"x,": 1, "y": {"x,": 1}},\n "\\u0061\\"{": 1}', 'a"{'),
        ('[{"query": "q1",\n"query": "q1"}, ', "query"),
    ],
)
def test_a_key_twice_is_refused_with_the_key(content, key, save):
    error = refusal("duplicate-key", read_run, save("a.json", content))
    assert (error.where.path, error.value) == (str(save("a.json", content)), key)


@pytest.mark.parametrize(
    ("content", "line", "character"),
    [('\n{"q1": {"d1": 1}\n,\n x}', 4, 2), ('{"q1":\n  {"d1": }}', 2, 10), ('{"q1": {"d1": 1}}\n\n  ]', 3, 3)],
)
def test_json_that_is_not_valid_is_refused_with_line_and_character(content, line, character, save):
    error = refusal("json", read_run, save("a.json", content))
    assert error.where.line == line
    assert f"at character {character}" in str(error)


def test_a_key_twice_in_a_line_is_refused_with_the_line(save):
    twice = '{"query_id": "q1", "doc_id": "d1", "doc_id": "d2", "score": 1}\n'
    assert refusal("duplicate-key", read_run, save("a.jsonl", RECORD + twice)).where.line == 2


def test_bytes_that_are_not_utf8_are_refused_in_json(save):
    error = refusal("encoding", read_run, save("a.jsonl", RECORD.encode() + RECORD.encode().replace(b"d1", b"d\xff")))
    assert (error.where.line, error.value) == (2, b"\xff")


def test_a_number_in_quotes_is_text(save):
    error = refusal("score-type", read_run, save("a.json", '{"q1": {"d1": 0.5, "d2": "0.7"}}'))
    assert error.where.path.endswith("a.json")
    assert "for document 'd2' of query 'q1'" in str(error)
    assert refusal("score-type", read_run, save("a.jsonl", RECORD + RECORD.replace("0.5", '"x"'))).where.line == 2
    error = refusal("score-type", read_run, save("b.json", '[["q1", "d1", "x"]]'))
    assert "run[0]" in str(error)


@pytest.mark.parametrize("missing", ["NaN", "null"])
def test_a_number_that_is_missing_is_refused_with_its_line(missing, save):
    lines = RECORD * 2 + RECORD.replace("0.5", missing)
    assert refusal("score-nan", read_run, save("a.jsonl", lines)).where.line == 3
    lines = lines.replace("score", "label")
    assert refusal("grade-type", read_qrels, save("a.jsonl", lines)).where.line == 3


def test_lists_of_documents_come_once_for_a_query(save):
    line = '{"qid": "q1", "docs": ["a", "b"]}\n'
    assert "duplicate-query" in str(refusal("duplicate-query", read_run, save("a.jsonl", line * 2)))
    scored = '{"qid": "q1", "docs": {"a": 1}}\n{"qid": "q1", "docs": {"b": 2}}\n'
    assert len(read_run(save("b.jsonl", scored)).queries) == 1


def test_a_ranking_that_is_none_is_refused_with_its_line(save):
    lines = '{"qid": "q1", "docs": ["a"]}\n{"qid": "q2", "docs": "a"}\n'
    assert refusal("form", read_run, save("a.jsonl", lines)).where.line == 2
    lines = '{"qid": "q1", "docs": ["a"]}\n{"qid": null, "docs": ["a"]}\n'
    assert refusal("id-type", read_run, save("a.jsonl", lines)).where.line == 2


def test_a_later_error_can_name_its_line(save):
    run = read_run(save("a.jsonl", RECORD + "\n" + RECORD))
    assert run.where(1).line == 3
    run = read_run(save("a.jsonl", '{"qid": "q1", "docs": ["a"]}\n{"qid": "q2", "docs": ["a", "b"]}\n'))
    assert run.where(2).line == 2


def test_one_record_is_json_lines_too(save, rows):
    assert rows(read_run(save("a.jsonl", RECORD))) == [(b"q1", b"d1", 0.5)]
    assert rows(read_run(save("a.jsonl", '{"qid": "q1", "results": ["d1"]}\n'))) == [(b"q1", b"d1", 1)]


def test_a_scalar_is_no_run(save):
    refusal("columns", read_run, save("a.json", "[5]"))
    refusal("form", read_run, save("a.json", '{"q1": 5}'))
