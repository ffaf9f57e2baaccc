"""The coefficients, each declared once: its names, its function, its range, what it does with ties, and its paper.

The command line, `jd.correlate` and the documentation take their lists from `COEFFICIENTS`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Literal

import judged.stats.rank_correlation.tau_and_rho as of
from judged._types import Floats
from judged.errors import UsageError, shown
from judged.stats.rank_correlation.concordance import Columns
from judged.stats.rank_correlation.overlap_by_depth import Ties
from judged.stats.rank_correlation.rankings import Rankings
from judged.stats.rank_correlation.rbo_and_overlap import average_overlap_of, jaccard_of, overlap_of, rbo_of

__all__ = ["COEFFICIENTS", "CorrelationRequest", "RankCoefficient", "asked"]

OfPairs = Callable[[Columns], Floats]
OfDepths = Callable[[Rankings, int, float, Ties], Floats]


@dataclass(frozen=True, slots=True, kw_only=True)
class RankCoefficient:
    """A way to compare two rankings, from pairs of the items they share (`pairs`) or from what they hold at each depth (`depths`)."""

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
    # The function for resamples, in which items are tied with their own copies; None where copies cannot be told from ties.
    redrawn: Callable[[Columns], OfPairs | None] = lambda _: None


@dataclass(frozen=True, slots=True)
class CorrelationRequest:
    """A coefficient as it was asked for: with its cutoff, if it has one, and its own p, if one was named."""

    coefficient: RankCoefficient
    k: int = 0
    p: float | None = None

    def __str__(self) -> str:
        own = "" if self.p is None else f"(p={self.p!r})"
        return f"{self.coefficient.name}{own}" + (f"@{self.k}" if self.coefficient.cutoff else "")


def asked(names: str | CorrelationRequest | Iterable[str | CorrelationRequest]) -> list[CorrelationRequest]:
    """Coefficients by name: `"tau_b overlap@10"`, `["rho", "RBO(p=0.98)"]`. Case, hyphens and underscores do not matter.

    Raises:
        UsageError: an unknown name, with the nearest right one; or a cutoff or a p where none belongs.

    >>> [str(a) for a in asked("Kendall tau-AP overlap@{5,10} rbo(p=0.98)")]
    ['tau_b', 'tau_ap', 'overlap@5', 'overlap@10', 'rbo(p=0.98)']
    """
    given = [names] if isinstance(names, str | CorrelationRequest) else names
    if not isinstance(given, Iterable):
        raise UsageError("coefficient", "names of coefficients", got=shown(names), value=names)
    found = {
        str(one): one for name in given for one in ([name] if isinstance(name, CorrelationRequest) else _listed(name))
    }
    if not found:
        raise UsageError("coefficient", "at least one coefficient", got="none", hint="for example tau_b")
    return list(found.values())


def _listed(text: object) -> list[CorrelationRequest]:
    """Names apart by blanks or commas; `@{5,10}` is two cutoffs."""
    if not isinstance(text, str):
        raise UsageError("coefficient", "the name of a coefficient", got=shown(text), value=text)
    found = []
    for word in filter(None, re.split(r"[\s,]+(?![^{]*\})(?![^(]*\))", text)):
        several = re.fullmatch(r"(.+@)\{(.*)\}", word)
        found += [f"{several[1]}{k.strip()}" for k in several[2].split(",")] if several else [word]
    return [_asked(word) for word in found]


def _asked(text: str) -> CorrelationRequest:
    head, at, cutoff = text.strip().partition("@")
    name, bracket, parameter = head.partition("(")
    coefficient = _NAMES.get(_key(name))
    if coefficient is None:
        near = get_close_matches(_key(name), _NAMES, 1, 0.5)
        hint = f"did you mean {_NAMES[near[0]].name}?" if near else f"one of {', '.join(c.name for c in COEFFICIENTS)}"
        raise UsageError("coefficient", f"no coefficient is called {shown(name)}", hint=hint, value=name)
    if not coefficient.cutoff:
        if at:
            raise UsageError("cutoff", f"{coefficient.name} without a cutoff", got=shown(text), value=text,
                             hint="depth cuts both rankings first")  # fmt: skip
        return CorrelationRequest(coefficient, p=_persistence(coefficient, text, parameter) if bracket else None)
    if bracket:
        _persistence(coefficient, text, parameter)
    if at and not re.fullmatch(r"0*[1-9]\d{0,8}", cutoff, re.ASCII):
        raise UsageError("cutoff", "a cutoff that is a whole number from 1", got=shown(text), value=text)
    return CorrelationRequest(coefficient, int(cutoff) if at else 10)


def _persistence(coefficient: RankCoefficient, text: str, parameter: str) -> float:
    if not coefficient.persistence:
        raise UsageError("parameter", f"{coefficient.name} without parameters", got=shown(text), value=text)
    found = re.fullmatch(r"\s*p\s*=\s*(0?\.\d{1,17})\s*\)", parameter, re.ASCII)
    if found is None or not float(found[1]):
        raise UsageError("parameter", f"p between 0 and 1, both excluded: {coefficient.name}(p=0.98)", got=shown(text), value=text)  # fmt: skip
    return float(found[1])


def _key(name: str) -> str:
    return re.sub(r"[-_ ']", "", name.casefold())


def _always(function: OfPairs) -> Callable[[Columns], OfPairs | None]:
    return lambda _: function


_URBANO = "Urbano and Marrero, ICTIR 2017"
_WEBBER = "Webber, Moffat and Zobel, TOIS 2010; ties: Corsi and Urbano, SIGIR 2024"
_CROSSING = "where a tie crosses the cutoff: as rbo"

COEFFICIENTS: tuple[RankCoefficient, ...] = (
    RankCoefficient(
        name="tau_b", aliases=("tau", "kendall", "kendall_tau", "kendall_tau_b"), pairs=of.tau_b_of, test="kendall",
        redrawn=_always(of.tau_b_of), ties="taken out of the denominator, each column's own: equal orders with ties have 1",
        paper="Kendall, Biometrika 1945", text="concordant less discordant pairs, / √(pairs untied in a · pairs untied in b)",
    ),
    RankCoefficient(
        name="tau_a", aliases=("kendall_tau_a",), pairs=of.tau_a_of, test="kendall",
        redrawn=lambda c: None if c.tied_both.any() else of.tau_a_apart_of,
        ties="count as neither, and stay in the denominator: the mean over all orders of the ties",
        paper="Kendall, Biometrika 1938", text="concordant less discordant pairs, / all pairs",
    ),
    RankCoefficient(
        name="tau_c", aliases=("kendall_tau_c", "stuart"), pairs=of.tau_c_of, test="kendall",
        ties="allowed for by the fewer distinct values m of the two", paper="Stuart, Biometrika 1953",
        text="concordant less discordant pairs, / (n²·(m - 1) / 2m)",
    ),
    RankCoefficient(
        name="gamma", aliases=("goodman_kruskal", "goodman_kruskal_gamma"), pairs=of.gamma_of, redrawn=_always(of.gamma_of),
        ties="left out altogether", paper="Goodman and Kruskal, JASA 1954",
        text="concordant less discordant pairs, / their sum",
    ),
    RankCoefficient(
        name="somers_d", aliases=("somers", "d"), pairs=of.somers_d_of, redrawn=_always(of.somers_d_of),
        ties="of a left out; of b counted in the denominator", paper="Somers, American Sociological Review 1962",
        text="concordant less discordant pairs, / pairs untied in a",
    ),
    RankCoefficient(
        name="tau_ap", aliases=("ap_correlation", "tau_ap_a"), pairs=of.tau_ap_a_of,
        redrawn=lambda c: None if (c.size_x > 1).any() else of.tau_ap_apart_of,
        ties="the mean over all orders of the ties", paper=f"Yilmaz, Aslam and Robertson, SIGIR 2008; ties: {_URBANO}",
        text="tau that looks at the top of a: of the items above each, the share that b has above it too",
    ),
    RankCoefficient(
        name="tau_ap_symmetric", aliases=("tau_ap_sym",), pairs=of.tau_ap_symmetric_of,
        redrawn=lambda c: None if (c.size_x > 1).any() or (c.size_y > 1).any() else of.tau_ap_apart_symmetric_of,
        ties="the mean over all orders of the ties", paper=f"Yilmaz, Aslam and Robertson, SIGIR 2008; ties: {_URBANO}",
        text="the mean of tau_ap from a to b and from b to a",
    ),
    RankCoefficient(
        name="tau_ap_b", pairs=of.tau_ap_b_symmetric_of, redrawn=_always(of.tau_ap_b_symmetric_of),
        ties="only higher ties stand above an item; the first tie is left out", paper=_URBANO,
        text="the symmetric tau_ap for two orders that both may have ties",
    ),
    RankCoefficient(
        name="weighted_tau", aliases=("tau_w",), pairs=of.weighted_tau_of, redrawn=_always(of.weighted_tau_of),
        ties="as tau_b, with weights", paper="Vigna, WWW 2015",
        text="tau_b with pairs weighted 1/(r + 1) + 1/(s + 1) at ranks r, s from 0; the mean of ranks by a and by b",
    ),
    RankCoefficient(
        name="spearman", aliases=("rho", "spearmanr", "spearman_rho"), pairs=of.spearman_of, test="t",
        redrawn=_always(of.spearman_of), ties="share the mean of their ranks",
        paper="Spearman, American Journal of Psychology 1904", text="Pearson's correlation of the ranks",
    ),
    RankCoefficient(
        name="pearson", aliases=("r", "pearsonr"), pairs=of.pearson_of, test="t", redrawn=_always(of.pearson_of),
        ties="no matter: scores, not ranks, are compared", paper="Pearson, Philosophical Transactions 1896",
        text="the covariance of the scores, / the product of their standard deviations",
    ),
    RankCoefficient(
        name="rbo", aliases=("rbo_ext", "rank_biased_overlap"), depths=lambda r, k, p, ties: rbo_of(r, p, ties)[2], low=0.0, persistence=True,
        ties="b: corrected, 1 for equal rankings; a: the mean over all orders; w: at one rank", paper=_WEBBER,
        text="agreement at each depth, weighted p^(d-1), extrapolated below the last",
    ),
    RankCoefficient(
        name="rbo_min", depths=lambda r, k, p, ties: rbo_of(r, p, ties)[0], low=0.0, persistence=True, ties="as rbo", paper=_WEBBER,
        text="the least that rbo can be, if nothing more is shared",
    ),
    RankCoefficient(
        name="rbo_res", aliases=("rbo_residual",), depths=lambda r, k, p, ties: rbo_of(r, p, ties)[1], low=0.0, persistence=True,
        ties="as rbo", paper=_WEBBER, text="how much more than rbo_min it can be",
    ),
    RankCoefficient(
        name="overlap", aliases=("intersection",), depths=lambda r, k, p, ties: overlap_of(r, k, ties), cutoff=True, low=0.0,
        ties=_CROSSING, paper="", text="the share of the first k that both hold: |A ∩ B| / k",
    ),
    RankCoefficient(
        name="jaccard", depths=lambda r, k, p, ties: jaccard_of(r, k), cutoff=True, low=0.0, ties="where a tie crosses the cutoff: the mean of |A ∩ B| over all orders",
        paper="Jaccard, Bulletin de la Société vaudoise des sciences naturelles 1901", text="|A ∩ B| / |A ∪ B| of the first k",
    ),
    RankCoefficient(
        name="average_overlap", aliases=("ao",), depths=lambda r, k, p, ties: average_overlap_of(r, k, ties), cutoff=True, low=0.0,
        ties=_CROSSING, paper="Fagin, Kumar and Sivakumar, SIAM Journal on Discrete Mathematics 2003",
        text="the mean of overlap@1 … overlap@k",
    ),
)  # fmt: skip

_NAMES = {_key(name): c for c in COEFFICIENTS for name in (c.name, *c.aliases)}
