"""Recommenders: lists from scores, beyond accuracy, GAUC, sampled negatives."""

import math
import subprocess
import sys

import numpy as np
import pytest
from needs import optional
from refusals import refusal
from scipy import sparse

import judged as jd

pd = optional("pandas")
pl = optional("polars")
metrics = optional("sklearn.metrics")

RUN = {"u": ["a", "b", "c"], "v": ["a", "d", "b"]}
HISTORY = {"u": ["d", "e"], "v": ["c", "e"], "w": ["a", "e"]}
SCORES = np.array([[0.1, 0.9, 0.5, 0.7], [0.4, 0.4, 0.4, 0.2]])


def rows(run):
    return [(int(run.query[i]), run.doc[i].decode(), float(run.score[i])) for i in range(len(run.query))]


@pytest.mark.needs("pandas", "polars")
@pytest.mark.parametrize(
    ("user", "item", "rating", "score"),
    [("user_id", "item_id", "rating", "score"), ("userId", "movieId", "rating", "prediction"), ("user", "item", "rating", "score"),
     ("userID", "itemID", "rating", "prediction"), ("uid", "iid", "rating", "est"), ("customer_id", "product_id", "label", "predicted_rating"), ("reviewerID", "asin", "rating", "pred")],
)  # fmt: skip
@pytest.mark.parametrize("library", ["pandas", "csv"])
def test_columns_of_users_and_items_are_found_by_their_usual_names(user, item, rating, score, library, tmp_path):
    truth = {user: [1, 1, 2], item: [10, 20, 10], rating: [5, 1, 4], "timestamp": [7, 8, 9]}
    predicted = {user: [1, 1, 2], item: [10, 20, 10], score: [0.2, 0.9, 0.5]}

    def form(columns, name):
        if library == "pandas":
            return pd.DataFrame(columns)
        pd.DataFrame(columns).to_csv(tmp_path / name, index=False)
        return tmp_path / name

    found = jd.evaluate(form(truth, "test.csv"), form(predicted, "run.csv"), "RR", level=4)
    assert found.mean() == {"RR(level=4)": (1 / 2 + 1) / 2}


@pytest.mark.needs("pandas", "polars")
@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame])
def test_pairs_without_a_rating_are_relevant(library):
    held_out = library({"userId": [1, 2], "movieId": [10, 20]})
    assert jd.evaluate(held_out, {1: [10, 20], 2: [10, 20]}, "RR").mean() == {"RR": 3 / 4}


@pytest.mark.needs("pandas")
def test_a_frame_of_three_columns_without_a_rating_is_still_refused():
    with pytest.raises(jd.DataError, match="grades"):
        jd.read_qrels(pd.DataFrame({"userId": [1], "movieId": [10], "when": [3]}))


def test_top_k_is_a_run_for_evaluate():
    run = jd.recommenders.top_k(SCORES, 2, users=["u", "v"], items=["a", "b", "c", "d"])
    assert rows(run) == [(0, "b", 0.9), (0, "d", 0.7), (1, "a", 0.4), (1, "b", 0.4)]
    assert jd.evaluate({"u": {"d": 1}, "v": {"a": 1}}, run, "Success@2").mean() == {"Success@2": 1}


def test_row_and_column_numbers_are_the_ids_unless_others_are_given():
    assert jd.evaluate({0: {1: 1}, 1: {0: 1}}, jd.recommenders.top_k(SCORES, 1), "P@1").mean() == {"P@1": 1}


@pytest.mark.needs("pandas")
@pytest.mark.parametrize("seen", [
    {"u": ["b"], "v": ["a", "z"], "stranger": ["a"]},
    [("u", "b"), ("v", "a")],
    pd.DataFrame({"user": ["u", "v"], "item": ["b", "a"]}),
    sparse.csr_matrix(np.array([[0, 1, 0, 0], [1, 0, 0, 0]])),
    np.array([[False, True, False, False], [True, False, False, False]]),
], ids=["dict", "pairs", "frame", "sparse", "mask"])  # fmt: skip
def test_items_already_seen_are_never_recommended(seen):
    run = jd.recommenders.top_k(SCORES, 2, seen=seen, users=["u", "v"], items=["a", "b", "c", "d"])
    assert [doc for _, doc, _ in rows(run)] == ["d", "c", "b", "c"]


def test_a_list_is_short_where_little_is_left():
    run = jd.recommenders.top_k([[1.0, -np.inf, 2.0], [1, 2, 3]], 3, seen={1: [0, 1, 2]})
    assert [(u, d) for u, d, _ in rows(run)] == [(0, "2"), (0, "0")]


@pytest.mark.needs("torch")
def test_scores_may_be_tensors_and_sparse():
    import torch

    plain = rows(jd.recommenders.top_k(SCORES, 3))
    assert rows(jd.recommenders.top_k(torch.tensor(SCORES, requires_grad=True), 3)) == plain
    assert rows(jd.recommenders.top_k(sparse.csr_matrix(SCORES), 3)) == plain
    assert [d for _, d, _ in rows(jd.recommenders.top_k(torch.tensor(SCORES).to(torch.bfloat16), 3))] == [
        d for _, d, _ in plain
    ]


@pytest.mark.parametrize(("given", "slug"), [
    ({"scores": [[1.0, math.nan]]}, "score-nan"),
    ({"scores": [1.0, 2.0]}, "shape"),
    ({"scores": SCORES, "k": 0}, "cutoff"),
    ({"scores": SCORES, "users": ["u"]}, "lengths"),
    ({"scores": SCORES, "users": ["u", "u"]}, "lengths"),
    ({"scores": SCORES, "seen": np.ones((2, 3), bool)}, "shape"),
    ({"scores": SCORES, "seen": {"nobody": [1]}}, "no-common-item"),
])  # fmt: skip
def test_wrong_scores_and_masks_are_refused(given, slug):
    refusal(slug, jd.recommenders.top_k, **given)


def test_all_that_can_be_computed_is():
    few = jd.recommenders.beyond_accuracy(RUN, k=2)
    assert list(few.summary()) == ["Distinct@2", "Entropy@2"]
    more = jd.recommenders.beyond_accuracy(RUN, k=2, items=5, history=HISTORY)
    assert {"Coverage@2", "Gini@2", "Popularity@2", "Novelty@2"} <= set(more.summary())
    assert more.summary()["Coverage@2"] == 3 / 5


def test_measures_have_their_own_cutoffs():
    found = jd.recommenders.beyond_accuracy(RUN, "Distinct@1 Distinct Distinct@3", k=2)
    assert found.summary() == {"Distinct@1": 1, "Distinct@2": 3, "Distinct@3": 4}


@pytest.mark.needs("pandas", "polars")
@pytest.mark.parametrize("history", [
    HISTORY,
    {u: dict.fromkeys(items, 5) for u, items in HISTORY.items()},
    [(u, i, 5, 1234) for u, items in HISTORY.items() for i in items],
    pd.DataFrame([(u, i) for u, items in HISTORY.items() for i in items], columns=["user_id", "item_id"]),
    pl.DataFrame([(u, i, 5.0, 7) for u, items in HISTORY.items() for i in items], schema=["user", "item", "rating", "timestamp"], orient="row"),
], ids=["dict", "nested", "tuples", "pandas", "polars"])  # fmt: skip
def test_the_history_comes_in_many_forms(history):
    found = jd.recommenders.beyond_accuracy(RUN, "Popularity Novelty", history=history)
    assert found["Popularity"].tolist() == [2 / 3, 2 / 3]  # a 1, b 0, c 1; a 1, d 1, b 0
    assert found["Novelty"].tolist() == pytest.approx([math.log2(3)] * 2)
    assert [w.slug for w in found.warnings] == ["item-unknown"]


def test_warnings_of_the_judgments_are_shown():
    log = [{"user_id": "u1", "item_id": "a", "timestamp": 100}]
    found = jd.recommenders.beyond_accuracy({"u1": ["a", "b"]}, "Distinct", qrels=log)
    assert [w.slug for w in found.warnings] == ["no-grades"]


def test_a_sparse_history_has_rows_of_users_and_columns_of_items():
    run = jd.recommenders.top_k(SCORES, 2)
    past = sparse.csr_matrix(np.array([[1, 0, 0, 0], [0, 0, 0, 2]]))
    assert jd.recommenders.beyond_accuracy(run, "Popularity", history=past)["Popularity"].tolist() == [1 / 2, 1 / 2]


@pytest.mark.needs("pandas")
def test_a_history_without_a_rating_but_with_other_columns_says_what_to_do():
    frame = pd.DataFrame({"user": ["u"], "item": ["a"], "when": [3]})
    with pytest.raises(jd.DataError, match=r"columns user and item.*\[columns\]"):
        jd.recommenders.beyond_accuracy(RUN, "Popularity", history=frame)


VECTORS = {"a": [1, 0], "b": [0, 1], "c": [1, 1], "d": [1, 0]}


@pytest.mark.parametrize("given", [
    {"vectors": VECTORS},
    {"vectors": (list(VECTORS), np.array(list(VECTORS.values())))},
    {"vectors": (list(VECTORS), sparse.csr_matrix(np.array(list(VECTORS.values()), dtype=float)))},
], ids=["dict", "ids and matrix", "sparse"])  # fmt: skip
def test_similarity_from_vectors(given):
    found = jd.recommenders.beyond_accuracy(RUN, "ILS", **given)["ILS"]
    assert found.tolist() == pytest.approx([2 * 0.5**0.5 / 3, 1 / 3])  # pairs of a, b, c; of a, d, b


def test_items_without_a_vector_are_counted():
    found = jd.recommenders.beyond_accuracy(RUN, "ILS", vectors={"a": [1, 0], "b": [0, 1]})
    assert [(w.slug, w.count) for w in found.warnings] == [("item-unknown", 2)]
    assert found["ILS"].tolist() == [0, 0]


def test_users_without_a_value_are_left_out_and_counted():
    found = jd.recommenders.beyond_accuracy({"u": ["a", "b"], "v": ["a"]}, "ILS", vectors=VECTORS)
    assert found.summary() == {"ILS@10": 0}
    assert ("values-missing", 1) in [(w.slug, w.count) for w in found.warnings]


def test_relevance_comes_from_judgments_at_a_level():
    qrels = {"u": {"b": 5, "c": 3}, "v": {"d": 4}}
    name = "Novelty(form=complement, relevant=True)@3"
    found = jd.recommenders.beyond_accuracy(RUN, name, history={"x": ["e", "f", "g"]}, qrels=qrels, level=4)
    assert found[name].tolist() == [1 / 3, 1 / 3]


def test_equal_scores_are_ordered_as_in_evaluate():
    run = {"u": {"a": 1.0, "b": 1.0, "c": 1.0}}
    assert jd.evaluate({"u": {"c": 1}}, run, "P@1").mean() == {"P@1": 1}
    assert jd.recommenders.beyond_accuracy(run, "Popularity@1", history=[("u", "c")])["Popularity@1"].tolist() == [1]


def test_ids_are_compared_as_text():
    found = jd.recommenders.beyond_accuracy(
        {1: [10, 20]}, "Coverage Popularity", items=["10", "20", "30"], history=[("1", "10")]
    )
    assert found.summary() == {"Coverage@10": 2 / 3, "Popularity@10": 1 / 2}


@pytest.mark.parametrize(("given", "slug"), [
    ({"items": ["a", "b"]}, "parameter"),
    ({"items": 3}, "parameter"),
    ({"items": "abc"}, "parameter"),
    ({"items": 0}, "parameter"),
    ({"k": 0}, "cutoff"),
    ({"vectors": {"z": [1]}}, "parameter"),
    ({"vectors": {"a": [1], "b": [1, 2]}}, "dtype"),
    ({"vectors": {"a": [math.nan], "b": [1]}}, "shape"),
    ({"vectors": [[1, 2], [2, 1]]}, "form"),
    ({"categories": ["a"]}, "parameter"),
    ({"categories": {"z": 1}}, "parameter"),
    ({"qrels": {"nobody": {"a": 1}}}, "no-common-query"),
    ({"measures": "nDCG"}, "measure"),
])  # fmt: skip
def test_what_cannot_be_used_is_refused(given, slug):
    refusal(slug, jd.recommenders.beyond_accuracy, RUN, **given)


def test_an_item_twice_in_a_list_is_refused():
    caught = refusal("duplicate-doc", jd.recommenders.beyond_accuracy, [("u", "a", 1.0), ("u", "a", 2.0)], "Distinct")
    assert caught.value == b"a"


@pytest.fixture(scope="module")
def result():
    rng = np.random.default_rng(0)
    run = jd.recommenders.top_k(rng.normal(size=(40, 30)), 10)
    history = sparse.random(40, 30, 0.2, random_state=1, format="csr")
    return jd.recommenders.beyond_accuracy(run, "Coverage Novelty Popularity", k=5, items=30, history=history)


def test_only_means_over_users_have_intervals(result):
    low, high = result.values().interval("Novelty@5")
    assert low < result.summary()["Novelty@5"] < high
    assert (low, high) == tuple(result.records()[1][end] for end in ("low", "high"))
    for name in ("Coverage", "ILS"):
        refusal("not-asked", result.__getitem__, name)


@pytest.mark.needs("pandas")
def test_runs_are_compared_user_by_user_with_slices(result):
    other = jd.recommenders.beyond_accuracy(
        jd.recommenders.top_k(np.random.default_rng(9).normal(size=(40, 30)), 10),
        "Novelty(discount=log2) Novelty Popularity",
        k=5,
        history=[(u, u % 3) for u in range(40)],
    )
    groups = pd.DataFrame({"user_id": list(range(40)), "group": ["new", "old"] * 20})
    found = jd.compare({"a": result.values(), "b": other.values()}, slices=groups, by="group")
    rows = {row.measure: row for row in found.rows}
    assert rows["Novelty@5"].difference == pytest.approx(np.mean(other["Novelty@5"]) - np.mean(result["Novelty@5"]))
    assert {row.part for row in found.parts} == {"group=new", "group=old"}
    assert "Novelty@5" in str(found)
    worse = rows["Popularity@5"].difference > 0
    assert (rows["Popularity@5"].verdict in ("worse", "no clear difference")) == worse  # lower is better


def test_evaluate_says_that_such_a_measure_is_not_its_own(result):
    result.values()
    assert refusal("measure", jd.evaluate, {"q": ["a"]}, {"q": ["a"]}, "Novelty@10").value == "Novelty"


def test_the_first_hit_is_a_rank_and_what_is_not_found_is_behind():
    qrels = {"found": {"b": 1}, "missed": {"z": 1}, "absent": {"a": 1}, "nothing": {"a": 0}}
    run = {"found": ["a", "b", "c"], "missed": ["a", "b", "c"], "nothing": ["a"]}
    found = jd.evaluate(qrels, run, ["FirstHit", "FirstHit@1", "FirstHit(missed=100)"])
    assert found.of("found") == {"FirstHit": 2, "FirstHit@1": 2, "FirstHit(missed=100)": 2}
    assert found.of("missed") == {"FirstHit": 4, "FirstHit@1": 2, "FirstHit(missed=100)": 100}
    assert found.of("absent") == {"FirstHit": None, "FirstHit@1": 2, "FirstHit(missed=100)": 100}
    assert found.of("nothing") == dict.fromkeys(found)


@pytest.fixture(scope="module")
def shown():
    rng = np.random.default_rng(4)
    sizes = rng.integers(1, 12, size=30)
    frame = pd.DataFrame(
        {"user": np.repeat(np.arange(30), sizes), "item": np.concatenate([np.arange(n) for n in sizes])}
    )
    frame["label"] = rng.integers(0, 2, size=len(frame))
    frame["score"] = np.round(rng.normal(size=len(frame)) + frame.label, 1)  # some are equal
    return frame


@pytest.mark.needs("pandas", "sklearn")
@pytest.mark.parametrize("weights", ["impressions", "clicks", "equal"])
def test_gauc_is_the_weighted_mean_of_scikit_learns_auc(shown, weights):
    found = jd.recommenders.gauc(shown[["user", "item", "label"]], shown[["user", "item", "score"]], weights=weights)
    top = bottom = left = 0
    for _, group in shown.groupby("user"):
        if group.label.nunique() < 2:
            left += 1
            continue
        weight = {"impressions": len(group), "clicks": group.label.sum(), "equal": 1}[weights]
        top, bottom = top + weight * metrics.roc_auc_score(group.label, group.score), bottom + weight
    assert found.value == pytest.approx(top / bottom)
    assert found.left_out == left > 0
    assert len(found.users) + left == 30
    assert found.low < found.value < found.high
    assert f"{left} users with a single class excluded" in str(found)


@pytest.mark.needs("pandas")
def test_the_interval_of_gauc_is_students_over_users(shown):
    found = jd.recommenders.gauc(shown[["user", "item", "label"]], shown[["user", "item", "score"]])
    assert (found.low, found.high) == pytest.approx(jd.stats.weighted_interval(found.auc, found.weight))
    assert found.low < found.value < found.high


@pytest.mark.needs("pandas")
@pytest.mark.parametrize(
    ("given", "slug"),
    [
        ({"weights": "likes"}, "parameter"),
        ({"level": 5}, "no-relevant"),
    ],
)
def test_gauc_refuses_what_it_cannot_use(shown, given, slug):
    refusal(slug, jd.recommenders.gauc, shown[["user", "item", "label"]], shown[["user", "item", "score"]], **given)


def test_nothing_of_torch_or_pandas_is_imported_for_lists():
    code = "import sys, judged as jd; jd.recommenders.beyond_accuracy(jd.recommenders.top_k([[1.0, 2.0]], 1), 'Coverage', items=2); print(' '.join(sys.modules))"
    loaded = set(
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    )
    assert not {"torch", "pandas", "polars", "scipy", "sklearn"} & loaded


@pytest.mark.parametrize("matrix", [np.array([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1]]), np.eye(3, dtype=int), np.eye(3) > 0])
@pytest.mark.parametrize("argument", ["run", "history"])
def test_a_matrix_of_three_items_is_not_read_as_rows_of_user_item_and_score(matrix, argument):
    arguments = {"run": {"u": ["a", "b"]}, "history": {"u": ["b"]}, "qrels": {"u": {"a": 1}}, argument: matrix}
    caught = refusal("form", jd.recommenders.beyond_accuracy, **arguments)
    assert str(caught.where) == argument


@pytest.mark.parametrize("matrix", [np.array([[0.1, 0.2, 0.3], [0.0, 1.0, 0.1]]), [[0.0, 1.0, 0.1], [0.1, 0.2, 0.3]]])
def test_a_matrix_of_three_scores_per_user_is_neither_a_run_nor_judgments(matrix):
    for read in (jd.read_run, jd.read_qrels):
        refusal("form", read, matrix)
    assert len(jd.read_run(np.array([[1, 7, 0.5], [1, 8, 2.5]])).query) == 2
