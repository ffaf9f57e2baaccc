"""What decisions are worth: every rate of them, with intervals over items."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from judged._types import Floats
from judged.core.confusion import Confusion
from judged.core.numeric.resample import resampled_means
from judged.errors import UsageError, shown
from judged.tables.result import Result
from judged.tables.table import Table

__all__ = ["RATES", "Classification", "known_rate"]


@dataclass(frozen=True, slots=True)
class _Rate:
    """A rate: what it is called elsewhere, how it follows from the counts, and of what; undefined where that is nothing."""

    text: str
    value: Callable[[Confusion, float], Floats]
    of: Callable[[Confusion], Any]

    def defined(self, counts: Confusion, beta: float) -> Floats:
        """The rate; NaN where it is undefined."""
        return np.where(np.asarray(self.of(counts)) > 0, self.value(counts, beta), np.nan)


def _classes(c: Confusion) -> Any:
    return np.minimum(c.tp + c.fn, c.fp + c.tn)


RATES: dict[str, _Rate] = {
    "precision": _Rate("positive predictive value", lambda c, _: c.precision, lambda c: c.tp + c.fp),
    "recall": _Rate("true positive rate, sensitivity", lambda c, _: c.recall, lambda c: c.tp + c.fn),
    "specificity": _Rate("true negative rate", lambda c, _: c.specificity, lambda c: c.fp + c.tn),
    "fall_out": _Rate("false positive rate", lambda c, _: c.fall_out, lambda c: c.fp + c.tn),
    "negative_precision": _Rate("negative predictive value", lambda c, _: c.negative_precision, lambda c: c.tn + c.fn),
    "accuracy": _Rate("share of right decisions", lambda c, _: c.accuracy, lambda c: c.tp + c.fp + c.fn + c.tn),
    "balanced_accuracy": _Rate("mean of recall and specificity", lambda c, _: c.balanced_accuracy, _classes),
    "f": _Rate(
        "weighted harmonic mean of precision and recall", lambda c, beta: c.f(beta), lambda c: c.tp + c.fp + c.fn
    ),
    "mcc": _Rate("Matthews correlation", lambda c, _: c.mcc, _classes),
    "youden": _Rate("recall + specificity - 1, informedness", lambda c, _: c.youden, _classes),
}
_RESAMPLES, _DRAWS = 2_000, 20_000_000


@dataclass(frozen=True, eq=False)
class Classification(Result):
    """What decisions are worth: `tp`, `fp`, `fn`, `tn`, every rate by name, and intervals over items."""

    right: NDArray[np.bool_]  # per item: whether it is positive
    chosen: NDArray[np.bool_]  # and whether it was decided for
    threshold: float | None = None
    chosen_by: str | None = None  # the rate that the threshold is best for, on these items
    beta: float = 1.0
    confidence: float = 0.95
    seed: int = 0
    auc: float | None = (
        None  # of the scores, where they were given and labels are of both kinds: equal ones get half credit
    )
    average_precision: float | None = None  # by steps, from threshold to threshold
    auc_error: float | None = None

    @cached_property
    def counts(self) -> Confusion:
        """The four counts."""
        tp = int((self.right & self.chosen).sum())
        fp, fn = int(self.chosen.sum()) - tp, int(self.right.sum()) - tp
        return Confusion(tp=tp, fp=fp, fn=fn, tn=len(self.right) - tp - fp - fn)

    @property
    def tp(self) -> int:
        return int(self.counts.tp)

    @property
    def fp(self) -> int:
        return int(self.counts.fp)

    @property
    def fn(self) -> int:
        return int(self.counts.fn)

    @property
    def tn(self) -> int:
        return int(self.counts.tn)

    def __getitem__(self, rate: str) -> float:
        return self.rates()[known_rate(rate)]

    def rates(self) -> dict[str, float]:
        """Every rate by its name; NaN where there is nothing that it could be a share of."""
        return {name: float(rate.defined(self.counts, self.beta)) for name, rate in RATES.items()}

    @cached_property
    def intervals(self) -> dict[str, tuple[float, float]]:
        """A percentile bootstrap interval of each rate, items being drawn with replacement; of AUC by DeLong (1988).

        Resamples in which a rate is undefined are left out; a rate that is undefined has no interval.
        """
        resamples = max(200, min(_RESAMPLES, _DRAWS // len(self.right)))
        cells = [
            self.right & self.chosen,
            ~self.right & self.chosen,
            self.right & ~self.chosen,
            ~self.right & ~self.chosen,
        ]
        shares = resampled_means(np.stack(cells, axis=1).astype(float), resamples, self.seed)
        drawn = Confusion(*(np.rint(shares * len(self.right)).T))
        tails = [(1 - self.confidence) / 2, (1 + self.confidence) / 2]
        found = {}
        for name, rate in RATES.items():
            if not math.isnan(self.rates()[name]):
                low, high = np.nanquantile(rate.defined(drawn, self.beta), tails)
                found[name] = (float(low), float(high))
        if self.auc is not None and self.auc_error is not None:
            reach = NormalDist().inv_cdf(tails[1]) * self.auc_error
            found["auc"] = (max(0.0, self.auc - reach), min(1.0, self.auc + reach))
        return found

    def table(self, *, places: int = 4) -> Table:
        """The counts and rates as plain data."""
        shown_f = "f1" if self.beta == 1 else f"f (beta {self.beta:g})"
        values = self.rates()
        rows = [(shown_f if name == "f" else name, _text(values[name], places), self._between(name, places), rate.text)
                for name, rate in RATES.items()]  # fmt: skip
        if self.auc is not None:
            rows.append(("auc", f"{self.auc:.{places}f}", self._between("auc", places), "of the scores, equal ones ½"))
        if self.average_precision is not None:
            rows.append(("average_precision", f"{self.average_precision:.{places}f}", "", "of the scores, by steps"))
        total = len(self.right)
        head = [f"{total} items, {int(self.right.sum())} positive; {int(self.chosen.sum())} decided for"]
        head += (
            [f"threshold: scores from {self.threshold:g} on{self._flattered()}"] if self.threshold is not None else []
        )
        if self.right.all() or not self.right.any():
            which = "positive" if self.right.all() else "negative"
            head.append(
                f"warning: all labels are {which}: rates of the others are undefined; is the level right?  [one-class]"
            )
        counts = f"TP {self.tp}   FP {self.fp}   FN {self.fn}   TN {self.tn}"
        return Table(("rate", "value", f"{self.confidence:.0%} interval", ""), tuple(rows), title=counts,
                     notes=tuple(head), words=(0, 3))  # fmt: skip

    def _flattered(self) -> str:
        return (
            f", chosen for the best {self.chosen_by} on these very items, which flatters it" if self.chosen_by else ""
        )

    def _between(self, name: str, places: int) -> str:
        ends = self.intervals.get(name)
        return "" if ends is None else f"[{ends[0]:.{places}f}, {ends[1]:.{places}f}]"

    def to_json(self) -> str:
        """Counts, rates and intervals as strict JSON."""
        rates = {name: None if math.isnan(value) else value for name, value in self.rates().items()}
        data = {"tp": self.tp, "fp": self.fp, "fn": self.fn, "tn": self.tn, "rates": rates,
                "intervals": self.intervals, "auc": self.auc, "average_precision": self.average_precision,
                "threshold": self.threshold if self.threshold is None or np.isfinite(self.threshold) else None}  # fmt: skip
        return json.dumps(data, allow_nan=False)

    __repr__ = Result.__str__


def known_rate(rate: str) -> str:
    """The name of a rate, by any of its names."""
    if not isinstance(rate, str):
        raise UsageError("rate", f"one of {', '.join(RATES)}", got=shown(rate), value=rate)
    name = {"f1": "f", "sensitivity": "recall", "tpr": "recall", "fpr": "fall_out", "tnr": "specificity"}.get(
        rate.lower(), rate.lower()
    )
    if name not in RATES:
        hint = "use beta=" + name[1:] if name[:1] == "f" and name[1:].isdigit() else None
        raise UsageError("rate", f"one of {', '.join(RATES)}", got=shown(rate), hint=hint, value=rate)
    return name


def _text(value: float, places: int) -> str:
    return "undefined" if math.isnan(value) else f"{value:.{places}f}"
