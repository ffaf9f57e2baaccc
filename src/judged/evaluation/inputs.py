"""Read judgments and a run, prepare them as requested, and join them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from judged.core.join.join import join
from judged.core.judged import Judged
from judged.core.parts.run import PartitionedRun
from judged.core.policy import Policy
from judged.core.tables import Qrels, Run
from judged.core.unread_runs import UnreadRun
from judged.distributed.open_run import open_inputs
from judged.errors import DataError, Hint, UsageError, shown
from judged.evaluation.options import RagOptions
from judged.evaluation.result.source import Provenance

__all__ = ["check_relevant", "read_and_join"]

Progress = Callable[[int, int], object]


def read_and_join(
    qrels: Any, run: Any, policy: Policy, options: RagOptions | None = None, progress: Progress | None = None
) -> Provenance:
    """Join judgments with a run; the result also has the judgments and the run as they were joined.

    Judgments in which any of several sets of documents answers a query are joined once per set.

    Args:
        qrels: judgments; or, without a run, a single source with questions, retrieved and relevant documents.
        run: a run, or None.
        policy: policies of the evaluation.
        options: preparation of the inputs.
        progress: callback `progress(done, total)`, called periodically while a large run is scanned.
    """
    options = options or RagOptions()
    judgments, ranking = _read(qrels, run, options)
    if not options.nothing:
        if isinstance(ranking, PartitionedRun):
            raise UsageError("in-parts", "a partitioned run cannot be prepared", where=ranking.name,
                             hint=Hint("read it into memory with {engine}", engine="memory"))  # fmt: skip
        from judged.evaluation.rag.prepare import prepare

        judgments, ranking, steps = prepare(judgments, ranking, policy, options)
        policy = replace(policy, prepared=(*policy.prepared, *steps))
        if options.roll_up in ("max", "sum"):
            policy = replace(policy, order="score")  # rolled-up documents have no other order
    if judgments.passages is not None and judgments.passages.spans:
        policy = replace(policy, prepared=(*policy.prepared, f"spans found by overlap: {judgments.overlap}"))
    if judgments.choice is None:
        return Provenance.of(_join(judgments, ranking, policy, progress), judgments, ranking)
    from judged.evaluation.rag.alternatives import all_sets, each_set

    policy = replace(policy, prepared=(*policy.prepared, "any of several sets: the best counts"))
    source = Provenance.of(_join(all_sets(judgments), ranking, policy, progress), judgments, ranking)
    return replace(source, alternatives=tuple(_join(one, ranking, policy, None) for one in each_set(judgments)))


def _read(qrels: Any, run: Any, options: RagOptions) -> tuple[Qrels, Run | UnreadRun]:
    names = {name: getattr(options, name) for name in ("question", "retrieved", "relevant") if getattr(options, name)}
    if run is None and not isinstance(qrels, Qrels):
        from judged.io.rag.questions import Questions, read_questions

        words = isinstance(options.tokens, str) and options.tokens == "words"
        questions = qrels if isinstance(qrels, Questions) else read_questions(qrels, **names, count_words=words)
        return questions.qrels, questions.run
    if names:
        raise UsageError("fields", f"option {next(iter(names))!r} is for a single file of questions, got judgments and a run")  # fmt: skip
    return open_inputs(qrels, run, options.engine)


def _join(qrels: Qrels, run: Run | UnreadRun, policy: Policy, progress: Progress | None) -> Judged:
    judged = join(qrels, run, policy, progress)
    check_relevant(judged)
    return judged


def check_relevant(judged: Judged) -> None:
    """Raise `no-relevant` for a query without a relevant document if the policy is `empty="error"`."""
    without = np.flatnonzero(judged.pool.positive == 0)
    if judged.policy.empty == "error" and len(without):
        names = ", ".join(shown(judged.queries[i]) for i in without[:3])
        raise DataError(
            "no-relevant", f"{len(without)} queries have no relevant document: {names}", where=judged.names[0]
        )
