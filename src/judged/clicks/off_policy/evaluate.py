"""Estimates of measures for runs that were not shown, from clicks on rankings that were."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, get_args

import numpy as np

from judged._types import Floats, Ints
from judged.clicks.api import rankings, read_clicks
from judged.clicks.data.log import Pairs, base_name
from judged.clicks.fitting.examination import PositionRefits
from judged.clicks.off_policy.estimators import (
    ESTIMATORS,
    Counterfactual,
    NewRanking,
    Worth,
    counterfactual,
)
from judged.core.resample import generator
from judged.errors import UsageError, shown
from judged.io.read import read_run
from judged.io.recognise import named_runs
from judged.registry import parse_call
from judged.stats.checks import check_count
from judged.steps import step
from judged.tables.result import Result
from judged.tables.table import Table
from judged.tables.text import number


@dataclass(frozen=True, eq=False, repr=False)
class Counterfactuals(Result):
    """Estimates for runs that were not shown, one per run, measure and estimator; `source` is the origin of the propensities."""

    runs: tuple[str, ...]
    estimates: tuple[Counterfactual, ...]
    propensity: tuple[float, ...]
    source: str
    by: str
    level: float

    def records(self) -> list[dict[str, Any]]:
        """One row per estimate."""
        return [{"run": run, **asdict(e)} for run, e in zip(self.runs, self.estimates, strict=True)]

    def tables(self, *, places: int = 4) -> list[Table]:
        """The estimates with their intervals and support."""
        rows = tuple(
            (
                base_name(run),
                e.measure,
                e.estimator,
                number(e.value, places),
                f"[{number(e.low, places)}, {number(e.high, places)}]",
                f"{e.effective:.0f}",
                "–" if np.isnan(e.supported) else f"{e.supported:.0%}",
            )
            for run, e in zip(self.runs, self.estimates, strict=True)
        )
        units = "queries" if self.by == "query" else "sessions"
        notes: tuple[str, ...] = (
            f"{self.estimates[0].sessions} sessions · errors over {units} · propensities: {self.source}",
        )
        if any(e.estimator == "snips" for e in self.estimates):
            notes += ("snips is the measure per relevant document: compare it only with other snips values",)
        key = "supported: share of the run's top documents that sessions showed; the others count as not relevant"
        headers = (
            "run",
            "measure",
            "estimator",
            "value",
            f"{self.level:.0%} interval",
            "effective clicks",
            "supported",
        )
        return [
            Table(headers, rows, title="estimated from clicks", key=key, notes=notes, words=(0, 1, 2), optional=(5,))
        ]

    def to_data(self) -> dict[str, Any]:
        """Everything as plain data."""
        return {
            "judged": 1,
            "propensity": self.propensity,
            "source": self.source,
            "by": self.by,
            "level": self.level,
            "estimates": self.records(),
        }


def evaluate_from_clicks(
    log: Any,
    runs: Any,
    measures: str | Sequence[str] = "DCG@10 P@10",
    *,
    propensity: Any = None,
    estimators: Sequence[str] = ESTIMATORS,
    clip: float = 0.0,
    by: str = "session",
    level: float = 0.95,
    resamples: int = 200,
    seed: int = 0,
) -> Counterfactuals:
    """Estimate measures of runs from clicks on other rankings; docs/guides/clicks.md states the assumptions.

    Args:
        log: any input of `read_clicks`.
        runs: one run, any input of `read_run`; a list of runs; or `{name: run}`.
        measures: DCG, P and CTR, with cutoffs: `"DCG@10 P@5"`.
        propensity: the probability that each rank is examined, starting at rank 1; None to fit a position-based model to the log, without
            a prior; the intervals then come from a bootstrap that fits it again, because its error is part of that of the estimate.
        estimators: some of ips, dr, snips and naive.
        clip: minimum propensity; smaller ones are raised to it.
        by: the independent units: "session" or "query".
        level: confidence level of the intervals.
        resamples: number of bootstrap resamples if the propensities are fitted.
        seed: random seed of the bootstrap.
    """
    clicks = read_clicks(log)
    parsed = [_parse_measure(word) for word in (measures.split() if isinstance(measures, str) else measures)]
    if not parsed:
        raise UsageError("measure", "no measure given", hint="name one, such as DCG@10")
    refits = PositionRefits(clicks) if propensity is None else None
    with step("fitting pbm"):
        chances = np.asarray(propensity, dtype=np.float64) if refits is None else refits.fit()
    names, rankings_of_runs = [], []
    for name, one in named_runs(runs):
        run = read_run(one, name=name)
        rank, length = _new_ranks(clicks.pairs, rankings(run))
        names.append(run.name)
        rankings_of_runs.append([NewRanking(clicks, rank, length, measure, k) for measure, k in parsed])
    asked = [(n, r, e) for n, group in zip(names, rankings_of_runs, strict=True) for r in group for e in estimators]
    estimates = [counterfactual(r, chances, estimator=e, clip=clip, by=by, level=level) for _, r, e in asked]
    if refits is not None:
        with step("fitting pbm to resamples"):
            drawn = _refitted(
                refits, [(r, e) for _, r, e in asked], clip, by, check_count(resamples, "resamples"), seed
            )
        estimates = [_with_bootstrap(e, column, level) for e, column in zip(estimates, drawn.T, strict=True)]
    source = "given" if propensity is not None else f"fitted to the log (pbm), {resamples} bootstrap fits"
    return Counterfactuals(tuple(n for n, _, _ in asked), tuple(estimates), tuple(chances.tolist()), source, by, level)


def _refitted(
    refits: PositionRefits, asked: list[tuple[NewRanking, str]], clip: float, by: str, resamples: int, seed: int
) -> Floats:
    """The estimates of resampled sessions (or queries), with propensities that are fitted to each resample: resamples × estimates."""
    log, rng = asked[0][0].log, generator(seed)
    unit = log.session_query() if by == "query" else np.arange(len(log.sessions))
    units = int(unit.max()) + 1
    drawn = np.empty((resamples, len(asked)))
    for b in range(resamples):
        weight = np.bincount(rng.integers(units, size=units), minlength=units).astype(float)[unit]
        chances = refits.fit(weight)
        least = max(clip, 1e-3 if (chances <= 0).any() else 0.0)  # a rank without clicks in this resample
        for i, (ranking, estimator) in enumerate(asked):
            top, bottom, _ = ranking.sums(estimator, chances, least, weight)
            drawn[b, i] = weight @ top / whole if (whole := float(weight @ bottom)) > 0 else np.nan
    return drawn


def _with_bootstrap(estimate: Counterfactual, drawn: Floats, level: float) -> Counterfactual:
    known = drawn[~np.isnan(drawn)]
    if len(known) < 2 or np.isnan(estimate.error):
        return replace(estimate, error=np.nan, low=np.nan, high=np.nan)
    low, high = np.quantile(known, [(1 - level) / 2, (1 + level) / 2])
    return replace(estimate, error=float(known.std(ddof=1)), low=float(low), high=float(high))


def _parse_measure(word: str) -> tuple[Worth, int | None]:
    call = parse_call(str(word))
    name = next((name for name in get_args(Worth) if name == call.name.upper()), None)
    if name is None or call.params or not (call.at is None or (call.at.isdecimal() and int(call.at))):
        raise UsageError(
            "measure",
            f"{shown(word)} cannot be estimated from clicks: it is not a sum over documents",
            value=word,
            hint=f"use {', '.join(get_args(Worth))}, with a cutoff such as @10",
        )
    return name, int(call.at) if call.at else None


def _new_ranks(pairs: Pairs, ranked: dict[Any, list[Any]]) -> tuple[Ints, Ints]:
    """The rank in the run of each pair of the log, 0 for none; and the length of the run's ranking for each query."""
    place = {(query, doc): rank for query, docs in ranked.items() for rank, doc in enumerate(docs, 1)}
    rank = np.array([place.get(pair, 0) for pair in zip(*pairs.ids(), strict=True)], dtype=np.int64)
    return rank, np.array([len(ranked.get(query, ())) for query in pairs.queries], dtype=np.int64)
