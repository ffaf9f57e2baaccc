"""The result of tuning a fusion."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from judged._types import Floats
from judged.core.tables import Id, Run
from judged.errors import Warned
from judged.fusion.fuse import FusionRequest, fuse
from judged.fusion.registry import FusionSettings, call_of
from judged.tables.result import Result
from judged.tables.table import Span, Table
from judged.tables.text import counted, number


class TunedValue(NamedTuple):
    """The mean of a measure with its 95% interval; NaN without one."""

    name: str
    value: float
    low: float
    high: float


class Fold(NamedTuple):
    """A fold: the number of its queries, the setting that was chosen on the others, and the means on those and on its own queries."""

    queries: int
    settings: FusionSettings
    tuned_on: float
    held_out: float


@dataclass(frozen=True, eq=False, repr=False)
class FusionTuning(Result):
    """A tuned fusion: its cross-validated value, the setting that was chosen, and the fused run.

    `values` are the cross-validated value, the value on the queries for which the setting was chosen, and the values of the single runs.
    `held_out` has the cross-validated value of each query.
    """

    request: FusionRequest
    runs: Mapping[str, Run]
    measure: str
    settings: FusionSettings
    trials: int
    values: tuple[TunedValue, ...]
    folds: tuple[Fold, ...]
    queries: tuple[Id, ...]
    held_out: Floats
    warnings: tuple[Warned, ...] = ()

    @property
    def value(self) -> float:
        """The cross-validated value: what to expect on new queries."""
        return self.values[0].value

    @property
    def interval(self) -> tuple[float, float]:
        """The 95% interval of the cross-validated value."""
        return self.values[0].low, self.values[0].high

    @property
    def optimistic(self) -> float:
        """The value on the queries for which the setting was chosen."""
        return self.values[1].value

    @property
    def method(self) -> str:
        """The method with the parameters that were chosen on all queries, as `fuse` takes it."""
        return call_of(self.request.method, self.settings.values)

    @property
    def weights(self) -> dict[str, float] | None:
        """The weights that were chosen on all queries; None if the method has none."""
        return self._weights(self.settings)

    @property
    def trained(self) -> tuple[Floats, ...] | None:
        """An array per run that a trained method learnt from all queries; None for other methods."""
        return self.settings.trained or None

    @cached_property
    def run(self) -> Run:
        """The runs fused with the setting that was chosen on all queries. Its value on these queries is too high."""
        return self.fuse(self.runs)

    def fuse(self, runs: Any, *, name: str | None = None) -> Run:
        """Fuse other runs of the same systems, such as for new queries; in the same order, or with the same names."""
        request, policy = self.request, self.request.policy
        if isinstance(runs, Mapping) and set(runs) == set(self.runs):
            runs = {system: runs[system] for system in self.runs}
        weights = None if self.weights is None else list(self.weights.values())
        return fuse(
            runs,
            self.method,
            norm=request.norm.name,
            weights=weights,
            missing=request.missing,
            trained=self.trained,
            depth=policy.depth,
            ties=policy.ties,  # type: ignore[arg-type]  # checked
            duplicates=policy.duplicates,
            order=policy.order,
            name=name,
        )

    def headline(self) -> tuple[str, ...]:
        """Sentences: the value to expect, and the best single run."""
        honest, same, *singles = self.values
        low, high = number(honest.low), number(honest.high)
        lower = self._lower_is_better
        setting = self._setting(self.settings)
        named = setting if self.weights is None else f"{self.method} with {setting}"
        best = (min if lower else max)(singles, key=lambda single: single.value)
        optimistic = ", which is optimistic" if number(same.value) != number(honest.value) else ""
        return (
            f"{named}: {self.measure} {number(honest.value)} on queries it was not tuned on (95% interval {low} to {high}).",
            f"On the queries it was tuned on it is {number(same.value)}{optimistic}. The best single run, {best.name}, has {number(best.value)}.",
        )

    def tables(self, *, places: int = 4) -> list[Table]:
        """Values, and the setting of each fold."""
        rows = tuple(
            (
                v.name,
                number(v.value, places),
                "–" if v.low != v.low else f"{number(v.low, places)} to {number(v.high, places)}",
            )
            for v in self.values
        )
        spans = tuple(None if v.low != v.low else Span(v.low, v.value, v.high, scale=self.measure) for v in self.values)
        notes = (
            f"{counted(len(self.queries), 'query')}, {counted(len(self.folds), 'fold')}, {counted(self.trials, 'setting')} tried",
            *(f"warning: {warning}" for warning in self.warnings),
        )
        values = Table(("", self.measure, "95% interval"), rows, notes=notes, spans=spans)
        folds = tuple(
            (
                str(i),
                str(fold.queries),
                self._setting(fold.settings),
                number(fold.tuned_on, places),
                number(fold.held_out, places),
            )
            for i, fold in enumerate(self.folds, 1)
        )
        headers = ("fold", "queries", "chosen on the others", "on the others", "on the fold")
        return [values, Table(headers, folds, title="Settings by fold", words=(0, 2), optional=(1,))]

    def records(self) -> list[dict[str, Any]]:
        """One mapping per value."""
        return [{"measure": self.measure, **value._asdict()} for value in self.values]

    def to_data(self) -> dict[str, Any]:
        """Values, the setting, and the folds."""
        folds = [
            {"queries": f.queries, **self._plain(f.settings), "tuned_on": f.tuned_on, "held_out": f.held_out}
            for f in self.folds
        ]
        return {
            "judged-fusion": 1,
            "norm": self.request.norm.name,
            "missing": self.request.missing,
            **self._plain(self.settings),
            "trained": self.trained,
            "values": self.records(),
            "folds": folds,
            "warnings": [w.to_dict() for w in self.warnings],
        }

    def _plain(self, settings: FusionSettings) -> dict[str, Any]:
        return {"method": call_of(self.request.method, settings.values), "weights": self._weights(settings)}

    def _weights(self, settings: FusionSettings) -> dict[str, float] | None:
        return None if settings.weights is None else dict(zip(self.runs, settings.weights.tolist(), strict=True))

    def _setting(self, settings: FusionSettings) -> str:
        """A setting in words: the weights, or the method with its parameters."""
        weights = self._weights(settings)
        if weights is None:
            return call_of(self.request.method, settings.values)
        return ", ".join(f"{name} {weight:g}" for name, weight in weights.items())

    @property
    def _lower_is_better(self) -> bool:
        from judged.measures.grammar import parse

        return bool(parse(self.measure).definition.lower_is_better)
