"""Batches of rankings, evaluated with judgments that are known from the start."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from judged._types import Ints
from judged.core.ids import IdColumn
from judged.core.tables import Id, Qrels, Run
from judged.errors import DataError, Hint, UsageError, Warned, shown
from judged.evaluation.evaluate import Measures, evaluate, parse_measures
from judged.evaluation.measuring.column import check_strict
from judged.evaluation.options import RagOptions, policy_of
from judged.evaluation.result.source import as_text, raw_id
from judged.evaluation.stream.kept import COVERAGE, Batch, check_repeated
from judged.io.fingerprint import content_of
from judged.io.read import read_qrels, read_run
from judged.measures.grammar import parse
from judged.measures.profiles import profile as find_profile
from judged.tables.text import counted, some


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
