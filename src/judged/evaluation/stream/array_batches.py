"""Batches of labels and scores."""

from __future__ import annotations

from typing import Any

from judged.core.tables import Id
from judged.errors import UsageError, Warned
from judged.evaluation.arrays import score
from judged.evaluation.evaluate import Measures
from judged.evaluation.stream.kept import Batch


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
