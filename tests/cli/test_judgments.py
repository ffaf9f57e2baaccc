"""`judged pool`, `next` and `judge`: from runs to judgments."""

import json
import re

from tests.helpers.commands import called, run

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


def test_next_says_that_nothing_can_change_where_everything_is_judged():
    assert run("next", QRELS, *RUNS[:2]).startswith("No unjudged document can change this verdict.")


def test_next_lists_documents_with_what_they_can_change(tmp_path):
    half = tmp_path / "half.txt"
    lines = jd.sample_path("qrels.txt").read_text(encoding="utf-8").splitlines(keepends=True)
    half.write_text("".join(line for i, line in enumerate(lines) if i % 2), encoding="utf-8")
    text = run("next", str(half), *RUNS[:2], "-n", "3", "-m", "nDCG@5")
    assert "can move the difference by 0." in text
    assert "3 documents to judge" in text


def test_a_dry_run_prints_prompts_and_asks_nothing(tmp_path):
    todo = tmp_path / "todo.jsonl"
    run("pool", *RUNS, "-n", "2", "-o", str(todo))
    result = called("judge", str(todo), *TEXTS, "--url", "http://localhost:9/v1", "--model", "m", "--dry-run")
    shown = json.loads(result.stdout)
    assert len(shown) == 2
    assert re.match(r"2 requests, about [\d,]+ tokens", result.stderr)
    assert "<document>" in shown[0]["prompt"]


def test_a_judge_needs_an_output_and_reports_a_server_that_is_absent(tmp_path, monkeypatch):
    monkeypatch.setitem(jd.model_judge.__kwdefaults__, "retries", 0)
    todo = tmp_path / "todo.jsonl"
    run("pool", *RUNS, "-n", "2", "-o", str(todo))
    words = ("judge", str(todo), *TEXTS, "--url", "http://127.0.0.1:9/v1", "--model", "m")
    assert called(*words).returncode == 2
    assert called(*words, "-o", str(tmp_path / "llm.jsonl")).returncode == 3
    assert not (tmp_path / "llm.jsonl").exists()


def test_commands_take_judgments_of_a_model(tmp_path):
    lines = jd.sample_path("qrels.txt").read_text(encoding="utf-8").splitlines(keepends=True)
    some = {line.split()[0] for line in lines[: len(lines) // 2]}
    human = tmp_path / "human.txt"
    human.write_text("".join(line for line in lines if line.split()[0] in some), encoding="utf-8")
    model = ("--model-judgments", str(jd.sample_path("qrels.b.txt")))
    options = {"model": jd.sample_path("qrels.b.txt")}
    shown = json.loads(run("eval", str(human), RUNS[0], "-m", "nDCG@10", *model, "--format", "json"))
    assert shown["summary"] == jd.evaluate(human, RUNS[0], "nDCG@10", **options).mean()
    assert "by the model" in run("eval", str(human), *RUNS[:2], "-m", "nDCG@10", *model)
    shown = json.loads(run("compare", str(human), *RUNS[:2], "-m", "nDCG@10", *model, "--format", "json"))
    board = jd.compare(human, RUNS[:2], "nDCG@10", **options)
    assert shown["rows"][0]["difference"] == board.rows[0].difference


def test_judgments_of_a_model_are_read_with_the_columns_of_others(tmp_path):
    lines = [line.split() for line in jd.sample_path("qrels.b.txt").read_text(encoding="utf-8").splitlines()]
    model = tmp_path / "llm.csv"
    model.write_text("topic,passage,label\n" + "".join(f"{q},{d},{g}\n" for q, _, d, g in lines), encoding="utf-8")
    human = tmp_path / "human.txt"
    human.write_text("".join(f"{q} 0 {d} {g}\n" for q, _, d, g in lines if q <= "q20"), encoding="utf-8")
    named = ("--model-judgments", str(model), "--query-col", "topic", "--doc-col", "passage", "--grade-col", "label")
    options = {"query_col": "topic", "doc_col": "passage", "grade_col": "label"}
    expected = jd.evaluate(human, RUNS[0], "nDCG@10", model=jd.sample_path("qrels.b.txt")).mean()
    assert jd.evaluate(human, RUNS[0], "nDCG@10", model=model, **options).mean() == expected
    shown = json.loads(run("eval", str(human), RUNS[0], "-m", "nDCG@10", *named, "--format", "json"))
    assert shown["summary"] == expected
    board = json.loads(run("compare", str(human), *RUNS[:2], "-m", "nDCG@10", *named, "--format", "json"))
    plain = jd.compare(human, RUNS[:2], "nDCG@10", model=jd.sample_path("qrels.b.txt"))
    assert board["rows"][0]["difference"] == plain.rows[0].difference


def test_the_loop_from_runs_to_the_next_documents(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run("pool", *RUNS, "--depth", "5", "-o", "todo.jsonl")
    todo = read_todo("todo.jsonl")
    for judge, source in (("ann", "qrels.a.txt"), ("ben", "qrels.b.txt")):
        grades = jd.read_qrels(jd.sample_path(source)).to_dict()
        times = {"judge": judge, "time": "2024-05-01T10:00:00Z", "note": ""}
        records = [{"query": i.query, "doc": i.doc, "grade": grades[i.query][i.doc], **times} for i in todo]
        (tmp_path / f"{judge}.jsonl").write_text("".join(json.dumps(r) + "\n" for r in records), encoding="utf-8")
    agreed = json.loads(run("agree", "ann.jsonl", "ben=ben.jsonl", "--run", *RUNS, "--format", "json"))
    assert agreed["overlap"]["2"] == len(todo)
    run("merge", "ann.jsonl", "ben.jsonl", "--how", "median", "-o", "qrels.txt")
    assert "dense" in run("compare", "qrels.txt", *RUNS, "-m", "nDCG@10")
    run("next", "qrels.txt", *RUNS, "-m", "nDCG@10", "-n", "20", "-o", "more.jsonl")
    judged = jd.read_qrels("qrels.txt").to_dict()
    more = read_todo("more.jsonl")
    assert len(more) == 20
    assert not [item for item in more if item.doc in judged[item.query]]
    rest = json.loads(run("pool", *RUNS, "--depth", "10", "--without", "qrels.txt", "--format", "json"))
    assert {(item.query, item.doc) for item in more} <= {(row["query"], row["doc"]) for row in rest}
