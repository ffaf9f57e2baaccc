"""Strategies to choose the documents that should be judged next; each is declared once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from judged._types import Floats
from judged.core.judged import Judged
from judged.judging.unjudged import Unjudged
from judged.registry import Registry


@dataclass(frozen=True, slots=True)
class Candidates:
    """Input of a strategy.

    Args:
        docs: the unjudged documents.
        change: documents × runs: what the highest grade changes in the value of the query, compared with grade 0.
        judged: the rankings of each run.
        level: lowest relevant grade.
        random: generator of the random strategy.
    """

    docs: Unjudged
    change: Floats
    judged: tuple[Judged, ...]
    level: float
    random: np.random.Generator

    @property
    def effect(self) -> Floats:
        """The largest change that each document can make to a difference between two means; of a single run, to its mean."""
        spread = np.ptp(self.change, axis=1) if self.change.shape[1] > 1 else np.abs(self.change[:, 0])
        return np.asarray(spread / max(len(self.docs.queries), 1))

    @property
    def best_rank(self) -> Floats:
        """The best rank of each document in any run."""
        return np.where(self.docs.rank > 0, self.docs.rank, np.inf).min(axis=1, initial=np.inf)


@dataclass(frozen=True, slots=True)
class Strategy:
    """A priority per document, the highest first; equal ones by the best rank."""

    name: str
    priority: Callable[[Candidates], Floats]
    text: str
    aliases: tuple[str, ...] = ()
    paper: str = ""


STRATEGIES = Registry[Strategy]("strategy")
DEFAULT = "depth"  # differences are nearest to those of the whole pool, see docs/explanations/judging.md


def _add(name: str, text: str, priority: Callable[[Candidates], Floats], *aliases: str, paper: str = "") -> None:
    STRATEGIES.add(Strategy(name, priority, text, aliases, paper))


def _chance_of_relevance(c: Candidates) -> Floats:
    """Estimate the probability that each document is relevant: the share among judged documents of about the same rank, in all runs."""
    edges = 2 ** np.arange(1, 12)  # ranks 1, 2-3, 4-7, 8-15 …
    rank = np.concatenate([j.rank for j in c.judged])
    relevant = np.concatenate([j.is_relevant(c.level) for j in c.judged])
    stratum = np.digitize(rank, edges)
    hits, all_ = (np.bincount(stratum, weights=w, minlength=len(edges) + 1) for w in (relevant, np.ones(len(rank))))
    share = (hits + 1) / (all_ + 2)  # Laplace
    return np.asarray(share[np.digitize(np.minimum(c.best_rank, 1e9), edges)])


def _move_to_front(c: Candidates) -> Floats:
    """Prefer the runs whose last judged documents were relevant (Cormack, Palmer and Clarke 1998).

    The priority of a run for a query falls by one for each document that is not relevant since its last relevant one.
    """
    priority = np.full(len(c.docs), -np.inf)
    for run, j in enumerate(c.judged):
        relevant = j.is_relevant(c.level)
        misses = np.zeros(len(j))
        np.add.at(misses, j.query, ~relevant & (j.rank > j.at(_last_rank(j, relevant))))
        inside = c.docs.rank[:, run] > 0
        priority[inside] = np.maximum(priority[inside], -misses[c.docs.query[inside]])
    return priority


def _last_rank(j: Judged, mask: np.ndarray) -> Floats:
    last = np.zeros(len(j))
    np.maximum.at(last, j.query[mask], j.rank[mask])
    return last


_add("bounds", "documents that can move the difference between the runs most", lambda c: c.effect)
_add(
    "expected",
    "the same, times the chance that the document is relevant",
    lambda c: c.effect * _chance_of_relevance(c),
    "expected-change",
)
_add(
    "move-to-front",
    "documents of runs whose last judged documents were relevant",
    _move_to_front,
    "mtf",
    paper="cormack1998",
)
_add("depth", "documents with the best ranks", lambda c: -c.best_rank, "rank")
_add("random", "documents in random order", lambda c: c.random.random(len(c.docs)))
