"""Evaluate in batches: training loops, and streams of queries."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple, Self, Unpack

import numpy as np

from judged._types import Column, Floats, Ints
from judged.core.ids import IdColumn
from judged.core.policy import Policy
from judged.core.tables import Id, Qrels, Run
from judged.errors import DataError, Hint, UsageError, Warned, shown
from judged.evaluation.arrays import score
from judged.evaluation.evaluate import Measures, evaluate, parse_measures
from judged.evaluation.measuring import check_strict
from judged.evaluation.options import EvaluateOptions, policies_in, policy_of, question_fields
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
_COVERAGE = "judged@10"  # an additional column: the share of judged documents
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


@dataclass(frozen=True, eq=False, repr=False)
class Means(Result):
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

    def __getitem__(self, measure: str | Measure) -> float:
        """The mean of one measure."""
        return float(self.mean()[str(find_measure(measure, self.measures, self.profile))])

    def mean(self) -> dict[str, float]:
        """The summary of each measure: the mean, or what its definition says (counts are summed); rounded once."""
        means = {str(m): _summary(self.sums[str(m)], m.definition.summary) for m in self.measures}
        return ByMeasure(means, self.measures, self.profile)

    def missing(self) -> dict[str, int]:
        """Number of lists or queries without a value, by measure: those that the policy excludes."""
        return {str(m): self.sums[str(m)].missing for m in self.measures}

    def tables(self, *, places: int = 4) -> list[Table]:
        """One row per measure."""
        notes = notes_on(len(self), self.policy, self.warnings, self.coverage, self.measures)
        counts = {str(m): self.sums[str(m)].count for m in self.measures}
        return [summary_table(self.measures, self.mean(), counts, places=places, notes=notes)]

    def records(self) -> list[dict[str, Any]]:
        """One row per measure."""
        return [
            {"measure": name, "value": value, "queries": self.sums[name].count} for name, value in self.mean().items()
        ]


def exact_means(measures: Sequence[Measure], columns: Mapping[str, Floats]) -> dict[str, float]:
    """The summary of each column, rounded once: bit-identical for any order of its values."""
    means = {}
    for m in measures:
        total = ExactSum()
        total.add(_summand(columns[str(m)], m.definition.summary))
        means[str(m)] = _summary(total, m.definition.summary)
    return means


def _summand(values: Floats, summary: str) -> Floats:
    """The values that are added for a summary: logarithms for a geometric mean."""
    return np.log(np.maximum(values, FLOOR)) if summary == "geometric" else values


def _summary(total: ExactSum, summary: str) -> float:
    if summary == "sum":
        return total.value()
    return math.exp(total.mean()) if summary == "geometric" else total.mean()


# ── batches ──────────────────────────────────────────────────────────────────────────────────────


class _Batch(NamedTuple):
    """Values of some lists, one column per measure. `names` is None for lists that are numbered in order of arrival."""

    size: int
    names: Sequence[Id] | None
    columns: Mapping[str, Column]
    warnings: tuple[Warned, ...] = ()


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
        keep: Literal["values", "means"] = "values",
        level: float | None = None,
        strict: bool = False,
        profile: str = "trec_eval-10",
        **options: Unpack[EvaluateOptions],
    ) -> None:
        if keep not in ("values", "means"):
            raise UsageError("option", f"keep must be 'values' or 'means', got {shown(keep)}", value=keep)
        self._options: dict[str, Any] = {"level": level, "strict": strict, "profile": profile, **options}
        self._keep, self._profile, self._strict = keep, profile, strict
        self._judgments = None if qrels is None else _Judgments(read_qrels(qrels))
        self._content = "" if self._judgments is None else content_of(self._judgments.qrels)
        if self._judgments is None:  # a trial raises now if the call is wrong
            trial = score([1.0 if level is None else level], [0.0], measures, **self._options)
            self._measures, self._policy, self._names = trial.measures, trial.policy, trial.names
        else:
            chosen = find_profile(profile)
            policies = policies_in(options)
            if question_fields(options):
                raise UsageError("fields", "fields of a question file do not apply to batches of rankings")
            self._measures = tuple(parse_measures(measures, chosen, level, given=options))
            self._policy, self._names = policy_of(chosen, policies), (self._judgments.qrels.name, "run")
            check_strict(self._judgments.qrels.warnings if strict else ())
        if keep == "means" and (texts := [str(m) for m in self._measures if m.definition.text]):
            raise UsageError("unsuitable-measure", f"{texts[0]} is text and has no mean", value=texts[0])
        self.reset()

    def reset(self) -> None:
        """Discard all batches."""
        self._size = 0
        self._known: dict[Id, None] = {}  # names of lists, or of judged queries
        self._parts: list[Mapping[str, Column]] = []  # with keep="values"
        self._sums: dict[str, ExactSum] = {}  # with keep="means"
        self._warned: dict[str, tuple[int, int, str]] = {}  # by slug: count, number of batches, one text

    def __len__(self) -> int:
        """Number of lists, or judged queries, so far."""
        return self._size

    def __repr__(self) -> str:
        return f"Evaluator({' '.join(map(str, self._measures))!r}, keep={self._keep!r}, {len(self)} so far)"

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
        layout = {"mask": mask, "pad": pad, "group": group, "qid": qid, "total_relevant": total_relevant}
        if self._judgments is None:
            if scores is None:
                hint = "pass judgments of rankings once: Evaluator(measures, qrels)"
                raise UsageError("layout", "a batch needs labels and scores, got labels alone", hint=hint)
            values = score(batch, scores, self._measures, **self._options, **layout)
            self._add(_Batch(len(values), None if qid is None else values.queries, values.columns, values.warnings))
        else:
            if scores is not None or any(value is not None for value in layout.values()):
                hint = "use Evaluator(measures) without judgments for labels and scores"
                raise UsageError("layout", "with judgments, a batch is a run, got labels and scores", hint=hint)
            self._add(self._measure_run(self._judgments, read_run(batch)))

    def _measure_run(self, judgments: _Judgments, run: Run) -> _Batch:
        queries = run.queries.tolist()
        codes = [judgments.code[raw] for raw in queries if raw in judgments.code]
        _check_repeated([name for name in map(judgments.name, codes) if name in self._known])
        same_kind = run.query_kind == judgments.qrels.query_kind
        if queries and same_kind and not judgments.size[codes].any():
            some_queries = ", ".join(shown(as_text(raw)) for raw in queries[:3])
            text = f"ignored {counted(len(queries), 'query')} without judgments: {some_queries}"
            batch = _Batch(0, (), {}, (Warned("query-unjudged", len(queries), text),))
        else:
            batch = self._measure(judgments, np.array(codes if same_kind and codes else [0], np.int64), run)
        check_strict(batch.warnings if self._strict else ())
        return batch

    def _measure(self, judgments: _Judgments, codes: Ints, run: Run) -> _Batch:
        options = {name: value for name, value in self._options.items() if name not in ("level", "strict")}
        values = evaluate(judgments.of(codes), run, self._measures, **options)
        self._policy = values.policy  # which describes how the inputs were prepared
        columns = dict(values.columns)
        if values.coverage:
            assert values.source is not None
            columns[_COVERAGE] = parse("Judged@10").on(values.source.judged)
        return _Batch(len(values), values.queries, columns, values.warnings)

    def _add(self, batch: _Batch) -> None:
        """Add a batch, or raise and change nothing."""
        named = batch.names is not None and (self._keep == "values" or self._judgments is not None)
        if batch.size:
            if self._keep == "values" and self._size and bool(self._known) != named:
                raise UsageError("layout", "some batches have a qid and others do not")
            names = list(batch.names or ()) if named else []
            _check_repeated([name for name in names if name in self._known])
            self._known.update(dict.fromkeys(names))
            self._size += batch.size
            if self._keep == "values":
                self._parts.append(batch.columns)
            else:
                summaries = {str(m): m.definition.summary for m in self._measures}
                for name, column in batch.columns.items():
                    added = _summand(column, summaries.get(name, "mean"))
                    self._sums.setdefault(name, ExactSum()).add(added)
        for w in batch.warnings:
            self._warn(w.slug, w.count, 1, w.text)

    def _warn(self, slug: str, count: int, batches: int, text: str) -> None:
        """Count warnings; the text that is kept does not depend on the order of batches."""
        before = self._warned.get(slug, (0, 0, text))
        self._warned[slug] = (before[0] + count, before[1] + batches, min(before[2], text))

    # ── several evaluators ───────────────────────────────────────────────────────────────────────

    def merge(self, other: Evaluator) -> Self:
        """Add the batches of another evaluator with the same measures, policies and judgments; its unnamed lists follow those of this one."""
        if other is self:
            raise UsageError("parameter", "an evaluator cannot be merged with itself")
        for what, ours, theirs in (
            ("measures", self._measures, other._measures),
            ("keep", self._keep, other._keep),
            ("policies", self._options, other._options),
            ("judgments", self._content, other._content),
        ):
            if ours != theirs:
                hint = "create both with the same arguments"
                raise DataError("incomparable", f"the evaluators have different {what}", hint=hint)
        if self._keep == "values" and self._size and other._size and bool(self._known) != bool(other._known):
            raise UsageError("layout", "some batches have a qid and others do not")
        _check_repeated([name for name in other._known if name in self._known])
        self._policy = other._policy if other._size else self._policy
        self._size += other._size
        self._known.update(other._known)
        self._parts.extend(other._parts)
        for name, total in other._sums.items():
            self._sums.setdefault(name, ExactSum()).merge(total)
        for slug, counts in other._warned.items():
            self._warn(slug, *counts)
        return self

    def __add__(self, other: Evaluator) -> Evaluator:
        return self._blank().merge(self).merge(other) if isinstance(other, Evaluator) else NotImplemented

    def __radd__(self, other: object) -> Evaluator:
        """Support `sum(evaluators)`, which begins with 0."""
        return self if other == 0 else NotImplemented

    def _blank(self) -> Evaluator:
        new: Evaluator = object.__new__(type(self))
        new.__dict__.update(self.__dict__)
        new.reset()
        return new

    # ── out ──────────────────────────────────────────────────────────────────────────────────────

    def result(self) -> Values | Means:
        """The result so far: `Values`, or `Means` with `keep="means"`. The policy `queries` applies to judged queries that are missing.

        Further batches may follow.
        """
        if not len(self):
            raise DataError("empty-run", "no batch had a list or a judged query")
        whole: Evaluator = self._blank().merge(self)
        if self._judgments is not None:
            whole._add(_Batch(0, (), {}, self._judgments.qrels.warnings))
            whole._add_missing(self._judgments)
        warnings = tuple(
            Warned(slug, count, text if batches == 1 else f"{count} in {batches} batches, for example: {text}")
            for slug, (count, batches, text) in sorted(whole._warned.items())
        )
        if self._keep == "means":
            share = whole._sums.pop(_COVERAGE, None)
            coverage = {} if share is None else {_COVERAGE: share.mean()}
            return Means(self._measures, whole._sums, whole._size, whole._policy, self._profile, coverage, warnings)
        queries, columns = whole._table()
        shares = columns.pop(_COVERAGE, None)
        for column in columns.values():
            column.flags.writeable = False
        return Values(
            queries=queries,
            measures=self._measures,
            columns=columns,
            policy=whole._policy,
            profile=self._profile,
            names=self._names,
            coverage={} if shares is None else {_COVERAGE: mean(shares)},
            warnings=warnings,
        )

    def _add_missing(self, judgments: _Judgments) -> None:
        """Add the judged queries that are in no batch, as the policy counts them."""
        codes = [code for code in np.flatnonzero(judgments.size).tolist() if judgments.name(code) not in self._known]
        if not codes:
            return
        missing = some([as_text(judgments.qrels.queries[code]) for code in codes[:4]])
        text = f"{counted(len(codes), 'judged query is', 'judged queries are')} in no batch"
        if self._policy.queries == "strict" or self._strict:
            hint = Hint("count them as 0 with {queries}", queries="judged")
            raise DataError("query-missing", f"{text}: {missing}", hint=hint)
        left_out = self._policy.queries == "both"
        warning = Warned(
            "query-missing", len(codes), f"{text}, {'excluded' if left_out else 'counted as 0'}: {missing}"
        )
        batch = _Batch(0, (), {})
        if not left_out:
            rows = np.array(codes, np.int64)
            batch = self._measure(judgments, rows, judgments.without_documents(rows))
        others = (w for w in batch.warnings if w.slug not in ("no-overlap", "empty-list"))
        self._add(batch._replace(warnings=(*others, warning)))

    def _table(self) -> tuple[tuple[Id, ...], dict[str, Column]]:
        """All lists sorted by name, or in order of arrival if they have no names."""
        columns = {name: np.concatenate([part[name] for part in self._parts]) for name in self._parts[0]}
        if not self._known:
            return tuple(range(self._size)), columns
        names = list(self._known)
        text = self._judgments is not None and self._judgments.qrels.query_kind != "integer"
        try:
            keys: list[Any] = [raw_id(name) for name in names] if text else names
            order = sorted(range(self._size), key=keys.__getitem__)
        except TypeError as error:
            hint = "convert them, for example to str"
            raise DataError("id-type", "names of lists have different types", hint=hint) from error
        return tuple(names[i] for i in order), {name: column[order] for name, column in columns.items()}


class _Judgments:
    """Judgments with their rows indexed by query."""

    def __init__(self, qrels: Qrels) -> None:
        self.qrels = qrels
        self.code = {raw: i for i, raw in enumerate(qrels.queries.tolist())}
        self.size = np.bincount(qrels.query, minlength=len(self.code))
        self._rows = np.argsort(qrels.query, kind="stable")
        self._start = np.cumsum(self.size) - self.size

    def name(self, code: int) -> Id:
        """The id of a query, as results have it."""
        text = as_text(self.qrels.queries[code])
        return int(text) if self.qrels.query_kind == "integer" else text

    def of(self, codes: Ints) -> Qrels:
        """The judgments of some queries."""
        size = self.size[codes]
        within = np.arange(int(size.sum())) - np.repeat(np.cumsum(size) - size, size)
        part = self.qrels.take(self._rows[np.repeat(self._start[codes], size) + within])
        query = np.repeat(np.arange(len(codes)), size)
        return replace(part, queries=self.qrels.queries.take(codes), query=query, warnings=())

    def without_documents(self, codes: Ints) -> Run:
        """A run that has these queries, each with an empty ranking."""
        return Run(
            name="run",
            queries=self.qrels.queries.take(codes),
            query=np.empty(0, np.int64),
            doc=IdColumn.of([]),
            score=np.empty(0),
            query_kind=self.qrels.query_kind,
            doc_kind=self.qrels.doc_kind,
        )


def _check_repeated(names: Sequence[Id]) -> None:
    """Raise if lists arrive a second time."""
    if names:
        more = f" and {len(names) - 1} more" if len(names) > 1 else ""
        raise DataError(
            "duplicate-query",
            f"query {shown(names[0])}{more} is in two batches",
            value=names[0],
            hint="put all items of a query into one batch, or call reset() to start again",
        )
