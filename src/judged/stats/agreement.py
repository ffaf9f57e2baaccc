"""Chance-corrected agreement of judges: kappa, AC1 and alpha, with intervals from resamples of queries or units.

Everything is computed from counts of label patterns, so that the value, its resamples and the values per query share one formula:
(observed − chance) / (1 − chance).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import isnan, nan, sqrt
from typing import Any, Literal

import numpy as np

from judged._types import Floats, Ints
from judged.core.resample import generator
from judged.errors import Hint, UsageError, shown
from judged.registry import Registry, parse_call
from judged.stats.checks import check_share
from judged.stats.intervals import wilson
from judged.stats.ratings import Patterns, Ratings
from judged.stats.student_t import two_sided_quantile

Interval = Literal["units", "queries"]
Seed = int | np.random.Generator
WeightsName = Literal["nominal", "linear", "quadratic"]

_NOTHING = 1e-12  # rounding error of 1 − 1
_FEW = 50  # queries below which bootstrap intervals are too narrow
_MOST = 2_000  # resamples
_FEWEST = 200
_DRAWS = 20_000_000  # bounds the work for more than 10,000 queries or patterns
_BLOCK = 1 << 21


@dataclass(frozen=True, eq=False)
class Sample:
    """Counts of each pattern (…, patterns): the observed ones, or one row per resample or query.

    Every result has the leading axes of `count`.
    """

    patterns: Patterns
    count: Floats

    @cached_property
    def units(self) -> Floats:
        """Units with a label."""
        return self.count @ (self.patterns.rated >= 1).astype(float)

    @cached_property
    def shared(self) -> Floats:
        """Units with two labels or more."""
        return self.count @ (self.patterns.rated >= 2).astype(float)

    @cached_property
    def pairable(self) -> Floats:
        """Number of labels of units with two or more: Krippendorff's n."""
        return self.count @ np.where(self.patterns.rated >= 2, self.patterns.rated, 0).astype(float)

    @cached_property
    def share(self) -> Floats:
        """Mean over units of the share of each category among a unit's labels (…, categories), as Fleiss and Gwet define it."""
        part = _ratio(np.ones_like(self.patterns.count), self.patterns.rated.astype(float), otherwise=0.0)
        return _ratio(self._by_category(self.count * part), self.units[..., None])

    @cached_property
    def total(self) -> Floats:
        """Number of pairable labels in each category (…, categories), as Krippendorff defines it."""
        return self._by_category(self.count * (self.patterns.rated >= 2))

    @cached_property
    def own(self) -> Floats:
        """Share of each category among the labels of each rater (…, raters, categories); 0 for a rater without labels."""
        counted = np.stack([self._tally(row, self.count) for row in self.patterns.codes], axis=-2)
        return _ratio(counted, counted.sum(axis=-1, keepdims=True), otherwise=0.0)

    def _by_category(self, count: Floats) -> Floats:
        most = int(self.patterns.rated.max(initial=0))
        tallies = [self._tally(row, count) for row in self.patterns.given[:most]]
        return sum(tallies, np.zeros((*self.count.shape[:-1], self.patterns.size)))

    def _tally(self, code: Ints, count: Floats) -> Floats:
        """Sum the counts by category."""
        lead, wide = count.shape[:-1], self.patterns.size + 1
        flat = count.reshape(int(np.prod(lead)), len(code))
        at = np.arange(len(flat))[:, None] * wide + code + 1
        out = np.bincount(at.ravel(), flat.ravel(), minlength=len(flat) * wide).astype(float)
        return out.reshape(*lead, wide)[..., 1:]


def pair_weights(patterns: Patterns, matrix: Floats) -> Floats:
    """Return the mean weight over the pairs of labels of each pattern; 0 with fewer than two labels.

    The matrix has the weights of agreement between categories: 1 for the same category, less for distant ones.
    """
    rated = patterns.rated
    given = patterns.given[: int(rated.max(initial=0))]
    weight = np.pad(matrix, (0, 1))  # a missing label, -1, takes the last row and column
    total = np.zeros(given.shape[1])
    for i in range(len(given)):
        for j in range(i):
            total += weight[given[i], given[j]]
    return _ratio(2 * total, rated * (rated - 1.0), otherwise=0.0)


def _ratio(above: Floats, below: Floats, otherwise: float = np.nan) -> Floats:
    """Divide; `otherwise` where the denominator is 0."""
    above, below = np.broadcast_arrays(above, below)
    return np.divide(above, below, out=np.full(above.shape, otherwise), where=below != 0)


def _quadratic_form(p: Floats, matrix: Floats, q: Floats) -> Floats:
    """Return Σ p_k w_kl q_l over the last axis."""
    total: Floats = ((p @ matrix) * q).sum(axis=-1)
    return total


# ── observed and chance agreement ────────────────────────────────────────────────────────────────

Value = Callable[[Sample, Floats], Floats]  # of the weights of agreement between categories


def _correct_for_chance(observed: Floats, chance: Floats) -> Floats:
    """Return (observed − chance) / (1 − chance); NaN where chance agreement is 1."""
    room = 1 - chance
    return _ratio(observed - chance, np.where(np.abs(room) < _NOTHING, 0.0, room))


def _raw(s: Sample, w: Floats) -> Floats:
    """Mean over units with two labels or more of the (weighted) share of pairs of raters that agree."""
    return _ratio(s.count @ pair_weights(s.patterns, w), s.shared)


def _own(s: Sample, w: Floats) -> Floats:
    """Chance agreement with each rater's own marginals: mean over pairs of Σ w_kl p_gk p_hl (Cohen 1960)."""
    pooled_share = s.own.sum(axis=-2)
    same = _quadratic_form(s.own, w, s.own).sum(axis=-1)
    raters = (s.own.sum(axis=-1) > 0).sum(axis=-1)
    return _ratio(_quadratic_form(pooled_share, w, pooled_share) - same, raters * (raters - 1.0))


def _pooled(s: Sample, w: Floats) -> Floats:
    """Chance agreement with pooled marginals: Σ w_kl π_k π_l (Scott 1955, Fleiss 1971)."""
    return _quadratic_form(s.share, w, s.share)


def _gwet(s: Sample, w: Floats) -> Floats:
    """Chance agreement after Gwet (2008): Σ w / (q(q − 1)) · Σ π_k (1 − π_k), with q categories."""
    size = s.patterns.size
    if size < 2:
        return np.full(s.units.shape, np.nan)
    spread: Floats = (s.share * (1 - s.share)).sum(axis=-1)
    return w.sum() / (size * (size - 1)) * spread


def _alpha(s: Sample, w: Floats) -> Floats:
    """Krippendorff's alpha, 1 − D_o / D_e, of units with two labels or more, as written by Gwet (2014).

    Two of the n pairable labels are drawn without replacement, hence the factor (n − 1) / n.
    """
    n = s.pairable
    observed = _ratio(s.count @ (pair_weights(s.patterns, w) * s.patterns.rated), n)
    share = _ratio(s.total, n[..., None])
    return 1 - _ratio(n - 1, n) * (1 - _correct_for_chance(observed, _quadratic_form(share, w, share)))


def _ordinal_alpha(s: Sample, w: Floats) -> Floats:
    """Krippendorff's alpha with his ordinal distance.

    The distance of two categories is the squared difference of their mean ranks among all pairable labels, so it depends on
    the data.
    """
    rated, n = s.patterns.rated, s.pairable
    rank = np.cumsum(s.total, axis=-1) - s.total / 2
    of_label = np.concatenate([rank, np.zeros_like(rank[..., :1])], axis=-1)
    once, twice = np.zeros(s.count.shape), np.zeros(s.count.shape)
    for row in s.patterns.given[: int(rated.max(initial=0))]:
        label_rank = of_label[..., row]
        once += label_rank
        twice += label_rank**2
    apart = (rated * twice - once**2) * _ratio(np.ones(len(rated)), np.maximum(rated - 1.0, 0.0), otherwise=0.0)
    observed = (s.count * apart).sum(axis=-1)
    expected = n * (s.total * rank**2).sum(axis=-1) - (s.total * rank).sum(axis=-1) ** 2
    used = (s.total > 0).sum(axis=-1)
    return 1 - _ratio((n - 1) * observed, np.where(used > 1, expected, 0.0))


# ── coefficients ─────────────────────────────────────────────────────────────────────────────────

_SYMBOLS = {  # of the formulas, with how each is recognised
    "A": (r"\bA\b", "agreement: share of pairs of labels that agree"),
    "E": (r"\bE\b", "agreement expected by chance"),
    "w": (r"\bw\b", "weight of the categories k and l: 1 if they are the same, 0 if not, unless weights are given"),
    "p(a=k)": (r"p\(", "share of the units to which rater a gives category k"),
    "π(k)": (r"π\(", "share of category k among the labels of all raters"),
    "q": (r"\bq\b", "number of categories"),
    "Σ": ("Σ", "sum over the categories, for weights over all pairs of them"),
    "D_o": ("D_o", "observed disagreement: mean distance between two labels of the same unit"),
    "D_e": ("D_e", "expected disagreement: mean distance between any two labels"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreementCoefficient:
    """One coefficient: its key in results, its name in tables (`label`), its definition, its value and its chance agreement."""

    name: str
    aliases: tuple[str, ...] = ()
    label: str
    formula: str
    paper: str
    value: Value
    chance: Value | None = None
    floor: float = -1.0  # lowest possible value

    @property
    def symbols(self) -> dict[str, str]:
        """The meaning of each symbol in the formula."""
        return {symbol: text for symbol, (pattern, text) in _SYMBOLS.items() if re.search(pattern, self.formula)}


def _chance_corrected(expected: Value) -> Value:
    return lambda s, w: _correct_for_chance(_raw(s, w), expected(s, w))


_K = "(A − E) / (1 − E), "

AGREEMENT_COEFFICIENTS: Registry[AgreementCoefficient] = Registry("coefficient")
for _coefficient in (
    AgreementCoefficient(
        name="raw",
        aliases=("raw_agreement", "percent_agreement"),
        label="raw agreement",
        formula="A = mean over units of the share of pairs of raters that agree",
        paper="",
        value=_raw,
        floor=0.0,
    ),
    AgreementCoefficient(
        name="kappa",
        aliases=("cohen", "cohen_kappa", "cohens_kappa"),
        label="Cohen's kappa",
        formula=_K + "E = Σ w p(a=k) p(b=l)",
        paper="cohen1960 cohen1968",
        value=_chance_corrected(_own),
        chance=_own,
    ),
    AgreementCoefficient(
        name="fleiss",
        aliases=("fleiss_kappa", "pi", "scott", "scotts_pi"),
        label="Fleiss' kappa",
        formula=_K + "E = Σ w π(k) π(l), all raters' labels pooled; Scott's pi for two raters",
        paper="scott1955 fleiss1971",
        value=_chance_corrected(_pooled),
        chance=_pooled,
    ),
    AgreementCoefficient(
        name="ac1",
        aliases=("gwet",),
        label="Gwet's AC1",
        formula=_K + "E = Σ π(k) (1 − π(k)) / (q − 1), q categories",
        paper="gwet2008",
        value=_chance_corrected(_gwet),
        chance=_gwet,
    ),
    AgreementCoefficient(
        name="ac2",
        label="Gwet's AC2",
        formula=_K + "E = Σ w · Σ π(k) (1 − π(k)) / (q (q − 1))",
        paper="gwet2014",
        value=_chance_corrected(_gwet),
        chance=_gwet,
    ),
    AgreementCoefficient(
        name="alpha",
        aliases=("krippendorff", "krippendorffs_alpha"),
        label="Krippendorff's alpha",
        formula="1 − D_o / D_e over units with two labels or more",
        paper="krippendorff1970 krippendorff2011",
        value=_alpha,
    ),
):
    AGREEMENT_COEFFICIENTS.add(_coefficient)


@dataclass(frozen=True, slots=True, eq=False)
class CoefficientRequest:
    """A coefficient with weights: its key, such as `kappa(linear)`, and its label in tables."""

    definition: AgreementCoefficient
    matrix: Floats
    key: str
    name: str


def _split(text: str) -> tuple[AgreementCoefficient, str, str]:
    """Return the coefficient, the name of its weights, and its key."""
    call = parse_call(text, "coefficient", first="weights")
    definition = AGREEMENT_COEFFICIENTS.find(call.name)
    by = str(call.params.get("weights", "nominal"))
    known = {"alpha": ("nominal", "linear", "quadratic", "ordinal", "interval"), "ac1": ("nominal",)}
    names = known.get(definition.name, ("nominal", "linear", "quadratic"))
    if call.at is not None or call.params.keys() - {"weights"} or by not in names:
        hint = "use ac2" if definition.name == "ac1" else "use weights as in kappa(linear)"
        problem = f"{definition.name} takes the weights {', '.join(names)}, got {shown(text)}"
        raise UsageError("coefficient", problem, hint=hint, value=text)
    return definition, by, definition.name if by == "nominal" else f"{definition.name}({by})"


def coefficient_key(text: str) -> str:
    """Return the key of a coefficient by any of its names.

    >>> coefficient_key("Cohen(linear)")
    'kappa(linear)'
    """
    return _split(text)[2]


def parse_coefficient(text: str, ratings: Ratings) -> CoefficientRequest:
    """Return the coefficient of this name for these ratings.

    >>> parse_coefficient("kappa(linear)", Ratings.of([0, 1, 2], [0, 1, 1])).name
    'weighted kappa, linear'
    """
    definition, by, key = _split(text)
    label, matrix = definition.label, _weights(by, ratings)
    if by == "nominal":
        return CoefficientRequest(definition, matrix, key, label + (", nominal" if definition.name == "alpha" else ""))
    if by == "ordinal":
        definition = replace(definition, value=_ordinal_alpha)
    label = {"raw": "agreement", "kappa": "weighted kappa"}.get(definition.name, label)
    return CoefficientRequest(definition, matrix, key, f"{label}, {by}{' weights' if definition.name == 'raw' else ''}")


def _weights(by: str, ratings: Ratings) -> Floats:
    """Return the weights of agreement, categories × categories.

    Distances are between grades, not positions, so a grade that does not occur leaves a gap. Linear weights are those of Cicchetti
    and Allison (1971), quadratic ones, which alpha calls interval, those of Fleiss and Cohen (1973).
    """
    x, size = ratings.numbers, len(ratings.categories)
    if by == "nominal" or size < 2:
        return np.eye(size)
    if x is None:
        hint = Hint("convert the labels to numbers, or use {weights}", weights="nominal")
        raise UsageError("coefficient", f"{by} weights need numeric labels, and these are text", value=by, hint=hint)
    if by == "linear":
        return 1 - np.abs(x[:, None] - x) / np.ptp(x)
    return 1 - (x[:, None] - x) ** 2 / np.ptp(x) ** 2


def usual_coefficients(ratings: Ratings, weights: WeightsName = "nominal") -> tuple[str, ...]:
    """Return the keys of the coefficients to report: weighted ones too for graded labels, and all of them with `weights`."""
    kappas = ("kappa", "fleiss") if ratings.raters == 2 else ("fleiss",)
    keys = ["raw", *kappas, "ac1", "alpha"]
    if ratings.graded:
        keys += [
            f"{kappas[0]}(linear)",
            f"{kappas[0]}(quadratic)",
            "ac2(quadratic)",
            "alpha(ordinal)",
            "alpha(interval)",
        ]
    if weights != "nominal":
        alpha = "interval" if weights == "quadratic" else weights
        family = [f"{key}({weights})" for key in ("raw", *kappas, "ac2")]
        keys += [key for key in (*family, f"alpha({alpha})") if key not in keys]
    return tuple(keys)


# ── values and intervals ─────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Reliability:
    """Value of one coefficient, with its standard error and interval, and the reason if it is NaN."""

    key: str
    name: str
    value: float
    expected: float  # agreement by chance; NaN for coefficients that do not use it
    units: int  # units with two labels or more
    error: float = nan
    low: float = nan
    high: float = nan
    method: str = ""  # of error and interval
    undefined: int = 0  # number of resamples without a value
    reason: str = ""

    @property
    def interval(self) -> tuple[float, float] | None:
        """The confidence interval; None if it is undefined."""
        return None if isnan(self.low) else (self.low, self.high)


def coefficients(
    ratings: Ratings,
    requests: Sequence[CoefficientRequest],
    *,
    query: Ints | None = None,
    confidence: float = 0.95,
    seed: Seed = 0,
) -> dict[str, Reliability]:
    """Compute coefficients and their intervals, by key.

    Coefficients of two raters use the units that both labelled, the others all units with a label.

    Args:
        ratings: labels of all raters.
        requests: coefficients from `parse_coefficient`.
        query: query of each unit. Intervals are then from a bootstrap over queries, or below 50 queries from a jackknife with Student's t.
            Without it, or with one query, they are from a bootstrap over units; that of raw agreement is Wilson's, since resamples of
            perfect agreement do not vary.
        confidence: confidence level.
        seed: random seed.
    """
    check_share(confidence, "confidence")
    keep = ratings.rated() >= (2 if ratings.raters == 2 else 1)
    ratings, query = ratings.take(units=keep), None if query is None else query[keep]
    if query is not None and len(np.unique(query[ratings.rated() >= 2])) < 2:
        query = None  # the variation between queries cannot be estimated from one
    if any(one.definition.name == "kappa" for one in requests) and ratings.raters != 2:
        problem = f"kappa is of two raters and cannot be computed for {ratings.raters}"
        raise UsageError("coefficient", problem, hint="use fleiss or alpha")
    p = ratings.patterns()
    observed, found = Sample(p, p.count), {}
    for one in requests:
        value, chance = float(one.definition.value(observed, one.matrix)) + 0.0, one.definition.chance  # -0.0 is 0.0
        expected = nan if chance is None else float(chance(observed, one.matrix))
        reason = ""
        if isnan(value):
            alone = int((observed.total > 0).sum()) < 2
            reason = "only one category was used, so chance agreement is 1" if alone else "not defined here"
            reason = reason if observed.shared else "no unit with two labels"
        found[one.key] = Reliability(one.key, one.name, value, expected, int(observed.shared), reason=reason)
    drawn = [one for one in requests if not found[one.key].reason]
    if observed.shared < 2 or not drawn:
        return found
    jackknife = query is not None and len(np.unique(query)) < _FEW
    blocks: Iterator[Floats]
    if jackknife and query is not None:
        blocks = (p.count - block for block in _by_cluster(p, query))
    else:
        blocks = _resample(p, query, seed)
    method = (
        "jackknife over queries, Student's t"
        if jackknife
        else f"bootstrap over {'units' if query is None else 'queries'}"
    )
    for one, values in zip(drawn, _values(p, drawn, blocks), strict=True):
        known = values[~np.isnan(values)]
        if len(known) < 2:
            continue
        c = found[one.key]
        if jackknife:
            n = len(values)
            error = sqrt((n - 1) / n * float(((known - known.mean()) ** 2).sum()))
            away = error * float(two_sided_quantile((1 - confidence,), n - 1.0)[0])
            low, high = max(one.definition.floor, c.value - away), min(1.0, c.value + away)
        else:
            error = float(known.std(ddof=1))
            low, high = np.quantile(known, [(1 - confidence) / 2, (1 + confidence) / 2]).tolist()
        c = replace(c, error=error, low=low, high=high, method=method, undefined=len(values) - len(known))
        if one.key == "raw" and query is None and ratings.raters == 2:
            low, high = wilson(c.value, c.units, confidence)
            c = replace(c, low=low, high=high, method="Wilson")
        found[one.key] = c
    return found


def by_query(
    ratings: Ratings, requests: Sequence[CoefficientRequest], query: Ints
) -> tuple[Ints, Ints, dict[str, Floats]]:
    """Return the queries that have units with two labels or more, the number of such units, and the coefficients per query."""
    keep = ratings.rated() >= 2
    p, query = ratings.take(units=keep).patterns(), query[keep]
    if not len(query):
        return np.zeros(0, np.int64), np.zeros(0, np.int64), {one.key: np.zeros(0) for one in requests}
    present, place = np.unique(query, return_inverse=True)
    values = _values(p, requests, _by_cluster(p, query))
    return present, np.bincount(place), dict(zip((one.key for one in requests), values, strict=True))


def _values(p: Patterns, requests: Sequence[CoefficientRequest], blocks: Iterator[Floats]) -> list[Floats]:
    """Return the values of each coefficient for all rows of all blocks of counts."""
    parts: list[list[Floats]] = [[] for _ in requests]
    for block in blocks:
        s = Sample(p, block)
        for one, part in zip(requests, parts, strict=True):
            part.append(one.definition.value(s, one.matrix))
    return [np.concatenate(part) for part in parts]


def _by_cluster(p: Patterns, cluster: Ints) -> Iterator[Floats]:
    """Yield blocks of the count of each pattern in each cluster (clusters × patterns)."""
    table, step = _table(p, cluster), max(1, _BLOCK // max(len(p.count), 1))
    for at in range(0, table.shape[0], step):
        yield table[at : at + step].toarray()


def _resample(p: Patterns, cluster: Ints | None, seed: Seed) -> Iterator[Floats]:
    """Yield blocks of counts (resamples × patterns): of units, or of whole clusters."""
    rng, wide = generator(seed), len(p.count)
    if cluster is None:
        n, share = int(p.count.sum()), p.count / p.count.sum()
        for rows in _blocks(wide, wide):
            yield rng.multinomial(n, share, rows).astype(float)  # units of one pattern are interchangeable
        return
    table = _table(p, cluster).T
    size = table.shape[1]
    table = table.toarray() if size * wide <= _BLOCK else table
    for rows in _blocks(size, wide):
        drawn = rng.integers(0, size, (rows, size)) + np.arange(rows)[:, None] * size
        times = np.bincount(drawn.ravel(), minlength=rows * size).reshape(rows, size)
        yield (table @ times.T.astype(float)).T


def _blocks(size: int, wide: int) -> Iterator[int]:
    """Yield the number of resamples in each block: 2,000 in all, fewer above 10,000 patterns or queries, at least 200."""
    left, step = max(_FEWEST, min(_MOST, _DRAWS // max(size, 1))), max(1, _BLOCK // max(size, wide))
    while left > 0:
        yield min(step, left)
        left -= step


def _table(p: Patterns, cluster: Ints) -> Any:
    from scipy.sparse import csr_array

    present, place = np.unique(cluster, return_inverse=True)
    return csr_array((np.ones(len(place)), (place, p.unit)), shape=(len(present), len(p.count)))
