"""`judged pool`, `next` and `judge`: from runs to judgments."""

from __future__ import annotations

import json

import pytest
from tests.helpers.commands import called, refused, run

import judged as jd
from judged.judging.todo import read_todo

RUNS = [str(jd.sample_path(f"runs/{name}.run")) for name in ("bm25", "dense", "tfidf")]
QRELS = str(jd.sample_path("qrels.txt"))
TEXTS = ("--doc-texts", str(jd.sample_path("documents.jsonl")), "--query-texts", str(jd.sample_path("queries.jsonl")))


def test_a_pool_is_written_and_read_back(tmp_path):
    todo = tmp_path / "todo.jsonl"
    run("pool", *RUNS, "--depth", "5", "-o", str(todo))
    assert read_todo(todo).items == jd.pool(RUNS, depth=5).items


def test_a_pool_is_printed_in_every_format():
    text = run("pool", f"old={RUNS[0]}", RUNS[1], "--depth", "1", "-n", "2")
    assert text.startswith("2 documents to judge, of 2 queries.")
    assert "dense, old" in text
    assert len(json.loads(run("pool", *RUNS, "-n", "3", "--format", "json"))) == 3


def test_a_sample_keeps_its_probabilities(tmp_path):
    todo = tmp_path / "todo.jsonl"
    run("pool", *RUNS, "--depth", "20", "--sample", "5=1,20=0.3", "--without", QRELS, "-o", str(todo))
    assert {item.stratum for item in read_todo(todo)} <= {5, 20}
    assert read_todo(todo).sampled


def test_wrong_strata_are_refused():
    assert called("pool", *RUNS, "--sample", "many").returncode == 2
    assert refused("pool", *RUNS, "--sample", "10=1").slug == "strata"


def test_next_says_that_nothing_can_change_where_everything_is_judged():
    assert run("next", QRELS, *RUNS[:2]).startswith("No unjudged document can change this verdict.")


def test_next_lists_documents_with_what_they_can_change(tmp_path):
    half = tmp_path / "half.txt"
    lines = jd.sample_path("qrels.txt").read_text(encoding="utf-8").splitlines(keepends=True)
    half.write_text(
        "".join(line for i, line in enumerate(lines) if i % 2),
        encoding="utf-8",
    )
    text = run("next", str(half), *RUNS[:2], "-n", "3", "-m", "nDCG@5")
    assert "can move the difference by 0." in text
    assert "3 documents to judge" in text


def test_a_dry_run_prints_prompts_and_asks_nothing(tmp_path):
    todo = tmp_path / "todo.jsonl"
    run("pool", *RUNS, "-n", "2", "-o", str(todo))
    shown = json.loads(run("judge", str(todo), *TEXTS, "--url", "http://localhost:9/v1", "--model", "m", "--dry-run"))
    assert len(shown) == 2
    assert "<document>" in shown[0]["prompt"]


def test_a_judge_needs_an_output_and_reports_a_server_that_is_absent(tmp_path):
    todo = tmp_path / "todo.jsonl"
    run("pool", *RUNS, "-n", "2", "-o", str(todo))
    words = ("judge", str(todo), *TEXTS, "--url", "http://127.0.0.1:9/v1", "--model", "m", "--retries", "0")
    assert called(*words).returncode == 2
    assert called(*words, "-o", str(tmp_path / "llm.jsonl")).returncode == 3
    assert not (tmp_path / "llm.jsonl").exists()


@pytest.mark.parametrize("command", ["pool", "next", "judge"])
def test_the_help_has_an_example(command):
    assert f"judged {command} " in run(command, "--help")
