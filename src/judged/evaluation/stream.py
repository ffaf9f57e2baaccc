"""Evaluate in batches: training loops, and streams of queries."""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from dataclasses import replace
from typing import Any, Self, Unpack

import numpy as np

from judged._types import Column, Ints
from judged.core.ids import IdColumn
from judged.core.tables import Id, Qrels, Run
from judged.errors import DataError, UsageError, Warned, shown
from judged.evaluation.arrays import score
from judged.evaluation.evaluate import Measures, evaluate, parse_measures
from judged.evaluation.measuring import check_strict
from judged.evaluation.options import EvaluateOptions, policies_in, policy_of
from judged.evaluation.provenance import as_text, raw_id
from judged.evaluation.values import Values
from judged.io.fingerprint import content_of
from judged.io.read import read_qrels, read_run
from judged.measures.grammar import parse
from judged.measures.profiles import profile as find_profile
from judged.stats.summary import mean
from judged.tables.text import counted, some

_COVERAGE = "judged@10"  # an additional column: the share of judged documents


class Evaluator:
    """Evaluate lists or queries that arrive in batches, in one process or in many.

    Without judgments, a batch is labels and scores, as in `score`. With judgments, it is a run with the complete rankings of some queries. Only
    values are kept, not their inputs. Lists and queries with names may arrive in any order: the result is bit-identical to a single pass.
    Lists without names are numbered in order of arrival.

    Args:
        measures: as in `evaluate`.
        qrels: judgments in any format that `read_qrels` takes, if batches are runs.
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
        level: float | None = None,
        strict: bool = False,
        profile: str = "trec_eval-10",
        **options: Unpack[EvaluateOptions],
    ) -> None:
        self._options: dict[str, Any] = {"level": level, "strict": strict, "profile": profile, **options}
        self._qrels, self._content = None, ""
        if qrels is None:  # a trial raises now if the call is wrong
            trial = score([1.0 if level is None else level], [0.0], measures, **self._options)
            self._measures, self._policy, self._names = trial.measures, trial.policy, trial.names
        else:
            self._qrels = read_qrels(qrels)
            self._content, self._names = content_of(self._qrels), (self._qrels.name, "run")
            judged = np.unique(self._qrels.query).tolist()
            self._code = {
                raw: code for code, raw in zip(judged, self._qrels.queries.take(judged).tolist(), strict=True)
            }
            chosen = find_profile(profile)
            self._measures = tuple(parse_measures(measures, chosen, level, given=options))
            self._policy = policy_of(chosen, policies_in(options))
        self.reset()

    def reset(self) -> None:
        """Discard all batches."""
        self._size = 0
        self._known: dict[Id, None] = {}  # names of lists, or of judged queries
        self._parts: list[dict[str, Column]] = []
        self._warnings: list[Warned] = []

    def __len__(self) -> int:
        """Number of lists, or judged queries, so far."""
        return self._size

    def __repr__(self) -> str:
        return f"Evaluator({' '.join(map(str, self._measures))!r}, {len(self)} so far)"

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

        If a batch raises an error, the evaluator is unchanged. `qid` names the lists, and a duplicate list or query is an error.
        """
        layout = {"mask": mask, "pad": pad, "group": group, "qid": qid, "total_relevant": total_relevant}
        if self._qrels is not None:
            if scores is not None or any(value is not None for value in layout.values()):
                hint = "use Evaluator(measures) without judgments for labels and scores"
                raise UsageError("layout", "with judgments, a batch is a run, got labels and scores", hint=hint)
            self._add_run(self._qrels, read_run(batch))
        elif scores is None:
            hint = "pass judgments of rankings once: Evaluator(measures, qrels)"
            raise UsageError("layout", "a batch needs labels and scores, got labels alone", hint=hint)
        else:
            values = score(batch, scores, self._measures, **self._options, **layout)
            self._add(len(values), () if qid is None else values.queries, [values.columns], values.warnings)

    def _add_run(self, qrels: Qrels, run: Run) -> None:
        queries = run.queries.tolist()
        codes = [self._code[raw] for raw in queries if raw in self._code]
        if queries and not codes and run.query_kind == qrels.query_kind:
            names = some([as_text(raw) for raw in queries[:4]])
            text = f"ignored {counted(len(queries), 'query')} without judgments: {names}"
            warned = (Warned("query-unjudged", len(queries), text),)
            check_strict(warned if self._options["strict"] else ())
            self._warnings += warned
        else:
            self._add_judged(_judgments_of(qrels, codes or [0]), run)

    def _add_judged(self, qrels: Qrels, run: Run, extra: tuple[Warned, ...] = ()) -> None:
        """Add the values of a run; with `extra` warnings, those of its empty rankings say nothing new."""
        values = evaluate(qrels, run, self._measures, **self._options)
        assert values.source is not None
        columns = dict(values.columns)
        if values.coverage:
            columns[_COVERAGE] = parse("Judged@10").on(values.source.judged)
        warnings = [w for w in values.warnings if not (extra and w.slug in ("no-overlap", "empty-list"))]
        self._add(len(values), values.queries, [columns], (*warnings, *extra))
        self._policy = values.policy  # which describes how the inputs were prepared

    def _add(
        self, size: int, names: tuple[Id, ...], parts: list[dict[str, Column]], warnings: Iterable[Warned]
    ) -> None:
        """Add batches, or raise and change nothing; lists without names are numbered."""
        if size:
            if self._size and bool(self._known) != bool(names):
                raise UsageError("layout", "some batches have a qid and others do not")
            if (repeated := next((name for name in names if name in self._known), None)) is not None:
                hint = "put all items of a query into one batch, or call reset() to start again"
                problem = f"query {shown(repeated)} is in two batches"
                raise DataError("duplicate-query", problem, value=repeated, hint=hint)
            self._known.update(dict.fromkeys(names))
            self._size += size
            self._parts += parts
        self._warnings += warnings

    def merge(self, other: Evaluator) -> Self:
        """Add the batches of another evaluator with the same measures, policies and judgments; its unnamed lists follow those of this one."""
        ours = self._measures, self._options, self._content
        if ours != (other._measures, other._options, other._content):
            problem = "the evaluators have different measures, policies or judgments"
            raise DataError("incomparable", problem, hint="create both with the same arguments")
        self._add(len(other), tuple(other._known), other._parts, other._warnings)
        self._policy = other._policy if len(other) else self._policy
        return self

    def __add__(self, other: Evaluator) -> Evaluator:
        return self._copy().merge(other) if isinstance(other, Evaluator) else NotImplemented

    def __radd__(self, other: object) -> Evaluator:
        """Support `sum(evaluators)`, which begins with 0."""
        return self if other == 0 else NotImplemented

    def _copy(self) -> Evaluator:
        new: Evaluator = copy(self)
        new._known, new._parts, new._warnings = dict(self._known), [*self._parts], [*self._warnings]
        return new

    def result(self) -> Values:
        """The values so far. The policy `queries` applies to judged queries that are in no batch; further batches may follow."""
        if not len(self):
            raise DataError("empty-run", "no batch had a list or a judged query")
        whole: Evaluator = self if self._qrels is None else self._copy()
        if self._qrels is not None:
            whole._add_missing(self._qrels)
            whole._warnings += self._qrels.warnings
        columns = {name: np.concatenate([part[name] for part in whole._parts]) for name in whole._parts[0]}
        queries: tuple[Id, ...] = tuple(range(whole._size))
        if whole._known:
            queries, order = whole._sorted()
            columns = {name: column[order] for name, column in columns.items()}
        shares = columns.pop(_COVERAGE, None)
        for column in columns.values():
            column.flags.writeable = False
        return Values(
            queries=queries,
            measures=self._measures,
            columns=columns,
            policy=whole._policy,
            profile=self._options["profile"],
            names=self._names,
            coverage={} if shares is None else {_COVERAGE: mean(shares)},
            warnings=_together(whole._warnings),
        )

    def _add_missing(self, qrels: Qrels) -> None:
        """Add the judged queries that are in no batch, as the policy counts them."""
        known = set(map(raw_id, self._known))
        codes = [code for raw, code in self._code.items() if raw not in known]
        if not codes:
            return
        missing = _judgments_of(qrels, codes)
        names = some([as_text(raw) for raw in missing.queries.tolist()[:4]])
        text = f"{counted(len(codes), 'judged query is', 'judged queries are')} in no batch"
        if self._policy.queries == "strict" or self._options["strict"]:
            raise DataError("query-missing", f"{text}: {names}", hint="pass the rankings of all judged queries")
        left_out = self._policy.queries == "both"
        warned = Warned("query-missing", len(codes), f"{text}, {'excluded' if left_out else 'counted as 0'}: {names}")
        if left_out:
            self._warnings.append(warned)
            return
        nothing = Run(
            name="run",
            queries=missing.queries,
            query=np.empty(0, np.int64),
            doc=IdColumn.of([]),
            score=np.empty(0),
            query_kind=qrels.query_kind,
            doc_kind=qrels.doc_kind,
        )
        self._add_judged(missing, nothing, (warned,))

    def _sorted(self) -> tuple[tuple[Id, ...], Ints]:
        """Names of lists or queries in the order of a result, and their places."""
        names = list(self._known)
        text = self._qrels is not None and self._qrels.query_kind != "integer"
        try:
            keys: list[Any] = [raw_id(name) for name in names] if text else names
            order = sorted(range(len(names)), key=keys.__getitem__)
        except TypeError as error:
            hint = "convert them, for example to str"
            raise DataError("id-type", "names of lists have different types", hint=hint) from error
        return tuple(names[i] for i in order), np.array(order)


def _judgments_of(qrels: Qrels, codes: list[int]) -> Qrels:
    """The judgments of some queries."""
    chosen = np.zeros(len(qrels.queries), bool)
    chosen[codes] = True
    part = qrels.take(np.flatnonzero(chosen[qrels.query]))
    number = np.cumsum(chosen) - 1
    return replace(part, queries=qrels.queries.take(np.flatnonzero(chosen)), query=number[part.query], warnings=())


def _together(warnings: list[Warned]) -> tuple[Warned, ...]:
    """One warning of each kind, with the total count; it does not depend on the order of the batches."""
    kinds: dict[str, list[Warned]] = {}
    for warned in sorted(warnings, key=lambda w: (w.slug, w.text)):
        kinds.setdefault(warned.slug, []).append(warned)
    together = []
    for alike in kinds.values():
        count = sum(w.count for w in alike)
        text = f"{count} in {len(alike)} batches, for example: {alike[0].text}" if len(alike) > 1 else alike[0].text
        together.append(replace(alike[0], count=count, text=text))
    return tuple(together)
