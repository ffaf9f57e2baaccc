"""Omnibus tests of several systems: Friedman's test on ranks, and analysis of variance with queries as blocks."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from judged._types import Floats
from judged.stats.checks import check_choice, matrix, possible

Form = Literal["chi-square", "iman-davenport"]


def mean_ranks(x: Any, *, axis: int = -1, tolerance: float = 0.0) -> Floats:
    """Return ranks from 1, highest value first; equal values share the mean of their ranks.

    Adjacent values that differ by at most `tolerance` are equal. Missing values (NaN) are tied last.

    >>> mean_ranks([0.5, 0.9, 0.5, 0.1])
    array([2.5, 1. , 2.5, 4. ])
    """
    table = np.moveaxis(np.asarray(x, dtype=np.float64), axis, -1)
    high_first = -np.where(np.isnan(table), -np.inf, table)
    order = np.argsort(high_first, axis=-1, kind="stable")
    ordered = np.take_along_axis(high_first, order, axis=-1)
    k = table.shape[-1]
    place = np.broadcast_to(np.arange(k), table.shape)
    step = ordered[..., 1:] > ordered[..., :-1] + tolerance
    starts = np.concatenate([np.ones_like(step[..., :1], shape=(*table.shape[:-1], 1)), step], axis=-1)
    ends = np.concatenate([step, np.ones_like(step[..., :1], shape=(*table.shape[:-1], 1))], axis=-1)
    first = np.maximum.accumulate(np.where(starts, place, 0), axis=-1)
    last = np.minimum.accumulate(np.where(ends, place, k)[..., ::-1], axis=-1)[..., ::-1]
    ranks = np.empty(table.shape)
    np.put_along_axis(ranks, order, (first + last) / 2 + 1, axis=-1)
    return np.moveaxis(ranks, -1, axis)


# ── Friedman ─────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, eq=False)
class Friedman:
    """Friedman's test: statistic, degrees of freedom, p, and the mean rank of each system (1 is best)."""

    form: Form
    statistic: float
    df: tuple[float, ...]
    p: float
    mean_rank: Floats
    concordance: float  # Kendall's W: 1 if all queries rank the systems alike, 0 without any agreement
    queries: int
    note: str = ""


def friedman(x: Any, *, form: Form = "chi-square") -> Friedman:
    """Test whether systems rank differently over queries (Friedman, JASA 1937), corrected for ties within a query.

    "chi-square" is Friedman's statistic with k - 1 degrees of freedom, as in SciPy's `friedmanchisquare`; it is
    conservative for few queries. "iman-davenport" is F = (n - 1) χ² / (n (k - 1) - χ²) with k - 1 and (k - 1)(n - 1)
    degrees of freedom (Iman and Davenport 1980), as Demšar (JMLR 2006) recommends. With one query, or if all systems
    are equal in every query, p is 1. If all queries have the same ranking, F is infinite and p is the probability that
    n - 1 random rankings equal the first.

    >>> round(friedman([[0.1, 0.2, 0.3], [0.2, 0.3, 0.5], [0.1, 0.4, 0.6]]).statistic, 12)
    6.0
    """
    check_choice(form, Form, "form")
    table = matrix(x)
    n, k = table.shape
    ranks = mean_ranks(table)
    mean_rank = ranks.sum(axis=0) / n
    middle = (k + 1) / 2
    between = n * float(((mean_rank - middle) ** 2).sum())
    whole = float(((ranks - middle) ** 2).sum())
    concordance = between / whole if whole > 0 else 0.0
    chi = n * (k - 1) * concordance
    note = (
        "one query says nothing about others" if n == 1 else "" if whole > 0 else "all systems are equal in every query"
    )
    df: tuple[float, ...] = (k - 1.0,) if form == "chi-square" else (k - 1.0, (k - 1.0) * (n - 1))
    statistic, p = chi, 1.0
    alike = whole > 0 and bool((ranks == ranks[0]).all())
    if form == "iman-davenport":
        statistic = math.inf if alike else (n - 1) * chi / (n * (k - 1) - chi) if whole > 0 else 0.0
    if not note:
        p = _alike(ranks[0], n) if alike and form == "iman-davenport" else _tail(form, statistic, df)
    return Friedman(form, statistic, df, possible(p), mean_rank, concordance, n, note)


def _tail(form: Form, statistic: float, df: tuple[float, ...]) -> float:
    from scipy.special import chdtrc, fdtrc

    return float(chdtrc(*df, statistic) if form == "chi-square" else fdtrc(*df, statistic))


def _alike(ranks: Floats, n: int) -> float:
    """Return the probability that n - 1 queries ranked at random have this ranking, with the same ties."""
    ways = math.lgamma(len(ranks) + 1) - sum(math.lgamma(t + 1) for t in np.unique(ranks, return_counts=True)[1])
    return math.exp(-(n - 1) * ways)


# ── analysis of variance ─────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class AnovaLine:
    """One line of an analysis of variance; the residual has neither F nor p."""

    squares: float
    df: float
    f: float | None = None
    p: float | None = None

    @property
    def mean_square(self) -> float:
        """The sum of squares divided by its degrees of freedom; NaN without any."""
        return self.squares / self.df if self.df > 0 else math.nan


@dataclass(frozen=True, slots=True, eq=False)
class Anova:
    """Analysis of variance: the sums of squares of systems, queries and the residual."""

    system: AnovaLine
    query: AnovaLine | None  # None without blocks
    residual: AnovaLine
    mean: Floats
    queries: int
    note: str = ""

    @property
    def partial_eta_squared(self) -> float:
        """SS(system) / (SS(system) + SS(residual)) of these queries, biased upwards; 0 if all values are equal."""
        both = self.system.squares + self.residual.squares
        return self.system.squares / both if both > 0 else 0.0

    @property
    def partial_omega_squared(self) -> float:
        """The same, estimated for all queries (Keren and Lewis 1979): df (MS - MSe) / (df MS + (N - df) MSe); may be
        negative.
        """
        system, error = self.system.mean_square, self.residual.mean_square
        cells = self.queries * len(self.mean)
        below = self.system.df * system + (cells - self.system.df) * error
        return self.system.df * (system - error) / below if below > 0 else 0.0 if below == 0 else math.nan


def anova(x: Any, *, blocked: bool = True) -> Anova:
    """Test whether the means of systems differ, with queries as blocks: value = mean + system + query + residual (Fisher
    1925).

    This is the two-way analysis without interaction, as in statsmodels' `anova_lm` of C(system) + C(query).
    `blocked=False` leaves the variance between queries in the residual: the one-way analysis (SciPy's `f_oneway`),
    which has much less power if all systems answer the same queries. With one query p is 1. If the residual is
    rounding error only, F is infinite and p the smallest float.

    >>> round(anova([[0.1, 0.3], [0.2, 0.3], [0.6, 0.7]]).system.f, 12)  # the square of the paired t
    16.0
    """
    table = matrix(x)
    n, k = table.shape
    grand = table.mean()
    system, query = table.mean(axis=0), table.mean(axis=1)
    rounding = table.size * (16 * np.finfo(float).eps * float(np.abs(table).max())) ** 2
    squares = _without_rounding(n * float(((system - grand) ** 2).sum()), rounding)
    blocks = _without_rounding(k * float(((query - grand) ** 2).sum()), rounding)
    left = table - system - (query[:, None] - grand if blocked else 0.0)
    remains = _without_rounding(float((left**2).sum()), rounding)
    df = (n - 1.0) * (k - 1) if blocked else k * (n - 1.0)
    residual = AnovaLine(remains, df)
    note = (
        "one query says nothing about others" if n == 1 else "" if remains > 0 else "no residual: queries do not vary"
    )
    return Anova(
        system=_effect(squares, k - 1.0, residual),
        query=_effect(blocks, n - 1.0, residual) if blocked else None,
        residual=residual,
        mean=system,
        queries=n,
        note=note,
    )


def _without_rounding(squares: float, rounding: float) -> float:
    return 0.0 if squares <= rounding else squares


def _effect(squares: float, df: float, residual: AnovaLine) -> AnovaLine:
    if df < 1 or residual.df < 1 or squares == 0:
        return AnovaLine(squares, df, math.nan if residual.df < 1 else 0.0, 1.0)
    if residual.squares == 0:
        return AnovaLine(squares, df, math.inf, possible(0.0))
    from scipy.special import fdtrc

    f = (squares / df) / residual.mean_square
    return AnovaLine(squares, df, f, possible(fdtrc(df, residual.df, f)))
