"""Batches of labels with scores, measured as they come."""

from __future__ import annotations

from typing import Any

from judged.core.tables import Id
from judged.errors import UsageError, Warned
from judged.evaluation.arrays import score
from judged.evaluation.evaluate import Measures
from judged.evaluation.stream.kept import Batch

__all__ = ["ListFeed"]


class ListFeed:
    """Labels with scores, as `score` takes them."""

    warnings: tuple[Warned, ...] = ()

    def __init__(self, measures: Measures, options: dict[str, Any]) -> None:
        level = options.get("level")
        tried = score([1.0 if level is None else level], [0.0], measures, **options)  # a wrong call is refused here
        self.measures, self.policy, self.options = tried.measures, tried.policy, options
        self.names = tried.names

    def batch(self, labels: Any, scores: Any, **layout: Any) -> Batch:
        """The values of a batch of lists."""
        if scores is None:
            raise UsageError("layout", "update(labels, scores)", got="labels alone",
                             hint="judgments for rankings are given once: Evaluator(measures, qrels)")  # fmt: skip
        found = score(labels, scores, self.measures, **self.options, **layout)
        return Batch(len(found), found.queries if layout["qid"] is not None else None, found.columns, found.warnings)

    def rest(self) -> Batch | None:
        """What never came: nothing is known of it."""
        return None

    def blank(self) -> ListFeed:
        """One that has seen nothing."""
        return self

    def merge(self, other: ListFeed) -> None:
        """What another has seen: lists are told apart by their names only."""

    @staticmethod
    def key(name: Id) -> Any:
        """Lists stand in the order of their names."""
        return name

    def content(self) -> str:
        """What values rest on besides measures and policy."""
        return "labels with scores"
