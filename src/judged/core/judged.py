"""`Judged`: the columns of a run that measures are computed from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from judged._types import Bools, Column, Floats, Ints
from judged.core import segments
from judged.core.policy import Policy
from judged.core.pool import Aspects, Pool
from judged.core.tables import Deferred, Id, IdColumn, Names
from judged.errors import UsageError, Warned

if TYPE_CHECKING:
    from judged.core.passages import RankTexts


@dataclass(frozen=True, repr=False, eq=False)
class Judged:
    """The join of a run with its judgments: ranks and grades of the judged documents.

    Queries are sorted by id, the hits of a query by rank, the pool of a query from the highest grade down. Immutable;
    every formula is written in terms of these columns and methods. Views of the same judgments share the pool, and with it the
    ideal ranking.
    """

    pool: Pool
    retrieved: Ints  # per query: documents in the ranking
    answered: Bools  # per query: whether the run has a ranking for it
    query: Ints  # per hit, a judged document that was retrieved
    rank: Ints
    grade: Floats
    judgment: Ints  # index into the pool
    tie_first: Ints  # the ranks that documents of the same score share
    tie_last: Ints
    policy: Policy = field(default_factory=Policy)
    warnings: tuple[Warned, ...] = ()
    names: tuple[str, str] = ("qrels", "run")
    reading: RankTexts | None = None  # of all ranks, if texts are known
    files: tuple[str, ...] = ()  # that the judgments and the run were read from

    # ── per judgment ─────────────────────────────────────────────────────────────────────────────

    @property
    def pool_query(self) -> Ints:
        return self.pool.query

    @property
    def pool_grade(self) -> Floats:
        return self.pool.grade

    @property
    def pool_doc(self) -> IdColumn | None:
        return self.pool.doc

    @property
    def aspects(self) -> Aspects | None:
        return self.pool.aspects

    # ── per query ────────────────────────────────────────────────────────────────────────────────

    @property
    def queries(self) -> tuple[Id, ...]:
        queries = self.pool.queries
        return queries.decode() if isinstance(queries, Names) else tuple(queries)

    def __len__(self) -> int:
        return len(self.retrieved)

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "warnings": self.warnings}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self)} queries, {len(self.query)} hits, {len(self.pool_query)} judgments)"

    @cached_property
    def hits(self) -> Ints:
        """Judged documents retrieved, per query."""
        return np.bincount(self.query, minlength=len(self.pool.queries))

    @property
    def judgments(self) -> Ints:
        """Documents in the pool, per query."""
        return self.pool.sizes

    def relevant(self, level: float = 1) -> Floats:
        """Relevant documents of the pool, per query; counted once for each level."""
        return self.pool.relevant(level)

    # ── per hit ──────────────────────────────────────────────────────────────────────────────────

    def is_relevant(self, level: float = 1) -> Bools:
        """Return whether each hit has at least this grade. A document with a negative grade is never relevant.

        The column of the last level is kept: curves and lists of cutoffs ask for it again and again.
        """
        known: tuple[float, Bools] | None = self.__dict__.get("_relevant")
        if known is None or known[0] != level:
            column = self.grade >= max(level, 0)
            column.flags.writeable = False
            known = self.__dict__["_relevant"] = level, column
        return known[1]

    @property
    def is_judged(self) -> Bools:
        """False for negative grades, which are in the pool but count as unjudged."""
        return self.grade >= 0

    def within(self, cutoff: float | None) -> Bools:
        """Return whether each hit is at or above the cutoff."""
        return np.ones(len(self.rank), bool) if cutoff is None else self.rank <= cutoff

    # ── from hits to queries, and along the ranking ──────────────────────────────────────────────

    def total(self, x: Column) -> Floats:
        """Return the sum over the hits of each query, in rank order."""
        return segments.total(x, self.query, len(self.retrieved))

    def weighted(self, x: Column) -> Column:
        """A column of hits as sums see it: unchanged, unless a view has shares of documents."""
        return x

    def running(self, x: Column) -> Column:
        """Return the sum over each hit and those above it, within the query."""
        return segments.running(x, self.hits)

    def product_before(self, x: Floats) -> Floats:
        """Return the product over the hits above each hit, within the query; 1 for the first."""
        return segments.product_before(x, self.hits)

    def upto(self, x: Column, query: Ints, rank: Column) -> Column:
        """The running sum of `x` down to any (query, rank); 0 above the first hit."""
        along = np.append(self.running(x), 0)
        depth = int(max(self.rank.max(initial=0), np.max(rank, initial=0))) + 1
        at = np.searchsorted(self.query * depth + self.rank, query * depth + rank, "right") - 1
        outside = (at < 0) | (self.query[np.maximum(at, 0)] != query) if len(self.query) else np.ones(len(at), bool)
        return along[np.where(outside, -1, at)]

    def highest(self, x: Column, mask: Bools) -> Floats:
        """Return the largest value among the hits of each query for which the mask holds; 0 if there are none."""
        out = np.zeros(len(self))
        np.maximum.at(out, self.query[mask], x[mask])
        return out

    def first(self, mask: Bools) -> Floats:
        """Return the rank of the first hit for which the mask holds; infinite if there is none."""
        return segments.first(mask, self.query, self.rank, len(self))

    def levels(self, x: Floats) -> Iterator[Floats]:
        """Iterate over the distinct values of the hits of each query: the lowest of every query, then the next, and so on.

        Each value is repeated for each hit; NaN for queries with fewer values.
        """
        order = np.lexsort((x, self.query))
        query, value = self.query[order], x[order]
        new = np.ones(len(x), bool)
        new[1:] = (query[1:] != query[:-1]) | (value[1:] != value[:-1])
        owner, value = query[new], value[new]
        step = segments.positions(np.bincount(owner, minlength=len(self)))
        for number in range(int(step.max(initial=-1)) + 1):
            per_query = np.full(len(self), np.nan)
            per_query[owner[step == number]] = value[step == number]
            yield per_query[self.query]

    def at(self, per_query: Column) -> Column:
        """A per-query column, repeated for each hit."""
        return per_query[self.query]

    # ── hooks for `explain`; they return their input ──────────────────────────────────

    def column(self, name: str, x: Column) -> Column:
        """Name an intermediate column, so that an explanation can show it."""
        return x

    def ratio(self, numerator: Column | float, denominator: Column | float) -> Floats:
        """Return the final fraction of a measure; 0 if the denominator is 0."""
        top, bottom = np.asarray(numerator, float), np.asarray(denominator, float)
        if np.count_nonzero(bottom) == bottom.size:
            return np.asarray(top / bottom)
        return np.divide(top, bottom, out=np.zeros(np.broadcast(top, bottom).shape), where=bottom != 0)

    # ── other views of the same judgments ────────────────────────────────────────────────────────

    @property
    def ideal(self) -> Judged:
        """The pool as a perfect ranking; its columns are computed once for all views that share the pool."""
        sizes, query, rank, grade, judgment = self.pool.best_first(None)
        return Judged(
            pool=self.pool,
            retrieved=sizes,
            answered=np.ones(len(sizes), bool),
            query=query,
            rank=rank,
            grade=grade,
            judgment=judgment,
            tie_first=rank,
            tie_last=rank,
            policy=self.policy,
            names=self.names,
        )

    def ideal_by(self, value: Floats) -> Judged:
        """The pool ranked by a value per judgment, highest first."""
        fallen = (value[1:] <= value[:-1]) | (self.pool_query[1:] != self.pool_query[:-1])
        if fallen.all():  # as most gains, which grow with the grade
            return self.ideal
        order = segments.falling(value, self.judgments)
        return replace(self.ideal, grade=self.pool_grade[order], judgment=order)

    def cut(self, depth: int | Ints) -> Self:
        """Keep the first `depth` documents of each ranking; `depth` may be a number per query."""
        last = self.at(depth) if isinstance(depth, np.ndarray) else depth
        seen = self.rank <= last
        kept = self if seen.all() else self.only(seen)
        last = kept.at(depth) if isinstance(depth, np.ndarray) else depth
        return replace(kept, tie_last=np.minimum(kept.tie_last, last), retrieved=np.minimum(self.retrieved, depth))

    def condensed(self) -> Self:
        """Keep the judged documents of each ranking, with ranks renumbered."""
        kept = self.only(self.is_judged)
        rank = segments.ranks(kept.hits)
        start = np.ones(len(rank), bool)  # documents of one score stay together
        start[1:] = (kept.query[1:] != kept.query[:-1]) | (kept.tie_first[1:] != kept.tie_first[:-1])
        group = np.cumsum(start) - 1
        first = rank[start][group]
        last = first + np.bincount(group, minlength=1)[group] - 1 if len(rank) else rank
        reading = None if self.reading is None else self.reading.only(kept.query, kept.rank)
        return replace(kept, rank=rank, tie_first=first, tie_last=last, retrieved=kept.hits, reading=reading)

    def under(self, policy: Policy) -> Self:
        """Apply the depth of the policy, and remove unjudged documents if it says so."""
        seen = self if policy.depth is None else self.cut(policy.depth)
        return seen.condensed() if policy.unjudged == "condensed" else seen

    def only(self, mask: Bools) -> Self:
        """Keep the hits for which the mask holds, with the same queries and pool."""
        return replace(self, **{name: getattr(self, name)[mask] for name in PER_HIT})

    def read_only(self) -> Self:
        """The same columns, which cannot be written: a user's measure that sorts one in place would change all measures after it."""
        pool = replace(self.pool, query=_read_only(self.pool.query), grade=_read_only(self.pool.grade))
        columns = {name: _read_only(getattr(self, name)) for name in ("retrieved", "answered", *PER_HIT)}
        return replace(self, pool=pool, **columns)

    # ── parts ────────────────────────────────────────────────────────────────────────────────────

    def select(self, rows: Sequence[int] | Ints) -> Self:
        """Return some of the queries, by position, each at most once."""
        chosen = np.asarray(rows)
        rows = np.sort(np.flatnonzero(chosen) if chosen.dtype == bool else chosen.astype(np.int64))
        if len(rows) and (rows[0] < 0 or rows[-1] >= len(self) or (rows[1:] == rows[:-1]).any()):
            raise UsageError(
                "parameter", f"positions must be distinct integers from 0 to {len(self) - 1}, got {rows.tolist()[:5]}"
            )
        number = np.full(len(self), -1)
        number[rows] = np.arange(len(rows))
        part = self.only(number[self.query] >= 0)
        pool, place = self.pool.select(rows)
        reading = None if self.reading is None else self.reading.select(rows)
        return replace(
            part,
            pool=pool,
            retrieved=self.retrieved[rows],
            answered=self.answered[rows],
            query=number[part.query],
            judgment=place[part.judgment],
            reading=reading,
        )

    @classmethod
    def merge(cls, parts: Sequence[Judged]) -> Judged:
        """Merge parts with different queries, in the order given."""
        everyone = [query for part in parts for query in part.queries]
        if not parts or len(set(everyone)) < len(everyone) or len({part.policy for part in parts}) > 1:
            raise UsageError(
                "parameter", "cannot merge: there are no parts, two parts share a query, or their policies differ"
            )
        names = ("retrieved", "answered", *PER_HIT)
        columns: dict[str, Any] = {name: np.concatenate([getattr(part, name) for part in parts]) for name in names}
        hits = [len(part.query) for part in parts]
        columns["query"] += np.repeat(np.cumsum([0, *map(len, parts)])[:-1], hits)
        columns["judgment"] += np.repeat(np.cumsum([0, *(len(part.pool_query) for part in parts)])[:-1], hits)
        from judged.core.passages import RankTexts

        reading = RankTexts.merge([part.reading for part in parts])
        files = tuple(dict.fromkeys(file for part in parts for file in part.files))
        return replace(
            parts[0], pool=Pool.merge([part.pool for part in parts]), reading=reading, files=files, **columns
        )


def _read_only(column: Column) -> Any:
    view = column.view()
    view.flags.writeable = False
    return view


Judged.warnings = Deferred("warnings")  # type: ignore[assignment]
PER_HIT = ("query", "rank", "grade", "judgment", "tie_first", "tie_last")


# ── Confusion counts, and the rates derived from them ────────────────────


def _ratio(numerator: Column, denominator: Column) -> Floats:
    top, bottom = np.broadcast_arrays(np.asarray(numerator, float), np.asarray(denominator, float))
    return np.divide(top, bottom, out=np.zeros(top.shape), where=bottom != 0)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Confusion:
    """Columns of counts: items decided for (retrieved) or against, that are relevant or not.

    One row may be a query, a threshold, or a resample. A rate whose denominator is 0 is 0.

    >>> Confusion(tp=3, fp=1, fn=1, tn=5).precision
    array(0.75)
    """

    tp: Any  # columns, or plain numbers
    fp: Any
    fn: Any
    tn: Any
    ratio: Callable[[Column, Column], Floats] = field(default=_ratio, repr=False)  # `Judged.ratio`, for `explain`

    @property
    def precision(self) -> Floats:
        """The share of the retrieved that are relevant."""
        return self.ratio(self.tp, self.tp + self.fp)

    @property
    def recall(self) -> Floats:
        """The share of the relevant that were retrieved: true positive rate, sensitivity."""
        return self.ratio(self.tp, self.tp + self.fn)

    @property
    def fall_out(self) -> Floats:
        """The share of the non-relevant that were retrieved: false positive rate."""
        return self.ratio(self.fp, self.fp + self.tn)

    @property
    def specificity(self) -> Floats:
        """The share of the non-relevant documents that were not retrieved: true negative rate."""
        return self.ratio(self.tn, self.fp + self.tn)

    @property
    def accuracy(self) -> Floats:
        """The share of correct decisions."""
        return self.ratio(self.tp + self.tn, self.tp + self.fp + self.fn + self.tn)

    @property
    def balanced_accuracy(self) -> Floats:
        """The mean of recall and specificity; only the defined one if the other has no denominator."""
        both = (np.asarray(self.tp + self.fn) > 0) * 1.0 + (np.asarray(self.fp + self.tn) > 0)
        return self.ratio(self.recall + self.specificity, both)

    @property
    def youden(self) -> Floats:
        """Recall + specificity - 1 (Youden 1950): 0 for chance, 1 for perfection, also called informedness."""
        return np.asarray(self.recall + self.specificity - 1.0)

    @property
    def mcc(self) -> Floats:
        """The correlation of decisions with relevance (Matthews 1975); 0 if either is constant."""
        tp, fp, fn, tn = (np.asarray(n, float) for n in (self.tp, self.fp, self.fn, self.tn))
        root = np.sqrt(tp + fp) * np.sqrt(tp + fn) * np.sqrt(tn + fp) * np.sqrt(tn + fn)
        return self.ratio(tp * tn - fp * fn, root)

    def f(self, beta: float = 1.0) -> Floats:
        """The weighted harmonic mean of precision and recall; β > 1 favours recall (van Rijsbergen 1979)."""
        precision, recall = self.precision, self.recall
        square = float(f"{beta * beta:.15g}")  # √x·√x is rarely x, which is what trec_eval's set_F is given
        return self.ratio((square + 1.0) * precision * recall, square * precision + recall)


def wrong_around(j: Judged, hit: NDArray[np.bool_], cutoff: float | None = None) -> tuple[Column, Column]:
    """For each hit: documents that `hit` does not hold for, above its group of equal scores, and through it.

    On a ROC curve a group is a straight line between the two: equal scores get half credit.
    """
    first, last = j.tie_first, j.tie_last if cutoff is None else np.minimum(j.tie_last, cutoff)
    before, through = j.upto(hit, j.query, first - 1), j.upto(hit, j.query, last)
    return first - 1 - before, last - through
