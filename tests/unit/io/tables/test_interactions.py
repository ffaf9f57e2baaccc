"""Interaction logs as judgments and as history: users, items and times, without grades."""

import json

import pytest
from for_each import for_each
from native_rows import check
from needs import optional
from refusals import refusal

import judged as jd
from judged.io.columns import TIMES

pd = optional("pandas")
ROWS = [("u1", "a", "2024-01-01 10:00"), ("u2", "b", "2024-01-02 11:00"), ("u2", "b", "2024-01-03 12:00")]
LOG = "user_id,item_id,{}\n" + "".join(",".join(row) + "\n" for row in ROWS)
RUN = {"u1": {"b": 2.0, "a": 1.0}, "u2": {"b": 2.0, "a": 1.0}}


def counts(table) -> dict[str, int]:
    return {warning.slug: warning.count for warning in table.warnings}


@for_each("time", [*TIMES, "Event Time", "created_at"])
def test_every_interaction_is_relevant_and_counts_once(time, save):
    log = save("log.csv", LOG.format(time))
    result = jd.evaluate(log, RUN, "RR NumRel")
    assert result["RR"].tolist() == [1 / 2, 1]
    assert result["NumRel"].tolist() == [1, 1]
    assert counts(result) == {"no-grades": 3, "duplicate-judgment": 1}
    assert "log.csv has no grades: its 3 interactions count as relevant" in str(result.warnings[0])


def test_a_log_is_read_alike_from_every_form(save, rows):
    records = [dict(zip(("user", "item", "ts"), row, strict=True)) for row in ROWS]
    columns = {name: [record[name] for record in records] for name in records[0]}
    lines = "".join(json.dumps(record) + "\n" for record in [*records[:2], {"user": "u2", "item": "b"}])
    check("qrels", LOG.format("ts").encode())
    wanted = [(b"u1", b"a", 1), (b"u2", b"b", 1), (b"u2", b"b", 1)]
    forms = [
        save("log.csv", LOG.format("date")),
        save("log.jsonl", lines),
        save("log.json", json.dumps(records)),
        records,
        columns,
    ]
    for log in forms:
        assert rows(jd.read_qrels(log)) == wanted
        assert counts(jd.read_qrels(log)) == {"no-grades": 3}
        assert jd.recommenders.beyond_accuracy(RUN, "Novelty", history=log).summary() == {
            "Novelty@10": pytest.approx(1)
        }


@pytest.mark.needs("pandas")
def test_a_log_with_the_index_of_a_frame_is_one(save, rows):
    frame = pd.DataFrame(ROWS, columns=["user", "item", "ts"])
    for kept in (["user", "item", "ts"], ["user", "item"]):
        log = save("log.csv", frame[kept].to_csv())
        assert [row[2] for row in rows(jd.read_qrels(log))] == [1, 1, 1]
        assert counts(jd.read_qrels(log)) == ({"no-grades": 3} if "ts" in kept else {})


def test_ratings_beside_times_are_grades(save):
    log = save("log.csv", "user,item,rating,ts\nu,a,5,100\nu,b,2,101\n")
    assert jd.read_qrels(log).grade.tolist() == [5, 2]
    assert counts(jd.read_qrels(log)) == {}


def test_clicks_are_not_all_relevant(save):
    error = refusal("columns", jd.read_qrels, save("log.csv", "user,item,clicked,ts\nu,a,0,100\nu,b,1,101\n"))
    assert dict(error.hint.options) == {"grade_col": "clicked"}


def test_no_hint_asks_for_grades_that_the_log_does_not_have(save):
    error = refusal("columns", jd.read_qrels, save("log.csv", "visit,thing,ts\nu,a,100\n"))
    assert set(dict(error.hint.options)) == {"query_col", "doc_col"}
    error = refusal("columns", jd.read_qrels, save("log.csv", "user,item,channel\nu,a,web\n"))
    assert "if every row is relevant, keep only queries and documents" in str(error)
