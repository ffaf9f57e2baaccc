"""Rank correlation of two orders of the same items: Kendall's tau, Spearman's rho and AP correlation.

Coefficients are sums over counts of concordant and tied pairs, in O(n log n), for many rankings at once: columns hold the items of
several rankings (segments) one after the other, and pairs never cross segments. A coefficient is NaN if it is undefined: with fewer than
two items, or without a pair that it counts. All coefficients are declared in `RANK_COEFFICIENTS`, those of overlap too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from math import factorial, sqrt
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from judged._types import Floats, Ints
from judged.core import segments
from judged.errors import DataError, Hint, UsageError, shown
from judged.registry import Registry, expand_at, parse_call, split_calls
from judged.stats.checks import check_choice, check_share, possible
from judged.stats.rank_overlap import Rankings, changes, groups, numbers, overlap_of, rbo_of
from judged.stats.student_t import two_sided_p

_TINY = 170  # items above which 1 / n! underflows


@dataclass(frozen=True, eq=False)
class Columns:
    """Two aligned columns of scores, higher is better, and counts of the relations between the items of each segment."""

    x: Floats
    y: Floats
    sizes: Ints  # items of each segment

    def __len__(self) -> int:
        return len(self.sizes)

    @cached_property
    def segment(self) -> Ints:
        return np.repeat(np.arange(len(self.sizes)), self.sizes)

    def total(self, per_item: NDArray[Any]) -> Floats:
        """Sum over the items of each segment; integers below 2⁵³ are added exactly."""
        return segments.total(per_item, self.segment, len(self.sizes))

    @cached_property
    def by_x(self) -> Ints:
        """Items by segment, then by decreasing x."""
        return np.lexsort((-self.x, self.segment))

    @cached_property
    def ties_x(self) -> tuple[Ints, Ints]:
        """For each item, the number of items of its segment with a higher x, and with the same (itself included)."""
        return self._ties(self.x, self.by_x)

    @cached_property
    def ties_y(self) -> tuple[Ints, Ints]:
        return self._ties(self.y, np.lexsort((-self.y, self.segment)))

    def _ties(self, value: Floats, order: Ints) -> tuple[Ints, Ints]:
        begin, size = groups(changes(self.segment[order], value[order]))
        above, level = np.empty_like(begin), np.empty_like(begin)
        above[order], level[order] = begin, size
        return above - np.repeat(segments.offsets(self.sizes)[:-1], self.sizes), level

    @cached_property
    def over(self) -> Ints:
        """For each item, the number of items that are higher in both columns."""
        by_y = np.lexsort((self.y, self.segment))
        code = np.empty(
            len(by_y), np.int64
        )  # per distinct y; lower in earlier segments, which are therefore never counted
        code[by_y] = np.cumsum(changes(self.segment[by_y], self.y[by_y])) - 1
        # Equal x are sorted by ascending y, so that no earlier item has the same x and a higher y.
        order = np.lexsort((code, -self.x, self.segment))
        count = np.empty(len(order), np.int64)
        count[order] = _greater_before(code[order])
        return count

    @cached_property
    def among_equal_y(self) -> tuple[Ints, Ints]:
        """For each item, the number of items with the same y that have a higher x, and that have the same."""
        order = np.lexsort((-self.x, self.y, self.segment))
        outer = changes(self.segment[order], self.y[order])
        begin, _ = groups(outer)
        inner, size = groups(outer | changes(self.x[order]))
        higher, level = np.empty_like(begin), np.empty_like(begin)
        higher[order], level[order] = inner - begin, size
        return higher, level

    @cached_property
    def concordant(self) -> Floats:
        return self.total(self.over)

    @cached_property
    def discordant(self) -> Floats:
        return self.untied_x - self.concordant - self.total(self.among_equal_y[0])

    @cached_property
    def untied_x(self) -> Floats:
        """Pairs with different x."""
        return self.total(self.ties_x[0])

    @cached_property
    def untied_y(self) -> Floats:
        return self.total(self.ties_y[0])


def columns(x: Any, y: Any) -> Columns:
    """Return two columns of numbers as one segment.

    Raises:
        DataError: values that are not numbers, NaN, or different lengths.
    """
    left, right = numbers(x, "x"), numbers(y, "y")
    if len(left) != len(right):
        raise DataError(
            "lengths",
            f"columns have different lengths: {len(left)} and {len(right)}",
            hint="align them by name as {name: number}",
        )
    return Columns(left, right, np.array([len(left)]))


def _greater_before(code: Ints) -> Ints:
    """Count for each position the earlier positions with a greater code.

    This is a top-down merge sort: rows are partitioned stably by one bit of the code after the other, the highest
    first. The number of 1s before a row with a 0, in its partition, is the number of greater codes.
    """
    size = len(code)
    count, row, place = np.zeros(size, np.int64), np.arange(size), np.arange(size)
    if not size:
        return count
    top = int(code.max()) + 1
    start = segments.offsets(np.bincount(code, minlength=top))  # rows with a smaller code
    for bit in range((top - 1).bit_length() - 1, -1, -1):
        one = (code >> bit) & 1
        ones = segments.offsets(one)
        before = ones[:-1] - ones[start[(code >> (bit + 1)) << (bit + 1)]]
        count[row] += np.where(one, 0, before)
        new = np.where(one, start[(code >> bit) << bit] + before, place - before)
        moved_row, moved_code = np.empty_like(row), np.empty_like(code)
        moved_row[new], moved_code[new] = row, code
        row, code = moved_row, moved_code
    return count


# ── coefficients ─────────────────────────────────────────────────────────────────────────────────


def spearman(x: Any, y: Any) -> float:
    """Compute Spearman's rho: the linear correlation of the ranks, where tied items share the mean of their ranks.

    It equals 1 - 6·Σd² / (n(n² - 1)) only without ties (Kendall, Rank Correlation Methods, 1948).

    >>> round(spearman([1, 2, 2, 3], [1, 2, 3, 4]), 4)
    0.9487
    """
    return float(_spearman(columns(x, y))[0])


def kendall(x: Any, y: Any, variant: Literal["a", "b"] = "b") -> float:
    """Compute Kendall's tau: concordant less discordant pairs (C - D), divided by

    - a: all pairs (Kendall, Biometrika 1938); below 1 with ties, and the mean over all orders of tied items.
    - b: √(pairs untied in x · pairs untied in y) (Kendall, Biometrika 1945); 1 for equal columns with ties.

    >>> [round(kendall([1, 2, 2, 3], [1, 2, 3, 4], variant), 4) for variant in "ab"]
    [0.8333, 0.9129]
    """
    check_choice(variant, Literal["a", "b"], "variant")
    both = columns(x, y)
    return float((_tau_a(both) if variant == "a" else _tau_b(both))[0])


def tau_ap(x: Any, reference: Any) -> float:
    """Compute AP correlation: tau with more weight on disagreement at the top (Yilmaz, Aslam and Robertson, SIGIR 2008).

    For each item of x but the first, take the share of the items above it that the reference also ranks above it; the
    result is twice the mean of these shares, less 1. Ranks are those of x, so the coefficient is not symmetric. With ties
    it is the mean over all orders of tied items (Urbano and Marrero, ICTIR 2017).

    >>> round(tau_ap([3, 2, 1], [3, 1, 2]), 4)  # one of two items above the third is wrong
    0.5
    """
    return float(_tau_ap(columns(x, reference))[0])


def _ratio(above: Floats, below: Floats) -> Floats:
    """Divide, with NaN for a denominator of 0; clip to -1 and 1, which rounding may exceed."""
    out = np.full(len(below), np.nan)
    np.divide(above, below, out=out, where=below > 0)
    return np.clip(out, -1.0, 1.0)


def _spearman(c: Columns) -> Floats:
    x, y = (_centred_ranks(c, -above - size / 2) for above, size in (c.ties_x, c.ties_y))
    return _ratio(c.total(x * y), np.sqrt(c.total(x * x) * c.total(y * y)))


def _centred_ranks(c: Columns, rank: Floats) -> Floats:
    """Return the distances of ranks from their mean, in units of the largest; 0 if all are tied."""
    start = segments.offsets(c.sizes)[:-1]

    def most(value: Floats, operation: np.ufunc = np.maximum) -> Floats:
        out = np.zeros(len(c))
        some = c.sizes > 0
        if some.any():
            out[some] = operation.reduceat(value, start[some])
        return out

    power = np.frexp(most(np.abs(rank)))[1]
    rank = np.ldexp(rank, -power[c.segment])
    off = rank - (c.total(rank) / np.maximum(c.sizes, 1))[c.segment]
    off /= np.maximum(most(np.abs(off)), np.finfo(float).tiny)[c.segment]
    tied = most(rank) == most(rank, np.minimum)  # the mean of equal ranks may have a rounding error
    return np.where(tied[c.segment], 0.0, off)


def _tau_a(c: Columns) -> Floats:
    return _ratio(c.concordant - c.discordant, c.sizes * (c.sizes - 1) / 2)


def _tau_b(c: Columns) -> Floats:
    return _ratio(c.concordant - c.discordant, np.sqrt(c.untied_x * c.untied_y))


def _tau_ap(c: Columns) -> Floats:
    """Sum, over ranks from 2, the expected number of agreeing items above, divided by (rank - 1)."""
    agreeing = (c.over + c.among_equal_y[0] / 2)[c.by_x]
    above, size = (count[c.by_x] for count in c.ties_x)
    position = segments.positions(c.sizes)
    first = np.flatnonzero(position == above)
    mean = np.repeat(np.add.reduceat(agreeing, first) / size[first], size[first]) if len(first) else agreeing
    expected = mean + (position - above) / 2  # half of the tied items above agree
    share = np.divide(expected, position, out=np.zeros(len(expected)), where=position > 0)
    return 2 * _ratio(c.total(share), (c.sizes - 1).astype(np.float64)) - 1


# ── declarations and names ───────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class RankCoefficient:
    """A coefficient of two rankings, computed from pairs of shared items (`pairs`) or from the overlap at each depth (`depths`)."""

    name: str
    aliases: tuple[str, ...] = ()
    pairs: Callable[[Columns], Floats] | None = None
    depths: Callable[[Rankings, Any], Floats] | None = None
    usage: str  # the name with its parameter
    default: float = 0.0  # of the parameter
    low: float = -1.0
    ties: str
    paper: str
    text: str
    test: Literal["kendall", "t", ""] = ""  # the usual test of no correlation


RANK_COEFFICIENTS: Registry[RankCoefficient] = Registry("coefficient")
for _coefficient in (
    RankCoefficient(
        name="tau_b",
        aliases=("tau", "kendall", "kendall_tau", "kendall_tau_b"),
        usage="tau_b",
        pairs=_tau_b,
        test="kendall",
        ties="removed from the denominator of each column: 1 for equal orders with ties",
        paper="kendall1945",
        text="concordant − discordant pairs, divided by √(pairs untied in a · pairs untied in b)",
    ),
    RankCoefficient(
        name="tau_a",
        aliases=("kendall_tau_a",),
        usage="tau_a",
        pairs=_tau_a,
        test="kendall",
        ties="count as neither and stay in the denominator: the mean over all orders of tied items",
        paper="kendall1938",
        text="concordant − discordant pairs, divided by all pairs",
    ),
    RankCoefficient(
        name="tau_ap",
        aliases=("ap_correlation", "tau_ap_a"),
        usage="tau_ap",
        pairs=_tau_ap,
        ties="the mean over all orders of tied items",
        paper="yilmaz2008 urbano2017",
        text="tau weighted to the top of a: for each item, the share of the items above it that b has above it too",
    ),
    RankCoefficient(
        name="spearman",
        aliases=("rho", "spearmanr", "spearman_rho"),
        usage="spearman",
        pairs=_spearman,
        test="t",
        ties="share the mean of their ranks",
        paper="spearman1904",
        text="linear correlation of the ranks",
    ),
    RankCoefficient(
        name="rbo",
        aliases=("rbo_ext", "rank_biased_overlap"),
        usage="rbo(p=0.9)",
        default=0.9,
        depths=rbo_of,
        low=0.0,
        ties="corrected: 1 for equal rankings with ties",
        paper="webber2010 corsi2024",
        text="overlap at each depth d, weighted p^(d-1), extrapolated below the last",
    ),
    RankCoefficient(
        name="overlap",
        aliases=("intersection",),
        usage="overlap@k",
        default=10,
        depths=overlap_of,
        low=0.0,
        ties="a tie that crosses the cutoff: as rbo",
        paper="",
        text="share of the first k that both rankings contain: |A ∩ B| / k",
    ),
):
    RANK_COEFFICIENTS.add(_coefficient)


def parse_coefficients(names: str | Iterable[str]) -> dict[str, tuple[RankCoefficient, float]]:
    """Parse names of coefficients: `"tau_b overlap@10"` or `["rho", "RBO(p=0.98)"]`.

    Returns:
        Coefficients by their names as they are printed, each with its cutoff or persistence, if it has one.

    Raises:
        UsageError: an unknown name; a cutoff or parameter that the coefficient does not take.

    >>> list(parse_coefficients("Kendall tau-AP overlap@{5,10} rbo(p=0.98)"))
    ['tau_b', 'tau_ap', 'overlap@5', 'overlap@10', 'rbo(p=0.98)']
    """
    listed = [names] if isinstance(names, str) else list(names) if isinstance(names, Iterable) else [None]
    if not all(isinstance(name, str) for name in listed):
        raise UsageError("coefficient", "names of coefficients", got=shown(names), value=names)
    found: dict[str, tuple[RankCoefficient, float]] = {}
    for text in (word for one in map(str, listed) for word in split_calls(one)):
        call = parse_call(text, "coefficient")
        coefficient = RANK_COEFFICIENTS.find(call.name)
        name, value = coefficient.name, coefficient.default
        if call.params and (name != "rbo" or call.params.keys() != {"p"}):
            takes = "only the parameter p" if name == "rbo" else "no parameters"
            raise UsageError("parameter", f"{name} takes {takes}, got {shown(text)}", value=text)
        if name == "overlap":
            cutoffs = ["10"] if call.at is None else expand_at(call.at)
            if not all(re.fullmatch(r"0*[1-9]\d{0,8}", k, re.ASCII) for k in cutoffs):
                raise UsageError("cutoff", f"cutoff must be an integer ≥ 1, got {shown(text)}", value=text)
            found |= {f"overlap@{int(k)}": (coefficient, int(k)) for k in cutoffs}
            continue
        if call.at is not None:
            hint = Hint("cut both rankings with {depth}", depth=None)
            raise UsageError("cutoff", f"{name} takes no cutoff", hint=hint, value=text)
        if call.params:
            value = check_share(call.params["p"], "p")
            name = f"rbo(p={value!r})"
        found[name] = (coefficient, value)
    if not found:
        raise UsageError("coefficient", "no coefficient was named", hint="name at least one, such as tau_b")
    return found


def p_value(c: Columns, one: RankCoefficient, value: float) -> float | None:
    """Return the two-sided p-value of the usual test of no correlation; NaN if the coefficient is NaN, None without such a test."""
    size = len(c.x)
    if not one.test:
        return None
    if np.isnan(value) or not c.untied_x[0] or not c.untied_y[0] or (one.test == "t" and size < 3):
        return float("nan")
    if one.test == "kendall":
        from scipy.stats import kendalltau  # slow to import

        return possible(kendalltau(c.x, c.y).pvalue)
    away = (1 - value) * (1 + value)
    if away <= 0:  # t is infinite: two of all orders are as extreme
        return possible(2 / factorial(size) if size <= _TINY else 0.0)
    return possible(two_sided_p(value * sqrt((size - 2) / away), size - 2)[0])
