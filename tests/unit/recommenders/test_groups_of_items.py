"""Long tail, popularity ranks, categories and fairness between groups of items."""

import numpy as np
import pytest
from needs import optional
from scipy.stats import entropy

import judged as jd

pd = optional("pandas")

RUN = {"u": ["a", "b", "c"], "v": ["a", "d", "f"], "w": ["e", "b"]}
HISTORY = {"u": ["d", "e", "g"], "v": ["c", "e"], "w": ["a", "d", "g"], "x": ["g", "e", "d"], "y": ["g"]}
CATEGORIES = {"a": "x", "b": "x", "c": "y", "d": "y", "e": ["x", "y"], "f": "z", "g": "z", "h": "z"}
QRELS = {"u": {"a": 1, "c": 1, "h": 1}, "v": {"f": 1, "b": 1}, "w": {"e": 1, "c": 1}, "x": {"a": 1}}
GROUPS = {c: {item for item, own in CATEGORIES.items() if c in own} for c in "xyz"}


def found(names: str, **more):
    return jd.recommenders.beyond_accuracy(RUN, names, k=3, history=HISTORY, categories=CATEGORIES, qrels=QRELS, **more)


def value(name: str, **more) -> float:
    return next(iter(found(name, **more).summary().values()))


# popularity by users: g 4, e 3, d 3, a 1, c 1; b and f have none


def test_the_tail_are_the_items_outside_the_most_popular_ones_with_a_share_of_the_interactions():
    for head, tail in ((0.8, "acbf"), (0.5, "aebcf"), (1.0, "bf"), (0.0, "abcdef")):
        expected = [sum(item in tail for item in RUN[user]) for user in "uvw"]
        name = f"TailCount(head={head})"
        # e and d are equally popular: d is the first
        assert found(name)[name].tolist() == expected
        assert value(f"TailShare(head={head})") == pytest.approx(
            np.mean([n / len(RUN[u]) for n, u in zip(expected, "uvw", strict=True)])
        )


def test_the_tail_by_items_is_a_share_of_the_items_that_have_users():
    """RecBole: the least popular tenth of the items; of five items, 60% are g, d and e."""
    assert found("TailCount(head=0.6, of='items')")["TailCount(head=0.6, of='items')"].tolist() == [3, 2, 1]


@pytest.mark.needs("pandas")
def test_the_popularity_rank_is_a_quantile_and_that_of_lenskit():
    counts = pd.Series({"g": 4, "e": 3, "d": 3, "a": 1, "c": 1})
    rank = counts.rank(method="average") / len(counts)
    expected = [np.mean([rank.get(item, 0.0) for item in RUN[user]]) for user in "uvw"]
    assert found("PopularityRank")["PopularityRank"].tolist() == pytest.approx(expected)
    assert value("MeanPopRank") == pytest.approx(np.mean(expected))


def test_category_entropy_is_scipys():
    shares = {"u": [2, 1], "v": [1, 1, 1], "w": [1.5, 0.5]}
    expected = [entropy(shares[user], base=2) for user in "uvw"]
    assert found("CategoryEntropy")["CategoryEntropy"].tolist() == pytest.approx(expected)
    geometric = "CategoryEntropy(discount=geometric, persistence=0.5)"
    assert found(geometric)[geometric][0] == pytest.approx(entropy([1.5, 0.25], base=2))


def test_a_list_without_categories_has_no_entropy():
    result = jd.recommenders.beyond_accuracy({"u": ["a"], "v": ["q"]}, "CategoryEntropy", categories={"a": "x"})
    assert result["CategoryEntropy"].tolist() == pytest.approx([0, np.nan], nan_ok=True)


def test_user_coverage_is_the_share_of_known_users_with_recommendations():
    assert value("UserCoverage") == 3 / 5
    assert value("UserCoverage(full=True)") == 2 / 5
    assert jd.recommenders.beyond_accuracy(RUN, "UserCoverage", history={"u": ["a"], "z": ["a"]}).summary() == {
        "UserCoverage@10": 3 / 4
    }


def spread(ratios) -> float:
    return np.std(ratios) / np.mean(ratios)


def test_statistical_parity_compares_recommendations_with_those_that_were_possible():
    """As Elliot: recommended items of a group / its items that are not in the user's history, over all users."""
    top = {c: sum(len(set(RUN[u]) & group) for u in RUN) for c, group in GROUPS.items()}
    bottom = {c: sum(len(group - set(HISTORY[u])) for u in RUN) for c, group in GROUPS.items()}
    assert value("RSP") == pytest.approx(spread([top[c] / bottom[c] for c in "xyz"]))
    without = jd.recommenders.beyond_accuracy(RUN, "RSP", categories=CATEGORIES).summary()["RSP@10"]
    assert without == pytest.approx(spread([top[c] / (3 * len(GROUPS[c])) for c in "xyz"]))


def test_equal_opportunity_compares_relevant_recommendations_with_relevant_items():
    top = {c: sum(len(set(RUN[u]) & group & set(QRELS[u])) for u in RUN) for c, group in GROUPS.items()}
    bottom = {c: sum(len(group & set(QRELS[u])) for u in RUN) for c, group in GROUPS.items()}
    assert bottom == {"x": 3, "y": 3, "z": 2}  # h, which only the categories know, is relevant to u
    assert value("REO") == pytest.approx(spread([top[c] / bottom[c] for c in "xyz"]))


def test_groups_count_the_items_of_the_catalogue_if_it_is_given():
    result = jd.recommenders.beyond_accuracy(RUN, "RSP", categories=CATEGORIES, items=list("abcdefg"))
    top = {c: sum(len(set(RUN[u]) & group) for u in RUN) for c, group in GROUPS.items()}
    assert result.summary()["RSP@10"] == pytest.approx(spread([top[c] / (3 * len(GROUPS[c] - {"h"})) for c in "xyz"]))
