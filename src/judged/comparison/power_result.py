"""`Power`: the differences that a number of queries can show, per measure."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

from judged.errors import UsageError, Warned
from judged.evaluation.values import fits
from judged.measures.grammar import parse, parse_all
from judged.stats.power import LITTLE
from judged.tables.result import Result
from judged.tables.table import Table
from judged.tables.text import counted, number


@dataclass(frozen=True, slots=True)
class MeasurePower:
    """Power in one measure; NaN if all differences are equal."""

    measure: str
    observed: int  # queries from which the deviation was estimated
    deviation: float  # standard deviation of the differences
    queries: int  # number of queries that the power is about
    smallest: float  # difference that they detect with the requested power; infinite for one query
    difference: float  # difference that matters
    chance: float  # power to detect it
    needed: int | None  # queries that detect it with the requested power; None: more than 10⁹
    needed_low: int | None = None  # the same, for the ends of a 95% interval of the deviation
    needed_high: int | None = None
    for_width: int | None = None  # queries whose interval is as narrow as requested
    for_equivalence: int | None = None  # queries that show equal runs to be equal within the margin
    simulated: float | None = None  # power of the permutation test, by simulation

    def sentence(self, power: float) -> str:
        """The finding as a sentence."""
        queries = f"{self.queries:,} {'query' if self.queries == 1 else 'queries'}"
        if self.deviation == 0:
            return f"{self.measure}: all differences are equal, so their variation is unknown"
        if math.isinf(self.smallest):
            shows = f"{self.measure}: {queries} cannot show any difference"
        else:
            shows = f"{self.measure}: {queries} detect a difference of {self.smallest:.2g} with power {power:.0%}"
        need = "more than 10⁹ queries" if self.needed is None else f"{self.needed:,} queries{self.uncertainty()}"
        return f"{shows}; a difference of {self.difference:.2g} needs {need}" if self.difference > 0 else shows

    def uncertainty(self) -> str:
        """The range of the number needed, in words: how well the observed queries determine it."""
        if self.needed_low is None:
            return ""
        most = "more" if self.needed_high is None else f"{self.needed_high:,}"
        return f" (between {self.needed_low:,} and {most}, as far as {self.observed:,} queries can tell)"


@dataclass(frozen=True, slots=True, repr=False)
class Power(Result):
    """Power of a two-sided paired t test between two runs, per measure.

    It depends on how much differences vary between queries, never on the observed difference.
    """

    names: tuple[str, str]
    power: float
    alpha: float
    measures: tuple[MeasurePower, ...]
    systems: int = 2  # whose pairs are all compared, with a correction
    warnings: tuple[Warned, ...] = ()

    def __len__(self) -> int:
        return len(self.measures)

    def __getitem__(self, measure: str) -> MeasurePower:
        """The power in one measure."""
        names = {str(measure), *map(str, parse_all(measure))}
        for one in self.measures:
            if one.measure in names:
                return one
        fitting = [one for one in self.measures for asked in parse_all(measure) if fits(asked, parse(one.measure))]
        if len(fitting) == 1:  # as it was before the profile and the level were applied
            return fitting[0]
        hint = f"choose one of {', '.join(m.measure for m in self.measures)}"
        raise UsageError("not-asked", f"{measure} was not evaluated", hint=hint, value=measure)

    def headline(self) -> list[str]:
        """The differences that can be shown, and for a single measure the queries that the requested one needs."""
        if len(self.measures) == 1:
            return [f"{self.measures[0].sentence(self.power)}."]
        sizes = ", ".join(f"{number(m.smallest, 3)} in {m.measure}" for m in self.measures if math.isfinite(m.smallest))
        return [f"Differences that can be shown with power {self.power:.0%}: {sizes}."] if sizes else []

    def records(self) -> list[dict[str, Any]]:
        """One mapping per measure; values that are infinite or unknown are None."""
        records = [asdict(m) for m in self.measures]
        return [
            {k: None if isinstance(v, float) and not math.isfinite(v) else v for k, v in r.items()} for r in records
        ]

    def to_data(self) -> dict[str, Any]:
        """The runs, the test, and the records."""
        return {
            "judged": 1,
            "a": self.names[0],
            "b": self.names[1],
            "test": "paired t, two-sided",
            "power": self.power,
            "alpha": self.alpha,
            "systems": self.systems,
            "measures": self.records(),
            "warnings": [w.to_dict() for w in self.warnings],
        }

    def to_pandas(self) -> Any:
        """A pandas frame with one row per measure, which is the index."""
        import pandas as pd

        return pd.DataFrame(self.records()).set_index("measure")

    def tables(self, *, places: int = 4) -> list[Table]:
        """One row per measure."""
        headers = (
            "measure",
            "queries",
            "deviation",
            f"detectable at {self.power:.0%}",
            "difference",
            "power",
            "queries needed",
            "95% range",
        )
        extra = {"by permutation": "simulated", "for the width": "for_width", "for equivalence": "for_equivalence"}
        extra = {head: name for head, name in extra.items() if any(getattr(m, name) is not None for m in self.measures)}
        title = " ~ ".join(n.rpartition("/")[2] for n in self.names)
        pairs = self.systems * (self.systems - 1) // 2
        family = f" over the {counted(pairs, 'pair')} of {self.systems} systems (Bonferroni)" if pairs > 1 else ""
        notes = (f"paired t test, two-sided, alpha {self.alpha:g}{family}", *self._warning_lines())
        rows = tuple((*_row(m, places), *(_extra(getattr(m, name)) for name in extra.values())) for m in self.measures)
        return [Table((*headers, *extra), rows, title=title, notes=notes, optional=(2, 7, *range(8, 8 + len(extra))))]

    def _warning_lines(self) -> list[str]:
        """The warnings, with those of little power in one line."""
        weak = [w for w in self.warnings if w.slug == "little-chance"]
        if len(weak) < 2:
            return [f"warning: {w}" for w in self.warnings]
        names = ", ".join(w.text.partition(":")[0] for w in weak)
        others = [f"warning: {w}" for w in self.warnings if w not in weak]
        together = Warned("little-chance", len(weak), f"power below {LITTLE:.0%} in {names}")
        return [*others, f"warning: {together}"]


def _row(one: MeasurePower, places: int) -> tuple[str, ...]:
    smallest = number(None if math.isinf(one.smallest) else one.smallest, places)
    most = "…" if one.needed_high is None else number(one.needed_high)
    known = "–" if one.needed_low is None else f"{number(one.needed_low)}–{most}"
    return (
        one.measure,
        str(one.queries),
        number(one.deviation, places),
        smallest,
        number(one.difference, places),
        _extra(one.chance),
        number(one.needed),
        known,
    )


def _extra(value: float | None) -> str:
    """A number of queries, or a power."""
    if value is None or math.isnan(value):
        return "–"
    return number(value) if isinstance(value, int) else f"{value:.1%}"
