"""Evaluate in batches: training loops."""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from dataclasses import replace
from typing import Any, Self, Unpack

import numpy as np

from judged._types import Column
from judged.core.tables import Id
from judged.errors import DataError, UsageError, Warned, shown
from judged.evaluation.arrays import score
from judged.evaluation.evaluate import Measures
from judged.evaluation.options import ArrayOptions
from judged.evaluation.values import Values


class Evaluator:
    """Evaluate lists that arrive in batches, in one process or in many.

    A batch has labels and scores, as in `score`. Only values are kept, not the inputs. Lists with names may arrive in any order: the
    result is bit-identical to a single pass. Lists without names are numbered in order of arrival.

    Args:
        measures: as in `score`.
        level: lowest relevant grade.
        strict: turn every warning into an error.
        profile: conventions of another tool, see `PROFILES`.
        options: as in `score`.

    >>> evaluator = Evaluator("RR P@1")
    >>> evaluator.update([[1, 0, 2]], [[0.5, 0.9, 0.7]])
    >>> evaluator.update([[0, 1, 0], [1, 0, 0]], [[0.1, 0.2, 0.3], [0.3, 0.2, 0.1]])
    >>> evaluator.result()["RR"]
    array([0.5, 0.5, 1. ])
    """

    def __init__(
        self,
        measures: Measures,
        *,
        level: float | None = None,
        strict: bool = False,
        profile: str = "trec_eval-10",
        **options: Unpack[ArrayOptions],
    ) -> None:
        self._options: dict[str, Any] = {"level": level, "strict": strict, "profile": profile, **options}
        trial = score([1.0 if level is None else level], [0.0], measures, **self._options)  # a wrong call raises now
        self._empty = replace(trial, queries=(), columns={}, warnings=(), source=None)
        self.reset()

    def reset(self) -> None:
        """Discard all batches."""
        self._size = 0
        self._names: dict[Id, None] = {}
        self._parts: list[dict[str, Column]] = []
        self._warnings: list[Warned] = []

    def __len__(self) -> int:
        """Number of lists so far."""
        return self._size

    def __repr__(self) -> str:
        return f"Evaluator({' '.join(map(str, self._empty.measures))!r}, {len(self)} so far)"

    def update(
        self,
        labels: Any,
        scores: Any,
        *,
        mask: Any = None,
        pad: float | None = None,
        group: Any = None,
        qid: Any = None,
        total_relevant: Any = None,
    ) -> None:
        """Add a batch, in the layouts of `score`.

        If a batch raises an error, the evaluator is unchanged. `qid` names the lists, and a duplicate list is an error.
        """
        layout = {"mask": mask, "pad": pad, "group": group, "qid": qid, "total_relevant": total_relevant}
        values = score(labels, scores, self._empty.measures, **self._options, **layout)
        self._add(len(values), () if qid is None else values.queries, [values.columns], values.warnings)

    def _add(self, size: int, names: Iterable[Id], parts: list[dict[str, Column]], warnings: Iterable[Warned]) -> None:
        """Add batches, or raise and change nothing."""
        new = dict.fromkeys(names)
        if size and self._size and bool(self._names) != bool(new):
            raise UsageError("layout", "some batches have a qid and others do not")
        if repeated := [name for name in new if name in self._names]:
            hint = "put all items of a query into one batch, or call reset() to start again"
            problem = f"query {shown(repeated[0])} is in two batches"
            raise DataError("duplicate-query", problem, value=repeated[0], hint=hint)
        self._size += size
        self._names |= new
        self._parts += parts
        self._warnings += warnings

    def merge(self, other: Evaluator) -> Self:
        """Add the batches of another evaluator with the same measures and policies; its unnamed lists follow those of this one."""
        if (self._empty.measures, self._options) != (other._empty.measures, other._options):
            problem = "the evaluators have different measures or policies"
            raise DataError("incomparable", problem, hint="create both with the same arguments")
        self._add(len(other), other._names, other._parts, other._warnings)
        return self

    def __add__(self, other: Evaluator) -> Evaluator:
        if not isinstance(other, Evaluator):
            return NotImplemented
        new: Evaluator = copy(self)
        new.reset()
        return new.merge(self).merge(other)

    def __radd__(self, other: object) -> Evaluator:
        """Support `sum(evaluators)`, which begins with 0."""
        return self if other == 0 else NotImplemented

    def result(self) -> Values:
        """The values so far, sorted by name, or in order of arrival if the lists have no names. Further batches may follow."""
        if not len(self):
            raise DataError("empty-run", "no batch had a list")
        columns = {name: np.concatenate([part[name] for part in self._parts]) for name in self._parts[0]}
        queries: tuple[Id, ...] = tuple(range(self._size))
        if self._names:
            names = list(self._names)
            try:
                order = sorted(range(len(names)), key=names.__getitem__)  # type: ignore[arg-type]  # caught below
            except TypeError as error:
                hint = "convert them, for example to str"
                raise DataError("id-type", "names of lists have different types", hint=hint) from error
            queries = tuple(names[i] for i in order)
            columns = {name: column[order] for name, column in columns.items()}
        for column in columns.values():
            column.flags.writeable = False
        kinds: dict[str, list[Warned]] = {}
        for warned in sorted(self._warnings, key=lambda w: (w.slug, w.text)):  # in any order of batches
            kinds.setdefault(warned.slug, []).append(warned)
        return replace(self._empty, queries=queries, columns=columns, warnings=tuple(map(_together, kinds.values())))


def _together(alike: list[Warned]) -> Warned:
    """One warning for those of several batches, with the total count."""
    if len(alike) == 1:
        return alike[0]
    count = sum(warned.count for warned in alike)
    return replace(alike[0], count=count, text=f"{count} in {len(alike)} batches, for example: {alike[0].text}")
