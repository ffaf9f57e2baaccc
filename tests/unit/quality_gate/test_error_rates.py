"""The errors that the modes of the gate control, simulated with wide limits; `simulations/gate.py` has the tables."""

import math
from dataclasses import replace

import numpy as np
import pytest

import judged as jd
from judged.quality_gate.drops import drops_of
from judged.quality_gate.reasons import drop_reasons

pytestmark = pytest.mark.slow

QRELS = {f"q{i}": {"good": 1} for i in range(12)}
RUN = {q: ["good"] for q in QRELS}


def normal(drop):
    return lambda rng, n: rng.normal(drop, 0.1, n)


def rare(share, size):
    return lambda rng, n: np.where(rng.random(n) < share, size, 0.0)


def share_that_passes(draw, n, repeats, **rules):
    """The share of candidates that pass, if their losses are drawn."""
    gate = jd.gate(QRELS, RUN, baseline=RUN, measures="RR", resamples=rules.pop("resamples", None), **rules)
    [like] = drops_of(gate.comparison, ("RR",), gate.rules)
    rng, passed = np.random.default_rng(n), 0
    for _ in range(repeats):
        losses = draw(rng, n)
        row = replace(like.row, queries=n, difference=-float(losses.mean()), losses=int((losses != 0).sum()), wins=0)
        [reason] = drop_reasons([replace(like, losses=losses, row=row)], gate.rules)
        passed += reason.passed
    return passed / repeats


def at_most(rate, limit, repeats):
    return rate <= limit + 3 * math.sqrt(limit * (1 - limit) / repeats)


@pytest.mark.parametrize("n", [20, 50, 1000])
def test_a_candidate_worse_by_exactly_what_is_allowed_fails_as_rarely_as_alpha_says(n):
    failed = 1 - share_that_passes(normal(0.01), n, 300, max_drop=0.01)
    assert at_most(failed, 0.05, 300)
    assert failed > 0.01


def test_a_candidate_worse_by_much_more_fails():
    assert share_that_passes(normal(0.05), 200, 50, max_drop=0.01) == 0


@pytest.mark.parametrize(
    ("draw", "allowed"), [(rare(0.1, 0.1), 0.01), (rare(0.05, 1.0), 0.05), (normal(0.01), 0.01)], ids=["10%", "5%", "normal"]
)  # fmt: skip
@pytest.mark.parametrize("n", [25, 50, 100])
def test_a_candidate_beyond_what_is_allowed_is_not_sure_to_be_within(draw, allowed, n):
    passed = share_that_passes(draw, n, 300, max_drop=allowed, mode="sure", resamples=499)
    assert at_most(passed, 0.025, 300)


def test_a_few_large_losses_among_small_gains_are_not_sure_to_be_within():
    def few(rng, n):
        return np.where(rng.random(n) < 0.05, 0.19, -0.01)

    passed = share_that_passes(few, 200, 300, max_drop=0.0, mode="sure", resamples=499)
    assert at_most(passed, 0.01, 300)  # about 5% without two queries more


def test_a_candidate_that_changes_little_is_sure_to_be_within():
    assert share_that_passes(rare(0.1, 0.02), 100, 50, max_drop=0.02, mode="sure", resamples=499) > 0.9
