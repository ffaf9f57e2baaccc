"""Evaluate in batches: training loops, and streams of queries."""

from __future__ import annotations

from typing import Any, Literal, Self, Unpack

from judged.errors import DataError, UsageError, shown
from judged.evaluation.evaluate import Measures
from judged.evaluation.options import EvaluateOptions
from judged.evaluation.result.values import Values
from judged.evaluation.stream.array_batches import ListFeed
from judged.evaluation.stream.exact_means import ExactSum, Means
from judged.evaluation.stream.kept import COVERAGE, Batch, KeptSums, KeptValues, StreamTally
from judged.evaluation.stream.run_batches import QueryFeed
from judged.stats.summary import mean

Keep = Literal["values", "means"]


class Evaluator:
    """Evaluate lists or queries that arrive in batches, in one process or in many.

    Without judgments, a batch is labels and scores, as in `score`. With judgments, it is a run with the complete rankings of some queries. Only
    values are kept, not their inputs. Lists and queries with names may arrive in any order: the result is bit-identical to a single pass.
    Lists without names are numbered in order of arrival.

    Args:
        measures: as in `evaluate`.
        qrels: judgments in any format that `read_qrels` takes, if batches are runs.
        keep: `values` for a complete result; `means` for exact sums in constant memory, bit-identical for any order and any merging.
        level: lowest relevant grade.
        strict: turn every warning into an error.
        profile: conventions of another tool, see `PROFILES`.
        options: as in `score`, or with judgments as in `evaluate`.

    >>> evaluator = Evaluator("RR P@1")
    >>> evaluator.update([[1, 0, 2]], [[0.5, 0.9, 0.7]])
    >>> evaluator.update([[0, 1, 0], [1, 0, 0]], [[0.1, 0.2, 0.3], [0.3, 0.2, 0.1]])
    >>> evaluator.result()["RR"]
    array([0.5, 0.5, 1. ])
    """

    def __init__(
        self,
        measures: Measures,
        qrels: Any = None,
        *,
        keep: Keep = "values",
        level: float | None = None,
        strict: bool = False,
        profile: str = "trec_eval-10",
        **options: Unpack[EvaluateOptions],
    ) -> None:
        if keep not in ("values", "means"):
            raise UsageError("option", f"keep must be 'values' or 'means', got {shown(keep)}", value=keep)
        self._options = {"level": level, "strict": strict, "profile": profile, **options}
        self._feed = ListFeed(measures, self._options) if qrels is None else QueryFeed(qrels, measures, self._options)
        self._keep, self._profile = keep, profile
        if keep == "means" and (texts := [str(m) for m in self._feed.measures if m.definition.text]):
            raise UsageError("unsuitable-measure", f"{texts[0]} is text and has no mean", value=texts[0])
        self.reset()

    def reset(self) -> None:
        """Discard all batches."""
        summaries = {str(m): m.definition.summary for m in self._feed.measures}
        self._feed = self._feed.blank()
        self._kept: KeptValues | KeptSums = KeptValues() if self._keep == "values" else KeptSums(summaries)
        self._tally = StreamTally()

    def __len__(self) -> int:
        """Number of lists, or judged queries, so far."""
        return self._kept.size

    def __repr__(self) -> str:
        return f"Evaluator({' '.join(map(str, self._feed.measures))!r}, keep={self._keep!r}, {len(self)} so far)"

    # ── in ───────────────────────────────────────────────────────────────────────────────────────

    def update(
        self,
        batch: Any,
        scores: Any = None,
        *,
        mask: Any = None,
        pad: float | None = None,
        group: Any = None,
        qid: Any = None,
        total_relevant: Any = None,
    ) -> None:
        """Add a batch: `update(labels, scores, …)` in the layouts of `score`; with judgments `update(run)`, in any format that `read_run` takes.

        If a batch raises an error, the evaluator is unchanged. `qid` names the lists, and a duplicate list or query is an error; with `keep="means"` the names
        of lists are not kept, so duplicates of them are not detected.
        """
        measured = self._feed.batch(
            batch, scores, mask=mask, pad=pad, group=group, qid=qid, total_relevant=total_relevant
        )
        if measured.size:
            self._kept.add(measured)
        self._tally.add(measured.warnings)

    def merge(self, other: Evaluator) -> Self:
        """Add the batches of another evaluator with the same measures, policies and judgments; its unnamed lists follow those of this one."""
        self._check_comparable(other)
        feed = self._feed.blank()
        feed.merge(self._feed)  # type: ignore[arg-type]
        feed.merge(other._feed)  # type: ignore[arg-type]
        self._kept.merge(other._kept)  # type: ignore[arg-type]
        self._feed = feed
        self._tally.merge(other._tally)
        return self

    def __add__(self, other: Evaluator) -> Evaluator:
        if not isinstance(other, Evaluator):
            return NotImplemented
        return self._blank().merge(self).merge(other)

    def __radd__(self, other: object) -> Evaluator:
        """Support `sum(evaluators)`, which begins with 0."""
        return self if other == 0 else NotImplemented

    def _blank(self) -> Evaluator:
        new: Evaluator = object.__new__(type(self))
        new.__dict__.update(self.__dict__)
        new.reset()
        return new

    def _check_comparable(self, other: Evaluator) -> None:
        if other is self:
            raise UsageError("merge", "an evaluator cannot be merged with itself")
        for what, ours, theirs in (
            ("measures", self._feed.measures, other._feed.measures),
            ("keep", self._keep, other._keep),
            ("policies", self._options, other._options),
            ("judgments", self._feed.content(), other._feed.content()),
        ):
            if ours != theirs:
                raise DataError(
                    "incomparable", f"the evaluators have different {what}", hint="create both with the same arguments"
                )

    # ── out ──────────────────────────────────────────────────────────────────────────────────────

    def result(self) -> Values | Means:
        """The result so far: `Values`, or `Means` with `keep="means"`. The policy `queries` applies to judged queries that are missing.

        Further batches may follow.
        """
        rest = self._feed.rest() if len(self) or self._tally.counts else None
        if not len(self):
            raise DataError("empty-run", "no batch had a list or a judged query")
        tally = StreamTally()
        tally.merge(self._tally)
        tally.add((*self._feed.warnings, *(rest.warnings if rest else ())))
        return self._means(rest, tally) if isinstance(self._kept, KeptSums) else self._values(self._kept, rest, tally)

    def _means(self, rest: Batch | None, tally: StreamTally) -> Means:
        assert isinstance(self._kept, KeptSums)
        kept = self._kept.copy()
        if rest is not None and rest.size:
            kept.add(rest)
        share: ExactSum | None = kept.sums.pop(COVERAGE, None)
        coverage = {} if share is None else {COVERAGE: share.mean()}
        return Means(
            self._feed.measures, kept.sums, kept.size, self._feed.policy, self._profile, coverage, tally.warnings()
        )

    def _values(self, kept: KeptValues, rest: Batch | None, tally: StreamTally) -> Values:
        whole = KeptValues()
        whole.merge(kept)
        if rest is not None:
            whole.add(rest)
        queries, columns = whole.table(self._feed.key)
        share = columns.pop(COVERAGE, None)
        for column in columns.values():
            column.flags.writeable = False
        return Values(
            queries=queries,
            measures=self._feed.measures,
            columns=columns,
            policy=self._feed.policy,
            profile=self._profile,
            names=self._feed.names,
            coverage={} if share is None else {COVERAGE: mean(share)},
            warnings=tally.warnings(),
        )
