"""Two columns for one role are refused with both names, whatever the names are; from the tables of known names."""

import csv
from itertools import combinations, product

import pytest
from needs import optional
from refusals import refusal

import judged as jd
from judged.clicks.log_columns import CLICKS, LISTS
from judged.io.columns import NAMES, rivals
from judged.io.open_table import open_role_table

pd = optional("pandas")

CELLS = {
    "query": "q",
    "doc": "d",
    "score": 0.5,
    "grade": 1,
    "rank": 1,
    "aspect": "1",
    "session": "s",
    "click": 1,
    "team": "A",
}
PLAIN = {
    "query": "query_id",
    "doc": "doc_id",
    "score": "score",
    "grade": "relevance",
    "session": "session",
    "click": "click",
    "team": "team",
}
RANKINGS = {"run": (jd.read_run, ("query", "doc", "score")), "qrels": (jd.read_qrels, ("query", "doc", "grade"))}
PAIRS = [
    (kind, role, pair)
    for kind, (_, roles) in RANKINGS.items()
    for role in (*roles, "rank" if kind == "run" else "aspect")
    for tier in NAMES[role]
    for pair in combinations(tier, 2)
]
OTHERS = {
    "clicks": (jd.clicks.read_clicks, CLICKS, ("session", "query", "doc", "click")),
    "lists": (lambda source: open_role_table(source, "lists", LISTS), LISTS, ("query", "doc", "team")),
}


def table(roles, role, pair) -> dict[str, object]:
    others = {PLAIN[other]: CELLS[other] for other in roles if other != role}
    return {**others, **dict.fromkeys(pair, CELLS[role])}


def refused(read, source, pair) -> None:
    caught = refusal("columns", read, source)
    assert all(repr(name) in caught.problem for name in pair)


@pytest.mark.needs("pandas")
@pytest.mark.parametrize("kind", RANKINGS)
def test_runs_and_judgments_with_two_columns_for_one_role_are_refused(kind, tmp_path):
    read, roles = RANKINGS[kind]
    path = tmp_path / "a.csv"
    for _, role, pair in (case for case in PAIRS if case[0] == kind):
        columns = table(roles, role, pair)
        refused(read, [columns], pair)
        if "doc" in pair[0] or role == "query":  # a file and a frame for each pair take too long
            with path.open("w") as file:
                csv.writer(file).writerows([columns.keys(), columns.values()])
            refused(read, path, pair)
            refused(read, pd.DataFrame([columns]), pair)
        named = {} if role == "aspect" else {f"{role}_col": pair[0]}
        assert not named or len(read([columns], **named)) == 1


@pytest.mark.parametrize("kind", OTHERS)
def test_click_logs_with_two_columns_for_one_role_are_refused(kind):
    read, declared, roles = OTHERS[kind]
    for role in roles:
        for tier in declared[role].names:
            for pair in combinations(tier, 2):
                refused(read, [table(roles, role, pair)], pair)


TEXTS = {"query": ("query", "querytext", "question"), "doc": ("document", "passage", "url")}


@pytest.mark.parametrize("role", TEXTS)
def test_two_columns_of_ids_are_refused_however_sure_their_names_are(role):
    sure, words, *_ = NAMES[role]
    for pair in product(sure, words):
        columns = table(RANKINGS["run"][1], role, pair)
        if rivals(NAMES[role], *pair[:1], pair):
            refused(jd.read_run, [columns], pair)
            assert len(jd.read_run([columns], **{f"{role}_col": pair[1]}).query) == 1
        else:  # a text, or what the id is named after
            assert len(jd.read_run([columns]).query) == 1
    assert {word for word in words if all(rivals(NAMES[role], name, [word]) for name in sure)}.isdisjoint(TEXTS[role])
