"""The file that `label` writes: what is on it, and what is not."""

import base64
import gzip
import json
import re

import pytest
from refusals import refusal
from tests.helpers.commands import called, refused, run

import judged as jd
from judged.judging.todo import Todo, TodoItem

TODO = Todo(tuple(TodoItem(q, f"{q}-{i}", rank=i + 1, runs=("secret-run",), reason="hidden reason") for q in ("q2", "q1") for i in range(30)))  # fmt: skip
DOCS = {str(item.doc): f"text of {item.doc}" for item in TODO}
OPTIONS = {"query_texts": None, "scale": "graded", "judges": None, "overlap": 0.2, "title": None, "length": 100, "missing": "error", "seed": 0}  # fmt: skip


def parts(path):
    """The data of a page, by name."""
    found = re.findall(
        r'<script type="application/octet-stream" id="(?!script)([\w-]+)">([^<]*)</script>', path.read_text()
    )
    return {name: json.loads(gzip.decompress(base64.b64decode(packed))) for name, packed in found}


def made(folder, todo=TODO, **options):
    path = folder / "label.html"
    jd.label(todo, path, **{"doc_texts": DOCS, **options})
    return parts(path)


def test_judges_cannot_find_out_what_must_be_hidden(tmp_path):
    data = json.dumps(made(tmp_path))
    assert "secret-run" not in data
    assert "hidden reason" not in data
    assert "0.5" not in data


def test_queries_keep_their_order_and_their_documents_are_shuffled(tmp_path):
    facts = made(tmp_path)["facts"]
    assert [query for query, _ in facts["queries"]] == ["q2", "q1"]
    [[name, order]] = facts["judges"]
    assert name == ""
    assert sorted(order[:30]) == list(range(30))
    assert order[:30] != list(range(30))
    assert sorted(order) == list(range(60))


def test_the_same_input_gives_the_same_bytes_and_another_seed_another_order(tmp_path):
    first, second, other = tmp_path / "a.html", tmp_path / "b.html", tmp_path / "c.html"
    for path, seed in ((first, 0), (second, 0), (other, 1)):
        jd.label(TODO, path, doc_texts=DOCS, seed=seed)
    assert first.read_bytes() == second.read_bytes()
    assert parts(first)["facts"]["judges"] != parts(other)["facts"]["judges"]
    assert parts(first)["facts"]["key"] == parts(other)["facts"]["key"], "a new order must not hide judgments"


def test_the_key_depends_on_documents_and_grades_only(tmp_path):
    keys = [
        made(tmp_path, **options)["facts"]["key"]
        for options in (
            {},
            {"title": "other"},
            {"judges": ["a", "b"]},
            {"scale": "binary"},
            {"todo": Todo(TODO.items[:59])},
        )
    ]
    assert len(set(keys[:3])) == 1
    assert len(set(keys)) == 3


def test_documents_of_a_query_become_neighbours(tmp_path):
    todo = [("q1", "a"), ("q2", "a"), ("q1", "b")]
    facts = made(tmp_path, todo, doc_texts={"a": "x", "b": "y"})["facts"]
    assert facts["items"] == [[0, "a"], [0, "b"], [1, "a"]]


def test_texts_are_in_blocks_and_long_ones_are_cut_and_said_to_be(tmp_path):
    found = made(tmp_path, doc_texts={**DOCS, "q2-0": "word " * 100}, length=100)
    block = found["facts"]["block"]
    assert [len(found[f"texts-{i}"]) for i in range(2)] == [block, 60 - block]
    title, text, cut = found["texts-0"][0]
    assert (title, cut, len(text) <= 101, text[-1]) == ("", True, True, "…")
    assert found["texts-0"][1] == ["", "text of q2-1", False]


def test_the_page_allows_no_network_and_no_markup_of_texts(tmp_path):
    path = tmp_path / "label.html"
    jd.label([("q", "d")], path, doc_texts={"d": "</script><script>alert(1)</script>"}, title="</title><script>")
    text = path.read_text()
    assert "default-src 'none'" in text
    assert "alert(1)" not in text
    assert "<title>&lt;/title&gt;&lt;script&gt;</title>" in text


def test_lines_say_what_is_on_the_page(tmp_path):
    options = {**OPTIONS, "doc_texts": dict(list(DOCS.items())[:-1]), "missing": "skip", "judges": ["ann", "bob"]}
    lines = jd.label(TODO, tmp_path / "label.html", **options)
    assert lines[:2] == ("59 documents of 2 queries.", "1 document without a text left out.")
    assert lines[2].endswith(f"; {round(0.2 * 59)} are judged by all.")


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"judges": ["ann", "ann"]}, "names"),
        ({"judges": 0}, "names"),
        ({"judges": [""]}, "names"),
        ({"overlap": 1.5}, "parameter"),
        ({"overlap": float("nan")}, "parameter"),
        ({"seed": -1}, "parameter"),
        ({"length": 0}, "parameter"),
        ({"title": 3}, "parameter"),
        ({"missing": "maybe"}, "parameter"),
        ({"scale": {0: "no"}}, "scale"),
        ({"doc_texts": {"q2-0": "x"}}, "no-text"),
        ({"query_texts": {"q2": "x"}}, "no-text"),
        ({"doc_texts": {"other": "x"}, "missing": "skip"}, "no-text"),
    ],
)
def test_wrong_options_are_refused_and_write_nothing(tmp_path, options, expected):
    path = tmp_path / "label.html"
    refusal(expected, jd.label, TODO, path, **{"doc_texts": DOCS, **options})
    assert not path.exists()


def test_the_page_never_replaces_its_input(tmp_path):
    path = tmp_path / "todo.jsonl"
    TODO.save(path)
    refusal("output-is-input", jd.label, path, path, doc_texts=DOCS)
    refusal("parameter", jd.label, path, "", doc_texts=DOCS)


def test_the_command_writes_the_same_page(tmp_path):
    todo, docs, page = tmp_path / "todo.jsonl", tmp_path / "docs.jsonl", tmp_path / "label.html"
    TODO.save(todo)
    docs.write_text("".join(json.dumps({"_id": doc, "text": text}) + "\n" for doc, text in DOCS.items()))
    done = called("label", str(todo), "--doc-texts", str(docs), "--judges", "ann, bob", "--overlap", "0.5", "-o", str(page))  # fmt: skip
    assert done.returncode == 0
    jd.label(TODO, tmp_path / "other.html", doc_texts=DOCS, judges=["ann", "bob"], overlap=0.5)
    assert page.read_bytes() == (tmp_path / "other.html").read_bytes()
    run("label", str(todo), "--doc-texts", str(docs), "--judges", "3", "-o", str(page))
    assert [name for name, _ in parts(page)["facts"]["judges"]] == ["judge 1", "judge 2", "judge 3"]
    docs.write_text(json.dumps({"_id": "q2-0", "text": "x"}) + "\n")
    missing = refused("label", str(todo), "--doc-texts", str(docs), "-o", str(page))
    assert missing.slug == "no-text"
    run("label", str(todo), "--doc-texts", str(docs), "--skip-missing", "-o", str(page))


@pytest.mark.parametrize("second", ["Other words.", DOCS["q2-0"]])
def test_a_document_with_two_different_texts_is_warned_of(tmp_path, second):
    docs = tmp_path / "docs.jsonl"
    rows = [*DOCS.items(), ("q2-0", second), ("unasked", "a"), ("unasked", "b")]
    docs.write_text("".join(json.dumps({"_id": doc, "text": text}) + "\n" for doc, text in rows))
    warned = [line for line in jd.label(TODO, tmp_path / "l.html", doc_texts=docs) if line.startswith("warning")]
    wanted = "warning: 1 document has several different texts; the first is shown: 'q2-0'."
    assert warned == ([wanted] if second != DOCS["q2-0"] else [])
