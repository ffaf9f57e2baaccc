"""LightGBM's ranking example as a LETOR file with files of scores beside it: what other tools answered comes out."""

import csv
import gzip

import pytest
from recorded import DATA, table

import judged as jd
from judged.errors import UsageError
from judged.measures.registry import parse

pytestmark = [pytest.mark.conformance, pytest.mark.needs("collections")]

FOLDER = DATA / "ltr_lightgbm"
MODELS = ("lambdarank", "regression", "xendcg", "feature_sum")


@pytest.fixture(scope="module")
def files(tmp_path_factory) -> dict[str, str]:
    """The labels with some features, the scores of each model; in the order of the lines of LightGBM's own file."""
    with gzip.open(FOLDER / "scores.tsv.gz", "rt") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    folder = tmp_path_factory.mktemp("letor")
    labels = (f"{r['label']} qid:{r['qid']} 1:0.5 7:{r['feature_sum']} #docid = {r['docid']} inc = 1\n" for r in rows)
    (folder / "test.letor").write_text("".join(labels))
    for model in MODELS:
        (folder / model).write_text("".join(f"{r[model]}\n" for r in rows))
    return {name: str(folder / name) for name in ("test.letor", *MODELS)}


@pytest.mark.parametrize("model", MODELS)
def test_every_value_of_pytrec_eval_is_met(files, model, compared):
    answers = {parse(name): wanted for name, wanted in table(FOLDER / "pytrec_eval" / f"{model}.tsv.gz").items()}
    answers = {m: w for m, w in answers.items() if not m.definition.text and m.definition.summary != "geometric"}
    found = jd.evaluate(files["test.letor"], files[model], list(answers), profile="trec_eval-9")
    for asked, wanted in zip(found.measures, answers.values(), strict=True):
        values = dict(zip(found.queries, found[asked].tolist(), strict=True))
        assert values == pytest.approx(wanted, abs=1e-12), asked
        compared("pytrec_eval, from LETOR files (recorded, 1e-12)", len(wanted))


@pytest.mark.parametrize(("variant", "level"), [("q", None), ("l2", 2)])
@pytest.mark.parametrize("model", MODELS)
def test_every_value_that_trec_eval_prints_is_met(files, model, variant, level, compared):
    answers: dict[str, dict[str, str]] = {}
    with gzip.open(FOLDER / "trec_eval" / f"{model}.{variant}.txt.gz", "rt") as file:
        for name, query, value in (line.split(None, 2) for line in file):
            answers.setdefault(name, {})[query] = value.strip()
    measures = {name: m for name in answers if (m := _ranking_measure(name)) is not None}
    assert len(measures) > 90
    distinct = list(dict.fromkeys(measures.values()))  # trec_eval prints some under two names
    found = jd.evaluate(files["test.letor"], files[model], distinct, level=level)
    asked_as = dict(zip(distinct, found.measures, strict=True))
    for name, asked in ((name, asked_as[m]) for name, m in measures.items()):
        wanted = {q: float(v) for q, v in answers[name].items()}
        values = dict(zip(found.queries, found[asked].tolist(), strict=True)) if len(wanted) > 1 else {}
        if asked.definition.summary == "mean" or len(wanted) == 1:
            values["all"] = found.mean()[str(asked)]
        assert {q: v for q, v in values.items() if q in wanted} == pytest.approx(
            {q: v for q, v in wanted.items() if q in values}, abs=0.5e-4 + 1e-12
        ), name
        compared("trec_eval 10.0, from LETOR files (recorded, printed)", len(values))


def _ranking_measure(name: str):
    try:
        measure = parse(name)
    except UsageError:
        return None  # counts and the name of the run
    return None if measure.definition.text or measure.definition.needs != "grades" else measure


def test_the_values_are_those_of_the_same_data_as_trec_files(files, tmp_path):
    jd.write_qrels(files["test.letor"], tmp_path / "qrels.txt")
    jd.write_run(jd.read_run(files["xendcg"], labels=files["test.letor"]), tmp_path / "xendcg.run")
    ours = jd.evaluate(files["test.letor"], files["xendcg"])
    trec = jd.evaluate(tmp_path / "qrels.txt", tmp_path / "xendcg.run")
    for name in ours.columns:
        assert ours[name].tolist() == trec[name].tolist()
