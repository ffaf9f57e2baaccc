"""Judgments and a run of any kind become a `Provenance`: read, prepared as asked, joined; once for each set where any of several will do."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from judged.core.join.join import join
from judged.core.judged import Judged
from judged.core.parts.run import PartitionedRun
from judged.core.policy import Policy
from judged.core.tables import Qrels, Run
from judged.core.unread_runs import UnreadRun
from judged.distributed.open_run import open_inputs
from judged.errors import DataError, UsageError, shown
from judged.evaluation.result.source import Provenance

__all__ = ["RagOptions", "check_relevant", "join_inputs"]

Progress = Callable[[int, int], object]


@dataclass(frozen=True, slots=True, kw_only=True)
class RagOptions:
    """What is done to judgments and a run before they are joined.

    Args:
        question, retrieved, relevant: the fields of one file that holds it all.
        roll_up: chunks become their documents: first, max or sum; see `jd.rag.roll_up`.
        documents: the document of each chunk, see `jd.rag.roll_up`.
        chunks: a table of chunks: their documents, spans and tokens.
        tokens: how many tokens each chunk has: {chunk: count}, a table; or `"words"`, for one file that holds texts: words and
            punctuation marks are counted.
        exclude_self: leave the document out that has the id of the query; or {query: documents} to leave out.
        overlap: which chunks hold a span: any, or at least a share: gold>=0.5, chunk>=0.5, iou>=0.5.
        engine: what carries out the join, see `open_run`.
    """

    question: str | None = None
    retrieved: str | None = None
    relevant: str | None = None
    roll_up: str | None = None
    documents: Any = None
    chunks: Any = None
    tokens: Any = None
    exclude_self: bool | Mapping[Any, Any] = False
    overlap: str | None = None
    engine: Any = None

    @property
    def nothing(self) -> bool:
        """Whether nothing is to be done."""
        return all(getattr(self, spec.name) is spec.default for spec in fields(self) if spec.name != "engine")

    @classmethod
    def asked(cls, options: Mapping[str, Any]) -> tuple[RagOptions, dict[str, Any]]:
        """What of the options is a preparation; and the others, which are policies."""
        names = {spec.name for spec in fields(cls)}
        mine = {name: value for name, value in options.items() if name in names and value is not None}
        return cls(**mine), {name: value for name, value in options.items() if name not in names}


def join_inputs(
    qrels: Any, run: Any, policy: Policy, asked: RagOptions | None = None, progress: Progress | None = None
) -> Provenance:
    """What stands behind a result; the judgments and the run in it are those that were joined.

    Args:
        qrels: judgments; or one source that holds it all, without a run.
        run: a run, or None.
        policy: how the open questions are answered.
        asked: what is done first.
        progress: called now and then, while a large run is looked through.
    """
    asked = asked or RagOptions()
    judgments, ranking = _read(qrels, run, asked)
    if not asked.nothing:
        if isinstance(ranking, PartitionedRun):
            raise UsageError("in-parts", "a run in memory, for what is to be done to it first", got="a run in parts", where=ranking.name, hint="engine='memory' reads it whole")  # fmt: skip
        from judged.evaluation.rag.prepare import prepare

        judgments, ranking, words = prepare(judgments, ranking, policy, asked)
        policy = replace(policy, prepared=(*policy.prepared, *words))
        if asked.roll_up in ("max", "sum"):
            policy = replace(policy, order="score")  # they have no other order
    if judgments.passages is not None and judgments.passages.spans:
        policy = replace(policy, prepared=(*policy.prepared, f"spans found by overlap: {judgments.overlap}"))
    if judgments.choice is None:
        return Provenance.of(_judged(judgments, ranking, policy, progress), judgments, ranking)
    from judged.evaluation.rag.alternatives import all_sets, each_set

    policy = replace(policy, prepared=(*policy.prepared, "any of several sets: the best counts"))
    source = Provenance.of(_judged(all_sets(judgments), ranking, policy, progress), judgments, ranking)
    return replace(source, alternatives=tuple(_judged(one, ranking, policy, None) for one in each_set(judgments)))


def _read(qrels: Any, run: Any, asked: RagOptions) -> tuple[Qrels, Run | UnreadRun]:
    named = {name: getattr(asked, name) for name in ("question", "retrieved", "relevant") if getattr(asked, name)}
    if run is None and not isinstance(qrels, Qrels):
        from judged.io.rag.questions import Questions, read_questions

        words = isinstance(asked.tokens, str) and asked.tokens == "words"
        found = qrels if isinstance(qrels, Questions) else read_questions(qrels, **named, count_words=words)
        return found.qrels, found.run
    if named:
        raise UsageError("fields", f"{next(iter(named))}= for one file that holds it all", got="judgments and a run")
    return open_inputs(qrels, run, asked.engine)


def _judged(qrels: Qrels, run: Run | UnreadRun, policy: Policy, progress: Progress | None) -> Judged:
    judged = join(qrels, run, policy, progress)
    check_relevant(judged)
    return judged


def check_relevant(judged: Judged) -> None:
    """Raise `no-relevant` for a query without a relevant document if the policy is `empty="error"`."""
    without = np.flatnonzero(judged.pool.positive == 0)
    if judged.policy.empty == "error" and len(without):
        names = ", ".join(shown(judged.queries[i]) for i in without[:3])
        raise DataError("no-relevant", f"{len(without)} queries have no relevant document: {names}", where=judged.names[0])
