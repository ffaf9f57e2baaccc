"""An `Agreement` in words: the coefficient to read, exact agreement, who is more lenient, and what becomes of the systems."""

from __future__ import annotations

from math import isnan
from typing import TYPE_CHECKING

import numpy as np

from judged.tables.records import number
from judged.tables.table import counted

if TYPE_CHECKING:
    from judged.judges.result import Agreement

__all__ = ["conclusion", "main_key"]


def main_key(a: Agreement) -> str:
    """The coefficient to read for these labels: under the weights that were asked for, else as the labels are.

    Two judges: Cohen's kappa; of grades, the quadratic one. More: Krippendorff's alpha, which is made for missing judgments; of
    grades, the ordinal one.
    """
    two = len(a.names) == 2
    if a.weights != "nominal":
        return f"kappa({a.weights})" if two else f"alpha({'interval' if a.weights == 'quadratic' else a.weights})"
    if _is_graded(a):
        return "kappa(quadratic)" if two else "alpha(ordinal)"
    return "kappa" if two else "alpha"


def conclusion(a: Agreement, places: int = 4) -> tuple[str, ...]:
    """What a person asks first, a sentence each."""
    order = a.order.conclusion() if a.order is not None else ()
    return (_coefficient(a, places), _exact(a), *_lenient(a), *order)


def _is_graded(a: Agreement) -> bool:
    return a.panel.ratings.numbers is not None and len(a.categories) > 2


def _coefficient(a: Agreement, places: int) -> str:
    c = a[main_key(a)]
    labels = "graded labels" if _is_graded(a) else "binary labels" if len(a.categories) <= 2 else "labels without order"
    why = f"to be read for {labels}" if a.weights == "nominal" else "under the weights asked for"
    name = c.name[0].upper() + c.name[1:]
    if isnan(c.value):
        return f"{name} ({why}) has no value: {c.reason}"
    if len(a.pairs) == 1 and a.pairs[0].one_label:
        return f"{name} ({why}) says nothing here: {a.paradox.sentences[0]}"
    between = "no interval" if isnan(c.low) else (
        f"{100 * a.confidence:g}% interval {number(c.low, places)} to {number(c.high, places)}"
    )  # fmt: skip
    return f"{name} ({why}): {number(c.value, places)}, {between}"


def _exact(a: Agreement) -> str:
    thing = "document" if a.panel.units is not None else "unit"
    who = "both" if len(a.names) == 2 else "two judges or more"
    return f"Exact agreement: {a['raw'].value:.1%} of {counted(a['raw'].units, thing)} judged by {who}"


def _lenient(a: Agreement) -> tuple[str, ...]:
    """Who gives higher grades, over what every one of them judged (or, if there is nothing of the kind, nothing is said)."""
    ratings = a.panel.ratings
    shared = (ratings.codes >= 0).all(axis=0)
    if ratings.numbers is None or not shared.any():
        return ()
    grades = ratings.numbers[ratings.codes[:, shared]]
    mean, zero = np.round(grades.mean(axis=1), 2), (grades == 0).mean(axis=1)  # what prints alike is alike
    habits = ", ".join(f"{name} {m:.2f} ({z:.0%} are 0)" for name, m, z in zip(a.names, mean, zero, strict=True))
    habits = f"mean {'grade' if a.panel.levels is None else 'label'}: {habits}"
    high, low = int(np.argmax(mean)), int(np.argmin(mean))
    if mean[high] == mean[low]:
        return (f"{'Neither' if len(a.names) == 2 else 'None'} is more lenient; {habits}",)
    if len(a.names) == 2:
        return (f"{a.names[high]} is more lenient; {habits}",)
    return (f"{a.names[high]} is the most lenient, {a.names[low]} the strictest; {habits}",)
