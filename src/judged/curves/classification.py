"""`Classification`: confusion counts and every rate of them, with intervals over items."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from judged._types import Floats
from judged.core.confusion import Confusion
from judged.errors import Hint, UsageError, Warned, shown
from judged.stats.intervals import wilson
from judged.stats.student_t import normal_quantile
from judged.tables.result import Result
from judged.tables.table import Table
from judged.tables.text import number


@dataclass(frozen=True, slots=True)
class _Rate:
    """A rate: its other names, its value by the counts, and its denominator; undefined if that is 0.

    A `share` is a proportion of its denominator, and has Wilson's interval.
    """

    text: str
    value: Callable[[Confusion, float], Floats]
    of: Callable[[Confusion], Any]
    share: bool = False

    def defined(self, counts: Confusion, beta: float) -> Floats:
        """Return the rate; NaN if it is undefined."""
        return np.where(np.asarray(self.of(counts)) > 0, self.value(counts, beta), np.nan)


def _classes(c: Confusion) -> Any:
    return np.minimum(c.tp + c.fn, c.fp + c.tn)


RATES: dict[str, _Rate] = {
    "precision": _Rate("positive predictive value", lambda c, _: c.precision, lambda c: c.tp + c.fp, share=True),
    "recall": _Rate("true positive rate, sensitivity", lambda c, _: c.recall, lambda c: c.tp + c.fn, share=True),
    "specificity": _Rate("true negative rate", lambda c, _: c.specificity, lambda c: c.fp + c.tn, share=True),
    "fall_out": _Rate("false positive rate", lambda c, _: c.fall_out, lambda c: c.fp + c.tn, share=True),
    "negative_precision": _Rate(
        "negative predictive value", lambda c, _: c.negative_precision, lambda c: c.tn + c.fn, share=True
    ),
    "accuracy": _Rate(
        "share of correct decisions", lambda c, _: c.accuracy, lambda c: c.tp + c.fp + c.fn + c.tn, share=True
    ),
    "balanced_accuracy": _Rate("mean of recall and specificity", lambda c, _: c.balanced_accuracy, _classes),
    "f": _Rate(
        "weighted harmonic mean of precision and recall", lambda c, beta: c.f(beta), lambda c: c.tp + c.fp + c.fn
    ),
    "mcc": _Rate("Matthews correlation", lambda c, _: c.mcc, _classes),
    "youden": _Rate("recall + specificity - 1, informedness", lambda c, _: c.youden, _classes),
}


@dataclass(frozen=True, eq=False, repr=False)
class Classification(Result):
    """Confusion counts `tp`, `fp`, `fn` and `tn`, rates by name, and intervals over items."""

    right: NDArray[np.bool_]  # items that are positive
    chosen: NDArray[np.bool_]  # items that were predicted positive
    threshold: float | None = None
    chosen_by: str | None = None  # the rate that the threshold maximises on these items
    beta: float = 1.0
    confidence: float = 0.95
    auc: float | None = None  # of the scores; equal ones get half credit
    average_precision: float | None = None  # of the scores, by steps between thresholds
    auc_error: float | None = None

    @cached_property
    def counts(self) -> Confusion:
        """The four counts."""
        tp = int((self.right & self.chosen).sum())
        fp, fn = int(self.chosen.sum()) - tp, int(self.right.sum()) - tp
        return Confusion(tp=tp, fp=fp, fn=fn, tn=len(self.right) - tp - fp - fn)

    @property
    def tp(self) -> int:
        """True positives."""
        return int(self.counts.tp)

    @property
    def fp(self) -> int:
        """False positives."""
        return int(self.counts.fp)

    @property
    def fn(self) -> int:
        """False negatives."""
        return int(self.counts.fn)

    @property
    def tn(self) -> int:
        """True negatives."""
        return int(self.counts.tn)

    def __getitem__(self, rate: str) -> float:
        return self.rates()[known_rate(rate)]

    def rates(self) -> dict[str, float]:
        """Return every rate by name; NaN if its denominator is 0."""
        return {name: float(rate.defined(self.counts, self.beta)) for name, rate in RATES.items()}

    @cached_property
    def intervals(self) -> dict[str, tuple[float, float]]:
        """Interval of each rate over items; an undefined rate has none.

        Proportions: Wilson (1927). F with beta 1 is a function of one, tp / (tp + fp + fn). Youden's J and balanced accuracy: the intervals of recall and
        specificity, combined (Zou and Donner 2008). AUC: DeLong (1988) on the logit scale. Matthews correlation and other F: the delta method, on
        Fisher's scale and on the logit scale.
        """
        rates = self.rates()
        intervals = {name: self._interval(name, rates) for name in RATES if not math.isnan(rates[name])}
        if self.auc is not None and self.auc_error is not None:
            intervals["auc"] = self._auc_interval(self.auc, self.auc_error)
        return intervals

    def _interval(self, name: str, rates: dict[str, float]) -> tuple[float, float]:
        if RATES[name].share:
            return wilson(rates[name], float(RATES[name].of(self.counts)), self.confidence)
        if name == "f" and self.beta == 1:
            either = self.tp + self.fp + self.fn
            low, high = (2 * end / (1 + end) for end in wilson(self.tp / either, either, self.confidence))
            return low, high
        if name in ("youden", "balanced_accuracy"):
            ends = {rate: self._interval(rate, rates) for rate in ("recall", "specificity")}
            down = math.hypot(*(rates[rate] - low for rate, (low, _) in ends.items()))
            up = math.hypot(*(high - rates[rate] for rate, (_, high) in ends.items()))
            scale = 1.0 if name == "youden" else 0.5
            return rates[name] - scale * down, rates[name] + scale * up
        return self._mcc_interval(rates[name]) if name == "mcc" else self._f_interval(rates[name])

    def _mcc_interval(self, value: float) -> tuple[float, float]:
        """The delta method on Fisher's scale, with the variance of phi (Bishop, Fienberg and Holland 1975, 11.3)."""
        tp, fp, fn, tn = self._cells()
        n = tp + fp + fn + tn
        chosen, right = (tp + fp) / n, (tp + fn) / n
        spread = chosen * (1 - chosen) * right * (1 - right)
        phi = (tp * tn - fp * fn) / (n * n * math.sqrt(spread))
        uneven = (2 * chosen - 1) * (2 * right - 1) / math.sqrt(spread)
        skew = (2 * chosen - 1) ** 2 / (chosen * (1 - chosen)) + (2 * right - 1) ** 2 / (right * (1 - right))
        variance = (1 - phi**2 + phi * (1 + phi**2 / 2) * uneven - 0.75 * phi**2 * skew) / n
        reach = normal_quantile(self.confidence) * math.sqrt(max(variance, 0.0)) / (1 - phi**2)
        low, high = (math.tanh(math.atanh(phi) + side * reach) for side in (-1, 1))
        return min(low, value), max(high, value)

    def _f_interval(self, value: float) -> tuple[float, float]:
        """The delta method on the logit scale: F / (1 - F) is (1 + beta²) tp / (beta² fn + fp)."""
        (tp, fp, fn, _), weight = self._cells(), self.beta**2
        rest = weight * fn + fp
        reach = normal_quantile(self.confidence) * math.sqrt(1 / tp + (weight**2 * fn + fp) / rest**2)
        centre = math.log((1 + weight) * tp / rest)
        low, high = (1 / (1 + math.exp(-(centre + side * reach))) for side in (-1, 1))
        return min(low, value), max(high, value)

    def _cells(self) -> list[float]:
        """The four counts; if one is 0, each with 1/2 more, so that its logarithm is finite (Haldane 1956)."""
        cells = [float(count) for count in (self.tp, self.fp, self.fn, self.tn)]
        return cells if all(cells) else [count + 0.5 for count in cells]

    def _auc_interval(self, area: float, error: float) -> tuple[float, float]:
        """DeLong's interval on the logit scale; for a perfect order, Wilson's for the smaller class."""
        if not 0 < area < 1 or error == 0:
            smaller = min(int(self.right.sum()), int((~self.right).sum()))
            return wilson(area, smaller, self.confidence)
        reach = normal_quantile(self.confidence) * error / (area * (1 - area))
        centre = math.log(area / (1 - area))
        low, high = (1 / (1 + math.exp(-(centre + side * reach))) for side in (-1, 1))
        return low, high

    def headline(self) -> tuple[str, ...]:
        """The counts."""
        return (f"TP {self.tp}   FP {self.fp}   FN {self.fn}   TN {self.tn}",)

    def tables(self, *, places: int = 4) -> list[Table]:
        """The rates with intervals."""
        rows = [
            (
                row["rate"],
                "undefined" if row["value"] != row["value"] else number(row["value"], places),
                "" if row["low"] is None else f"[{number(row['low'], places)}, {number(row['high'], places)}]",
                row["text"],
            )
            for row in self._rows()
        ]
        notes = [
            f"{len(self.right)} items, {int(self.right.sum())} positive; {int(self.chosen.sum())} predicted positive"
        ]
        if self.threshold is not None:
            optimistic = (
                f", optimal for {self.chosen_by} on the same items, so rates are optimistic" if self.chosen_by else ""
            )
            notes.append(f"threshold: scores ≥ {self.threshold:g}{optimistic}")
        if self.right.all() or not self.right.any():
            which = "positive" if self.right.all() else "negative"
            hint = Hint("check the {level}", level=None)
            notes.append(f"warning: {Warned('one-class', len(self.right), f'all labels are {which}', hint)}")
        headers = ("rate", "value", f"{self.confidence:.0%} interval", "")
        return [Table(headers, tuple(rows), notes=tuple(notes), words=(0, 3), optional=(3,))]

    def records(self) -> list[dict[str, Any]]:
        """One row per rate: rate, value, low, high."""
        return [{name: row[name] for name in ("rate", "value", "low", "high")} for row in self._rows()]

    def _rows(self) -> list[dict[str, Any]]:
        texts = {name: rate.text for name, rate in RATES.items()}
        values = self.rates()
        if self.auc is not None:
            values["auc"], texts["auc"] = self.auc, "area under the ROC curve; ties count ½"
        if self.average_precision is not None:
            values["average_precision"], texts["average_precision"] = (
                self.average_precision,
                "step-wise area under precision-recall",
            )
        rows = []
        for name, value in values.items():
            low, high = self.intervals.get(name, (None, None))
            label = name if name != "f" else "f1" if self.beta == 1 else f"f (beta {self.beta:g})"
            rows.append({"rate": label, "value": value, "low": low, "high": high, "text": texts[name]})
        return rows

    def to_data(self) -> dict[str, Any]:
        """Counts, rates and intervals as plain data."""
        return {
            "tp": self.tp,
            "fp": self.fp,
            "fn": self.fn,
            "tn": self.tn,
            "rates": self.rates(),
            "intervals": self.intervals,
            "auc": self.auc,
            "average_precision": self.average_precision,
            "threshold": self.threshold,
        }


def known_rate(rate: object) -> str:
    """Return the name of a rate by any of its names."""
    name = rate.lower() if isinstance(rate, str) else ""
    name = {"f1": "f", "sensitivity": "recall", "tpr": "recall", "fpr": "fall_out", "tnr": "specificity"}.get(
        name, name
    )
    if name not in RATES:
        by_beta = Hint("use {beta}", beta=int(name[1:])) if name[:1] == "f" and name[1:].isdigit() else None
        raise UsageError(
            "rate", f"unknown rate {shown(rate)}", hint=by_beta or f"choose one of {', '.join(RATES)}", value=rate
        )
    return name
