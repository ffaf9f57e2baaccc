"""Fit the chain models (dcm, sdbn, dbn) by EM over the hidden states below the last click."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from judged._types import Bools, Floats
from judged.clicks.data.estimate import estimate_with_variance
from judged.clicks.data.grid import Grid, check_whole_lists, grid_of, tally
from judged.clicks.data.log import ClickLog, sums
from judged.clicks.fitting.closed_form import chain_result, count_chain
from judged.clicks.fitting.em import Climb, climb
from judged.clicks.fitting.hidden_tail import Hidden, Seen, Tails, hidden, seen_and_tails
from judged.clicks.fitting.information import BlockArrow
from judged.clicks.fitting.louis import ParameterLayout, chain_information
from judged.clicks.models.chain import Chain
from judged.clicks.models.model import Fit, FitSettings
from judged.errors import Hint, UsageError, Warned
from judged.stats.checks import check_choice

Method = Literal["em", "counts"]


def fit_dependent(log: ClickLog, settings: FitSettings, *, method: Method = "em") -> Fit:
    """Fit the dependent click model: attractiveness by pair, and the probability of leaving after a click by rank.

    `method="counts"` is the closed form of Guo, Liu and Wang (WSDM 2009), which assumes that the user left after the
    last click. It maximises a lower bound of the likelihood, not the likelihood.
    """
    return _fit_chain(log, settings, "dcm", by="rank", persistence=1.0, method=method)


def fit_simplified(log: ClickLog, settings: FitSettings, *, method: Method = "em") -> Fit:
    """Fit the simplified dynamic Bayesian model, in which users never give up: persistence is 1.

    `method="counts"` is the closed form of Chapelle and Zhang (WWW 2009), which assumes that every last click
    satisfied. If unsatisfied users reach the end of the list, it overestimates satisfaction and attractiveness.
    """
    return _fit_chain(log, settings, "sdbn", by="pair", persistence=1.0, method=method)


def fit_bayesian(log: ClickLog, settings: FitSettings, *, persistence: float | None = None) -> Fit:
    """Fit the dynamic Bayesian model by EM: attractiveness and satisfaction by pair, and one persistence.

    Args:
        log: complete lists from rank 1.
        settings: see `FitSettings`.
        persistence: fixed value; None to estimate it.
    """
    if persistence is not None and not 0 < persistence <= 1:
        raise UsageError(
            "parameter", f"persistence must be above 0 and at most 1, got {persistence!r}", value=persistence
        )
    return _fit_chain(log, settings, "dbn", by="pair", persistence=persistence, method="em")


def _fit_chain(
    log: ClickLog, settings: FitSettings, name: str, *, by: str, persistence: float | None, method: Method
) -> Fit:
    check_choice(method, Method, "method")
    check_whole_lists(log, name)
    grid = grid_of(log)
    if method == "counts":
        return count_chain(log, grid, settings, name, by)
    problem = _ChainProblem(
        *seen_and_tails(grid, len(log.pairs), by=by),
        settings,
        persistence,
        ParameterLayout.of(log.pairs, own_stop=by == "pair"),
    )
    optimum = climb(
        problem.start(), problem.step, problem.newton, tolerance=settings.tolerance, max_steps=settings.max_steps
    )
    attraction, satisfaction, going = problem.split(optimum.parameters)
    model = Chain(name, log.pairs, attraction, satisfaction, going, by, settings.unseen)
    return _with_uncertainty(log, grid, settings, model, problem, optimum)


@dataclass(frozen=True, slots=True)
class _ChainProblem:
    """EM for a chain model: observed counts, hidden tails, and the prior.

    Parameters are one vector: attractiveness by pair, satisfaction by pair or by rank, and persistence unless it is
    fixed.
    """

    seen: Seen
    tails: Tails
    settings: FitSettings
    fixed: float | None
    layout: ParameterLayout
    latest: list[tuple[Floats, BlockArrow, Floats, Floats]] = field(default_factory=list)  # cache of `information`

    def start(self) -> Floats:
        pairs = self.seen.clicked
        attraction = (pairs + 1.0) / (pairs + self.seen.skipped + 2.0)
        going = [0.9] if self.fixed is None else []
        return np.concatenate([attraction, np.full(len(self.seen.onward), 0.5), going])

    def split(self, parameters: Floats) -> tuple[Floats, Floats, float]:
        pairs, stops = len(self.seen.clicked), len(self.seen.onward)
        going = float(parameters[-1]) if self.fixed is None else self.fixed
        return parameters[:pairs], parameters[pairs : pairs + stops], going

    def state(self, parameters: Floats) -> Hidden:
        return hidden(self.tails, *self.split(parameters))

    def log_likelihood(self, parameters: Floats, state: Hidden) -> float:
        from scipy.special import xlog1py, xlogy

        attraction, satisfaction, going = self.split(parameters)
        seen = self.seen
        certain = (xlogy(seen.clicked, attraction) + xlog1py(seen.skipped, -attraction)).sum()
        certain += xlog1py(seen.onward, -satisfaction).sum() + xlogy(seen.steps, going)
        return float(certain + xlogy(self.tails.weight, state.likelihood).sum())

    def expected(self, state: Hidden) -> tuple[Floats, Floats]:
        """Return the expected successes and failures of each parameter, without the prior."""
        seen, tails = self.seen, self.tails
        examined = (tails.weight * state.reached).ravel()[tails.flat]
        quiet = sums(tails.flat_pair, examined, len(seen.clicked))
        code, ended, left = tails.code[tails.ended], tails.weight[tails.ended], state.unsatisfied[tails.ended]
        success = [seen.clicked, sums(code, ended * (1.0 - left), len(seen.onward))]
        failure = [seen.skipped + quiet, seen.onward + sums(code, ended * left, len(seen.onward))]
        if self.fixed is None:
            at_end = state.reached[tails.end - 1, np.arange(len(tails))]
            success.append(np.array([seen.steps + examined.sum()]))
            failure.append(np.array([(tails.weight * (state.unsatisfied - at_end)).sum()]))
        return np.concatenate(success), np.concatenate(failure)

    def step(self, parameters: Floats) -> tuple[Floats, float]:
        from scipy.special import xlog1py, xlogy

        a, b = self.settings.prior
        state = self.state(parameters)
        value = self.log_likelihood(parameters, state) + float((xlogy(a, parameters) + xlog1py(b, -parameters)).sum())
        success, failure = self.expected(state)
        whole = success + failure + a + b
        return np.divide(success + a, whole, out=parameters.copy(), where=whole > 0), value

    def newton(self, parameters: Floats) -> tuple[Floats, float]:
        arrow, success, failure = self.information(parameters)
        live = parameters * (1.0 - parameters) > 1e-9
        safe = np.clip(parameters, 1e-300, 1.0 - 1e-16)
        slope = success / safe - failure / (1.0 - safe)
        inward = np.where(parameters < 0.5, slope, -slope)
        if (~live & (inward > 1.0)).any():  # at 0 or 1 while the objective rises inwards: not the maximum
            return np.zeros(len(slope)), -1.0
        slope = np.where(live, slope, 0.0)
        direction = self.layout.join(*arrow.solve(*self.layout.split(slope)))
        return direction, float(slope @ direction)

    def information(self, parameters: Floats) -> tuple[BlockArrow, Floats, Floats]:
        """Return the inverse information, and the expected successes and failures with the prior."""
        if self.latest and self.latest[0][0] is parameters:
            return self.latest[0][1:]
        state = self.state(parameters)
        success, failure = self.expected(state)
        success, failure = success + self.settings.prior[0], failure + self.settings.prior[1]
        arrow = chain_information(
            self.layout, self.tails, state, parameters, success, failure, going=self.fixed is None
        )
        self.latest[:] = [(parameters, arrow, success, failure)]
        return arrow, success, failure


def _with_uncertainty(
    log: ClickLog, grid: Grid, settings: FitSettings, model: Chain, problem: _ChainProblem, optimum: Climb
) -> Fit:
    """Add intervals to the fit; a parameter without trials and without a prior is NaN."""
    prior, level = settings.prior, settings.level
    arrow, success, failure = problem.information(optimum.parameters)
    variance = problem.layout.join(*arrow.variances())
    lost = _one_order(grid, len(log.pairs)) if problem.fixed is None else np.zeros(len(log.pairs), bool)
    if lost.any():
        variance = np.where(np.concatenate([lost, lost, [True]]), np.nan, variance)
    values = np.where(success + failure > 0, optimum.parameters, np.nan)
    success, failure = success - prior[0], failure - prior[1]
    everything = estimate_with_variance(values, variance, success, failure, prior, level)
    pairs, stops = len(problem.seen.clicked), len(problem.seen.onward)
    named = {
        "attractiveness": everything.part(slice(pairs)),
        "satisfaction": everything.part(slice(pairs, pairs + stops)),
    }
    if problem.fixed is None:
        named["persistence"] = everything.part(slice(pairs + stops, None))
    relevance = named["attractiveness"]
    if model.by == "pair":
        a, s = values[:pairs], values[pairs : 2 * pairs]
        both = (
            arrow.covariance(problem.layout.local[:pairs], problem.layout.local[pairs:]) if problem.layout.full else 0.0
        )
        spread = s**2 * variance[:pairs] + a**2 * variance[pairs : 2 * pairs] + 2.0 * a * s * both
        relevance = estimate_with_variance(a * s, spread, success[:pairs], failure[:pairs], prior, level)
    likely = problem.log_likelihood(optimum.parameters, problem.state(optimum.parameters))
    fit = chain_result(log, grid, settings, model, named, relevance, likely)
    warnings = []
    if lost.any():
        text = "every query shows its documents in one order only, which does not identify persistence and attractiveness below rank 1"
        hint = Hint("set {persistence}, or log lists in several orders", persistence=None)
        warnings.append(Warned("unidentified", int(lost.sum()), text, hint))
    if not problem.layout.full:
        text = "some queries have too many documents for a full information matrix; intervals use its diagonal and are too narrow"
        warnings.append(Warned("clicks-diagonal", 1, text))
    return replace(
        fit,
        trace=optimum.trace,
        steps=optimum.steps,
        converged=optimum.converged,
        warnings=tuple(warnings),
        information="full" if problem.layout.full else "diagonal",
    )


def _one_order(grid: Grid, pairs: int) -> Bools:
    """Return the mask of pairs that do not identify a free persistence because all lists of each query have the same
    order: those below rank 1.

    With one order the probability that the next click after rank l is at rank m is x_l · y_m, with y_m = γ·a_m·Π(γ·(1
    - a_j)) over the ranks between: any γ gives the same probabilities with other attractiveness and satisfaction.
    """
    pair, present = grid.lists.pair.astype(np.int64), grid.lists.shown
    depth = pair.shape[1]
    rank = np.broadcast_to(np.arange(depth), pair.shape)[present]
    place = pair[present] * depth + rank
    query = grid.lists.pairs.query.astype(np.int64)[pair[present]] * depth + rank
    seen, at = tally(place, pairs * depth)[0], tally(query, len(grid.lists.pairs.queries) * depth)[0]
    lost = np.zeros(pairs, bool)
    if len(seen) == len(at):
        lost[seen[seen % depth > 0] // depth] = True
    return lost
