"""What a comparison of two runs can show: the smallest difference, the queries it takes, the chance to find one."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from judged._types import Floats
from judged.errors import DataError, UsageError, Warned
from judged.evaluation.evaluate import Measures, evaluate
from judged.evaluation.result.values import Values
from judged.io.read import read_qrels
from judged.measures.grammar import parse_all
from judged.stats.power import (
    LITTLE,
    MATERIAL,
    achieved_power,
    detectable_difference,
    deviation,
    little_chance,
    queries_needed,
    simulated_power,
)
from judged.stats.summary import mean
from judged.tables.result import Result
from judged.tables.table import Table

__all__ = ["MeasurePower", "Power", "power"]


@dataclass(frozen=True, slots=True)
class MeasurePower:
    """What can be shown in one measure; nothing (NaN) where all differences are equal."""

    measure: str
    observed: int  # queries whose differences were looked at
    deviation: float  # the standard deviation of the differences
    queries: int  # the number the rest is about
    smallest: float  # the difference that so many queries show with the chance asked for; infinite for one query
    difference: float  # a difference that would matter
    chance: float  # to find it with so many queries
    needed: int | None  # queries that find it with the chance asked for; None: more than 10⁹
    simulated: float | None = None  # the chance of a permutation test, tried out

    def sentence(self, power: float) -> str:
        """The finding, in words."""
        name, share, n = self.measure, f"{power:.0%}", self.queries
        able = _counted(n)
        if self.deviation == 0:
            return f"all differences in {name} are equal, and say nothing of how others vary"
        if math.isinf(self.smallest):
            shows = f"{able} cannot show any difference in {name}"
        else:
            shows = f"{able} can show a difference of {self.smallest:.2g} in {name} with {share} chance"
        need = "more than 10⁹ queries" if self.needed is None else f"{self.needed:,} queries"
        return f"{shows}; for {self.difference:.2g} you need {need}" if self.difference > 0 else shows


@dataclass(frozen=True, slots=True)
class Power(Result):
    """What two runs' comparison can show, for each measure: a paired t test, two-sided.

    It rests on how much differences vary between queries, and never on the difference that was observed.
    """

    names: tuple[str, str]
    power: float
    alpha: float
    measures: tuple[MeasurePower, ...]
    warnings: tuple[Warned, ...] = ()

    def __len__(self) -> int:
        return len(self.measures)

    def __getitem__(self, measure: str) -> MeasurePower:
        """What can be shown in this measure."""
        wanted = {str(measure), *map(str, parse_all(measure))}
        found = next((m for m in self.measures if m.measure in wanted), None)
        if found is None:
            known = ", ".join(m.measure for m in self.measures)
            raise UsageError("not-asked", f"one of {known}", got=repr(str(measure)), value=measure)
        return found

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data; what is infinite or beyond counting is None."""
        return {
            "judged": 1,
            "a": self.names[0],
            "b": self.names[1],
            "test": "paired t, two-sided",
            "power": self.power,
            "alpha": self.alpha,
            "measures": [_plain(m) for m in self.measures],
            "warnings": [w.to_dict() for w in self.warnings],
        }

    def to_json(self) -> str:
        """Everything, as strict JSON."""
        return json.dumps(self.to_dict(), allow_nan=False)

    def to_pandas(self) -> Any:
        """A pandas frame: one row a measure (the index)."""
        import pandas as pd

        return pd.DataFrame([_plain(m) for m in self.measures]).set_index("measure")

    def to_polars(self) -> Any:
        """A polars frame: one row a measure."""
        import polars as pl

        return pl.DataFrame([_plain(m) for m in self.measures])

    def table(self, *, places: int = 4) -> Table:
        """A row a measure, and a sentence for each below."""
        tried = any(m.simulated is not None for m in self.measures)
        headers = ("measure", "queries", "deviation", f"smallest at {self.power:.0%}", "difference", "chance", "needed")
        rows = tuple(_row(m, places, tried) for m in self.measures)
        test = f"paired t test, two-sided, alpha {self.alpha:g}"
        sentences = (f"{m.sentence(self.power)}." for m in self.measures)
        return Table(
            (*headers, "by permutation") if tried else headers,
            rows,
            title=" ~ ".join(n.rpartition("/")[2] for n in self.names),
            notes=(*sentences, test, *(f"warning: {w}" for w in self.warnings)),
        )

    __repr__ = Result.__str__


def power(
    qrels: Any,
    a: Any,
    b: Any,
    measures: Measures = "nDCG@10",
    *,
    difference: float | None = None,
    power: float = 0.8,
    alpha: float = 0.05,
    queries: int | None = None,
    simulate: bool = False,
    seed: int = 0,
    level: float | None = None,
    profile: str = "trec_eval-10",
    **policy: Any,
) -> Power:
    """What a comparison of two runs can show, from how much their differences vary between queries.

    Args:
        qrels: judgments, in any form that `read_qrels` takes; None where `a` and `b` are `Values`.
        a: a run, or its `Values`: nothing is scored twice.
        b: the other.
        measures: names or objects.
        difference: one that would matter. Unless it is said, a tenth of the mean of `a` ("material": Spärck Jones 1974).
        power: the chance with which it is to be found.
        alpha: of the two-sided paired t test.
        queries: how many there would be; as many as there are, unless said.
        simulate: also try the permutation test out, on queries drawn from these.
        seed: of these draws.
        level: the lowest grade that counts as relevant.
        profile: the conventions of another tool.
        policy: see `Policy` (all but `queries`, which is the number here).

    A difference that is the observed one gets a warning: the power to find it says nothing beyond its p-value (Hoenig and Heisey 2001).

    >>> judgments = {q: {"x": 1} for q in "abcd"}
    >>> one, other = {q: ["x", "y"] for q in "abcd"}, {q: ["y", "x"] if q in "ab" else ["x"] for q in "abcd"}
    >>> power(judgments, one, other, "RR", difference=0.1)["RR"].needed
    68
    """
    if difference is not None and not (isinstance(difference, int | float) and 0 < abs(difference) < math.inf):
        raise UsageError("parameter", "difference: a number other than 0", got=repr(difference), value=difference)
    sides = _values(qrels, a, b, measures, level=level, profile=profile, **policy)
    warnings = list(dict.fromkeys(w for side in sides for w in side.warnings))
    found = []
    for name in [str(m) for m in sides[0].measures if not m.definition.text]:
        first, second = _aligned(sides, name)
        d = second - first
        matters = abs(difference) if difference is not None else MATERIAL * abs(mean(first))
        one = _measure_power(name, d, matters, power, alpha, queries, simulate, seed)
        found.append(one)
        warnings += _warned(one, abs(mean(d)), alpha, said=difference is not None)
    if not found:
        raise UsageError("measure", "a measure with a number for each query", got="none", hint="for example nDCG@10")
    names = (sides[0].names[1], sides[1].names[1])
    return Power(names, float(power), float(alpha), tuple(found), tuple(warnings))


def _values(qrels: Any, a: Any, b: Any, measures: Measures, **options: Any) -> tuple[Values, Values]:
    given = [isinstance(run, Values) for run in (a, b)]
    judgments = qrels if all(given) else read_qrels(qrels)
    first, second = (
        run if isinstance(run, Values) else evaluate(judgments, run, measures, **options) for run in (a, b)
    )
    if set(first.columns) != set(second.columns):
        raise UsageError(
            "not-asked", "the same measures on both sides", got=f"{', '.join(first)} and {', '.join(second)}"
        )
    return first, second


def _aligned(sides: tuple[Values, Values], name: str) -> tuple[Floats, Floats]:
    """The values of both, for queries that both have."""
    first, second = (dict(zip(side.queries, side[name].tolist(), strict=True)) for side in sides)
    shared = [q for q in first if q in second and not math.isnan(first[q]) and not math.isnan(second[q])]
    if not shared:
        raise DataError("no-common-query", "a query that both runs have a value for", got="none", value=name)
    return np.array([first[q] for q in shared], dtype=float), np.array([second[q] for q in shared], dtype=float)


def _measure_power(
    name: str, d: Floats, matters: float, wanted: float, alpha: float, queries: int | None, simulate: bool, seed: int
) -> MeasurePower:
    n = len(d) if queries is None else queries
    if len(d) < 2:
        raise DataError(
            "few-queries", "two queries or more, to see how much differences vary", got=f"{len(d)} in {name}"
        )
    spread = deviation(d)
    if spread == 0:
        return MeasurePower(name, len(d), 0.0, n, math.nan, matters, math.nan, None)
    return MeasurePower(
        measure=name,
        observed=len(d),
        deviation=spread,
        queries=n,
        smallest=detectable_difference(spread, n, power=wanted, alpha=alpha),
        difference=matters,
        chance=achieved_power(matters, spread, n, alpha=alpha),
        needed=queries_needed(matters, spread, power=wanted, alpha=alpha) if matters > 0 else None,
        simulated=simulated_power(d, matters, queries=n, alpha=alpha, seed=seed) if simulate else None,
    )


def _warned(one: MeasurePower, observed: float, alpha: float, *, said: bool) -> list[Warned]:
    found = []
    if one.deviation == 0:
        found.append(Warned("no-spread", one.observed, f"{one.measure}: all differences are equal; nothing is known of how they vary"))  # fmt: skip
    elif little_chance(one.deviation, one.queries, one.difference, alpha=alpha):
        text = f"{one.measure}: little chance (below {LITTLE:.0%}) that {_counted(one.queries)} find a difference of {one.difference:.2g}"
        found.append(Warned("little-chance", one.queries, text))
    if said and math.isclose(one.difference, observed, rel_tol=1e-3):
        text = f"{one.measure}: this is the observed difference; the power to find it says nothing beyond its p-value"
        found.append(Warned("observed-power", 1, text))
    return found


def _counted(n: int) -> str:
    return f"{n:,} {'query' if n == 1 else 'queries'}"


def _plain(one: MeasurePower) -> dict[str, Any]:
    data = asdict(one)
    return {k: None if isinstance(v, float) and not math.isfinite(v) else v for k, v in data.items()}


def _row(one: MeasurePower, places: int, tried: bool) -> tuple[str, ...]:

    def number(value: float) -> str:
        return f"{value:.{places}f}" if math.isfinite(value) else "–"

    cells = (
        one.measure,
        str(one.queries),
        number(one.deviation),
        number(one.smallest),
        number(one.difference),
        "–" if math.isnan(one.chance) else f"{one.chance:.1%}",
        "–" if one.needed is None else str(one.needed),
    )
    return (*cells, "" if one.simulated is None else f"{one.simulated:.1%}") if tried else cells
