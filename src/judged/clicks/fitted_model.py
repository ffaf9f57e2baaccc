"""`ClickFit`: the parameters of a click model that was fitted to a log, and the grades that follow from them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from judged._types import Floats
from judged.clicks.log import ClickLog, sums
from judged.core.tables import Qrels
from judged.errors import DataError, Hint, UsageError, Warned
from judged.io.read import read_qrels
from judged.io.run_names import short_names
from judged.stats.checks import check_count, check_number
from judged.tables.result import RecordTable, Result
from judged.tables.table import Table, number


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ClickFit(Result):
    """A fitted click model.

    Attributes:
        prior: counts of successes and failures added to every probability.
        attractiveness: the probability that a document is clicked if it is examined, one per pair of `log.pairs`.
        satisfaction: dbn: the probability that a click satisfies, one per pair.
        persistence: dbn: the probability that a user who is not satisfied continues.
        examination: pbm: the probability that each rank is examined, from rank 1.
        log_likelihood: natural logarithm of the likelihood of all sessions; each click is conditional on the clicks above it.
    """

    model: str
    log: ClickLog
    prior: tuple[float, float]
    attractiveness: Floats
    log_likelihood: float
    satisfaction: Floats | None = None
    persistence: float | None = None
    examination: Floats | None = None
    warnings: tuple[Warned, ...] = ()

    @property
    def relevance(self) -> Floats:
        """The relevance of each pair: attractiveness; of the dbn, the probability that an examined document attracts and satisfies."""
        return self.attractiveness if self.satisfaction is None else self.attractiveness * self.satisfaction

    @property
    def impressions(self) -> Floats:
        """The number of sessions that showed each pair."""
        return sums(self.log.pair, np.ones(len(self.log)), len(self.log.pairs))

    def records(self) -> list[dict[str, Any]]:
        """One row per query and document: impressions, clicks, parameters and relevance."""
        queries, docs = zip(*self.log.pairs.ids(), strict=True)
        clicks = sums(self.log.pair, self.log.clicked, len(docs))
        columns: dict[str, Any] = {"query": queries, "doc": docs}
        columns |= {"impressions": self.impressions.astype(int).tolist(), "clicks": clicks.astype(int).tolist()}
        if self.satisfaction is not None:
            columns |= {"attractiveness": self.attractiveness.tolist(), "satisfaction": self.satisfaction.tolist()}
        columns["relevance"] = self.relevance.tolist()
        return RecordTable(columns).records()

    def tables(self, *, places: int = 4) -> list[Table]:
        """The records, and the examination of each rank."""
        sessions = len(self.log.sessions)
        per_session = number(self.log_likelihood / sessions, places)
        notes = [
            f"{sessions} sessions · log-likelihood per session {per_session}",
            f"prior: {self.prior[0]:g} and {self.prior[1]:g} added to the counts of every probability",
        ]
        if self.persistence is not None:
            notes.append(f"persistence: {number(self.persistence, places)}")
        notes += [f"warning: {warning}" for warning in self.warnings]
        title = f"{self.model} fitted to {short_names([self.log.name], extensions=True)[0]}"
        records = RecordTable.of(self.records(), words=("query", "doc"), title=title, notes=tuple(notes))
        tables = records.tables(places=places)
        if self.examination is not None:
            rows = tuple((str(rank), number(x, places)) for rank, x in enumerate(self.examination.tolist(), 1))
            tables.append(Table(("rank", "examination"), rows, words=()))
        return tables

    def to_data(self) -> dict[str, Any]:
        """Everything as plain data."""
        return {
            "judged": 1,
            "log": self.log.name,
            "model": self.model,
            "sessions": len(self.log.sessions),
            "prior": self.prior,
            "log_likelihood": self.log_likelihood,
            "persistence": self.persistence,
            "examination": self.examination,
            "warnings": [w.to_dict() for w in self.warnings],
            "documents": self.records(),
        }

    def qrels(self, levels: int = 4, *, minimum: float = 1) -> Qrels:
        """Return judgments with grades from 0 to `levels`. They invert ERR's mapping: log2(1 + 2^levels · relevance), rounded to the nearest.

        So ERR on these grades is what the cascade model expects of the clicks.

        Args:
            levels: the top grade, at most 50.
            minimum: minimum number of impressions; documents with fewer are left out.
        """
        if check_count(levels, "levels") > 50:
            raise UsageError("parameter", f"levels must be at most 50, got {levels}", value=levels)
        enough = self.impressions >= check_number(minimum, "minimum", zero=True)
        rows = np.flatnonzero(enough & ~np.isnan(self.relevance))
        if not len(rows):
            raise DataError(
                "empty-qrels",
                "no query and document with enough impressions for a grade",
                where=self.log.name,
                hint=Hint("lower {minimum}", minimum=None),
            )
        # The lowest relevance of each grade g: on the scale of grades, midway between R(g - 1) and R(g) = (2^g - 1) / 2^levels.
        bounds = (np.exp2(np.arange(1, levels + 1) - 0.5) - 1.0) / 2.0**levels
        grades = np.searchsorted(bounds, self.relevance[rows], "right").tolist()
        queries, docs = zip(*self.log.pairs.ids(rows), strict=True)
        columns = {"query_id": list(queries), "doc_id": list(docs), "relevance": grades}
        return read_qrels(columns, name=f"grades from {self.log.name}")
