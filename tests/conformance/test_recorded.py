"""Recorded answers of other tools on real collections, at the precision they were recorded with."""

import csv
import gzip
import math
import re
from collections import defaultdict

import numpy as np
import pytest
from recorded import DATA, Pair, differences, lines, pairs, table

from judged.core.judged import Judged
from judged.core.policy import Policy
from judged.evaluation.tied_orders import TieOrders
from judged.measures.registry import Measure, parse

pytestmark = [pytest.mark.conformance, pytest.mark.needs("collections")]


def each(tool, suffix=".tsv.gz"):
    """Every recorded pair with ordinary judgments (not by subtopic)."""
    found = [p for p in pairs(tool, suffix) if "ndeval" not in p.qrels and "iid" not in p.qrels]
    return pytest.mark.parametrize("pair", found or [None], ids=str)


def tied(judged: Judged) -> set:
    """Queries in which a judged document shares its score with another: there tools go separate ways."""
    return {judged.queries[q] for q in np.unique(judged.query[judged.tie_last > judged.tie_first])}


def printed(digits: int) -> float:
    """Half a unit of the last printed digit, and no more than rounding noise beyond."""
    return 0.5 * 10**-digits + 1e-12


EXACT = 1e-12


@each("pytrec_eval")
def test_every_value_of_pytrec_eval_is_met(pair: Pair, compared):
    judged = pair.judged(Policy(queries="both", precision="float32"))
    count, wrong = 0, []
    for name, wanted in table(pair.answers("pytrec_eval")).items():
        measure = parse(name)
        if measure.name in ("IPrec", "IPrec11"):
            measure = measure(rounding="trec9")  # pytrec_eval carries trec_eval 9
        if measure.definition.text:
            continue  # relstring: pytrec_eval gives 0.0
        if measure.definition.summary == "geometric":
            wanted = {t: math.exp(v) for t, v in wanted.items()}  # per query it gives ln(max(value, 0.00001))
            floor = Measure(measure.definition)
            values = dict(zip(judged.queries, np.maximum(floor.on(judged), 1e-5).tolist(), strict=True))
            wrong += [(name, t, values[t], v) for t, v in wanted.items() if not abs(values[t] - v) <= EXACT]
            count += len(wanted)
            continue
        n, bad = differences(judged, {measure: wanted}, EXACT)
        count, wrong = count + n, wrong + bad
    compared("pytrec_eval (recorded, 1e-12)", count)
    assert wrong == []


# Where ir_measures answers another question under the same name.
_IR_MEASURES = {
    "RBP": {"p": 0.8},  # its default persistence
    "IPrec": {"rounding": "trec9"},
}
_OTHER_TIES = re.compile(r"RR(\(.*\))?@|Judged|RBP|ERR@|nDCG\(dcg='exp-log2'\)")  # not by pytrec_eval: other tie rules
_BY_GDEVAL = re.compile(r"ERR@|nDCG\(dcg='exp-log2'\)")  # printed with five decimals


@each("ir_measures")
def test_every_value_of_ir_measures_is_met(pair: Pair, compared):
    judged = pair.judged(Policy(precision="float32"))
    skipped = tied(judged)
    count, wrong = 0, []
    for name, wanted in table(pair.answers("ir_measures")).items():
        if pair.collection == "compat" and name.startswith("ERR@"):
            continue  # grades up to 50: ERR with a top grade of 4 is refused
        measure = parse(name)
        if measure.definition.family in ("user model", "overlap", "diversity"):
            continue  # compared to the last digit in test_cwl and test_diversity, under their own tie rules
        said = {key for key, _ in measure.given}
        measure = measure(**{k: v for k, v in _IR_MEASURES.get(measure.name, {}).items() if k not in said})
        if measure.name == "SetF":
            measure = measure(beta=measure.get("beta") ** 0.5)  # it hands beta on as trec_eval's x = beta²
        tolerance = printed(5) if _BY_GDEVAL.match(name) else EXACT
        if _OTHER_TIES.match(name):
            wanted = {t: v for t, v in wanted.items() if t not in skipped}
        n, bad = differences(judged, {measure: wanted}, tolerance)
        count, wrong = count + n, wrong + bad
    compared("ir_measures (recorded, 1e-12)", count)
    assert wrong == []


@each("ranx")
def test_every_value_of_ranx_is_met_where_it_means_the_same(pair: Pair, compared):
    """Not bpref (another definition). Its rbp multiplies by the grade itself, so ours is scaled back."""
    judged = pair.judged(Policy(queries="both"))
    skipped, top = tied(judged), float(max(judged.pool_grade.max(), 1.0))
    count, wrong = 0, []
    for name, wanted in table(pair.answers("ranx")).items():
        if name == "bpref":
            continue
        wanted = {t: v for t, v in wanted.items() if t not in skipped}
        measure = parse(name)
        if measure.name == "RBP":
            measure = measure(max=top)
            wanted = {t: v / top for t, v in wanted.items()}
        n, bad = differences(judged, {measure: wanted}, EXACT)
        count, wrong = count + n, wrong + bad
    compared("ranx (recorded, queries without ties)", count)
    assert wrong == []


@pytest.mark.parametrize(("suffix", "cutoff"), [(".k10.csv.gz", 10), (".k20.csv.gz", 20)])
def test_every_value_of_gdeval_is_met(suffix, cutoff, compared):
    count, wrong = 0, []
    for pair in pairs("gdeval", suffix):
        if pair.collection == "compat":
            continue  # grades up to 50: ERR with a top grade of 4 is refused
        judged = pair.judged(Policy(queries="both"))
        rows = [row for row in lines(pair.answers("gdeval", suffix)) if row[1] not in ("topic", "amean")]
        skipped = tied(judged)
        for column, measure in ((2, parse(f"nDCG(gain='exp')@{cutoff}")), (3, parse(f"ERR@{cutoff}"))):
            wanted = {row[1]: float(row[column]) for row in rows if row[1] not in skipped}
            n, bad = differences(judged, {measure: wanted}, printed(5))
            count, wrong = count + n, wrong + bad
    compared("gdeval (recorded, 5 decimals)", count)
    assert wrong == []
    assert count > 1_000


_RBP_LINE = re.compile(r"p= (\S+) q= (\S+) d=\s*(\d+) rbp= (\S+) \+(\S+)")


def test_every_value_and_residual_of_rbp_eval_is_met(compared):
    count, wrong = 0, []
    for pair in pairs("rbp_eval", ".txt.gz"):
        judged = pair.judged(Policy(queries="both"))
        skipped = pair.queries_with_equal_scores()  # it averages over them, at the edge of the depth too
        by_depth = {}
        with gzip.open(pair.answers("rbp_eval", ".txt.gz"), "rt") as file:
            for p, query, depth, value, residual in _RBP_LINE.findall(file.read()):
                if query in skipped or query not in judged.queries:
                    continue
                key = (float(p), int(depth))
                if key not in by_depth:
                    cut = judged.cut(key[1])
                    by_depth[key] = (
                        parse("RBP")(p=key[0], level=1).on(cut),
                        parse("RBPResidual")(p=key[0], tail="always").on(cut),
                    )
                row = judged.queries.index(query)
                for ours, theirs in zip(by_depth[key], (value, residual), strict=True):
                    count += 1
                    if not abs(ours[row] - float(theirs)) <= printed(4):
                        wrong.append((str(pair), p, query, depth, ours[row], theirs))
    compared("rbp_eval (recorded, 4 decimals)", count)
    assert wrong == []
    assert count > 8_000


def _official():
    return sorted(DATA.glob("*/official.tsv"))


@pytest.mark.parametrize("path", _official() or [None], ids=lambda p: p.parent.name if p else "none")
def test_what_nist_published_for_these_runs_comes_out(path, compared):
    wrong, count = [], 0
    rows = defaultdict(list)
    with path.open() as file:
        for row in csv.DictReader(file, delimiter="\t"):
            rows[row["run"]].append(row)
    level = 2 if path.parent.name == "dl21_passage" else 1
    for run, published in rows.items():
        pair = Pair(path.parent.name, run, "qrels.txt.gz", f"runs/{run}.run.gz")
        judged = pair.judged(Policy())
        for row in published:
            measure = parse(_MISNAMED.get((path.parent.name, row["measure"]), row["measure"]))
            if measure.definition.parameters.get("level", (None, None))[1] == 1:
                measure = measure(level=level)
            values = measure.on(judged)
            ours = float(values.sum() if measure.definition.summary == "sum" else values.mean())
            count += 1
            if not abs(ours - float(row["value"])) <= printed(len(row["value"].partition(".")[2])):
                wrong.append((run, row["measure"], f"{ours:.4f}", row["value"]))
    compared("NIST (published)", count)
    assert wrong == _AGAINST_TREC_EVAL.get(path.parent.name, [])


_MISNAMED = {("robust03", "P_10"): "P_15"}  # what that page calls P_10
# Published for this run, but not what trec_eval prints for it either.
_AGAINST_TREC_EVAL = {"robust03": [("SABIR03BASE", "Rprec", "0.2296", "0.2295")]}


_SKLEARN = {"sklearn.ndcg_score(k={k})": "nDCG", "sklearn.dcg_score(k={k})": "DCG"}


def _per_query() -> dict:
    rows: dict = defaultdict(dict)
    with gzip.open(DATA / "ltr_lightgbm" / "per_query.tsv.gz", "rt") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            rows[row["model"], row["measure"]][row["qid"]] = float(row["value"])
    return rows


@pytest.mark.parametrize("model", ["feature_sum", "lambdarank", "regression", "xendcg"])
def test_ties_by_expected_value_agree_with_scikit_learn(model, compared):
    """scikit-learn averages DCG over tied documents: the same as the mean over all their orders."""
    judged = Pair("ltr_lightgbm", model, "labels", model).judged(Policy(ties="expected"))
    orders, recorded, count = TieOrders(judged), _per_query(), 0
    for pattern, name in _SKLEARN.items():
        for k in (1, 3, 5, 10, None):
            measure = parse(name if k is None else f"{name}@{k}")
            values = dict(zip(judged.queries, orders.expected_value(measure).tolist(), strict=True))
            for qid, theirs in recorded[model, pattern.format(k=k)].items():
                count += 1
                assert values[qid] == pytest.approx(theirs, abs=1e-12), (measure, qid)
    compared("scikit-learn (recorded, ties averaged)", count)


@pytest.mark.parametrize("model", ["lambdarank", "regression", "xendcg"])
def test_the_area_under_the_roc_curve_agrees_with_scikit_learn(model, compared):
    judged = Pair("ltr_lightgbm", model, "labels", model).judged(Policy())
    wanted = _per_query()[model, "sklearn.roc_auc_score(y>0)"]
    count, wrong = differences(judged, {parse("AUC"): wanted}, EXACT)
    compared("scikit-learn (recorded, ties averaged)", count)
    assert wrong == []
