"""What runs would be worth, from clicks on rankings that were shown."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from judged.clicks.api import rankings, read_clicks
from judged.clicks.data.log import ClickLog, Pairs
from judged.clicks.fitting.fit import fit
from judged.clicks.models.examination import Examination
from judged.clicks.off_policy.estimators import Counterfactual, Worth, counterfactual
from judged.errors import UsageError, shown
from judged.io.read import read_run
from judged.tables.result import RecordTable, Result
from judged.tables.table import Table
from judged.tables.text import number, plain_data

__all__ = ["Counterfactuals", "evaluate_from_clicks"]

ESTIMATORS = ("ips", "snips", "naive")


@dataclass(frozen=True, eq=False)
class Counterfactuals(Result):
    """Estimates for runs that were not shown: one row for each run, measure and estimator."""

    runs: tuple[str, ...]
    estimates: tuple[Counterfactual, ...]
    propensity: tuple[float, ...]
    source: str  # where the propensities come from
    by: str
    level: float

    def listing(self) -> RecordTable:
        names = (
            "measure",
            "estimator",
            "value",
            "error",
            "low",
            "high",
            "effective",
            "supported",
            "sessions",
            "left_out",
            "clipped",
        )
        columns = {name: tuple(getattr(e, name) for e in self.estimates) for name in names}
        return RecordTable({"run": self.runs, **columns}, words=("run", "measure", "estimator"))

    def table(self, *, places: int = 4) -> Table:
        rows = tuple(
            (run.rpartition("/")[2], e.measure, e.estimator, number(e.value, places),
             f"[{number(e.low, places)}, {number(e.high, places)}]", f"{e.effective:.0f}",
             "–" if np.isnan(e.supported) else f"{e.supported:.0%}")
            for run, e in zip(self.runs, self.estimates, strict=True)
        )  # fmt: skip
        first = self.estimates[0]
        notes = [f"{first.sessions} sessions · errors over {'queries' if self.by == 'query' else 'sessions'} · propensities: {self.source}",
                 "supported: what sessions showed of the run's top; the rest counts as not relevant"]  # fmt: skip
        if any(e.estimator == "snips" for e in self.estimates):
            notes.append("snips is the measure per relevant document: compare it with other snips values alone")
        headers = (
            "run",
            "measure",
            "estimator",
            "value",
            f"{self.level:.0%} interval",
            "effective clicks",
            "supported",
        )
        return Table(headers, rows, title="estimated from clicks", notes=tuple(notes), words=(0, 1, 2))

    def to_json(self) -> str:
        rows = [
            {"run": run, **{key: plain_data(value) for key, value in asdict(e).items()}}
            for run, e in zip(self.runs, self.estimates, strict=True)
        ]
        return json.dumps({"judged": 1, "propensity": list(self.propensity), "source": self.source, "by": self.by,
                           "level": self.level, "estimates": rows}, allow_nan=False)  # fmt: skip

    __repr__ = Result.__str__


def evaluate_from_clicks(log: Any, runs: Any, measures: str | Sequence[str] = "DCG@10 P@10", *, propensity: Any = None,
                         estimators: Sequence[str] = ESTIMATORS, clip: float = 0.0, by: str = "session",
                         level: float = 0.95) -> Counterfactuals:  # fmt: skip
    """Estimates of measures for runs, from clicks on what was shown; see docs/clicks.md for what they assume.

    Args:
        log: clicks, in any form that `read_clicks` takes.
        runs: one run in any form that `read_run` takes, or a list of paths.
        measures: DCG, P and CTR, with cutoffs: `"DCG@10 P@5"`.
        propensity: the chance that each rank is examined, from rank 1 on; None to estimate it by a position-based model fitted to the log.
        estimators: of ips, snips and naive.
        clip: raise smaller propensities to this.
        by: what is independent: sessions, or queries.
        level: the share of the intervals.
    """
    clicks = read_clicks(log)
    wanted = [_measure(word) for word in (measures.split() if isinstance(measures, str) else measures)]
    if not wanted:
        raise UsageError("measure", "at least one measure", got="none", hint="for example DCG@10")
    chances, source = _propensity(clicks, propensity)
    sources = runs if isinstance(runs, (list, tuple)) and runs and all(_is_path(run) for run in runs) else [runs]
    named, found = [], []
    for one in sources:
        run = read_run(one)
        rank, length = _new_ranks(clicks.pairs, rankings(run))
        for measure, k in wanted:
            for estimator in estimators:
                named.append(run.name)
                found.append(counterfactual(clicks, rank, length, chances, measure=measure, k=k, estimator=estimator,
                                            clip=clip, by=by, level=level))  # fmt: skip
    return Counterfactuals(tuple(named), tuple(found), tuple(chances.tolist()), source, by, level)


def _is_path(run: Any) -> bool:
    return isinstance(run, (str, bytes)) or hasattr(run, "__fspath__")


def _measure(word: str) -> tuple[Worth, int | None]:
    match = re.fullmatch(r"(DCG|P|CTR)(?:@(\d+))?", str(word), re.IGNORECASE)
    if match is None or match[2] == "0":
        hint = "only what adds up over documents can be estimated from clicks"
        raise UsageError(
            "measure", f"one of {', '.join(get_args(Worth))}, with a cutoff", got=shown(word), value=word, hint=hint
        )
    names: dict[str, Worth] = {"DCG": "DCG", "P": "P", "CTR": "CTR"}
    return names[match[1].upper()], int(match[2]) if match[2] else None


def _propensity(clicks: ClickLog, given: Any) -> tuple[NDArray[np.float64], str]:
    if given is not None:
        return np.asarray(given, dtype=np.float64), "given"
    model = fit(clicks, "pbm").model
    assert isinstance(model, Examination)
    return model.examination[:, 0], "fitted to the log (pbm)"


def _new_ranks(pairs: Pairs, ranked: dict[Any, list[Any]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The rank in the run of each pair of the log, 0 for none; and how many documents the run has for each query."""
    place = {(query, doc): rank for query, docs in ranked.items() for rank, doc in enumerate(docs, 1)}
    rank = np.array([place.get(pair, 0) for pair in zip(*pairs.ids(), strict=True)], dtype=np.int64)
    return rank, np.array([len(ranked.get(query, ())) for query in pairs.queries], dtype=np.int64)
