"""A metric for torchmetrics and Lightning: `RankingMetric("nDCG@10")`, which is a `torchmetrics.Metric`."""

from __future__ import annotations

import hashlib
import math
import statistics
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, Unpack

import numpy as np

from judged.errors import DataError, UsageError, shown
from judged.evaluation.arrays import score
from judged.integrations._measuring import Measures, Measuring, ScoreOptions
from judged.stats.intervals import FLOOR

if TYPE_CHECKING:
    RankingMetric: Any

Repeated = Literal["error", "first"]


class MetricOptions(ScoreOptions, total=False):
    """Keyword options of `score`, and of `torchmetrics.Metric`."""

    compute_on_cpu: bool
    compute_with_cache: bool
    dist_sync_fn: Any
    dist_sync_on_step: bool
    distributed_available_fn: Any
    process_group: Any
    sync_on_compute: bool


_TORCHMETRICS = tuple(MetricOptions.__annotations__.keys() - ScoreOptions.__annotations__.keys())


class _Ranking:
    """The mean over lists of one or several measures, accumulated over batches and processes.

    The state is one value per list and measure, with the index of the list if given, not its items. So each list must be complete in one `update`.

    Args:
        measures: as in `score`. With one, `compute` returns a tensor; with several, a dict of tensors.
        repeated: an index that occurs twice is an `error`; or the `first` counts, for samplers that repeat some lists
            so that every process has the same number.
        options: keyword options of `score` (`level`, `profile`, `empty`, `ties` …), and of `torchmetrics.Metric` (`dist_sync_on_step` …).
            `profile="torchmetrics"` has the conventions of torchmetrics' own classes; their empty_target_action neg, pos and skip are `empty="zero"`, `"one"` and `"skip"`.
    """

    is_differentiable = False
    full_state_update = False

    if TYPE_CHECKING:
        add_state: Callable[..., None]

    def __init__(self, measures: Measures, *, repeated: Repeated = "error", **options: Unpack[MetricOptions]) -> None:
        if repeated not in ("error", "first"):
            raise UsageError("option", f"repeated must be error or first, got {shown(repeated)}", value=repeated)
        super().__init__(**{name: options.pop(name) for name in _TORCHMETRICS if name in options})  # type: ignore[misc]
        self._measuring, self._repeated = Measuring(measures, options), repeated
        # A MetricCollection merges metrics with equal states, and two measures may agree on a first batch: so the names of states are unique.
        sign = hashlib.sha256(repr((str(self._measuring), sorted(options.items()), repeated)).encode()).hexdigest()[:12]
        self._values, self._indexes = f"values_{sign}", f"indexes_{sign}"
        self.add_state(self._values, default=[], dist_reduce_fx="cat")
        self.add_state(self._indexes, default=[], dist_reduce_fx="cat")

    @property
    def higher_is_better(self) -> bool:
        """True if higher is better; for several measures, that of the first."""
        return not self._measuring.measures[0].definition.lower_is_better

    def update(
        self,
        preds: Any,
        target: Any,
        indexes: Any = None,
        *,
        mask: Any = None,
        pad: float | None = None,
        total_relevant: Any = None,
    ) -> None:
        """Add a batch: rows of scores and labels, one list each; or items of any shape with the index of their list."""
        torch = import_module("torch")
        if indexes is not None:
            preds, target, indexes = preds.reshape(-1), target.reshape(-1), indexes.reshape(-1)
            mask = None if mask is None else mask.reshape(-1)
        values = score(
            target,
            preds,
            self._measuring.measures,
            mask=mask,
            pad=pad,
            qid=indexes,
            total_relevant=total_relevant,
            **self._measuring.options,
        )
        table = np.stack([values[m] for m in self._measuring.measures], axis=1)
        getattr(self, self._values).append(_tensor(torch, table.ravel(), preds.device))
        if indexes is not None:
            ids = torch.tensor(values.queries, dtype=torch.int64, device=preds.device)
            getattr(self, self._indexes).append(ids)

    def sync(self, *args: Any, **kwargs: Any) -> None:
        """As in torchmetrics; a process without a batch contributes an empty tensor of the same type."""
        torch = import_module("torch")
        device = self.device  # type: ignore[attr-defined]
        for name, nothing in (
            (self._values, _tensor(torch, np.empty(0), device)),
            (self._indexes, torch.empty(0, dtype=torch.int64, device=device)),
        ):
            if isinstance(getattr(self, name), list) and not getattr(self, name):
                setattr(self, name, [nothing])
        super().sync(*args, **kwargs)  # type: ignore[misc]

    def compute(self) -> Any:
        """The mean of each measure over lists: exact, so it does not depend on the order of batches and processes."""
        torch = import_module("torch")
        values, ids = _concatenate(getattr(self, self._values)), _concatenate(getattr(self, self._indexes))
        if values is None or not values.numel():
            raise DataError("empty-run", "no batch was added", hint="call update first")
        table = values.detach().cpu().double().numpy().reshape(-1, len(self._measuring.measures))
        table = table if ids is None or not ids.numel() else table[self._once(ids.cpu().numpy(), len(table))]
        tensors = {
            str(m): _tensor(torch, np.array(_exact_mean(column, m.definition.summary)), values.device)
            for m, column in zip(self._measuring.measures, table.T, strict=True)
        }
        return tensors if len(tensors) > 1 else next(iter(tensors.values()))

    def _once(self, ids: Any, size: int) -> Any:
        """The rows that count, one per index."""
        if len(ids) != size:
            raise UsageError(
                "layout",
                "some batches have indexes and others do not",
                hint="pass indexes for all batches or for none",
            )
        kept, first, count = np.unique(ids, return_index=True, return_counts=True)
        if len(kept) < len(ids) and self._repeated == "error":
            raise DataError(
                "duplicate-query",
                f"index {kept[count > 1][0]} occurs twice",
                hint="continue indexes from batch to batch, call reset() to "
                "start again, or set repeated='first' if a sampler repeats lists",
            )
        return first

    def __repr__(self) -> str:
        return f"RankingMetric({str(self._measuring)!r})"


def _exact_mean(column: Any, summary: str) -> float:
    """The summary of the values that are not missing, rounded once: bit-identical for any order of them."""
    known = column[~np.isnan(column)]
    if summary == "sum":
        return math.fsum(known)
    if not len(known):
        return math.nan
    if summary == "geometric":
        return math.exp(statistics.mean(np.log(np.maximum(known, FLOOR)).tolist()))
    return statistics.mean(known.tolist())


def _tensor(torch: Any, values: Any, device: Any) -> Any:
    """A tensor of doubles, or of floats on a device without doubles."""
    return torch.tensor(values, dtype=torch.float32 if device.type == "mps" else torch.float64, device=device)


def _concatenate(state: Any) -> Any:
    """A state as one tensor: a list of tensors in one process, already joined if several were gathered."""
    if isinstance(state, list):
        return import_module("torch").cat(state) if state else None
    return state


@cache
def _metric_class() -> Any:
    try:
        base = import_module("torchmetrics").Metric
    except ImportError as error:
        raise UsageError(
            "needs", "RankingMetric needs torchmetrics, which is not installed", hint="run pip install torchmetrics"
        ) from error
    names = {"__doc__": _Ranking.__doc__, "__module__": __name__, "__qualname__": "RankingMetric"}
    return type("RankingMetric", (_Ranking, base), names)


def __getattr__(name: str) -> Any:
    if name == "RankingMetric":
        return _metric_class()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
