"""Means of human judgments with the help of a model's: estimates, intervals, and what the model is worth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from judged._types import Column
from judged.errors import DataError, UsageError, Warned
from judged.measures.registry import Measure
from judged.stats.intervals import Ends, within
from judged.stats.two_phase import FEWEST, CheapValues, TwoPhaseMeans, two_phase_means
from judged.tables.table import counted, number

if TYPE_CHECKING:
    from judged.evaluation.values import Values


_USEFUL = 1.05  # times the human-judged queries: a model that is worth less is of little use


def with_model(human: Values, model: Values) -> Values:
    """Return the values of people with those of a model: queries are the model's, and values are missing where nobody judged.

    Args:
        human: values by judgments of people.
        model: values of the same run and measures by judgments of a model.

    Raises:
        UsageError: a measure that is not averaged.
        DataError: the model judged nothing that people did not, or fewer than three of their queries.
    """
    wrong = next((m for m in human.measures if m.definition.summary != "mean" or m.definition.text), None)
    if wrong is not None:
        raise UsageError(
            "model-judgments", f"{wrong} is not averaged over queries, which model judgments need", value=str(wrong)
        )
    place = {query: row for row, query in enumerate(human.queries)}
    rows = np.array([place.get(query, -1) for query in model.queries])
    both, lost = int((rows >= 0).sum()), len(human.queries) - int((rows >= 0).sum())
    if both < FEWEST:
        problem = f"people and the model judged {counted(both, 'query')} in common; three are needed"
        raise DataError("model-judgments", problem, hint="judge the same queries with the model")
    if both == len(rows):
        raise DataError(
            "model-judgments", "the model judged no query that people did not", hint="evaluate without model="
        )
    columns = {name: np.where(rows >= 0, column[rows], np.nan) for name, column in human.columns.items()}
    unjudged = [
        w for w in model.warnings if w.slug == "query-unjudged"
    ]  # by neither: the model judges at least as many
    warnings = (*(w for w in human.warnings if w.slug != "query-unjudged"), *unjudged)
    if lost:
        text = f"left out {counted(lost, 'query')} judged by people but not by the model"
        warnings = (*warnings, Warned("model-missing", lost, text))
    return replace(
        human,
        queries=model.queries,
        columns=columns,
        model=dict(model.columns),
        warnings=warnings,
        if_irrelevant=None,
        if_top=None,
        source=None,
    )


def check_no_model(result: Values, what: str) -> None:
    """Raise if values of a model are there, which a computation cannot use and must not ignore."""
    if result.model is not None:
        raise UsageError("model-judgments", f"{what} cannot be used with model judgments", hint="leave one of them out")


def estimates(columns: Mapping[str, Column], model: Mapping[str, Column]) -> dict[str, TwoPhaseMeans]:
    """Return the estimated mean of each measure over all queries."""
    found = {}
    for name, column in columns.items():
        known = ~np.isnan(column) & ~np.isnan(model[name])
        all_ = ~np.isnan(model[name])
        cheap = CheapValues(model[name][all_, None], known[all_])
        found[name] = two_phase_means(np.asarray(column[known, None], float), cheap)
    return found


def calibrated_intervals(
    columns: Mapping[str, Column],
    model: Mapping[str, Column],
    measures: Sequence[Measure],
    *,
    level: float,
    method: str,
) -> dict[str, Ends]:
    """Return the interval of each estimate, within the range of the measure."""
    if method != "t":
        raise UsageError("interval", f"means with model judgments have t intervals, not {method}", value=method)
    found: dict[str, Ends] = {}
    chosen = {str(m): columns[str(m)] for m in measures}
    for m, (name, one) in zip(measures, estimates(chosen, model).items(), strict=True):
        low, high = one.interval(level)
        found[name] = within((float(low[0]), float(high[0])), m.definition.limits)
    return found


def worth_of_model(column: Column, model: Column) -> str:
    """Say how many queries people judged, and how many they would have to judge for the same precision without the model."""
    [one] = estimates({"": column}, {"": model}).values()
    people, everything, worth = int((~np.isnan(column)).sum()), int((~np.isnan(model)).sum()), float(one.worth[0])
    said = f"{people:,} of {everything:,} queries judged by people, the others by the model (bias {number(float(one.bias[0]), 4, sign='+')}); "
    if worth < _USEFUL * people:
        return said + "the model helps little: its values say too little about those of people"
    return said + (f"as precise as {round(worth):,} human-judged queries" if np.isfinite(worth) else "no error is left")


def summaries(columns: Mapping[str, Column], model: Mapping[str, Column], how: str) -> dict[str, Any]:
    """Return the estimated mean of each measure; other summaries are refused."""
    if how not in ("", "mean"):
        raise UsageError("summary", f"values with model judgments have means, not {how}", value=how)
    return {name: float(one.mean[0]) for name, one in estimates(columns, model).items()}
