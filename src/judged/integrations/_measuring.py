"""What every integration does: columns of labels and scores, cut into lists, become one number a measure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from judged.errors import UsageError
from judged.evaluation.arrays import score
from judged.measures.registry import Measure

__all__ = ["Measuring", "Scored"]

Measures = str | Measure | Iterable[str | Measure]


@dataclass(frozen=True, slots=True)
class Scored:
    """A measure's mean over lists, under the name that a library shows."""

    name: str
    value: float
    higher_is_better: bool


class Measuring:
    """Measures with the options of `score`, checked before anything is trained.

    >>> Measuring("RR", {}).of([1, 0, 0, 1], [0.1, 0.2, 0.3, 0.4], group=[2, 2])
    [Scored(name='RR', value=0.75, higher_is_better=True)]
    """

    def __init__(self, measures: Measures, options: dict[str, Any]) -> None:
        level = options.get("level")
        tried = score([1.0 if level is None else level], [0.0], measures, **options)
        self.measures, self.options = tried.measures, options

    def of(self, labels: Any, scores: Any, **layout: Any) -> list[Scored]:
        """The mean of each measure."""
        means = score(labels, scores, self.measures, **self.options, **layout).mean()
        return [Scored(str(m), means[str(m)], not m.definition.lower_is_better) for m in self.measures]

    def only(self, what: str) -> Measure:
        """The measure, where there can be but one."""
        if len(self.measures) > 1:
            names = " ".join(map(str, self.measures))
            raise UsageError("measure", f"one measure for {what}", got=f"{len(self.measures)}: {names}", value=names)
        return self.measures[0]
