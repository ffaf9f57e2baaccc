"""Shared by all integrations: measure columns of labels and scores that are divided into lists."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from judged.errors import UsageError
from judged.evaluation.arrays import score
from judged.evaluation.options import ArrayOptions
from judged.measures.registry import Measure

Measures = str | Measure | Iterable[str | Measure]


class ScoreOptions(ArrayOptions, total=False):
    """Keyword options of `score` that an integration passes on."""

    level: float | None
    strict: bool
    profile: str


Measured = tuple[str, float, bool]  # the name that a library shows, the mean over lists, and whether higher is better


class Measuring:
    """Measures with the options of `score`, checked before training starts.

    >>> Measuring("RR", {}).of([1, 0, 0, 1], [0.1, 0.2, 0.3, 0.4], group=[2, 2])
    [('RR', 0.75, True)]
    """

    def __init__(self, measures: Measures, options: ScoreOptions) -> None:
        level = options.get("level")
        tried = score([1.0 if level is None else level], [0.0], measures, **options)
        self.measures, self.options = tried.measures, options

    def of(self, labels: Any, scores: Any, **layout: Any) -> list[Measured]:
        """The mean of each measure."""
        means = score(labels, scores, self.measures, **self.options, **layout).mean()
        return [(str(m), means[str(m)], not m.definition.lower_is_better) for m in self.measures]

    def only(self, what: str) -> Measure:
        """Return the measure; raise if there are several."""
        if len(self.measures) > 1:
            raise UsageError("measure", f"{what} takes one measure, got {len(self.measures)}: {self}", value=str(self))
        return self.measures[0]

    def __str__(self) -> str:
        return " ".join(map(str, self.measures))
