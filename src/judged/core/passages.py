"""Texts at each rank of a ranking: their tokens and characters, and how many of the characters are relevant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from judged._types import Ints
from judged.core import segments
from judged.errors import DataError, Hint, UsageError, Wording

if TYPE_CHECKING:
    from judged.core.judged import Judged

_COLUMNS = ("tokens", "length", "fresh")


NO_TOKENS = Hint(
    "give the count of each chunk with {counts}, or a table of chunks with a column tokens with {chunks}",
    chunks=None,
    counts=Wording("tokens={chunk: count}", "--tokens FILE"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RankTexts:
    """Columns over all ranks, judged or not, by query and then by rank.

    Args:
        size: number of ranks per query.
        tokens: tokens per rank; None if unknown.
        length: characters of the chunk per rank.
        fresh: relevant characters per rank that no higher rank contains.
        gold: relevant characters per query.
        lacking: description of the missing token counts, if some are missing.
    """

    size: Ints
    tokens: Ints | None = None
    length: Ints | None = None
    fresh: Ints | None = None
    gold: Ints | None = None
    lacking: str | None = None

    def depth(self, budget: int, crossing: str) -> Ints:
        """Return the number of documents per query that fit into a token budget, from the top down to the first that does not.

        That one is excluded, or included as the last (`in`); those below it are excluded.
        """
        assert self.tokens is not None
        start = segments.offsets(self.size)
        along = np.concatenate([[0], np.cumsum(self.tokens)])
        fits = np.searchsorted(along, along[start[:-1]] + budget, "right") - 1 - start[:-1]  # sums never fall
        fits = np.minimum(fits, self.size)
        if crossing == "out":
            return fits
        used = along[start[:-1] + fits] - along[start[:-1]]
        return np.minimum(fits + (used < budget), self.size)

    def sums(self, name: str, depth: Ints) -> Ints:
        """Return the sum of a column over the first ranks of each query."""
        start = segments.offsets(self.size)[:-1]
        along = np.concatenate([[0], np.cumsum(getattr(self, name))])
        out: Ints = along[start + np.minimum(depth, self.size)] - along[start]
        return out

    def above(self, name: str, query: Ints, rank: Ints) -> Ints:
        """Return the sum of a column over the ranks above each (query, rank)."""
        start = segments.offsets(self.size)[query]
        along = np.concatenate([[0], np.cumsum(getattr(self, name))])
        out: Ints = along[start + rank - 1] - along[start]
        return out

    def at(self, name: str, query: Ints, rank: Ints) -> Ints:
        """Return the column at each (query, rank)."""
        out: Ints = getattr(self, name)[segments.offsets(self.size)[query] + rank - 1]
        return out

    def select(self, rows: Ints) -> RankTexts:
        """Return the columns of some queries."""
        start = segments.offsets(self.size)[:-1]
        chosen = np.repeat(start[rows], self.size[rows]) + segments.positions(self.size[rows])
        return self._take(chosen, self.size[rows], None if self.gold is None else self.gold[rows])

    def only(self, query: Ints, rank: Ints) -> RankTexts:
        """Return the columns of some ranks, renumbered without gaps."""
        chosen = segments.offsets(self.size)[query] + rank - 1
        return self._take(chosen, np.bincount(query, minlength=len(self.size)), self.gold)

    def _take(self, chosen: Ints, size: Ints, gold: Ints | None) -> RankTexts:
        columns: dict[str, Any] = {
            name: None if (column := getattr(self, name)) is None else column[chosen] for name in _COLUMNS
        }
        return replace(self, size=size, gold=gold, **columns)

    @staticmethod
    def merge(parts: Sequence[RankTexts | None]) -> RankTexts | None:
        """Merge columns of different queries; None if some are unknown."""
        known = [part for part in parts if part is not None]
        if len(known) < len(parts) or not known:
            return None
        columns: dict[str, Any] = {
            name: np.concatenate([getattr(p, name) for p in known])
            if all(getattr(p, name) is not None for p in known)
            else None
            for name in ("size", "gold", *_COLUMNS)
        }
        return RankTexts(**columns, lacking=next((p.lacking for p in known if p.lacking), None))


def tokens_of(judged: Judged) -> RankTexts | None:
    """The tokens at each rank; None if none were given.

    Raises:
        DataError: `no-tokens`: some are missing.
    """
    reading = judged.reading
    if reading is None or (reading.tokens is None and reading.lacking is None):
        return None
    if reading.tokens is None:
        raise no_tokens(judged, f": {reading.lacking}")
    return reading


def no_tokens(judged: Judged, why: str = "") -> DataError:
    """The error of a measure that needs token counts."""
    problem = f"the token counts of retrieved documents are unknown{why}"
    return DataError("columns", problem, where=judged.names[1], hint=NO_TOKENS)


def cut_to_budget(judged: Judged, budget: int) -> Judged:
    """Cut each ranking to the documents that fit into a token budget.

    Every query has its own depth, so a measure sees a shorter ranking without a cutoff, and its denominator does not change: the ideal
    ranking consists of all judged documents, whatever fits, and does not depend on the run.
    """
    if judged.policy.ties == "expected":
        raise UsageError(
            "columns",
            "a token budget needs a single order of tied documents, got ties='expected'",
            hint=Hint("choose another, such as {ties}", ties="id-desc"),
        )
    reading = tokens_of(judged)
    if reading is None:
        raise no_tokens(judged)
    return judged.cut(reading.depth(budget, judged.policy.crossing))
