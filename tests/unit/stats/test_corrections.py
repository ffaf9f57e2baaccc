"""Corrections for many tests, against statsmodels and by hand."""

import numpy as np
import pytest
from refusals import refusal

from judged.errors import UsageError
from judged.stats.corrections import CORRECTIONS, adjusted

PEERS = {
    "holm": "holm", "bonferroni": "bonferroni", "benjamini-hochberg": "fdr_bh", "benjamini-yekutieli": "fdr_by",
}  # fmt: skip
OWN = [c.name for c in CORRECTIONS if c.function]


def columns():
    rng = np.random.default_rng(0)
    yield rng.random(45) ** 3
    yield rng.integers(1, 6, 30) / 5  # ties, and ones
    yield np.ones(4)
    yield np.array([0.04])
    yield np.array([1e-300, 1.0, 1e-5, 1e-5, 0.5])
    yield rng.random(500) ** 4


@pytest.mark.needs("statsmodels")
@pytest.mark.parametrize("name", PEERS)
def test_adjusted_p_values_are_those_of_statsmodels(name):
    from statsmodels.stats import multitest

    for p in columns():
        peer = multitest.multipletests(p, method=PEERS[name])[1]
        np.testing.assert_allclose(adjusted(p, name), peer, rtol=1e-15, atol=1e-15)


def test_every_correction_that_adjusts_is_compared():
    assert {*PEERS, "none"} == set(OWN)


def test_adjusted_p_values_by_hand():
    p = [0.01, 0.04, 0.03]
    assert adjusted(p, "holm").tolist() == [0.03, 0.06, 0.06]
    assert adjusted(p, "bonferroni").tolist() == pytest.approx([0.03, 0.12, 0.09])
    assert adjusted(p, "bh").tolist() == pytest.approx([0.03, 0.04, 0.04])
    assert adjusted(p, "by").tolist() == pytest.approx([0.03 * 11 / 6, 0.04 * 11 / 6, 0.04 * 11 / 6])
    assert adjusted(p, "none").tolist() == p


@pytest.mark.parametrize("name", OWN)
def test_laws_of_adjusted_p_values(name):
    for p in columns():
        found = adjusted(p, name)
        assert (found >= p * (1 - 1e-15)).all()
        assert (found <= 1).all()
        order = np.random.default_rng(1).permutation(len(p))
        assert adjusted(p[order], name).tolist() == found[order].tolist()
        assert (np.diff(found[np.argsort(p, kind="stable")]) >= 0).all()
        assert len(set(zip(p.tolist(), found.tolist(), strict=True))) == len(set(p.tolist()))  # ties stay tied


@pytest.mark.parametrize("name", OWN)
def test_missing_p_values_stay_missing_and_do_not_count(name):
    p = np.array([0.01, np.nan, 0.03])
    found = adjusted(p, name)
    assert np.isnan(found[1])
    assert found[[0, 2]].tolist() == adjusted(p[[0, 2]], name).tolist()
    assert adjusted([], name).tolist() == []
    assert np.isnan(p[1])


def test_max_comes_with_the_permutation_test_only():
    refusal("correction", adjusted, [0.1], "max")


def test_corrections_are_found_by_any_of_their_names():
    for one in CORRECTIONS:
        assert all(
            CORRECTIONS.find(name) is one for name in (one.name, *one.aliases, one.name.replace("-", "_").upper())
        )
        assert one.text
    with pytest.raises(UsageError, match="bonferroni") as caught:
        CORRECTIONS.find("bonferoni")
    assert caught.value.slug == "unknown-name"


@pytest.mark.parametrize("p", [[-0.1], [1.1], [[0.1]], ["a"], 0.1])
def test_what_is_no_p_value_is_refused(p):
    refusal("parameter", adjusted, p)
