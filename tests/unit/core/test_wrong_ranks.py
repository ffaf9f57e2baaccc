"""Ranks that are not integers ≥ 0, if documents are ordered by rank: the error names the first."""

from pathlib import Path

import pytest
from needs import optional
from refusals import refusal

import judged as jd

pd = optional("pandas")

QRELS = {"q1": {"a": 1}, "q2": {"a": 1}}


@pytest.mark.parametrize("rank", ["-1", "1.5", "nan", "1e3", "first", 30 * "9"])
@pytest.mark.parametrize("engine", ["memory", "local"])
def test_the_first_wrong_rank_of_a_file_is_named(rank, engine, tmp_path):
    path = tmp_path / "a.run"
    path.write_text(f"q1 Q0 a 1 2 t\n\nq1 Q0 b {rank} 1 t\nq2 Q0 a x 1 t\n")
    for source in (path, jd.read_run(path)) if engine == "memory" else (path,):
        caught = refusal("no-rank", jd.evaluate, QRELS, source, "RR", order="rank", engine=engine)
        assert (caught.where.line, caught.value) == (3, repr(rank))
    assert jd.evaluate(QRELS, path, "RR").mean()["RR"] == 1  # ranks are not needed otherwise


@pytest.mark.needs("pandas")
def test_the_first_wrong_rank_of_a_frame_is_named():
    frame = pd.DataFrame({"query_id": ["q1"] * 3, "doc_id": ["a", "b", "c"], "score": [3.0, 2, 1], "rank": [1, -2, -3]})
    assert refusal("no-rank", jd.evaluate, QRELS, frame, "RR", order="rank").value == "-2"


@pytest.mark.needs("pandas")
@pytest.mark.parametrize("kind", ["run", "csv", "parquet"])
@pytest.mark.parametrize("engine", [None, "local"])
def test_a_wrong_rank_of_a_partitioned_run_is_named_with_its_file(kind, engine, tmp_path):
    for number, ranks in enumerate(([1, 2], [3, -4])):
        rows = pd.DataFrame(
            {"query_id": "q1", "doc_id": [f"a{number}", f"b{number}"], "score": [2.0, 1.0], "rank": ranks}
        )
        path = tmp_path / f"{number}.{kind}"
        if kind == "run":
            path.write_text("".join(f"{q} Q0 {d} {r} {s} t\n" for q, d, s, r in rows.itertuples(index=False)))
        else:
            rows.to_csv(path, index=False) if kind == "csv" else rows.to_parquet(path)
    caught = refusal("no-rank", jd.evaluate, {"q1": {"a0": 1, "b1": 1}}, tmp_path, "RR", order="rank", engine=engine)
    assert f"1.{kind}" in str(caught.where)
    assert "-4" in caught.value


@pytest.mark.parametrize(("ending", "line"), [("csv", "query_id,doc_id,score\n{},d1,1\n"), ("jsonl", '{{"query_id":"{}","doc_id":"d1","score":1}}\n' * 2)])  # fmt: skip
def test_the_file_of_a_directory_that_has_no_ranks_is_named(ending, line, tmp_path):
    for query in ("q1", "q2"):
        (tmp_path / f"{query}.{ending}").write_text(line.format(query, query))
    caught = refusal("no-rank", jd.evaluate, {"q1": {"d1": 1}}, tmp_path, "AP", order="rank")
    assert Path(str(caught.where)).name == f"q1.{ending}"
