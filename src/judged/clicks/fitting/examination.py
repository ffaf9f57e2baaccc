"""Fit the examination models by EM over (document, place) cells, of which a log of any length has few."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from judged._types import Bools, Floats, Ints
from judged.clicks.data.estimate import ParameterEstimate, estimate_from_counts, estimate_with_variance
from judged.clicks.data.grid import check_whole_lists, last_click_before, tally
from judged.clicks.data.log import ClickLog, sums
from judged.clicks.fitting.em import Climb, accelerate, climb
from judged.clicks.fitting.information import CellArrow, cell_arrow
from judged.clicks.models.examination import Examination
from judged.clicks.models.model import Fit, FitSettings
from judged.errors import Warned


def fit_position(log: ClickLog, settings: FitSettings) -> Fit:
    """Fit the position-based model by EM: attractiveness by pair and examination by rank.

    Only products are identified, so examination at the first rank is fixed at 1, and attractiveness is the probability
    of a click there. Pairs that are not connected to the first rank by shared ranks and pairs are not identified:
    their errors and intervals are NaN, with a warning.
    """
    ranks = np.unique(log.rank)
    problem = _ExaminationProblem.of(log, np.searchsorted(ranks, log.rank), len(ranks), settings)
    optimum = problem.solve()
    attraction, examination = problem.split(optimum.parameters)
    table = np.interp(np.arange(1, log.depth + 1), ranks, examination)[:, None]
    model = Examination("pbm", log.pairs, attraction, table, settings.unseen)
    return _result(log, model, problem, optimum, tuple(ranks.tolist()))


class PositionRefits:
    """Maximum likelihood fits of the position-based model to a log whose sessions are weighted: for a bootstrap.

    No prior: one on attractiveness pulls examination down, and estimates that divide by it up.
    """

    def __init__(self, log: ClickLog) -> None:
        self._log = log
        self._ranks = np.unique(log.rank)
        places = len(self._ranks)
        code = log.pair.astype(np.int64) * places + np.searchsorted(self._ranks, log.rank)
        self._codes, self._cell = np.unique(code, return_inverse=True)
        self._start: Floats | None = None

    def fit(self, weight: Floats | None = None) -> Floats:
        """Return examination by rank; `weight` has one number per session.

        The first fit is to the maximum; later ones start there, and stop when the objective hardly rises.
        """
        log, places = self._log, len(self._ranks)
        rows = np.ones(len(log)) if weight is None else weight[log.session]
        shown, clicked = (sums(self._cell, x, len(self._codes)) for x in (rows, rows * log.clicked))
        cells = _Cells(self._codes // places, self._codes % places, shown, clicked, len(log.pairs), places)
        nowhere = (np.zeros(cells.pairs, bool), np.zeros(places, bool))
        if self._start is None:
            problem = _ExaminationProblem(cells, FitSettings(prior=(0.0, 0.0)), cells.unidentified())
            parameters = problem.solve().parameters
            self._start = np.clip(parameters, 1e-6, 1 - 1e-6)
        else:
            problem = _ExaminationProblem(cells, FitSettings(prior=(0.0, 0.0)), nowhere)
            parameters = accelerate(self._start, problem.step, [-np.inf], 0, 1e-7, 200)[0]
        return np.interp(np.arange(1, log.depth + 1), self._ranks, problem.split(parameters)[1])


def fit_browsing(log: ClickLog, settings: FitSettings) -> Fit:
    """Fit the user browsing model by EM: attractiveness by pair, and examination by rank and nearest click above.

    Rank 1 is the anchor, with the same limits of identification as in the position-based model.
    """
    check_whole_lists(log, "ubm")
    wide = log.depth + 1
    code = (log.rank.astype(np.int64) - 1) * wide + last_click_before(log)
    seen = tally(code, wide * wide)[0]
    place = np.full(wide * wide, -1)
    place[seen] = np.arange(len(seen))
    problem = _ExaminationProblem.of(log, place[code], len(seen), settings)
    optimum = problem.solve()
    attraction, examination = problem.split(optimum.parameters)
    table = np.full(wide * wide, settings.unseen)
    table[seen] = examination
    model = Examination("ubm", log.pairs, attraction, table.reshape(wide, wide)[:-1], settings.unseen)
    return _result(log, model, problem, optimum, tuple((int(c) // wide + 1, int(c) % wide) for c in seen))


@dataclass(frozen=True, slots=True)
class _Cells:
    """Impressions and clicks of each pair in each place; place 0 is the anchor, where examination is 1."""

    pair: Ints
    place: Ints
    shown: Floats
    clicked: Floats
    pairs: int
    places: int

    @property
    def skipped(self) -> Floats:
        return self.shown - self.clicked

    def by_pair(self, values: Floats) -> Floats:
        return sums(self.pair, values, self.pairs)

    def by_place(self, values: Floats) -> Floats:
        return sums(self.place, values, self.places)

    def unidentified(self) -> tuple[Bools, Bools]:
        """Return the masks of pairs and of places that are not connected to the anchor."""
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        size = self.pairs + self.places
        pair, place = (
            ends.astype(np.int32) for ends in (self.pair, self.pairs + self.place)
        )  # SciPy 1.11 takes no others
        edges = (np.ones(len(self.pair)), (pair, place))
        part = connected_components(coo_array(edges, shape=(size, size)), directed=False)[1]
        lost = part != part[self.pairs]
        return lost[: self.pairs] & (self.by_pair(self.shown) > 0), lost[self.pairs :]


@dataclass(frozen=True, slots=True)
class _ExaminationProblem:
    """EM for the product of a probability of the pair and one of the place.

    Parameters are one vector: attractiveness by pair, then examination by place without the anchor.
    """

    cells: _Cells
    settings: FitSettings
    lost: tuple[Bools, Bools]

    @classmethod
    def of(cls, log: ClickLog, place: Ints, places: int, settings: FitSettings) -> _ExaminationProblem:
        size = len(log.pairs) * places
        codes, shown, clicked = tally(log.pair.astype(np.int64) * places + place, size, log.clicked.astype(np.float64))
        cells = _Cells(codes // places, codes % places, shown, clicked, len(log.pairs), places)
        return cls(cells, settings, cells.unidentified())

    def solve(self) -> Climb:
        settings = self.settings
        return climb(self.start(), self.step, self.newton, tolerance=settings.tolerance, max_steps=settings.max_steps)

    def split(self, parameters: Floats) -> tuple[Floats, Floats]:
        """Return attractiveness by pair, and examination by place with the anchor first."""
        return parameters[: self.cells.pairs], np.append(1.0, parameters[self.cells.pairs :])

    def start(self) -> Floats:
        cells = self.cells
        rate = (cells.by_place(cells.clicked) + 1.0) / (cells.by_place(cells.shown) + 2.0)
        examined = np.clip(rate / rate[0], 0.05, 0.95)
        reached = cells.by_pair(cells.shown * np.append(1.0, examined[1:])[cells.place])
        attractive = (cells.by_pair(cells.clicked) + 1.0) / (np.maximum(reached, cells.by_pair(cells.clicked)) + 2.0)
        return np.append(attractive, examined[1:])

    def hidden(self, parameters: Floats) -> tuple[Floats, Floats, Floats]:
        """Return for each cell the probability of a click, and without a click those of attraction and of examination."""
        attraction, examination = self.split(parameters)
        a, e = attraction[self.cells.pair], examination[self.cells.place]
        passed = 1.0 - a * e
        safe = np.where(passed > 0, passed, 1.0)
        return a * e, a * (1.0 - e) / safe, e * (1.0 - a) / safe

    def log_likelihood(self, chance: Floats) -> float:
        from scipy.special import xlog1py, xlogy

        return float((xlogy(self.cells.clicked, chance) + xlog1py(self.cells.skipped, -chance)).sum())

    def step(self, parameters: Floats) -> tuple[Floats, float]:
        from scipy.special import xlog1py, xlogy

        cells, (a, b) = self.cells, self.settings.prior
        chance, attracted, examined = self.hidden(parameters)
        value = self.log_likelihood(chance) + float((xlogy(a, parameters) + xlog1py(b, -parameters)).sum())
        by_pair = cells.by_pair(cells.clicked + cells.skipped * attracted)
        by_place = cells.by_place(cells.clicked + cells.skipped * examined)[1:]
        success = np.append(by_pair, by_place) + a
        whole = np.append(cells.by_pair(cells.shown), cells.by_place(cells.shown)[1:]) + a + b
        return np.divide(success, whole, out=parameters.copy(), where=whole > 0), value

    def newton(self, parameters: Floats) -> tuple[Floats, float]:
        arrow, slope = self.information(parameters)
        by_pair, by_place = np.split(slope, [self.cells.pairs])
        direction = np.append(*arrow.solve(by_pair, by_place))
        return direction, float(slope @ direction)

    def information(self, parameters: Floats) -> tuple[CellArrow, Floats]:
        """Return the inverse information and the gradient; parameters at 0 or 1, or not identified, count as known."""
        cells, (a, b) = self.cells, self.settings.prior
        attraction, examination = self.split(parameters)
        one, other = attraction[cells.pair], examination[cells.place]
        passed = 1.0 - one * other
        rest = _over(cells.skipped, passed**2)
        curve = np.append(
            cells.by_pair(_over(cells.clicked, one**2) + rest * other**2),
            cells.by_place(_over(cells.clicked, other**2) + rest * one**2)[1:],
        )
        slope = np.append(
            cells.by_pair(_over(cells.clicked, one) - rest * passed * other),
            cells.by_place(_over(cells.clicked, other) - rest * passed * one)[1:],
        )
        live = (parameters * (1.0 - parameters) > 1e-9) & ~np.append(self.lost[0], self.lost[1][1:])
        safe = np.where(live, parameters, 0.5)
        curve = np.where(live, curve + a / safe**2 + b / (1.0 - safe) ** 2, 0.0)
        slope = np.where(live, slope + a / safe - b / (1.0 - safe), 0.0)
        local, shared = np.split(curve, [cells.pairs])
        return cell_arrow(local, shared, cells.pair, cells.place - 1, rest), slope


def _over(count: Floats, square: Floats) -> Floats:
    return np.divide(count, square, out=np.zeros(len(count)), where=(count > 0) & (square > 0))


def _result(
    log: ClickLog, model: Examination, problem: _ExaminationProblem, optimum: Climb, labels: tuple[object, ...]
) -> Fit:
    cells, prior, level = problem.cells, problem.settings.prior, problem.settings.level
    attraction, examination = problem.split(optimum.parameters)
    by_pair, by_place = problem.information(optimum.parameters)[0].variances()
    chance, attracted, examined = problem.hidden(optimum.parameters)
    shown, clicked = cells.by_pair(cells.shown), cells.by_pair(cells.clicked)
    value = np.where(shown + sum(prior) > 0, attraction, np.nan)
    by_document = estimate_with_variance(value, by_pair, clicked, cells.by_pair(cells.skipped * examined), prior, level)
    places = estimate_with_variance(
        examination[1:],
        by_place,
        cells.by_place(cells.clicked)[1:],
        cells.by_place(cells.skipped * attracted)[1:],
        prior,
        level,
    )
    count = int(problem.lost[0].sum())
    text = f"{count} of {cells.pairs} (query, doc) pairs are not linked to rank 1 and have no intervals"
    return Fit(
        model=model,
        settings=problem.settings,
        parameters={"attractiveness": by_document, "examination": _with_anchor(places)},
        labels={"examination": labels},
        relevance=by_document,
        impressions=shown,
        clicks=clicked,
        sessions=len(log.sessions),
        log_likelihood=problem.log_likelihood(chance),
        trace=optimum.trace,
        steps=optimum.steps,
        converged=optimum.converged,
        information="full",
        warnings=(Warned("unidentified", count, text),) if count else (),
    )


def _with_anchor(places: ParameterEstimate) -> ParameterEstimate:
    """Prepend the anchor to the estimates: 1 without error."""
    return ParameterEstimate(
        value=np.append(1.0, places.value),
        error=np.append(0.0, places.error),
        low=np.append(1.0, places.low),
        high=np.append(1.0, places.high),
        trials=np.append(np.inf, places.trials),
    )


# ── baselines ───────────────────────────────────────────────────────────────────────────────────


def fit_document_ctr(log: ClickLog, settings: FitSettings) -> Fit:
    """Fit the click-through rate of each pair, at any rank."""
    shown, clicked = _counts(log)
    rate = estimate_from_counts(clicked, shown, settings.prior, settings.level)
    model = Examination("ctr", log.pairs, rate.value, np.ones((1, 1)), settings.unseen)
    return _baseline(log, settings, model, {"attractiveness": rate}, rate, {})


def fit_rank_ctr(log: ClickLog, settings: FitSettings) -> Fit:
    """Fit the click-through rate of each rank, for any document."""
    at = log.rank - 1
    shown = sums(at, np.ones(len(at)), log.depth)
    rate = estimate_from_counts(sums(at, log.clicked, log.depth), shown, settings.prior, settings.level)
    table = np.where(np.isnan(rate.value), settings.unseen, rate.value)[:, None]
    model = Examination("rank-ctr", log.pairs, np.ones(len(log.pairs)), table, 1.0)
    return _baseline(log, settings, model, {"examination": rate}, None, {"examination": tuple(range(1, log.depth + 1))})


def _counts(log: ClickLog) -> tuple[Floats, Floats]:
    """Return the impressions and clicks of each pair."""
    size = len(log.pairs)
    return np.bincount(log.pair, minlength=size).astype(np.float64), sums(log.pair, log.clicked, size)


def _baseline(
    log: ClickLog,
    settings: FitSettings,
    model: Examination,
    parameters: dict[str, ParameterEstimate],
    relevance: ParameterEstimate | None,
    labels: dict[str, tuple[object, ...]],
) -> Fit:
    from scipy.special import xlog1py, xlogy

    chance = model.attractiveness[log.pair] * model.examination[np.minimum(log.rank, len(model.examination)) - 1, 0]
    likely = xlogy(log.clicked, chance) + xlog1py(~log.clicked, -chance)
    shown, clicked = _counts(log)
    return Fit(
        model=model,
        settings=settings,
        parameters=parameters,
        labels=labels,
        relevance=relevance,
        impressions=shown,
        clicks=clicked,
        sessions=len(log.sessions),
        log_likelihood=float(likely.sum()),
    )
