"""Estimates of measures for runs that were not shown, from clicks on rankings that were."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, get_args

import numpy as np

from judged._types import Floats, Ints
from judged.clicks.api import rankings, read_clicks
from judged.clicks.data.log import ClickLog, Pairs, base_name
from judged.clicks.fitting.fit import fit
from judged.clicks.models.examination import Examination
from judged.clicks.off_policy.estimators import Counterfactual, Worth, counterfactual
from judged.errors import UsageError, shown
from judged.io.read import read_run
from judged.registry import parse_call
from judged.tables.result import Result
from judged.tables.table import Table
from judged.tables.text import number

ESTIMATORS = ("ips", "snips", "naive")


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
            (base_name(run), e.measure, e.estimator, number(e.value, places),
             f"[{number(e.low, places)}, {number(e.high, places)}]", f"{e.effective:.0f}",
             "–" if np.isnan(e.supported) else f"{e.supported:.0%}")
            for run, e in zip(self.runs, self.estimates, strict=True)
        )  # fmt: skip
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
        return {"judged": 1, "propensity": self.propensity, "source": self.source, "by": self.by, "level": self.level,
                "estimates": self.records()}  # fmt: skip


def evaluate_from_clicks(log: Any, runs: Any, measures: str | Sequence[str] = "DCG@10 P@10", *, propensity: Any = None,
                         estimators: Sequence[str] = ESTIMATORS, clip: float = 0.0, by: str = "session",
                         level: float = 0.95) -> Counterfactuals:  # fmt: skip
    """Estimate measures of runs from clicks on other rankings; docs/clicks.md states the assumptions.

    Args:
        log: any input of `read_clicks`.
        runs: one run, any input of `read_run`; a list of paths; or `{name: path}`.
        measures: DCG, P and CTR, with cutoffs: `"DCG@10 P@5"`.
        propensity: the probability that each rank is examined, starting at rank 1; None to estimate it by a position-based model fitted to the log.
        estimators: some of ips, snips and naive.
        clip: minimum propensity; smaller ones are raised to it.
        by: the independent units: "session" or "query".
        level: confidence level of the intervals.
    """
    clicks = read_clicks(log)
    parsed = [_parse_measure(word) for word in (measures.split() if isinstance(measures, str) else measures)]
    if not parsed:
        raise UsageError("measure", "no measure given", hint="name one, such as DCG@10")
    chances, source = _propensity(clicks, propensity)
    names: list[str] = []
    estimates: list[Counterfactual] = []
    for name, one in _runs(runs):
        run = read_run(one, name=name)
        rank, length = _new_ranks(clicks.pairs, rankings(run))
        for measure, k in parsed:
            for estimator in estimators:
                names.append(run.name)
                estimates.append(counterfactual(clicks, rank, length, chances, measure=measure, k=k, estimator=estimator,
                                                clip=clip, by=by, level=level))  # fmt: skip
    return Counterfactuals(tuple(names), tuple(estimates), tuple(chances.tolist()), source, by, level)


def _runs(runs: Any) -> list[tuple[str | None, Any]]:
    """Runs with the names that were given to them."""
    if isinstance(runs, Mapping) and runs and all(map(_is_path, runs.values())):
        return list(runs.items())
    if isinstance(runs, list | tuple) and runs and all(map(_is_path, runs)):
        return [(None, run) for run in runs]
    return [(None, runs)]


def _is_path(run: Any) -> bool:
    return isinstance(run, str | bytes) or hasattr(run, "__fspath__")


def _parse_measure(word: str) -> tuple[Worth, int | None]:
    call = parse_call(str(word))
    name = next((name for name in get_args(Worth) if name == call.name.upper()), None)
    if name is None or call.params or not (call.at is None or (call.at.isdecimal() and int(call.at))):
        raise UsageError("measure", f"{shown(word)} cannot be estimated from clicks: it is not a sum over documents", value=word,
                         hint=f"use {', '.join(get_args(Worth))}, with a cutoff such as @10")  # fmt: skip
    return name, int(call.at) if call.at else None


def _propensity(clicks: ClickLog, propensity: Any) -> tuple[Floats, str]:
    if propensity is not None:
        return np.asarray(propensity, dtype=np.float64), "given"
    model = fit(clicks, "pbm").model
    assert isinstance(model, Examination)
    return model.examination[:, 0], "fitted to the log (pbm)"


def _new_ranks(pairs: Pairs, ranked: dict[Any, list[Any]]) -> tuple[Ints, Ints]:
    """The rank in the run of each pair of the log, 0 for none; and the length of the run's ranking for each query."""
    place = {(query, doc): rank for query, docs in ranked.items() for rank, doc in enumerate(docs, 1)}
    rank = np.array([place.get(pair, 0) for pair in zip(*pairs.ids(), strict=True)], dtype=np.int64)
    return rank, np.array([len(ranked.get(query, ())) for query in pairs.queries], dtype=np.int64)
