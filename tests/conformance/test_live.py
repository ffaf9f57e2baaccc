"""The peers themselves beside us, on generated data: ties, near-ties, negatives, missing and extra queries."""

import math

import numpy as np
import pytest
from needs import optional
from profile_answers import PYTREC

import judged as jd
from judged.measures.grammar import parse

pytestmark = pytest.mark.conformance
pytrec_eval = optional("pytrec_eval")
ir_measures = optional("ir_measures")

SEEDS = range(16)
KINDS = ["distinct", "tied", "near", "negative"]


def generated(kind: str, seed: int) -> tuple[dict, dict]:
    """25 judged queries, some missing from the run; some queries of the run are not judged."""
    rng = np.random.default_rng([seed, KINDS.index(kind)])
    qrels, run = {}, {}
    for q in range(28):
        size = int(rng.integers(1, 60))
        docs = [f"d{i}" for i in rng.choice(80, size, replace=False)]
        scores = {
            "distinct": rng.permutation(size) * 0.37 - 3,
            "tied": rng.integers(0, 4, size) / 2,
            "near": 20 + rng.permutation(size) * 1e-7,
            "negative": -rng.exponential(3, size),
        }[kind]
        if q % 9:
            run[f"q{q}"] = dict(zip(docs, map(float, scores), strict=True))
        if q < 25:
            pool = rng.choice(80, int(rng.integers(1, 40)), replace=False)
            grades = rng.choice([-1, 0, 0, 0, 1, 1, 2, 3], len(pool))
            grades[0] = rng.integers(0, 4)  # pytrec_eval crashes on a query with negative grades only
            qrels[f"q{q}"] = {f"d{d}": int(g) for d, g in zip(pool, grades, strict=True)}
    return qrels, run


def differing(values, theirs: dict[str, dict[str, float]], names: dict[str, str]) -> tuple[int, list]:
    """(values compared, what differs), where `names` maps their names to ours."""
    count, wrong = 0, []
    for query, row in theirs.items():
        ours = values.of(query)
        for name, wanted in row.items():
            if name in names:
                count += 1
                value = max(ours[names[name]], 1e-5) if name.startswith("gm_") else ours[names[name]]
                if not abs(value - wanted) <= 1e-12:
                    wrong.append((query, name, value, wanted))
    return count, wrong


@pytest.mark.needs("pytrec_eval")
@pytest.mark.parametrize("kind", KINDS)
def test_pytrec_eval_agrees_in_every_value(kind, compared):
    count, wrong = 0, []
    for seed in SEEDS:
        qrels, run = generated(kind, seed)
        theirs = pytrec_eval.RelevanceEvaluator(qrels, PYTREC).evaluate(run)
        asked = {name: parse(name) for name in next(iter(theirs.values()))}
        for row in theirs.values():  # per query it gives the logarithm
            row.update({k: math.exp(row[k]) for k in ("gm_map", "gm_bpref")})
        result = jd.evaluate(qrels, run, asked.values(), profile="trec_eval-9")
        applied = {
            n: next(
                str(x)
                for x in result.measures
                if x.name == m.name and x.get(m.definition.at or "") == m.get(m.definition.at or "")
            )
            for n, m in asked.items()
        }
        n, bad = differing(result, theirs, applied)
        count, wrong = count + n, wrong + [(seed, *b) for b in bad]
        assert set(result.queries) == set(theirs)
    compared("pytrec_eval (live, 1e-12)", count)
    assert wrong == []
    assert count > 25_000


BY_PYTREC = ["AP", "AP@5", "AP(rel=2)@10", "P@5", "P(rel=2)@3", "R@10", "R(rel=3)@20", "RR", "RR(rel=2)", "nDCG", "nDCG@10", "nDCG(judged_only=True)@5",
             "P(judged_only=True)@10", "Rprec", "Rprec(rel=2)", "Bpref", "Bpref(rel=2)", "infAP", "IPrec@0.2", "IPrec@0.7", "SetP", "SetR", "SetAP", "SetRelP", "Success@3",
             "nDCG(gains={1:2,2:5})@10"]  # fmt: skip
BY_OTHERS = ["RR@5", "RR(rel=2)@10", "Judged@10", "Judged@3"]  # ties: id ascending, scores in float64


@pytest.mark.needs("ir_measures")
@pytest.mark.parametrize("kind", KINDS)
def test_ir_measures_agrees_in_every_value(kind, compared):
    count, wrong = 0, []
    for seed in SEEDS:
        qrels, run = generated(kind, seed)
        for names, policy in ((BY_PYTREC, {}), (BY_OTHERS, {"ties": "id-asc", "precision": "float64"})):
            result = jd.evaluate(qrels, run, names, profile="ir_measures", **policy)
            ours = dict(zip(names, result.measures, strict=True))
            for name in names:  # one at a time: together, measures with gains overwrite each other there
                for metric in ir_measures.iter_calc([ir_measures.parse_measure(name)], qrels, run):
                    count += 1
                    value = result.of(metric.query_id)[str(ours[name])]
                    if not abs(value - metric.value) <= 1e-12:
                        wrong.append((seed, name, metric.query_id, value, metric.value))
    compared("ir_measures (live, 1e-12)", count)
    assert wrong == []
    assert count > 8_000
