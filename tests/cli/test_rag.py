"""`judged eval rag.jsonl`: one file in, one table out; chunks rolled up, packed, left out."""

import json

import pytest
from commands import called, run

RECORDS = [
    {"id": "q1", "retrieved": [{"id": "faq#2", "tokens": 310, "score": 0.83}, {"id": "terms#7", "tokens": 420, "score": 0.8}, {"id": "terms#8", "tokens": 390, "score": 0.4}], "relevant": ["terms#7"]},
    {"id": "q2", "retrieved": [{"id": "plans#1", "tokens": 510, "score": 0.9}, {"id": "sso#1", "tokens": 480, "score": 0.7}], "relevant": [["plans#1", "plans#2"], ["sso#1"]]},
]  # fmt: skip
POLICY = (
    "policy: all judged queries · no relevant document: zero · order by score · ties: id-desc · unjudged: irrelevant"
)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rag.jsonl").write_text("\n".join(map(json.dumps, RECORDS)))
    (tmp_path / "gold.json").write_text('{"a": ["b"], "b": ["c"]}')
    (tmp_path / "run.json").write_text('{"a": ["a", "b"], "b": ["x", "c"]}')
    (tmp_path / "two.csv").write_text("score,pred\n1,0.2\n0,0.1\n")
    (tmp_path / "counts.csv").write_text("chunk_id,tokens\na,10\nb,20\nc,30\nx,40\n")
    return tmp_path


def means(*words):
    return json.loads(run("eval", *words, "--format", "json"))["summary"]


def test_one_file_gives_one_table():
    assert run("eval", "rag.jsonl", "-m", "R@1", "RR", "R@800tok", "AnySet@2").splitlines() == [
        "rag.jsonl (judgments in field 'relevant')",
        "",
        "measure       mean      95% interval  queries",
        "──────────  ──────  ────────────────  ───────",
        "R@1         0.2500  [0.0000, 1.0000]        2",
        "RR          0.7500  [0.0000, 1.0000]        2",
        "R@800tok    0.7500  [0.0000, 1.0000]        2",
        "Complete@2  1.0000  [0.3424, 1.0000]        2",
        "",
        "2 queries · 67% of the top 10 judged (mean over queries)",
        f"{POLICY.replace('by score', 'by rank')} · any of several sets: the best counts · relevant: grade ≥ 1",
    ]


def test_a_question_file_that_is_given_twice_is_explained_once():
    assert run("explain", "RR", "rag.jsonl", "rag.jsonl") == run("explain", "RR", "rag.jsonl")


def test_one_file_may_come_from_standard_input():
    text = "\n".join(map(json.dumps, RECORDS))
    assert json.loads(run("eval", "-", "-m", "RR", "--format", "json", stdin=text))["summary"] == {"RR": 0.75}


def test_chunks_are_rolled_up_by_a_table(folder):
    (folder / "chunks.csv").write_text("chunk_id,doc_id\na,A\nb,B\nc,B\nx,B\n")
    assert means("gold.json", "run.json", "-m", "R@1", "RR", "--roll-up", "first", "--chunks", "chunks.csv") == {
        "R@1": 0.5,
        "RR": 0.75,
    }


def test_tokens_come_from_a_table():
    assert means("gold.json", "run.json", "-m", "R@30tok", "--tokens", "counts.csv") == {"R@30tok": 0.5}


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["eval", "gold.json"], "[fields]"),
        (["eval", "counts.csv"], "[questions]"),
        (["eval", "two.csv"], "name the columns: --grade-col NAME --score-col NAME.  [questions]"),
        (["eval", "rag.jsonl", "-m", "R@5tok", "--relevant", "gold"], "[fields]"),
        (["eval", "gold.json", "run.json", "-m", "R@5tok"], "[columns]"),
        (["eval", "gold.json", "run.json", "--roll-up", "first"], "[no-document]"),
        (["eval", "gold.json", "run.json", "--roll-up", "sum", "--chunk-separator", "#"], "[option]"),
        (["eval", "gold.json", "run.json", "--retrieved", "x"], "[fields]"),
    ],
)
def test_what_is_wrong_is_said(words, text):
    done = called(*words)
    assert (done.returncode, done.stdout) == (2, "")
    assert text in done.stderr
