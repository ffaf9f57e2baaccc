"""The click models and their fits.

- `cascade`: a user goes down the list and stops at the first click (Craswell, Zoeter, Taylor and Ramsey, WSDM 2008);
- `pbm`, position-based: a document is clicked if its rank is examined and it attracts (Richardson, Dominowska and Ragno, WWW 2007);
- `dbn`, dynamic Bayesian: a user goes down the list; a click satisfies with a probability of the document, and a user who is not
  satisfied continues with a persistence that is the same at all ranks (Chapelle and Zhang, WWW 2009).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from judged._types import Bools, Floats, Ints
from judged.clicks.fitted_model import ClickFit
from judged.clicks.log import ClickLog, read_clicks, sums
from judged.errors import DataError, Hint, UsageError, Warned, shown
from judged.stats.checks import check_choice
from judged.steps import step

PAPERS = {"cascade": "craswell2008", "pbm": "richardson2007 craswell2008", "dbn": "chapelle2009b"}
Model = Literal["cascade", "pbm", "dbn"]
Prior = tuple[float, float]
Expectation = Callable[[Floats], tuple[float, Floats, Floats]]


def fit_clicks(
    log: Any, model: Model = "dbn", *, prior: Sequence[float] = (1, 1), persistence: float | None = None
) -> ClickFit:
    """Fit a click model to a log.

    Args:
        log: any input of `read_clicks`.
        model: cascade, pbm or dbn; see docs/guides/clicks.md.
        prior: counts (A, B) added to every probability: (successes + A) / (trials + A + B). For the cascade model this is the mean of the
            posterior under a Beta(A, B) prior; for the others the mode under Beta(A + 1, B + 1). (0, 0) is maximum likelihood.
        persistence: for the dbn, the probability that a user who is not satisfied continues. [default: estimated]

    >>> clicks = [(s, "q", d, r, int(s % 2 == r - 1)) for s in range(6) for r, d in enumerate("ab", 1)]
    >>> fit_clicks(clicks, "cascade").attractiveness
    array([0.5, 0.8])
    """
    check_choice(model, Model, "model")
    if persistence is not None and model != "dbn":
        raise UsageError("parameter", f"the model {model} has no persistence", hint="omit it")
    counts = tuple(prior)
    if len(counts) != 2 or not all(isinstance(x, int | float) and 0 <= x < np.inf for x in counts):
        raise UsageError("parameter", f"prior must be two counts ≥ 0, such as (1, 1), got {shown(prior)}", value=prior)
    clicks = read_clicks(log)
    with step(f"fitting {model}"):
        return _FITS[model](clicks, counts, *([] if persistence is None else [persistence]))


# ── cascade ──────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class CascadeClicks:
    """Probabilities of the cascade model at each rank (last axis); several lists are rows.

    The probability of a click at a rank is that of stopping there: a click ends the session. `no_click` is the rest.
    """

    examined: Floats
    clicked: Floats
    no_click: Any  # a number, or one per list
    reciprocal_rank: Any


def cascade_clicks(attractiveness: Any) -> CascadeClicks:
    """Compute the probabilities of examining, clicking and stopping at each rank from the attractiveness of documents.

    P(C_i) = r_i · Π over j < i of (1 - r_j)   (Craswell, Zoeter, Taylor and Ramsey, WSDM 2008)

    The expected reciprocal rank of the click, Σ P(C_i) / i, is ERR when r = (2^grade - 1) / 2^max (Chapelle, Metzler,
    Zhang and Grinspan, CIKM 2009). It is not DCG with another discount: the product over the documents above remains.

    Args:
        attractiveness: one probability per rank, from rank 1; or one list of the same length per row.

    >>> cascade_clicks([0.5, 0.5]).clicked
    array([0.5 , 0.25])
    """
    try:
        chance = np.asarray(attractiveness, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise UsageError("parameter", f"attractiveness must be numbers, one row per list: {error}") from error
    if chance.ndim not in (1, 2) or not ((chance >= 0) & (chance <= 1)).all():
        problem = f"attractiveness must be between 0 and 1 in one or two dimensions, got {shown(attractiveness)}"
        raise UsageError("parameter", problem)
    passed = np.cumprod(1.0 - chance, axis=-1)
    reached = np.concatenate([np.ones((*chance.shape[:-1], 1)), passed], axis=-1)
    examined = reached[..., :-1]
    clicked = examined * chance
    rank = np.arange(1, chance.shape[-1] + 1)
    # [()] makes a number of an array without dimensions, for one list
    return CascadeClicks(examined, clicked, reached[..., -1][()], (clicked / rank).sum(axis=-1)[()])


def _fit_cascade(log: ClickLog, prior: Prior) -> ClickFit:
    """Count clicks and examinations, where everything down to the click was examined."""
    from scipy.special import xlog1py, xlogy

    _check_whole_lists(log, "cascade")
    clicks = sums(log.session, log.clicked, len(log.sessions))
    if (clicks > 1).any():
        row = int(np.argmax(clicks > 1))
        problem = f"{int(clicks[row])} clicks in session {shown(log.sessions[row])}; the cascade model allows one"
        raise DataError("clicks", problem, where=log.name, hint="use another model: dbn")
    end = np.minimum.reduceat(np.where(log.clicked, log.rank, log.depth), log.starts)
    examined = log.rank <= end[log.session]
    success = sums(log.pair, log.clicked & examined, len(log.pairs))
    trials = sums(log.pair, examined, len(log.pairs))
    whole = trials + sum(prior)
    rate = np.divide(success + prior[0], whole, out=np.full(len(whole), np.nan), where=whole > 0)
    seen = trials > 0
    likely = xlogy(success[seen], rate[seen]) + xlog1py((trials - success)[seen], -rate[seen])
    return ClickFit(model="cascade", log=log, prior=prior, attractiveness=rate, log_likelihood=float(likely.sum()))


def _check_whole_lists(log: ClickLog, model: str) -> None:
    """Raise for a list with a gap: a user who goes down the list passes every rank."""
    expected = np.arange(len(log)) - log.starts[log.session] + 1
    wrong = np.flatnonzero(log.rank != expected)
    if len(wrong):
        row = int(wrong[0])
        session = shown(log.sessions[log.session[row]])
        raise DataError(
            "clicks",
            f"rank {expected[row]} of session {session} is missing (next is {log.rank[row]}), and {model} needs every rank",
            where=log.name,
            hint="also log documents that were shown but not clicked, or use pbm",
        )


# ── maximum likelihood with hidden events ────────────────────────────────────────────────────────


def _maximise(
    start: Floats, expect: Expectation, prior: Prior, tolerance: float = 1e-13, most: int = 5000
) -> tuple[Floats, float, tuple[Warned, ...]]:
    """Maximise the log-likelihood plus the log prior over probabilities; return them, the log-likelihood there, and a warning if that failed.

    EM, with an extrapolation after every two steps (SQUAREM, scheme S3: Varadhan and Roland, Scandinavian Journal of Statistics
    2008). One that would lower the objective is rejected, so the objective never falls.

    Args:
        start: probabilities strictly between 0 and 1.
        expect: returns the log-likelihood, and the expected successes and failures of each probability given the log.
        prior: successes and failures added to those.
        tolerance: relative rise of the objective below which the search ends.
        most: maximum number of steps.
    """
    from scipy.special import xlog1py, xlogy

    def em(here: Floats) -> tuple[Floats, float]:
        """The probabilities after one step, and the objective before it."""
        value, success, failure = expect(here)
        value += float((xlogy(prior[0], here) + xlog1py(prior[1], -here)).sum())
        whole = success + failure + sum(prior)
        return np.divide(success + prior[0], whole, out=here.copy(), where=whole > 0), value

    here, value = start, -np.inf
    first = em(here)[0]
    for _ in range(0, most, 3):
        second, middle = em(first)
        pace, bend = first - here, second - 2.0 * first + here
        length = float(np.linalg.norm(bend))
        reach = max(float(np.linalg.norm(pace)) / length, 1.0) if length else 0.0
        leap = here + 2.0 * reach * pace + reach**2 * bend
        leap = np.where((leap > 0.0) & (leap < 1.0), leap, second) if length else second
        third, reached = em(leap)
        if not reached >= middle:  # also if it is NaN
            leap = second
            third, reached = em(second)
        rise, value = reached - value, reached
        here, first = leap, third
        if rise <= tolerance * max(abs(value), 1.0):
            return here, expect(here)[0], ()
    text = f"the fit stopped after {most} steps without convergence"
    return here, expect(here)[0], (Warned("unconverged", 1, text),)


class PositionCells(NamedTuple):
    """The distinct (pair, rank) cells of a log, of which a log of any length has few: all that the position-based model needs."""

    log: ClickLog
    ranks: Ints  # those that were shown; the first is the anchor, where examination is 1
    cell: Ints  # of each row of the log
    pair: Ints  # of each cell
    place: Ints  # of each cell, an index into `ranks`

    @classmethod
    def of(cls, log: ClickLog) -> PositionCells:
        ranks, place = np.unique(log.rank, return_inverse=True)
        codes, cell = np.unique(log.pair * len(ranks) + place, return_inverse=True)
        return cls(log, ranks, cell, codes // len(ranks), codes % len(ranks))

    def fit(
        self, prior: Prior, weight: Floats | None = None, start: Floats | None = None
    ) -> tuple[Floats, float, tuple[Warned, ...]]:
        """Return attractiveness by pair followed by examination by place without the anchor, the log-likelihood, and warnings.

        `weight` is the number of times that each session counts; with a `start` near the maximum, a rough search is enough.
        """
        from scipy.special import xlog1py, xlogy

        log, pairs, places = self.log, len(self.log.pairs), len(self.ranks)
        rows = np.ones(len(log)) if weight is None else weight[log.session]
        shown_cells, clicked = (sums(self.cell, x, len(self.pair)) for x in (rows, rows * log.clicked))
        skipped = shown_cells - clicked

        def totals(by_pair: Floats, by_place: Floats) -> Floats:
            return np.append(sums(self.pair, by_pair, pairs), sums(self.place, by_place, places)[1:])

        trials = totals(shown_cells, shown_cells)

        def expect(chances: Floats) -> tuple[float, Floats, Floats]:
            a, e = chances[self.pair], np.append(1.0, chances[pairs:])[self.place]
            click = a * e
            quiet = np.divide(skipped, 1.0 - click, out=np.zeros_like(click), where=skipped > 0)
            success = totals(clicked + quiet * a * (1.0 - e), clicked + quiet * e * (1.0 - a))
            value = (xlogy(clicked, click) + xlog1py(skipped, -click)).sum()
            return float(value), success, trials - success

        if start is None:
            rate = (totals(clicked, clicked) + 1.0) / (trials + 2.0)
            top = (clicked[self.place == 0].sum() + 1.0) / (shown_cells[self.place == 0].sum() + 2.0)
            start = np.append(rate[:pairs], np.clip(rate[pairs:] / top, 0.05, 0.95))
            return _maximise(start, expect, prior)
        return _maximise(start, expect, prior, tolerance=1e-8, most=500)

    def examination(self, chances: Floats) -> Floats:
        """Examination of the ranks from 1 on; interpolated at ranks that were not shown."""
        known = np.append(1.0, chances[len(self.log.pairs) :])
        return np.interp(np.arange(1, self.log.depth + 1), self.ranks, known)

    def unidentified(self) -> Bools:
        """The pairs that are not connected to the first rank by shared ranks and pairs."""
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        pairs, size = len(self.log.pairs), len(self.log.pairs) + len(self.ranks)
        # SciPy 1.11 takes no other integers.
        ends = (self.pair.astype(np.int32), (pairs + self.place).astype(np.int32))
        part = connected_components(coo_array((np.ones(len(self.pair)), ends), shape=(size, size)), directed=False)[1]
        return part[:pairs] != part[pairs]


def _fit_position(log: ClickLog, prior: Prior) -> ClickFit:
    """Fit attractiveness by pair and examination by rank.

    Only products are identified, so examination at the first rank is fixed at 1, and attractiveness is the probability
    of a click there.
    """
    cells = PositionCells.of(log)
    chances, likely, warnings = cells.fit(prior)
    lost = int(cells.unidentified().sum())
    text = f"{lost} of {len(log.pairs)} (query, doc) pairs are not linked to rank 1, and the log does not determine their relevance"
    return ClickFit(
        model="pbm",
        log=log,
        prior=prior,
        attractiveness=chances[: len(log.pairs)],
        examination=cells.examination(chances),
        log_likelihood=likely,
        warnings=(*warnings, *((Warned("unidentified", lost, text),) if lost else ())),
    )


# ── dynamic Bayesian ─────────────────────────────────────────────────────────────────────────────


class _Tails(NamedTuple):
    """The ranks below the last click, where events are hidden; equal ones are one column. Rows are ranks.

    Down to the last click everything was examined, and every earlier click left the user unsatisfied. Below it the user was
    either satisfied at once, or continued for some ranks without clicking.
    """

    pair: Ints  # 0 outside of `below`
    below: Bools  # ranks below the top, to the end of the list
    top: Ints  # the row of the last click, or of rank 1 without one
    end: Ints  # the row of the last document
    ended: Bools  # True with a click, at the top
    last: Ints  # the pair at the top
    weight: Floats  # number of sessions

    @classmethod
    def of(cls, log: ClickLog, last_click: Ints) -> _Tails:
        length = np.bincount(log.session)
        top = np.maximum(last_click, 1) - 1
        grid = np.full((len(length), log.depth), -1)
        grid[log.session, log.rank - 1] = log.pair
        grid = np.where(np.arange(log.depth) < top[:, None], -1, grid)
        hidden = np.flatnonzero(top + 1 < length)
        # Sessions are equal if they have the same documents from the top on, and both or neither have a click there.
        code = (last_click[hidden] > 0).astype(np.int64)
        for column in grid[hidden].T:
            code = np.unique(code * (len(log.pairs) + 1) + column + 1, return_inverse=True)[1]
        _, first, sessions = np.unique(code, return_index=True, return_counts=True)
        rows = hidden[first]
        top, end, ranks = top[rows], length[rows] - 1, np.arange(log.depth)[:, None]
        below = (ranks > top) & (ranks <= end)
        # `ascontiguousarray`: a step from rank to rank then uses contiguous memory.
        shown_below = np.ascontiguousarray(np.where(below, grid[rows].T, 0))
        return cls(shown_below, below, top, end, last_click[rows] > 0, grid[rows, top], sessions.astype(float))

    def hidden(self, attraction: Floats, satisfaction: Floats, persistence: float) -> tuple[Floats, Floats, Floats]:
        """Return the probability of each tail, and given the tail those that its user was unsatisfied and reached each rank.

        Backward over ranks: the probability T_k that an unsatisfied user at rank k clicks nothing below it is T_k = (1 -
        γ) + γ·(1 - a_(k+1))·T_(k+1), and 1 at the end. Forward: the probability that the user reached each rank.
        """
        depth, size = self.pair.shape
        each = np.arange(size)
        onward = np.zeros((depth, size))  # γ·(1 - a_k)·T_k: continue to rank k and click nothing from there
        quiet = np.ones((depth, size))
        for k in range(depth - 1, 0, -1):
            np.multiply(persistence * (1.0 - attraction[self.pair[k]]), quiet[k], out=onward[k], where=self.below[k])
            np.add(1.0 - persistence, onward[k], out=quiet[k - 1], where=self.below[k])
        satisfied = np.where(self.ended, satisfaction[self.last], 0.0)
        silent = (1.0 - satisfied) * quiet[self.top, each]
        unsatisfied = np.divide(silent, satisfied + silent, out=np.zeros(size), where=silent > 0)
        reached = np.zeros((depth, size))
        reached[self.top, each] = unsatisfied
        for k in range(1, depth):
            reached[k] += reached[k - 1] * np.divide(onward[k], quiet[k - 1], out=np.zeros(size), where=onward[k] > 0)
        return satisfied + silent, unsatisfied, reached


def _fit_bayesian(log: ClickLog, prior: Prior, persistence: float | None = None) -> ClickFit:
    """Fit attractiveness and satisfaction by pair, and one persistence unless it is given."""
    from scipy.special import xlog1py, xlogy

    if persistence is not None and not 0 < persistence <= 1:
        problem = f"persistence must be above 0 and at most 1, got {persistence!r}"
        raise UsageError("parameter", problem, value=persistence)
    _check_whole_lists(log, "dbn")
    pairs, free = len(log.pairs), persistence is None
    last_click = np.maximum.reduceat(np.where(log.clicked, log.rank, 0), log.starts)
    last, tails = last_click[log.session], _Tails.of(log, last_click)
    clicked = sums(log.pair, log.clicked, pairs)
    skipped = sums(log.pair, ~log.clicked & (log.rank <= np.maximum(last, 1)), pairs)
    onward = sums(log.pair, log.clicked & (log.rank < last), pairs)  # clicks that did not satisfy
    steps = float((np.maximum(last_click, 1) - 1).sum())  # times that an unsatisfied user continued
    below = np.flatnonzero(tails.below)
    below_pair, last_pair = tails.pair.ravel()[below], tails.last[tails.ended]

    def split(chances: Floats) -> tuple[Floats, Floats, float]:
        going = float(chances[-1]) if persistence is None else persistence
        return chances[:pairs], chances[pairs : 2 * pairs], going

    def expect(chances: Floats) -> tuple[float, Floats, Floats]:
        attraction, satisfaction, going = split(chances)
        likelihood, unsatisfied, reached = tails.hidden(attraction, satisfaction, going)
        value = (xlogy(clicked, attraction) + xlog1py(skipped, -attraction) + xlog1py(onward, -satisfaction)).sum()
        value += xlogy(steps, going) + xlogy(tails.weight, likelihood).sum()
        examined = (tails.weight * reached).ravel()[below]
        left = tails.weight * unsatisfied
        success = [clicked, sums(last_pair, (tails.weight - left)[tails.ended], pairs)]
        failure = [skipped + sums(below_pair, examined, pairs), onward + sums(last_pair, left[tails.ended], pairs)]
        if free:
            at_end = reached[tails.end, np.arange(len(tails.end))]
            success.append(np.array([steps + examined.sum()]))
            failure.append(np.array([(left - tails.weight * at_end).sum()]))
        return float(value), np.concatenate(success), np.concatenate(failure)

    attractive = (clicked + 1.0) / (clicked + skipped + 2.0)
    start = np.concatenate([attractive, np.full(pairs, 0.5), [0.9] if free else []])
    chances, likely, warnings = _maximise(start, expect, prior)
    attraction, satisfaction, going = split(chances)
    if free:
        warnings += _check_orders(log)
    return ClickFit(
        model="dbn",
        log=log,
        prior=prior,
        attractiveness=attraction,
        satisfaction=satisfaction,
        persistence=going,
        log_likelihood=likely,
        warnings=warnings,
    )


def _check_orders(log: ClickLog) -> tuple[Warned, ...]:
    """Warn if all lists of each query have the same order, which does not identify a free persistence.

    With one order the probability that the next click after rank l is at rank m is x_l · y_m, with y_m = γ·a_m·Π(γ·(1
    - a_j)) over the ranks between: any γ gives the same probabilities with other attractiveness and satisfaction.
    """
    wide = log.depth + 1
    by_pair = np.unique(log.pair * wide + log.rank)
    by_query = np.unique(log.pairs.query[log.pair] * wide + log.rank)
    lost = int((by_pair % wide > 1).sum())
    if len(by_pair) > len(by_query) or not lost:
        return ()
    text = "every query shows its documents in one order only, so persistence and attractiveness below rank 1 are not identified"
    hint = Hint("set {persistence}, or log lists in several orders", persistence=None)
    return (Warned("unidentified", lost, text, hint),)


_FITS: dict[str, Callable[..., ClickFit]] = {"cascade": _fit_cascade, "pbm": _fit_position, "dbn": _fit_bayesian}
