"""`judged fuse`: files in, a run out; and its tuning."""

import json
from pathlib import Path

import pytest
from commands import called, run

import judged as jd

pytestmark = pytest.mark.usefixtures("collection")


def test_a_fused_run_is_written_in_the_format_of_its_extension():
    expected = jd.fuse(["a.run", "b.run"], "rrf(k=10)").to_dict()
    for name in ("f.run", "f.json", "f.csv", "f.run.gz"):
        run("fuse", "a.run", "b.run", "--method", "rrf(k=10)", "-o", name)
        assert jd.read_run(name).to_dict() == expected


def test_without_a_file_the_run_is_on_standard_output():
    Path("out.run").write_text(run("fuse", "a.run", "b.run"))
    assert jd.read_run("out.run").to_dict() == jd.fuse(["a.run", "b.run"]).to_dict()


def test_weights_are_written_in_order_or_by_name():
    expected = jd.fuse(["a.run", "b.run"], "wsum", weights=[0.25, 0.75]).to_dict()
    for words in (("a.run", "b.run", "--weights", "0.25,0.75"), ("x=a.run", "b.run", "--weights", "b=0.75,x=0.25")):
        run("fuse", *words, "--method", "wsum", "-o", "f.run")
        assert jd.read_run("f.run").to_dict() == expected


def test_tuning_shows_the_cross_validated_value_and_writes_the_run():
    qrels, runs = (
        str(jd.sample_path("qrels.txt")),
        [str(jd.sample_path(f"runs/{name}.run")) for name in ("bm25", "dense")],
    )
    words = ("fuse", *runs, "--method", "wsum", "--qrels", qrels, "--tune", "-m", "AP")
    shown = json.loads(run(*words, "--format", "json", "-o", "f.run"))
    tuned = jd.tune_fusion(qrels, runs, "wsum", "AP")
    assert shown["values"][0]["value"] == tuned.value
    assert jd.read_run("f.run").to_dict() == tuned.run.to_dict()
    assert "cross-validated" in run(*words)


def test_a_trained_method_learns_from_judgments():
    run("fuse", "a.run", "b.run", "--method", "posfuse", "--qrels", "qrels.txt", "-o", "f.run")
    assert jd.read_run("f.run").to_dict() == jd.fuse(["a.run", "b.run"], "posfuse", qrels="qrels.txt").to_dict()


@pytest.mark.parametrize(
    "words", [(), ("b.run", "--tune"), ("b.run", "--folds", "3"), ("b.run", "--weights", "x"), ("b.run", "--weights", "a=1,2"),
              ("b.run", "--tune", "--qrels", "qrels.txt", "--weights", "1,1"), ("-", "-")]
)  # fmt: skip
def test_wrong_usage_has_exit_code_2(words):
    assert called("fuse", "a.run", *words).returncode == 2
