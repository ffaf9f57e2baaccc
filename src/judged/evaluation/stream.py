"""Evaluate in batches: training loops, and streams of queries."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Self, Unpack

import numpy as np

from judged._types import Column, Floats, Ints
from judged.core.ids import IdColumn
from judged.core.policy import Policy
from judged.core.tables import Id, Qrels, Run
from judged.errors import DataError, Hint, UsageError, Warned, shown
from judged.evaluation.arrays import score
from judged.evaluation.evaluate import Measures, evaluate, parse_measures
from judged.evaluation.measuring import check_strict
from judged.evaluation.options import EvaluateOptions, RagOptions, policy_of
from judged.evaluation.provenance import as_text, raw_id
from judged.evaluation.values import ByMeasure, Values, find_measure, notes_on, summary_table
from judged.io.fingerprint import content_of
from judged.io.read import read_qrels, read_run
from judged.measures.grammar import parse
from judged.measures.profiles import profile as find_profile
from judged.measures.registry import Measure
from judged.stats.summary import FLOOR, mean
from judged.tables.result import Result
from judged.tables.table import Table
from judged.tables.text import counted, some

_SCALE = 1126  # every double is an integer multiple of 2**-1126 if its fraction has 53 bits
_HALF = 27  # bits: halves of the 53 bits can be added up in 64, 2**36 of them


@dataclass(slots=True)
class ExactSum:
    """A sum of doubles as one integer of about 2,000 bits, with their number.

    >>> some, others = ExactSum(), ExactSum()
    >>> some.add(np.array([1e16, 1.0]))
    >>> others.add(np.array([-1e16]))
    >>> some.merge(others)
    >>> some.value()
    1.0
    """

    total: int = 0
    count: int = 0
    missing: int = 0  # NaN values, which are not in the sum
    infinite: float = 0.0

    def add(self, values: Floats) -> None:
        """Add a column; NaN values are only counted."""
        numbers = values[~np.isnan(values)]
        self.count += len(numbers)
        self.missing += len(values) - len(numbers)
        finite = numbers[np.isfinite(numbers)]
        if len(finite) < len(numbers):
            self.infinite += float(numbers[~np.isfinite(numbers)].sum())
        self.total += _exact_sum(finite)

    def merge(self, other: ExactSum) -> None:
        """Add another sum."""
        self.total += other.total
        self.count += other.count
        self.missing += other.missing
        self.infinite += other.infinite

    def value(self) -> float:
        """The sum, rounded once."""
        return self.total / (1 << _SCALE) + self.infinite

    def mean(self) -> float:
        """The mean, rounded once; NaN if there are no values."""
        return self.total / (self.count << _SCALE) + self.infinite if self.count else math.nan


def _exact_sum(values: Floats) -> int:
    fraction, exponent = np.frexp(values)
    bits = np.ldexp(fraction, 53).astype(np.int64)
    high, low = bits >> _HALF, bits & ((1 << _HALF) - 1)
    total = 0
    for power in np.unique(exponent).tolist():  # values of a measure have few different exponents
        rows = exponent == power
        total += ((int(high[rows].sum()) << _HALF) + int(low[rows].sum())) << (power - 53 + _SCALE)
    return total


class Summed(Result):
    """Base of results that have exact sums instead of single values."""

    measures: tuple[Measure, ...]
    policy: Policy
    profile: str
    coverage: dict[str, float]
    warnings: tuple[Warned, ...]

    def __len__(self) -> int:
        raise NotImplementedError

    def sum_of(self, measure: Measure) -> ExactSum:
        """The sum of the values of a measure."""
        raise NotImplementedError

    def intervals(self) -> dict[str, tuple[float, float] | None] | None:
        """An interval of each mean, if the result has any."""
        return None

    def __getitem__(self, measure: str | Measure) -> float:
        """The mean of one measure."""
        return float(self.mean()[str(find_measure(measure, self.measures, self.profile))])

    def mean(self) -> dict[str, float]:
        """The summary of each measure: the mean, or what its definition says (counts are summed); rounded once."""
        means = {str(m): _summary(self.sum_of(m), m.definition.summary) for m in self.measures}
        return ByMeasure(means, self.measures, self.profile)

    def missing(self) -> dict[str, int]:
        """Number of lists or queries without a value, by measure: those that the policy excludes."""
        return {str(m): self.sum_of(m).missing for m in self.measures}

    def counts(self) -> dict[str, int]:
        """Number of values, by measure."""
        return {str(m): self.sum_of(m).count for m in self.measures}

    def tables(self, *, places: int = 4, title: str = "") -> list[Table]:
        """One row per measure."""
        notes = notes_on(len(self), self.policy, self.warnings, self.coverage, self.measures)
        table = summary_table(
            self.measures,
            self.mean(),
            self.counts(),
            intervals=self.intervals(),
            places=places,
            title=title,
            notes=notes,
        )
        return [table]

    def records(self) -> list[dict[str, Any]]:
        """One row per measure."""
        intervals, counts = self.intervals() or {}, self.counts()
        return [
            {
                "measure": name,
                "value": value,
                "low": (intervals.get(name) or (None, None))[0],
                "high": (intervals.get(name) or (None, None))[1],
                "queries": counts[name],
            }
            for name, value in self.mean().items()
        ]


@dataclass(frozen=True, eq=False, repr=False)
class Means(Summed):
    """Exact means of a stream whose single values are not kept.

    Sums are not rounded, so means are bit-identical for any order of batches and any merging. They may differ in the last digit from
    `Values.mean`, which adds one value after the other as trec_eval does. There are no intervals, which would need the values.
    """

    measures: tuple[Measure, ...]
    sums: Mapping[str, ExactSum]
    lists: int
    policy: Policy
    profile: str = "trec_eval-10"
    coverage: dict[str, float] = field(default_factory=dict)
    warnings: tuple[Warned, ...] = ()

    def __len__(self) -> int:
        return self.lists

    def sum_of(self, measure: Measure) -> ExactSum:
        return self.sums[str(measure)]


def exact_means(measures: Sequence[Measure], columns: Mapping[str, Floats]) -> dict[str, float]:
    """The summary of each column, rounded once: bit-identical for any order of its values."""
    means = {}
    for m in measures:
        total = ExactSum()
        total.add(summand(columns[str(m)], m.definition.summary))
        means[str(m)] = _summary(total, m.definition.summary)
    return means


def summand(values: Floats, summary: str) -> Floats:
    """The values that are added for a summary: logarithms for a geometric mean."""
    return np.log(np.maximum(values, FLOOR)) if summary == "geometric" else values


def _summary(total: ExactSum, summary: str) -> float:
    if summary == "sum":
        return total.value()
    return math.exp(total.mean()) if summary == "geometric" else total.mean()


COVERAGE = "judged@10"  # an additional column: the share of judged documents


@dataclass(frozen=True, slots=True)
class Batch:
    """Values of some lists, one column per measure. `names` is None for lists that are numbered in order of arrival."""

    size: int
    names: Sequence[Id] | None
    columns: Mapping[str, Column]
    warnings: tuple[Warned, ...] = ()


@dataclass(slots=True)
class KeptValues:
    """The values of every list."""

    parts: list[Mapping[str, Column]] = field(default_factory=list)
    names: dict[Id, None] = field(default_factory=dict)
    size: int = 0

    def add(self, batch: Batch) -> None:
        """Add a batch, or raise and change nothing."""
        self._extend(batch.size, batch.names, [batch.columns])

    def merge(self, other: KeptValues) -> None:
        """Append the values of another stream."""
        self._extend(other.size, list(other.names) if other.names else None, other.parts)

    def _extend(self, size: int, names: Sequence[Id] | None, parts: Sequence[Mapping[str, Column]]) -> None:
        if not size:
            return
        if self.size and bool(self.names) != (names is not None):
            raise UsageError("layout", "some batches have a qid and others do not")
        check_repeated([name for name in names or () if name in self.names])
        self.names.update(dict.fromkeys(names or ()))
        self.parts.extend(parts)
        self.size += size

    def table(self, key: Callable[[Id], Any]) -> tuple[tuple[Id, ...], dict[str, Column]]:
        """All lists sorted by name, or in order of arrival if they have no names."""
        columns = {name: np.concatenate([part[name] for part in self.parts]) for name in self.parts[0]}
        if not self.names:
            return tuple(range(self.size)), columns
        names = list(self.names)
        try:
            order = sorted(range(self.size), key=[key(name) for name in names].__getitem__)
        except TypeError as error:
            raise DataError(
                "id-type", "names of lists have different types", hint="convert them, for example to str"
            ) from error
        return tuple(names[i] for i in order), {name: column[order] for name, column in columns.items()}


@dataclass(slots=True)
class KeptSums:
    """Exact sums of the values, in constant memory."""

    summaries: Mapping[str, str]
    sums: dict[str, ExactSum] = field(default_factory=dict)
    size: int = 0

    def add(self, batch: Batch) -> None:
        """Add a batch."""
        for name, column in batch.columns.items():
            self.sums.setdefault(name, ExactSum()).add(summand(column, self.summaries.get(name, "mean")))
        self.size += batch.size

    def merge(self, other: KeptSums) -> None:
        """Add the sums of another stream."""
        for name, total in other.sums.items():
            self.sums.setdefault(name, ExactSum()).merge(total)
        self.size += other.size

    def copy(self) -> KeptSums:
        """An independent copy."""
        new = KeptSums(self.summaries)
        new.merge(self)
        return new


@dataclass(slots=True)
class StreamTally:
    """Warnings of all batches: their count, the number of batches, and one text that does not depend on the order of batches."""

    counts: dict[str, tuple[int, int, str]] = field(default_factory=dict)

    def add(self, warnings: Iterable[Warned]) -> None:
        """Count the warnings of one batch."""
        for w in warnings:
            self._count(w.slug, w.count, 1, w.text)

    def merge(self, other: StreamTally) -> None:
        """Add the counts of another tally."""
        for slug, (count, batches, text) in other.counts.items():
            self._count(slug, count, batches, text)

    def _count(self, slug: str, count: int, batches: int, text: str) -> None:
        before = self.counts.get(slug, (0, 0, text))
        self.counts[slug] = (before[0] + count, before[1] + batches, min(before[2], text))

    def warnings(self) -> tuple[Warned, ...]:
        """One warning per slug, sorted."""
        return tuple(
            Warned(slug, count, text if batches == 1 else f"{count} in {batches} batches, for example: {text}")
            for slug, (count, batches, text) in sorted(self.counts.items())
        )


def check_repeated(names: Sequence[Id]) -> None:
    """Raise if lists arrive a second time."""
    if names:
        more = f" and {len(names) - 1} more" if len(names) > 1 else ""
        raise DataError(
            "duplicate-query",
            f"query {shown(names[0])}{more} is in two batches",
            value=names[0],
            hint="put all items of a query into one batch, or call reset() to start again",
        )


class ListFeed:
    """Measure labels and scores, as `score` does."""

    warnings: tuple[Warned, ...] = ()

    def __init__(self, measures: Measures, options: dict[str, Any]) -> None:
        level = options.get("level")
        trial = score([1.0 if level is None else level], [0.0], measures, **options)  # raises now if the call is wrong
        self.measures, self.policy, self.options = trial.measures, trial.policy, options
        self.names = trial.names

    def batch(self, labels: Any, scores: Any, **layout: Any) -> Batch:
        """The values of a batch of lists."""
        if scores is None:
            raise UsageError(
                "layout",
                "a batch needs labels and scores, got labels alone",
                hint="pass judgments of rankings once: Evaluator(measures, qrels)",
            )
        values = score(labels, scores, self.measures, **self.options, **layout)
        return Batch(
            len(values), values.queries if layout["qid"] is not None else None, values.columns, values.warnings
        )

    def rest(self) -> Batch | None:
        """Missing lists: unknown for arrays."""
        return None

    def blank(self) -> ListFeed:
        """A feed without batches."""
        return self

    def merge(self, other: ListFeed) -> None:
        """Add the state of another feed: there is none, because lists are identified by their names only."""

    @staticmethod
    def key(name: Id) -> Any:
        """Sort key of a list: its name."""
        return name

    def content(self) -> str:
        """Identity of the data besides measures and policy."""
        return "labels and scores"


class QueryFeed:
    """Measure rankings, complete queries at a time."""

    def __init__(self, qrels: Any, measures: Measures, options: dict[str, Any]) -> None:
        options = dict(options)
        self.profile, level, self.strict = options.pop("profile"), options.pop("level"), options.pop("strict")
        chosen = find_profile(self.profile)
        self.measures = tuple(parse_measures(measures, chosen, level, given=options))
        self.options = options
        rag, policies = RagOptions.separate(options)
        if rag.question or rag.retrieved or rag.relevant:
            raise UsageError("fields", "fields of a question file do not apply to batches of rankings")
        self.policy = policy_of(chosen, policies)
        self.qrels: Qrels = read_qrels(qrels)
        self.names, self.warnings = (self.qrels.name, "run"), self.qrels.warnings
        check_strict(self.warnings if self.strict else ())
        self._index()
        self.seen = np.zeros(len(self.qrels.queries), bool)
        self._content: str | None = None

    def _index(self) -> None:
        """Index the rows of the judgments by query."""
        self._code = {raw: i for i, raw in enumerate(self.qrels.queries.tolist())}
        self._rows = np.argsort(self.qrels.query, kind="stable")
        self._size = np.bincount(self.qrels.query, minlength=len(self._code))
        self._start = np.cumsum(self._size) - self._size

    def __getstate__(self) -> dict[str, Any]:
        return {
            name: value for name, value in self.__dict__.items() if name not in ("_code", "_rows", "_size", "_start")
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._index()

    def batch(self, run: Any, scores: Any = None, **layout: Any) -> Batch:
        """The values of a batch of queries."""
        if scores is not None or any(value is not None for value in layout.values()):
            raise UsageError(
                "layout",
                "with judgments, a batch is a run, got labels and scores",
                hint="use Evaluator(measures) without judgments for labels and scores",
            )
        ranking = read_run(run)
        queries = ranking.queries.tolist()
        codes = [self._code[raw] for raw in queries if raw in self._code]
        check_repeated([as_text(self.qrels.queries[code]) for code in codes if self.seen[code]])
        same_kind = ranking.query_kind == self.qrels.query_kind
        if queries and same_kind and not self._size[codes].any():
            text = f"ignored {counted(len(queries), 'query')} without judgments: {', '.join(shown(as_text(raw)) for raw in queries[:3])}"
            batch = Batch(0, (), {}, (Warned("query-unjudged", len(queries), text),))
        else:
            batch = self._measure(np.array(codes if same_kind and codes else [0], np.int64), ranking)
        check_strict(batch.warnings if self.strict else ())
        self.seen[codes] = True
        return batch

    def rest(self) -> Batch | None:
        """Missing judged queries, as the policy counts them."""
        codes = np.flatnonzero(~self.seen & (self._size > 0))
        if not len(codes):
            return None
        missing = some([as_text(self.qrels.queries[code]) for code in codes[:4].tolist()])
        if self.policy.queries == "strict" or self.strict:
            raise DataError(
                "query-missing",
                f"{counted(len(codes), 'judged query is', 'judged queries are')} in no batch: {missing}",
                hint=Hint("count them as 0 with {queries}", queries="judged"),
            )
        left_out = self.policy.queries == "both"
        text = f"{counted(len(codes), 'judged query is', 'judged queries are')} in no batch, {'excluded' if left_out else 'counted as 0'}: {missing}"
        warning = Warned("query-missing", len(codes), text)
        if left_out:
            return Batch(0, (), {}, (warning,))
        nothing = Run(
            name="run",
            queries=self.qrels.queries.take(codes),
            query=np.empty(0, np.int64),
            doc=IdColumn.of([]),
            score=np.empty(0),
            query_kind=self.qrels.query_kind,
            doc_kind=self.qrels.doc_kind,
        )
        batch = self._measure(codes, nothing)
        others = (w for w in batch.warnings if w.slug not in ("no-overlap", "empty-list"))
        return replace(batch, warnings=(*others, warning))

    def _measure(self, codes: Ints, run: Run) -> Batch:
        values = evaluate(self._judgments(codes), run, self.measures, profile=self.profile, **self.options)
        self.policy = values.policy  # which describes how the inputs were prepared
        columns = dict(values.columns)
        if values.coverage:
            assert values.source is not None
            columns[COVERAGE] = parse("Judged@10").on(values.source.judged)
        return Batch(len(values), values.queries, columns, values.warnings)

    def _judgments(self, codes: Ints) -> Qrels:
        """The judgments of some queries."""
        size = self._size[codes]
        within = np.arange(int(size.sum())) - np.repeat(np.cumsum(size) - size, size)
        part = self.qrels.take(self._rows[np.repeat(self._start[codes], size) + within])
        query = np.repeat(np.arange(len(codes)), size)
        return replace(part, queries=self.qrels.queries.take(codes), query=query, warnings=())

    def blank(self) -> QueryFeed:
        """A feed with the same judgments and no batches."""
        other: QueryFeed = object.__new__(QueryFeed)
        other.__dict__.update(self.__dict__, seen=np.zeros_like(self.seen))
        return other

    def merge(self, other: QueryFeed) -> None:
        """Add the queries of another feed."""
        ours = {code: raw for raw, code in self._code.items()}
        theirs = [self._code[raw] for raw, code in other._code.items() if other.seen[code]]
        check_repeated([as_text(ours[code]) for code in theirs if self.seen[code]])
        self.seen[theirs] = True
        self.policy = other.policy if other.seen.any() else self.policy

    def key(self, name: Id) -> Any:
        """Sort key of a query: its id, as in `evaluate`."""
        return name if self.qrels.query_kind == "integer" else raw_id(name)

    def content(self) -> str:
        """Identity of the data besides measures and policy: a hash of the judgments."""
        if self._content is None:
            self._content = content_of(self.qrels)
        return self._content


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
