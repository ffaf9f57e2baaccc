"""Batches of rankings, measured as they come by judgments that are at hand from the start."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from judged._types import Ints
from judged.core.ids import IdColumn
from judged.core.policy import Policy, check_option_names
from judged.core.tables import Id, Qrels, Run
from judged.errors import DataError, UsageError, Warned, shown
from judged.evaluation.evaluate import Measures, evaluate, with_level
from judged.evaluation.inputs import RagOptions
from judged.evaluation.result.source import as_text, raw_id
from judged.evaluation.stream.kept import COVERAGE, Batch, refuse_repeated
from judged.io.fingerprint import content_of
from judged.io.read import read_qrels, read_run
from judged.measures.grammar import parse, parse_all
from judged.measures.profiles import profile as profile_named
from judged.tables.text import counted

__all__ = ["QueryFeed"]


class QueryFeed:
    """Rankings, whole queries at a time, each by the judgments of its query."""

    def __init__(self, qrels: Any, measures: Measures, options: dict[str, Any]) -> None:
        given = dict(options)
        self.profile, level, self.strict = given.pop("profile"), given.pop("level"), given.pop("strict")
        chosen = profile_named(self.profile)
        self.measures = tuple(with_level(chosen.apply(m), level) for m in parse_all(measures))
        if not self.measures:
            raise UsageError("measure", "at least one measure", got="none", hint="for example 'nDCG@10'")
        self.options = given
        asked, rules = RagOptions.asked(given)
        check_option_names(rules, RagOptions.__dataclass_fields__)
        if asked.question or asked.retrieved or asked.relevant:
            raise UsageError("fields", "judgments, then rankings in batches", got="the fields of one file that holds it all")  # fmt: skip
        self.policy = Policy(**{**chosen.policy, **rules})
        self.qrels: Qrels = read_qrels(qrels)
        self.names, self.warnings = (self.qrels.name, "run"), self.qrels.warnings
        self._refuse_doubtful(self.warnings)
        self._index()
        self.seen = np.zeros(len(self.qrels.queries), bool)
        self._content: str | None = None

    def _index(self) -> None:
        """Where each query's judgments lie."""
        self._code = {raw: i for i, raw in enumerate(self.qrels.queries.tolist())}
        self._rows = np.argsort(self.qrels.query, kind="stable")
        self._size = np.bincount(self.qrels.query, minlength=len(self._code))
        self._start = np.cumsum(self._size) - self._size

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in ("_code", "_rows", "_size", "_start")}  # fmt: skip

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._index()

    def batch(self, run: Any, scores: Any = None, **layout: Any) -> Batch:
        """The values of a batch of queries."""
        if scores is not None or any(value is not None for value in layout.values()):
            raise UsageError("layout", "rankings alone: update(run)", got="labels with scores beside judgments",
                             hint="Evaluator(measures) without judgments takes labels and scores")  # fmt: skip
        ranking = read_run(run)
        named = ranking.queries.tolist()
        codes = [self._code[raw] for raw in named if raw in self._code]
        refuse_repeated([as_text(self.qrels.queries[code]) for code in codes if self.seen[code]])
        alike = ranking.query_kind == self.qrels.query_kind
        if named and alike and not self._size[codes].any():
            strange = ", ".join(shown(as_text(raw)) for raw in named[:3])
            found = Batch(0, (), {}, (Warned("query-unjudged", len(named), f"{counted(len(named), 'query', 'queries')} without judgments, ignored: {strange}"),))  # fmt: skip
        else:
            found = self._values(np.array(codes if alike and codes else [0], np.int64), ranking)
        self._refuse_doubtful(found.warnings)
        self.seen[codes] = True
        return found

    def _refuse_doubtful(self, warnings: tuple[Warned, ...]) -> None:
        if self.strict and warnings:
            raise DataError(warnings[0].slug, "nothing to warn of", got=f"{len(warnings)} warnings, the first: {warnings[0].text}")  # fmt: skip

    def rest(self) -> Batch | None:
        """The judged queries that never came, as the policy counts them."""
        codes = np.flatnonzero(~self.seen & (self._size > 0))
        if not len(codes):
            return None
        some = ", ".join(shown(as_text(self.qrels.queries[code])) for code in codes[:3].tolist()) + " …" * (len(codes) > 3)  # fmt: skip
        if self.policy.queries == "strict" or self.strict:
            raise DataError("query-missing", f"a ranking for each of {int((self._size > 0).sum())} judged queries", got=f"none for {some}",
                            hint="queries='judged' counts them as 0, queries='both' leaves them out")  # fmt: skip
        left = self.policy.queries == "both"
        text = f"{counted(len(codes), 'judged query', 'judged queries')} in no batch, {'left out' if left else 'counted as 0'}: {some}"  # fmt: skip
        note = Warned("query-missing", len(codes), text)
        if left:
            return Batch(0, (), {}, (note,))
        nothing = Run(name="run", queries=self.qrels.queries.take(codes), query=np.empty(0, np.int64), doc=IdColumn.of([]), score=np.empty(0),
                      query_kind=self.qrels.query_kind, doc_kind=self.qrels.doc_kind)  # fmt: skip
        found = self._values(codes, nothing)
        return replace(found, warnings=(*(w for w in found.warnings if w.slug != "no-overlap"), note))

    def _values(self, codes: Ints, run: Run) -> Batch:
        found = evaluate(self._part(codes), run, self.measures, profile=self.profile, **self.options)
        self.policy = found.policy  # with what was done before, in words
        columns = dict(found.columns)
        if found.coverage:
            assert found.source is not None
            columns[COVERAGE] = parse("Judged@10").on(found.source.judged)
        return Batch(len(found), found.queries, columns, found.warnings)

    def _part(self, codes: Ints) -> Qrels:
        """The judgments of some queries."""
        size = self._size[codes]
        within = np.arange(int(size.sum())) - np.repeat(np.cumsum(size) - size, size)
        part = self.qrels.take(self._rows[np.repeat(self._start[codes], size) + within])
        query = np.repeat(np.arange(len(codes)), size)
        return replace(part, queries=self.qrels.queries.take(codes), query=query, warnings=())

    def blank(self) -> QueryFeed:
        """One that has seen nothing, by the same judgments."""
        other: QueryFeed = object.__new__(QueryFeed)
        other.__dict__.update(self.__dict__, seen=np.zeros_like(self.seen))
        return other

    def merge(self, other: QueryFeed) -> None:
        """What another has seen."""
        ours = {code: raw for raw, code in self._code.items()}
        theirs = [self._code[raw] for raw, code in other._code.items() if other.seen[code]]
        refuse_repeated([as_text(ours[code]) for code in theirs if self.seen[code]])
        self.seen[theirs] = True
        self.policy = other.policy if other.seen.any() else self.policy

    def key(self, name: Id) -> Any:
        """Queries stand in the order of their ids, as `evaluate` has them."""
        return name if self.qrels.query_kind == "integer" else raw_id(name)

    def content(self) -> str:
        """What values rest on besides measures and policy: a hash of the judgments."""
        if self._content is None:
            self._content = content_of(self.qrels)
        return self._content
