"""The measures inside LightGBM, XGBoost, CatBoost and scikit-learn: each is called by the library itself."""

import copy
import pickle
import subprocess
import sys
from importlib import import_module

import numpy as np
import pytest
from refusals import refusal

import judged as jd

RNG = np.random.default_rng(11)
QUERIES = np.repeat(np.arange(40), RNG.integers(2, 12, 40))
FEATURES = RNG.random((len(QUERIES), 4))
LABELS = np.clip(np.floor(4 * FEATURES[:, 0] + RNG.normal(0, 0.7, len(QUERIES))), 0, 3)
HELD = QUERIES >= 28
LGB = {"objective": "lambdarank", "metric": "None", "verbose": -1, "num_threads": 1, "min_data_in_leaf": 5}
XGB = {"objective": "rank:ndcg", "disable_default_eval_metric": True, "nthread": 1}
CAT = {"loss_function": "YetiRank", "iterations": 3, "verbose": False, "thread_count": 1, "allow_writing_files": False}


def sizes(queries):
    return np.unique(queries, return_counts=True)[1]


def mean(measure, scores, **options):
    found = jd.score(LABELS[HELD], scores, measure, group=sizes(QUERIES[HELD]), **options)
    return next(iter(found.mean().values()))


def test_no_library_is_imported_before_it_must_be():
    code = """
import sys
import judged as jd
jd.integrations
for name in jd.integrations.__all__:
    getattr(jd.integrations, name)
jd.integrations.lightgbm.metric("nDCG(gain='exp')@10")
jd.integrations.xgboost.metric("nDCG@10")
jd.integrations.catboost.metric("nDCG@10", ([1, 0], [1, 1]))
jd.integrations.sklearn.scorer("nDCG@10")
print(sorted({"lightgbm", "xgboost", "catboost", "sklearn", "torch", "torchmetrics", "pandas"} & set(sys.modules)))
sys.modules["torchmetrics"] = None
try:
    jd.integrations.torchmetrics.RankingMetric
except jd.UsageError as error:
    print(error.slug, error.hint)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["[]", "needs run pip install torchmetrics"]


def test_an_unknown_integration_is_an_attribute_error():
    with pytest.raises(AttributeError):
        jd.integrations.keras  # noqa: B018


@pytest.mark.parametrize("make", [jd.integrations.lightgbm.metric, jd.integrations.xgboost.metric, jd.integrations.sklearn.scorer])  # fmt: skip
def test_a_wrong_measure_or_option_is_refused_before_training(make):
    for call in (lambda: make("NDGC"), lambda: make("RR", tie="best"), lambda: make("alpha_nDCG"), lambda: make("RR", profile="x")):  # fmt: skip
        with pytest.raises(jd.UsageError):
            call()


@pytest.mark.needs("lightgbm")
def test_lightgbm_reports_each_measure_and_is_told_which_way_is_better():
    import lightgbm as lgb

    train = lgb.Dataset(FEATURES[~HELD], LABELS[~HELD], group=sizes(QUERIES[~HELD]))
    valid = lgb.Dataset(FEATURES[HELD], LABELS[HELD], group=sizes(QUERIES[HELD]), reference=train)
    found: dict = {}
    metric = jd.integrations.lightgbm.metric("nDCG@5 FirstHit(missed=100)", level=2)
    model = lgb.train(LGB, train, 4, valid_sets=[valid], feval=metric, callbacks=[lgb.record_evaluation(found)])
    scores = model.predict(FEATURES[HELD])
    assert list(found["valid_0"]) == ["nDCG@5", "FirstHit(level=2, missed=100)"]
    assert found["valid_0"]["nDCG@5"][-1] == mean("nDCG@5", scores, level=2)
    reported = metric(scores, valid)
    assert [higher for _, _, higher in reported] == [True, False]
    assert reported[1][1] == mean("FirstHit(missed=100)", scores, level=2)


@pytest.mark.needs("lightgbm")
def test_lightgbm_stops_early_by_the_measure():
    import lightgbm as lgb

    train = lgb.Dataset(FEATURES[~HELD], LABELS[~HELD], group=sizes(QUERIES[~HELD]))
    valid = lgb.Dataset(FEATURES[HELD], LABELS[HELD], group=sizes(QUERIES[HELD]), reference=train)
    found: dict = {}
    calls = [lgb.early_stopping(3, verbose=False), lgb.record_evaluation(found)]
    model = lgb.train(LGB, train, 40, valid_sets=[valid], feval=jd.integrations.lightgbm.metric("nDCG@3"), callbacks=calls)  # fmt: skip
    assert model.best_iteration == 1 + int(np.argmax(found["valid_0"]["nDCG@3"]))


@pytest.mark.needs("lightgbm")
def test_the_estimators_and_the_cross_validation_of_lightgbm_take_the_same_metric():
    import lightgbm as lgb

    metric = jd.integrations.lightgbm.metric("nDCG@5")
    ranker = lgb.LGBMRanker(n_estimators=3, min_child_samples=5, verbose=-1, n_jobs=1)
    ranker.fit(FEATURES[~HELD], LABELS[~HELD], group=sizes(QUERIES[~HELD]), eval_X=FEATURES[HELD], eval_y=LABELS[HELD],
               eval_group=[sizes(QUERIES[HELD])], eval_metric=metric)  # fmt: skip
    assert ranker.evals_result_["valid_0"]["nDCG@5"][-1] == mean("nDCG@5", ranker.predict(FEATURES[HELD]))
    data = lgb.Dataset(FEATURES, LABELS, group=sizes(QUERIES))
    found = lgb.cv({**LGB, "metric": "ndcg", "eval_at": [5]}, data, 2, nfold=3, feval=jd.integrations.lightgbm.metric("nDCG@5", profile="lightgbm"))  # fmt: skip
    assert found["valid nDCG(gain='exp')@5-mean"] == pytest.approx(found["valid ndcg@5-mean"], rel=1e-12)


@pytest.mark.needs("lightgbm")
def test_lightgbm_without_groups_is_a_clear_error():
    import lightgbm as lgb

    data = lgb.Dataset(FEATURES, LABELS)
    with pytest.raises(jd.UsageError, match="groups") as caught:
        lgb.train({"verbose": -1, "num_threads": 1}, data, 1, valid_sets=[data], feval=jd.integrations.lightgbm.metric("RR"))  # fmt: skip
    assert caught.value.slug == "group"


@pytest.mark.needs("xgboost")
def test_xgboost_reports_each_measure_and_stops_early_when_told_to_maximise():
    import xgboost as xgb

    train = xgb.DMatrix(FEATURES[~HELD], LABELS[~HELD], qid=QUERIES[~HELD])
    valid = xgb.DMatrix(FEATURES[HELD], LABELS[HELD], group=sizes(QUERIES[HELD]))
    found: dict = {}
    metric = jd.integrations.xgboost.metric("RR nDCG(gain='exp', level=2)@5")
    model = xgb.train(XGB, train, 30, evals=[(valid, "valid")], custom_metric=metric, maximize=metric.maximize,
                      early_stopping_rounds=3, evals_result=found, verbose_eval=False)  # fmt: skip
    name = "nDCG(gain='exp',level=2)@5"
    assert list(found["valid"]) == ["RR", name]
    assert model.best_iteration == int(np.argmax(found["valid"][name]))
    scores = model.predict(valid, iteration_range=(0, model.best_iteration + 1))
    assert max(found["valid"][name]) == pytest.approx(mean("nDCG(gain='exp', level=2)@5", scores), abs=5.1e-7)


def test_xgboost_is_told_not_to_maximise_where_less_is_better():
    assert jd.integrations.xgboost.metric("AP").maximize
    assert not jd.integrations.xgboost.metric("FirstHit").maximize


@pytest.mark.needs("xgboost")
def test_the_ranker_of_xgboost_calls_the_metric_list_by_list():
    import xgboost as xgb

    ranker = xgb.XGBRanker(n_estimators=3, n_jobs=1, eval_metric=jd.integrations.xgboost.metric("nDCG@5"))
    ranker.fit(FEATURES[~HELD], LABELS[~HELD], qid=QUERIES[~HELD], eval_set=[(FEATURES[HELD], LABELS[HELD])],
               eval_qid=[QUERIES[HELD]], verbose=False)  # fmt: skip
    found = ranker.evals_result()["validation_0"]["nDCG@5"]
    values = jd.metrics.ndcg(LABELS[HELD], ranker.predict(FEATURES[HELD]), k=5, group=sizes(QUERIES[HELD]))
    assert found[-1] == pytest.approx(
        np.average(values, weights=sizes(QUERIES[HELD])), abs=5.1e-7
    )  # XGBRanker's own mean
    with pytest.raises(jd.UsageError, match="one measure"):
        jd.integrations.xgboost.metric("RR AP")([1, 0], [0.1, 0.2])


@pytest.mark.needs("xgboost")
def test_xgboost_without_groups_is_a_clear_error():
    import xgboost as xgb

    data = xgb.DMatrix(FEATURES, LABELS)
    with pytest.raises(jd.UsageError, match="groups"):
        jd.integrations.xgboost.metric("RR")(LABELS, data)


@pytest.fixture
def catboost():
    return import_module("catboost")


@pytest.fixture
def pools(catboost):
    return tuple(catboost.Pool(FEATURES[rows], LABELS[rows], group_id=QUERIES[rows]) for rows in (~HELD, HELD))


@pytest.mark.needs("catboost")
@pytest.mark.filterwarnings("ignore:Failed to import numba")
def test_catboost_reports_the_measure_under_its_name_and_chooses_by_it(catboost, pools):
    train, valid = pools
    model = catboost.CatBoost({**CAT, "iterations": 12, "eval_metric": jd.integrations.catboost.metric("nDCG@5", train, valid)})  # fmt: skip
    model.fit(train, eval_set=valid)
    found = model.get_evals_result()
    assert max(found["validation"]["nDCG@5"]) == found["validation"]["nDCG@5"][model.best_iteration_]
    assert max(found["validation"]["nDCG@5"]) == pytest.approx(mean("nDCG@5", model.predict(FEATURES[HELD])), rel=1e-12)
    assert len(found["learn"]["nDCG@5"]) == 12


@pytest.mark.needs("catboost")
@pytest.mark.filterwarnings("ignore:Failed to import numba")
def test_catboost_minimises_where_less_is_better(catboost, pools):
    metric = jd.integrations.catboost.metric("FirstHit(missed=100)", *pools)
    assert not metric.is_max_optimal()
    model = catboost.CatBoost({**CAT, "eval_metric": metric})
    model.fit(pools[0], eval_set=pools[1])
    values = model.get_evals_result()["validation"]["FirstHit(missed=100)"]
    assert values[model.best_iteration_] == min(values)


def test_a_pool_is_told_by_its_labels_and_anything_else_is_an_error():
    metric = jd.integrations.catboost.metric("RR", ([1, 0, 0, 1], ["a", "a", "b", "b"]), (np.array([0, 1]), [7, 7]))
    assert metric.evaluate(([0.1, 0.2, 0.3, 0.4],), np.array([1, 0, 0, 1.0]), None) == (0.75, 1.0)
    assert metric.get_final_error(0.75, 1.0) == 0.75
    assert metric.evaluate(([0.2, 0.1],), np.array([0, 1.0]), None)[0] == 0.5
    with pytest.raises(jd.DataError, match="not those of a pool") as caught:
        metric.evaluate(([0.1, 0.2, 0.3, 0.4],), np.array([0, 1, 0, 1.0]), None)
    assert "has_time" in str(caught.value.hint)
    with pytest.raises(jd.DataError, match="3 rows") as caught:
        metric.evaluate(([0.1, 0.2, 0.3],), np.array([0, 1, 1.0]), None)
    assert "training pool" in str(caught.value.hint)


@pytest.mark.needs("catboost")
@pytest.mark.filterwarnings("ignore:Failed to import numba")
def test_a_training_pool_that_catboost_shuffled_is_an_error_not_a_wrong_number(catboost, pools):
    metric = jd.integrations.catboost.metric("RR", *pools)
    ordered = {**CAT, "loss_function": "QueryRMSE", "boosting_type": "Ordered", "eval_metric": metric}
    with pytest.raises(catboost.CatBoostError, match="not those of a pool"):
        catboost.CatBoost(ordered).fit(pools[0], eval_set=pools[1])
    catboost.CatBoost({**ordered, "has_time": True}).fit(pools[0], eval_set=pools[1])


@pytest.mark.parametrize(
    "given",
    [
        (),
        ([1, 0],),
        ("pool",),
        (([1, 0], ["a"]),),
        (([1, 0, 1], ["a", "b", "a"]),),
        (([1, 0, 1], ["a", "a", "b"]), ([1, 0, 1], ["a", "b", "b"])),
    ],
)
def test_pools_that_cannot_be_told_apart_or_have_no_groups_are_refused(given):
    refusal("group", jd.integrations.catboost.metric, "RR", *given)


def test_catboost_takes_one_measure():
    with pytest.raises(jd.UsageError, match="one measure"):
        jd.integrations.catboost.metric("RR AP", ([1, 0], ["a", "a"]))


@pytest.mark.needs("catboost")
def test_a_pool_without_groups_is_refused(catboost):
    with pytest.raises(jd.JudgedError):
        jd.integrations.catboost.metric("RR", catboost.Pool(FEATURES, LABELS))


@pytest.mark.parametrize("copied", [lambda m: pickle.loads(pickle.dumps(m)), copy.deepcopy])
def test_metrics_pickle_and_can_be_copied(copied):
    metric = copied(jd.integrations.catboost.metric("RR", ([1, 0], ["a", "a"])))
    assert type(metric).__name__ == "RR"
    assert metric.evaluate(([0.1, 0.2],), [1, 0], None)[0] == 0.5
    assert repr(copied(jd.integrations.lightgbm.metric("RR"))) == "LightGBMMetric('RR')"
    assert copied(jd.integrations.xgboost.metric("RR AP")).__name__ == "RR AP"
    assert repr(copied(jd.integrations.sklearn.scorer("RR"))) == "RankingScorer('RR')"


class Column:
    """A model that gives a column of its rows as the score, by whatever methods it is made with."""

    def __init__(self, **methods):
        for name, method in methods.items():
            setattr(self, name, method)


FIRST = Column(predict=lambda rows: rows[:, 0])


@pytest.fixture
def routing():
    import sklearn

    with sklearn.config_context(enable_metadata_routing=True):
        yield


def test_a_scorer_measures_the_lists_of_a_fold():
    scorer = jd.integrations.sklearn.scorer("nDCG@5")
    assert scorer(FIRST, FEATURES[HELD], LABELS[HELD], groups=QUERIES[HELD]) == mean("nDCG@5", FEATURES[HELD, 0])
    assert scorer(FIRST, FEATURES[HELD], LABELS[HELD], qid=QUERIES[HELD], groups=QUERIES[HELD] // 2) == mean("nDCG@5", FEATURES[HELD, 0])  # fmt: skip


def test_a_scorer_turns_the_sign_where_less_is_better():
    scorer = jd.integrations.sklearn.scorer("AP FirstHit(missed=100)")
    found = scorer(FIRST, FEATURES[HELD], LABELS[HELD], qid=QUERIES[HELD])
    assert found == {"AP": mean("AP", FEATURES[HELD, 0]), "FirstHit(missed=100)": -mean("FirstHit(missed=100)", FEATURES[HELD, 0])}  # fmt: skip


@pytest.mark.needs("pandas")
def test_queries_may_stand_in_the_features():
    import pandas as pd

    wanted = mean("AP", FEATURES[HELD, 0])
    table = np.column_stack([FEATURES[HELD], QUERIES[HELD]])
    frame = pd.DataFrame(table, columns=[*"abcd", "query"])
    model = Column(predict=lambda rows: np.asarray(rows)[:, 0])
    for qid, rows in ((4, table), (lambda rows: rows[:, -1], table), ("query", frame), (4, frame)):
        assert jd.integrations.sklearn.scorer("AP", qid=qid)(model, rows, LABELS[HELD]) == wanted
    refusal("columns", lambda: jd.integrations.sklearn.scorer("AP", qid="topic")(model, frame, LABELS[HELD]))


def test_the_score_is_the_first_of_the_responses_that_a_model_has():
    rows, labels, queries = FEATURES[HELD], LABELS[HELD], QUERIES[HELD]
    both = Column(predict_proba=lambda x: np.column_stack([x[:, 1], x[:, 0]]))
    scorer = jd.integrations.sklearn.scorer
    assert scorer("AP")(both, rows, labels, qid=queries) == mean("AP", rows[:, 0])
    with pytest.raises(jd.DataError, match="each class"):
        scorer("AP")(Column(predict_proba=lambda x: x[:, :3]), rows, labels, qid=queries)
    with pytest.raises(jd.UsageError):
        scorer("AP")(object(), rows, labels, qid=queries)


def test_a_scorer_without_the_lists_of_rows_says_how_to_give_them():
    with pytest.raises(jd.UsageError, match="enable_metadata_routing") as caught:
        jd.integrations.sklearn.scorer("AP")(FIRST, FEATURES, LABELS)
    assert caught.value.slug == "group"


@pytest.mark.needs("sklearn")
@pytest.mark.usefixtures("routing")
def test_groups_reach_the_scorer_as_well_as_the_splitter():
    from sklearn.linear_model import LinearRegression
    from sklearn.model_selection import GroupKFold, cross_validate

    folds = GroupKFold(n_splits=3)
    found = cross_validate(LinearRegression(), FEATURES, LABELS, cv=folds, scoring=jd.integrations.sklearn.scorer("nDCG@5"),
                           params={"groups": QUERIES})["test_score"]  # fmt: skip
    for value, (train, test) in zip(found, folds.split(FEATURES, LABELS, QUERIES), strict=True):
        scores = LinearRegression().fit(FEATURES[train], LABELS[train]).predict(FEATURES[test])
        wanted = jd.score(LABELS[test], scores, "nDCG@5", qid=QUERIES[test]).mean()["nDCG@5"]
        assert value == pytest.approx(wanted, rel=1e-12)


@pytest.mark.needs("sklearn", "xgboost")
@pytest.mark.usefixtures("routing")
def test_several_scorers_and_a_ranker_that_wants_qid_itself():
    import xgboost as xgb
    from sklearn.model_selection import GroupKFold, cross_validate

    ranker = xgb.XGBRanker(n_estimators=3, n_jobs=1).set_fit_request(qid=True)
    scoring = {"ndcg": jd.integrations.sklearn.scorer("nDCG@5"), "ap": jd.integrations.sklearn.scorer("AP").set_score_request(groups=False)}  # fmt: skip
    found = cross_validate(ranker, FEATURES, LABELS, cv=GroupKFold(n_splits=2), scoring=scoring, params={"groups": QUERIES, "qid": QUERIES},
                           error_score="raise")  # fmt: skip
    assert len(found["test_ndcg"]) == len(found["test_ap"]) == 2
    with pytest.raises(jd.UsageError):
        scoring["ap"].set_score_request(sample_weight=True)
