"""The tests of pairs, each declared once: its names, what it assumes, its paper, its function.

The command line, comparisons, errors and the documentation take their lists from `TESTS`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from judged.errors import UsageError
from judged.stats.differences import Alternative, TestOutcome, pairwise
from judged.stats.lookup import named
from judged.stats.paired.parametric import bootstrap_test, sign, student
from judged.stats.paired.permutation import permutation, permutation_of
from judged.stats.paired.wilcoxon import wilcoxon

__all__ = ["TESTS", "PairTest", "outcome", "outcome_of_pairs", "pair_test"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PairTest:
    """A test of differences d = b - a, queries × pairs, and the options that it takes beside the alternative."""

    name: str
    aliases: tuple[str, ...] = ()
    title: str
    null: str
    assumes: str
    paper: str
    function: Callable[..., TestOutcome]
    options: tuple[str, ...] = ()

    @property
    def clustered(self) -> bool:
        """Whether it can treat clusters of queries as wholes."""
        return "clusters" in self.options


TESTS: tuple[PairTest, ...] = (
    PairTest(
        name="permutation", aliases=("randomisation", "randomization", "fisher", "sign-flip"), title="paired permutation test",
        null="the two systems are exchangeable, query by query", assumes="nothing else; with many queries it holds for equal means too",
        paper="Fisher 1935; Smucker, Allan and Carterette, CIKM 2007; Phipson and Smyth 2010", function=permutation,
        options=("resamples", "seed", "clusters", "scale"),
    ),
    PairTest(
        name="t", aliases=("t-test", "ttest", "student", "paired-t"), title="paired t test", null="the mean difference is 0",
        assumes="differences that are normal, or many queries", paper="Student, Biometrika 1908", function=student,
        options=("clusters",),
    ),
    PairTest(
        name="wilcoxon", aliases=("signed-rank", "wilcoxon-signed-rank"), title="signed-rank test",
        null="differences are symmetric about 0", assumes="symmetry: skewed differences of mean 0 are rejected, more so with more queries",
        paper="Wilcoxon, Biometrics Bulletin 1945; Pratt, JASA 1959", function=wilcoxon, options=("zeros", "method", "correction"),
    ),
    PairTest(
        name="sign", aliases=("sign-test", "binomial"), title="sign test", null="the median difference is 0: as many queries are won as lost",
        assumes="nothing; the size of differences does not count", paper="Arbuthnot 1710; Conover 1999", function=sign,
    ),
    PairTest(
        name="bootstrap", aliases=("bootstrap-test", "paired-bootstrap"), title="paired bootstrap test", null="the mean difference is 0",
        assumes="queries that stand for the population; not too few of them",
        paper="Efron and Tibshirani 1993; Sakai, SIGIR 2006; Smucker, Allan and Carterette, CIKM 2007", function=bootstrap_test,
        options=("resamples", "seed", "clusters", "statistic"),
    ),
)  # fmt: skip


def pair_test(name: Any) -> PairTest:
    """The test of that name. Case, blanks, hyphens and underscores do not matter."""
    return name if isinstance(name, PairTest) else named(name, TESTS, "test")


def outcome(
    d: Any, test: str | PairTest = "permutation", *, alternative: Alternative = "two-sided", **options: Any
) -> TestOutcome:
    """What a test says of differences d = b - a, one column or queries × pairs. An option of None is left to the test;
    a seed may be given to all, and serves those that draw.

    Raises:
        UsageError: an unknown test, or an option that it does not take.

    >>> outcome([0.1, 0.2, 0.3, 0.4], "t").p.round(4)
    array([0.0305])
    """
    one = pair_test(test)
    return one.function(d, alternative=alternative, **_taken(one, options))


def outcome_of_pairs(
    x: Any, pairs: Any, test: str | PairTest = "permutation", *, alternative: Alternative = "two-sided", **options: Any
) -> TestOutcome:
    """What a test says of x[:, b] - x[:, a] for each row (a, b) of `pairs`; x holds queries × systems. Many pairs of few systems cost less so."""
    one = pair_test(test)
    taken = _taken(one, options)
    if one.function is permutation:
        return permutation_of(x, pairs, alternative=alternative, **taken)
    return one.function(pairwise(x, pairs)[2], alternative=alternative, **taken)


def _taken(test: PairTest, options: dict[str, Any]) -> dict[str, Any]:
    given = {name: value for name, value in options.items() if value is not None}
    for name in given:
        if name not in test.options and name != "seed":
            known = ", ".join(test.options) or "none"
            raise UsageError("option", f"the {test.title} takes no {name}", hint=f"its options: {known}", value=name)
    return {name: value for name, value in given.items() if name in test.options}
