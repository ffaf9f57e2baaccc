"""Diversity measures: worked examples, and the recorded answers of ndeval and of pyndeval."""

import csv
import gzip
from collections import defaultdict
from math import log2

import numpy as np
import pytest
from recorded import DATA, Pair, differences, pairs, table

from judged.core.join import join
from judged.core.policy import Policy
from judged.io.formats.trec import parse_qrels, parse_run
from judged.measures.registry import parse

QRELS = """\
q 1 a 1
q 1 b 1
q 1 c 0
q 2 a 2
q 2 b 0
q 2 c 0
q 3 a 0
q 3 b 0
q 3 c 1
q 4 a 0
q 4 b 0
q 4 c 0
"""


def judged(qrels: str, ranking: str, policy: Policy | None = None):
    """Subtopic judgments, and a ranking as the letters of its documents."""
    run = "".join(f"q Q0 {doc} {rank} {-rank} t\n" for rank, doc in enumerate(ranking, 1))
    files = [text.encode() + bytes(8) for text in (qrels, run)]
    return join(parse_qrels(files[0], "qrels", aspects=True), parse_run(files[1], "run"), policy or Policy())


WORKED = {
    "alpha_DCG@4": (1 + 1.5 / log2(3) + 1 / log2(5)) / (3 * (1 + 0.5 / log2(3) + 0.25 / 2 + 0.125 / log2(5))),
    "alpha_DCG@1": 1 / 3,
    "alpha_DCG(alpha=0)@2": (1 + 2 / log2(3)) / (3 * (1 + 1 / log2(3))),
    "ERR_IA@4": (1 + 1.5 / 2 + 1 / 4) / (3 * (1 + 0.5 / 2 + 0.25 / 3 + 0.125 / 4)),
    "ERR_IA@1": 1 / 3,
    "ERR_IA(alpha=1)@4": (1 + 1 / 2 + 1 / 4) / 3,
    "NRBP": (1 - 0.5 * 0.5) / 3 * (1 + 1.5 * 0.5 + 1 * 0.5**3),
    "NRBP(alpha=0.2, beta=0.9)": (1 - 0.8 * 0.9) / 3 * (1 + 1.8 * 0.9 + 1 * 0.9**3),
    "alpha_nDCG@4": (1 + 1.5 / log2(3) + 1 / log2(5)) / (2 + 1 / log2(3) + 0.5 / 2),
    "alpha_nDCG@1": 1 / 2,
    "alpha_nDCG": (1 + 1.5 / log2(3) + 1 / log2(5)) / (2 + 1 / log2(3) + 0.5 / 2),
    "nERR_IA@2": (1 + 1.5 / 2) / (2 + 1 / 2),
    "nNRBP": (1 + 1.5 / 2 + 1 / 8) / (2 + 1 / 2 + 0.5 / 4),
    "P_IA@4": (2 / 4 + 1 / 4 + 1 / 4) / 3,
    "P_IA": (2 / 4 + 1 / 4 + 1 / 4) / 3,
    "AP_IA": ((1 + 2 / 2) / 2 + 1 / 2 + 1 / 4) / 3,
    "AP_IA@3": ((1 + 2 / 2) / 2 + 1 / 2) / 3,
    "StRecall@1": 1 / 3,
    "StRecall@3": 2 / 3,
    "StRecall": 3 / 3,
    "StRecall(level=2)@2": 1 / 1,
    "alpha_nDCG(level=2)@2": 1 / log2(3),
    "P_IA(judged_only=True)@3": (2 / 3 + 1 / 3 + 1 / 3) / 3,
}


@pytest.mark.parametrize(("name", "value"), WORKED.items(), ids=WORKED)
def test_the_worked_example_comes_out(name, value):
    assert parse(name).on(judged(QRELS, "baxc"))[0] == pytest.approx(value, rel=1e-15)


@pytest.mark.parametrize("theirs", ["alpha-nDCG@5", "α_nDCG@5", "ERR-IA@5", "nERR-IA@5", "MAP-IA", "P-IA@5", "strec@5"])
def test_the_names_of_ndeval_and_ir_measures_are_understood(theirs):
    assert parse(theirs).definition.family == "diversity"


LOOSE = "q 1 {a} 1\nq 2 {a} 2\nq 1 {b} 1\nq 3 {b} 1\nq 3 {c} 3\nq 4 {c} 1\n"  # no subtopic lists all documents


def test_of_documents_that_gain_the_same_the_ideal_takes_the_largest_id():
    """Served {1, 2}, {1, 3}, {3, 4}: if the middle one goes first, the other two can gain but 1.5 each."""
    middle_first = judged(LOOSE.format(a="x", b="z", c="y"), "x")
    assert parse("alpha_nDCG@3").on(middle_first)[0] == pytest.approx(2 / (2 + 1.5 / log2(3) + 1.5 / 2))
    middle_last = judged(LOOSE.format(a="y", b="x", c="z"), "y")
    assert parse("alpha_nDCG@3").on(middle_last)[0] == pytest.approx(2 / (2 + 2 / log2(3) + 1 / 2))


def test_a_ranking_that_beats_the_greedy_ideal_scores_1():
    assert parse("alpha_nDCG@3").on(judged(LOOSE.format(a="x", b="z", c="y"), "xyz"))[0] == 1


DIVERSE = [p for p in pairs("ir_measures") if p.collection.endswith("diversity") and "__" not in p.name]
each_run = pytest.mark.parametrize("pair", DIVERSE or [None], ids=str)


@pytest.mark.needs("collections")
@pytest.mark.conformance
@each_run
def test_every_value_of_pyndeval_is_met(pair: Pair, compared):
    """It breaks ties by the smallest document id."""
    judged = pair.judged(Policy(ties="id-asc"), aspects=True)
    count, wrong = differences(judged, table(pair.answers("ir_measures")), 1e-14, parse)
    compared("pyndeval (recorded, 1e-14)", count)
    assert wrong == []
    assert count == 19 * len(judged)


VARIANTS = {
    "default": ({"order": "rank"}, {}),
    "c": ({"order": "rank"}, {}),
    "traditional": ({"ties": "id-desc"}, {}),
    "alpha0.3_beta0.4": ({"order": "rank"}, {"alpha": 0.3, "beta": 0.4}),
}


def printed(pair: Pair, variant: str) -> dict[str, dict[str, float]]:
    """Column → topic → value; topics under the names that the judgments give them."""
    numbers = DATA / pair.collection / "topic_numbers.tsv"
    names = dict(row.split() for row in numbers.read_text().splitlines()) if numbers.exists() else {}
    answers: dict[str, dict[str, float]] = defaultdict(dict)
    with gzip.open(pair.answers("ndeval", f".{variant}.csv.gz"), "rt") as file:
        for row in csv.DictReader(file):
            for column in list(row)[2:]:
                if row["topic"] != "amean":
                    answers[column][names.get(row["topic"], row["topic"])] = float(row[column])
    return answers


@pytest.mark.needs("collections")
@pytest.mark.conformance
@pytest.mark.parametrize("variant", VARIANTS)
@each_run
def test_every_value_of_ndeval_is_met(pair: Pair, variant, compared):
    policy, given = VARIANTS[variant]

    def measure(name):
        found = parse(name)
        return found(**{k: v for k, v in given.items() if k in found.definition.parameters})

    judged = pair.judged(Policy(**policy), aspects=True)
    count, wrong = differences(judged, printed(pair, variant), 0.5e-6 + 1e-12, measure)
    compared("ndeval (recorded, 6 decimals)", count)
    assert wrong == []
    assert count == 21 * len(judged)


@pytest.mark.needs("collections")
@pytest.mark.conformance
@each_run
def test_the_means_of_ndeval_are_met(pair: Pair, compared):
    judged = pair.judged(Policy(order="rank"), aspects=True)
    with gzip.open(pair.answers("ndeval", ".c.csv.gz"), "rt") as file:
        means = next(row for row in csv.DictReader(file) if row["topic"] == "amean")
    wanted = {name: float(means[name]) for name in list(means)[2:]}
    wrong = [n for n, v in wanted.items() if not abs(np.mean(parse(n).on(judged)) - v) <= 0.5e-6 + 1e-12]
    compared("ndeval (recorded, 6 decimals)", len(wanted))
    assert wrong == []
