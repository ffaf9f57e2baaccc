"""Rank correlation coefficients, each declared once: names, function, range, treatment of ties, and paper.

The command line, `jd.correlate` and the documentation take their lists from `RANK_COEFFICIENTS`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

import judged.stats.rank_correlation.tau_and_rho as of
from judged._types import Floats
from judged.errors import Hint, UsageError, shown
from judged.registry import Call, Registry, expand_at, parse_call, split_calls
from judged.stats.rank_correlation.concordance import Columns
from judged.stats.rank_correlation.overlap_by_depth import Ties
from judged.stats.rank_correlation.rankings import Rankings
from judged.stats.rank_correlation.rbo_and_overlap import average_overlap_of, jaccard_of, overlap_of, rbo_of

OfPairs = Callable[[Columns], Floats]
OfDepths = Callable[[Rankings, int, float, Ties], Floats]


@dataclass(frozen=True, slots=True, kw_only=True)
class RankCoefficient:
    """A coefficient of two rankings, computed from pairs of shared items (`pairs`) or from the overlap at each depth (`depths`).

    `redrawn` gives the function for resamples, in which an item is tied with its own copies; None if copies cannot be
    distinguished from ties.
    """

    name: str
    aliases: tuple[str, ...] = ()
    pairs: OfPairs | None = None
    depths: OfDepths | None = None
    cutoff: bool = False  # name@k
    persistence: bool = False  # name(p=0.98)
    low: float = -1.0
    ties: str
    paper: str
    text: str
    test: Literal["kendall", "t", ""] = ""  # the usual test of no correlation
    redrawn: Callable[[Columns], OfPairs | None] = lambda _: None

    @property
    def usage(self) -> str:
        """The name with its parameters: overlap@k, rbo(p=0.9)."""
        return self.name + ("@k" if self.cutoff else "(p=0.9)" if self.persistence else "")


@dataclass(frozen=True, slots=True)
class CorrelationRequest:
    """A coefficient with its cutoff and its own p, if it has them."""

    coefficient: RankCoefficient
    k: int = 0
    p: float | None = None

    def __str__(self) -> str:
        own = "" if self.p is None else f"(p={self.p!r})"
        return f"{self.coefficient.name}{own}" + (f"@{self.k}" if self.coefficient.cutoff else "")


def parse_coefficients(
    names: str | CorrelationRequest | Iterable[str | CorrelationRequest],
) -> list[CorrelationRequest]:
    """Parse names of coefficients: `"tau_b overlap@10"` or `["rho", "RBO(p=0.98)"]`.

    Raises:
        UsageError: an unknown name; a cutoff or parameter that the coefficient does not take.

    >>> [str(one) for one in parse_coefficients("Kendall tau-AP overlap@{5,10} rbo(p=0.98)")]
    ['tau_b', 'tau_ap', 'overlap@5', 'overlap@10', 'rbo(p=0.98)']
    """
    listed = [names] if isinstance(names, str | CorrelationRequest) else names
    if not isinstance(listed, Iterable):
        raise UsageError("coefficient", "names of coefficients", got=shown(names), value=names)
    requests = [one for name in listed for one in ([name] if isinstance(name, CorrelationRequest) else _parse(name))]
    if not requests:
        raise UsageError("coefficient", "no coefficient was named", hint="name at least one, such as tau_b")
    return list({str(one): one for one in requests}.values())


def _parse(text: object) -> list[CorrelationRequest]:
    if not isinstance(text, str):
        raise UsageError("coefficient", "the name of a coefficient", got=shown(text), value=text)
    return [request for word in split_calls(text) for request in _requests(parse_call(word, "coefficient"), word)]


def _requests(call: Call, text: str) -> list[CorrelationRequest]:
    """Return one request per cutoff."""
    coefficient = RANK_COEFFICIENTS.find(call.name)
    p = _persistence(coefficient, call, text)
    if not coefficient.cutoff:
        if call.at is not None:
            hint = Hint("cut both rankings with {depth}", depth=None)
            raise UsageError("cutoff", f"{coefficient.name} takes no cutoff", hint=hint, value=text)
        return [CorrelationRequest(coefficient, p=p)]
    cutoffs = ["10"] if call.at is None else expand_at(call.at)
    if not all(re.fullmatch(r"0*[1-9]\d{0,8}", k, re.ASCII) for k in cutoffs):
        raise UsageError("cutoff", f"cutoff must be an integer ≥ 1, got {shown(text)}", value=text)
    return [CorrelationRequest(coefficient, int(k)) for k in cutoffs]


def _persistence(coefficient: RankCoefficient, call: Call, text: str) -> float | None:
    if not call.params:
        return None
    if not coefficient.persistence or call.params.keys() != {"p"}:
        names = "only the parameter p" if coefficient.persistence else "no parameters"
        raise UsageError("parameter", f"{coefficient.name} takes {names}, got {shown(text)}", value=text)
    p = call.params["p"]
    if not isinstance(p, float) or not 0 < p < 1:
        raise UsageError("parameter", f"p must be greater than 0 and less than 1, got {shown(text)}", value=text)
    return p


def _always(function: OfPairs) -> Callable[[Columns], OfPairs | None]:
    return lambda _: function


_URBANO = "urbano2017"
_WEBBER = "webber2010 corsi2024"
_CROSSING = "a tie that crosses the cutoff: as rbo"

RANK_COEFFICIENTS: Registry[RankCoefficient] = Registry("coefficient")
for _coefficient in (
    RankCoefficient(
        name="tau_b",
        aliases=("tau", "kendall", "kendall_tau", "kendall_tau_b"),
        pairs=of.tau_b_of,
        test="kendall",
        redrawn=_always(of.tau_b_of),
        ties="removed from the denominator of each column: 1 for equal orders with ties",
        paper="kendall1945",
        text="concordant − discordant pairs, divided by √(pairs untied in a · pairs untied in b)",
    ),
    RankCoefficient(
        name="tau_a",
        aliases=("kendall_tau_a",),
        pairs=of.tau_a_of,
        test="kendall",
        redrawn=lambda c: None if c.tied_both.any() else of.tau_a_apart_of,
        ties="count as neither and stay in the denominator: the mean over all orders of tied items",
        paper="kendall1938",
        text="concordant − discordant pairs, divided by all pairs",
    ),
    RankCoefficient(
        name="tau_c",
        aliases=("kendall_tau_c", "stuart"),
        pairs=of.tau_c_of,
        test="kendall",
        ties="corrected by m, the smaller number of distinct values",
        paper="stuart1953",
        text="concordant − discordant pairs, divided by (n²·(m - 1) / 2m)",
    ),
    RankCoefficient(
        name="gamma",
        aliases=("goodman_kruskal", "goodman_kruskal_gamma"),
        pairs=of.gamma_of,
        redrawn=_always(of.gamma_of),
        ties="excluded",
        paper="goodman1954",
        text="concordant − discordant pairs, divided by their sum",
    ),
    RankCoefficient(
        name="somers_d",
        aliases=("somers", "d"),
        pairs=of.somers_d_of,
        redrawn=_always(of.somers_d_of),
        ties="ties in a are excluded; ties in b count in the denominator",
        paper="somers1962",
        text="concordant − discordant pairs, divided by pairs untied in a",
    ),
    RankCoefficient(
        name="tau_ap",
        aliases=("ap_correlation", "tau_ap_a"),
        pairs=of.tau_ap_a_of,
        redrawn=lambda c: None if (c.size_x > 1).any() else of.tau_ap_apart_of,
        ties="the mean over all orders of tied items",
        paper="yilmaz2008 urbano2017",
        text="tau weighted to the top of a: for each item, the share of the items above it that b has above it too",
    ),
    RankCoefficient(
        name="tau_ap_symmetric",
        aliases=("tau_ap_sym",),
        pairs=of.tau_ap_symmetric_of,
        redrawn=lambda c: None if (c.size_x > 1).any() or (c.size_y > 1).any() else of.tau_ap_apart_symmetric_of,
        ties="the mean over all orders of tied items",
        paper="yilmaz2008 urbano2017",
        text="mean of tau_ap from a to b and from b to a",
    ),
    RankCoefficient(
        name="tau_ap_b",
        pairs=of.tau_ap_b_symmetric_of,
        redrawn=_always(of.tau_ap_b_symmetric_of),
        ties="only items of higher groups are above an item; the first group is excluded",
        paper=_URBANO,
        text="the symmetric tau_ap for two orders with ties",
    ),
    RankCoefficient(
        name="weighted_tau",
        aliases=("tau_w",),
        pairs=of.weighted_tau_of,
        redrawn=_always(of.weighted_tau_of),
        ties="as tau_b, weighted",
        paper="vigna2015",
        text="tau_b with pairs weighted 1/(r + 1) + 1/(s + 1) at ranks r, s from 0; the mean of ranks by a and by b",
    ),
    RankCoefficient(
        name="spearman",
        aliases=("rho", "spearmanr", "spearman_rho"),
        pairs=of.spearman_of,
        test="t",
        redrawn=_always(of.spearman_of),
        ties="share the mean of their ranks",
        paper="spearman1904",
        text="Pearson's correlation of the ranks",
    ),
    RankCoefficient(
        name="pearson",
        aliases=("r", "pearsonr"),
        pairs=of.pearson_of,
        test="t",
        redrawn=_always(of.pearson_of),
        ties="not relevant: scores are compared, not ranks",
        paper="pearson1896",
        text="covariance of the scores, divided by the product of their standard deviations",
    ),
    RankCoefficient(
        name="rbo",
        aliases=("rbo_ext", "rank_biased_overlap"),
        depths=lambda r, k, p, ties: rbo_of(r, p, ties)[2],
        low=0.0,
        persistence=True,
        ties="b: corrected, 1 for equal rankings; a: mean over all orders; w: same rank",
        paper=_WEBBER,
        text="overlap at each depth d, weighted p^(d-1), extrapolated below the last",
    ),
    RankCoefficient(
        name="rbo_min",
        depths=lambda r, k, p, ties: rbo_of(r, p, ties)[0],
        low=0.0,
        persistence=True,
        ties="as rbo",
        paper=_WEBBER,
        text="lower bound of rbo, if nothing more is shared",
    ),
    RankCoefficient(
        name="rbo_res",
        aliases=("rbo_residual",),
        depths=lambda r, k, p, ties: rbo_of(r, p, ties)[1],
        low=0.0,
        persistence=True,
        ties="as rbo",
        paper=_WEBBER,
        text="upper bound of rbo less rbo_min",
    ),
    RankCoefficient(
        name="overlap",
        aliases=("intersection",),
        depths=lambda r, k, p, ties: overlap_of(r, k, ties),
        cutoff=True,
        low=0.0,
        ties=_CROSSING,
        paper="",
        text="share of the first k that both rankings contain: |A ∩ B| / k",
    ),
    RankCoefficient(
        name="jaccard",
        depths=lambda r, k, p, ties: jaccard_of(r, k),
        cutoff=True,
        low=0.0,
        ties="a tie that crosses the cutoff: mean of |A ∩ B| over all orders",
        paper="jaccard1901",
        text="|A ∩ B| / |A ∪ B| of the first k",
    ),
    RankCoefficient(
        name="average_overlap",
        aliases=("ao",),
        depths=lambda r, k, p, ties: average_overlap_of(r, k, ties),
        cutoff=True,
        low=0.0,
        ties=_CROSSING,
        paper="fagin2003",
        text="mean of overlap@1 … overlap@k",
    ),
):
    RANK_COEFFICIENTS.add(_coefficient)
