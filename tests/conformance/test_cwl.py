"""C/W/L measures and compatibility: worked examples, and the recorded answers of cwl-eval and ir_measures."""

import re
from dataclasses import replace

import numpy as np
import pytest
import recorded
from for_each import for_each
from recorded import Pair, differences, pairs, table
from refusals import refusal

import judged as jd
from judged.core.judged import Judged
from judged.core.policy import Policy
from judged.measures.registry import parse, ranked

RATES = re.compile(r"(BPM|INST|INSQ|SDCG|NERR8|NERR9|NERR10|NERR11)\(")


def by_the_book(going_on, grades, depth, top=4.0):
    """Σ V·gain and Σ V over every rank, one after the other; `going_on` is C(rank, gain, gain so far)."""
    gains = [max(g, 0) / top for g in grades] + [0.0] * (depth - len(grades))
    reached, looked, gained, so_far = 1.0, 0.0, 0.0, 0.0
    for rank, gain in enumerate(gains[:depth], 1):
        so_far += gain
        looked, gained = looked + reached, gained + reached * gain
        reached *= going_on(rank, gain, so_far)
    return gained, looked


def forager(goal, b1, strict_goal, rate, b2, strict_rate):
    """C of information foraging; a factor with b None is left out."""

    def going_on(rank, gain, so_far):
        first = 1.0 if b1 is None else 1 - 1 / (1 + b1 * np.exp((goal - so_far) * strict_goal))
        second = 1.0 if b2 is None else 1 / (1 + b2 * np.exp((rate - so_far / rank) * strict_rate))
        return first * second

    return going_on


def hopeful(hope):
    return lambda rank, gain, so_far: ((rank + 2 * hope - 1) / (rank + 2 * hope)) ** 2


USERS = {
    "INSQ": (hopeful(1), 1000),
    "INSQ(T=2.5, depth=7)": (hopeful(2.5), 7),
    "INST": (lambda r, g, so_far: ((r + 2 - so_far - 1) / (r + 2 - so_far)) ** 2, 1000),
    "INST(T=3, depth=50)": (lambda r, g, so_far: ((r + 6 - so_far - 1) / (r + 6 - so_far)) ** 2, 50),
    "NERR8@6": (lambda r, g, _: 1 - g, 6),
    "NERR8": (lambda r, g, _: 1 - g, 1000),
    "NERR9@6": (lambda r, g, _: r / (r + 1) * (1 - g), 6),
    "NERR10(p=0.7)": (lambda r, g, _: 0.7 * (1 - g), 1000),
    "NERR11(T=2)": (lambda r, g, so_far: hopeful(2)(r, g, so_far) * (1 - g), 1000),
    "NERR9@5000": (lambda r, g, _: r / (r + 1) * (1 - g), 5000),
    "SDCG@5000": (lambda r, g, _: np.log2(r + 1) / np.log2(r + 2), 5000),
    "SDCG@4": (lambda r, g, _: np.log2(r + 1) / np.log2(r + 2), 4),
    "BPM(T=1.5)@4": (lambda r, g, so_far: float(so_far < 1.5), 4),
    "SearchEconomics@6": (lambda r, g, _: ((r + 1) ** 0.5 - r**0.5) / (r**0.5 - (r - 1) ** 0.5), 6),
    "SearchEconomics(beta=0.2)": (lambda r, g, _: ((r + 1) ** 0.2 - r**0.2) / (r**0.2 - (r - 1) ** 0.2), 1000),
    "IFT": (forager(2, 0.9, 10, 0.2, 0.9, 10), 1000),
    "IFT(T=1, b1=0.5, R1=1, A=0.3, b2=0.7, R2=2)@6": (forager(1, 0.5, 1, 0.3, 0.7, 2), 6),
    "IFT(form='goal', R1=1)@50": (forager(2, 0.9, 1, 0.2, None, 0), 50),
    "IFT(form='rate', R2=1)@50": (forager(2, None, 0, 0.2, 0.9, 1), 50),
}


@for_each("grades", [[3, 0, 1, 4, -1, 2, 2], [0, 0, 0], [4, 4, 4, 4], [1], [0.5, 3.5]], ids=str)
@for_each("name", USERS)
def test_the_closed_forms_equal_a_walk_down_the_ranks(name, grades):
    going_on, depth = USERS[name]
    gained, looked = by_the_book(going_on, grades, depth)
    close = {"rel": 1e-12, "abs": 0}
    assert parse(name).on(ranked(grades))[0] == pytest.approx(gained / looked, **close)
    assert parse(name)(of="gain").on(ranked(grades))[0] == pytest.approx(gained, **close)
    assert parse(name)(of="depth").on(ranked(grades))[0] == pytest.approx(looked, **close)


def costs_by_the_book(going_on, gains, costs, depth):
    """Σ V·cost and Σ V; a rank below the end of the ranking costs as much as the dearest document."""
    reached, looked, spent, so_far = 1.0, 0.0, 0.0, 0.0
    for rank in range(1, depth + 1):
        gain, cost = (gains[rank - 1], costs[rank - 1]) if rank <= len(gains) else (0.0, max(costs))
        so_far += gain
        looked, spent = looked + reached, spent + reached * cost
        reached *= going_on(rank, gain, so_far)
    return spent, looked


@pytest.mark.parametrize("name", USERS)
def test_costs_are_the_tokens_of_the_documents_that_are_inspected(name):
    """EC and ETC of Azzopardi, Thomas and Moffat, SIGIR 2019; documents without a judgment cost too."""
    grades, costs = [3, None, 0, 1, None, -1, 2], [10, 200, 35, 4, 50, 6, 70]
    qrels = {"q": {f"d{i}": grade for i, grade in enumerate(grades) if grade is not None}}
    run, tokens = {"q": [f"d{i}" for i in range(len(grades))]}, {f"d{i}": cost for i, cost in enumerate(costs)}
    going_on, depth = USERS[name]
    spent, looked = costs_by_the_book(going_on, [max(g or 0, 0) / 4 for g in grades], costs, depth)
    per_document, total = (parse(name)(of=of) for of in ("cost", "total_cost"))
    found = jd.evaluate(qrels, run, [per_document, total], tokens=tokens)
    assert found[per_document][0] == pytest.approx(spent / looked, rel=1e-12)
    assert found[total][0] == pytest.approx(spent, rel=1e-12)
    alike = jd.evaluate(qrels, run, [per_document, total, parse(name)(of="depth")], tokens=dict.fromkeys(tokens, 1))
    assert alike[per_document][0] == pytest.approx(1)  # at a cost of 1, EC is 1 and ETC the expected depth
    assert alike[total][0] == pytest.approx(alike[parse(name)(of="depth")][0])
    refusal("columns", jd.evaluate, qrels, run, [total])


def test_documents_of_the_top_grade_are_worth_k_to_the_beta_by_search_economics():
    for k in (1, 3, 7):
        assert parse(f"SearchEconomics(of='gain', beta=0.3)@{k}").on(ranked([4] * 8))[0] == pytest.approx(k**0.3)
    assert parse("SearchEconomics(beta=1)@5").on(ranked([4, 0, 4]))[0] == pytest.approx(2 / 5)  # precision


def test_a_user_who_keeps_to_nothing_goes_on_with_a_fixed_probability():
    """R1 = R2 = 0: C = b1 / (1 + b1)·1 / (1 + b2), as RBP."""
    p = 9 / 10 * 1 / (1 + 0.1)
    assert parse("IFT(b1=9, R1=0, b2=0.1, R2=0)").on(ranked([4, 0, 4]))[0] == pytest.approx((1 - p) * (1 + p**2))


def test_a_user_without_end_is_the_limit_of_ever_deeper_ones():
    for name in ("INST", "INSQ", "NERR10", "NERR11"):
        deep, endless = (parse(f"{name}(depth={depth})").on(ranked([0, 3, 1]))[0] for depth in (10**9, None))
        assert endless == pytest.approx(deep, rel=1e-8)
        assert endless < parse(f"{name}(depth=50)").on(ranked([0, 3, 1]))[0]


def test_the_scale_of_grades_begins_at_min():
    assert parse("SDCG(min_rel=1, max_rel=3)@2").on(ranked([2, 1, 3]))[0] == pytest.approx(0.5 / (1 + 1 / np.log2(3)))


AD_HOC = [p for p in pairs("ir_measures") if not p.collection.endswith("diversity") or "__" in p.name]
each_run = pytest.mark.parametrize("pair", AD_HOC or [None], ids=str)


def clipped(judged: Judged, name: str) -> Judged:
    """ir_measures takes a grade above max_rel for max_rel, and warns; two of the qrels hold such grades."""
    top = float(re.search(r"max_rel=(\d+)", name)[1])
    pool = replace(judged.pool, grade=np.minimum(judged.pool_grade, top))
    return replace(judged, grade=np.minimum(judged.grade, top), pool=pool)


@pytest.mark.needs("collections")
@pytest.mark.conformance
@each_run
def test_every_value_of_cwl_eval_is_met(pair: Pair, compared):
    """It keeps documents with equal scores as the file has them."""
    judged = pair.judged(Policy(ties="input"))
    count, wrong = 0, []
    for name, wanted in table(pair.answers("ir_measures")).items():
        if RATES.match(name):
            n, bad = differences(clipped(judged, name), {name: wanted}, 1e-13, parse)
            count, wrong = count + n, wrong + bad
    compared("cwl-eval (recorded, 1e-13)", count)
    assert wrong == []
    assert count == 8 * len(judged)


def below_zero(pair: Pair) -> set[str]:
    """Queries with a negative score.

    There ir_measures ranks documents that were never retrieved as if their score were 0, and puts them into its ideal
    ranking before those that were: not the ideal most like the ranking, which is what the paper asks for.
    """
    run = recorded._run(pair.collection, pair.run)
    return {run.queries[int(q)].decode() for q in np.unique(run.query[run.score < 0])}


@pytest.mark.needs("collections")
@pytest.mark.conformance
@each_run
def test_every_value_of_compat_is_met_where_scores_are_positive(pair: Pair, compared):
    """It breaks ties by the smallest document id."""
    judged, odd = pair.judged(Policy(ties="id-asc")), below_zero(pair)
    place = {query: row for row, query in enumerate(judged.queries)}
    count, wrong, lower = 0, [], []
    for name in ("Compat", "Compat(p=0.8)"):
        values = parse(name).on(judged)
        for topic, value in table(pair.answers("ir_measures"))[name].items():
            ours = values[place[topic]]
            if topic in odd:
                lower += [(name, topic, ours, value)] * (not ours >= value - 1e-13)
            else:
                count += 1
                wrong += [(name, topic, ours, value)] * (not abs(ours - value) <= 1e-13)
    compared("ir_measures Compat (recorded, 1e-13)", count)
    assert wrong == []
    assert lower == []  # the most similar ideal can only score more
    assert count == 2 * sum(query not in odd for query in judged.queries)


def test_compatibility_takes_the_ideal_that_is_most_like_the_ranking():
    """Grades 1, 1, 2: the ideal is the third document, then the first and the second as they stand."""
    p = 0.95
    shared = [0, 1, 3]  # documents in both down to each depth
    ours = sum(p**d * n / (d + 1) for d, n in enumerate(shared))
    assert parse("Compat").on(ranked([1, 1, 2]))[0] == pytest.approx(ours / (1 + p + p**2))
