"""A metric for torchmetrics and Lightning: `RankingMetric("nDCG@10")`, which is a `torchmetrics.Metric`."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from judged.errors import DataError, UsageError, shown
from judged.evaluation.arrays import score
from judged.evaluation.stream.evaluator import exact_means
from judged.integrations._measuring import Measures, Measuring

if TYPE_CHECKING:
    RankingMetric: Any

__all__ = ["RankingMetric"]

Repeated = Literal["error", "first"]
_TORCHMETRICS = ("compute_on_cpu", "compute_with_cache", "dist_sync_fn", "dist_sync_on_step", "distributed_available_fn", "process_group",
                 "sync_on_compute")  # fmt: skip


class _Ranking:
    """A mean over lists, of one measure or of several, gathered over batches and processes.

    The states are one value a list and measure, and the list's index where one is given: not the items. So a list comes whole, in one `update`.

    Args:
        measures: as in `score`. One: `compute` gives a tensor. Several: a dict of tensors.
        repeated: an index that comes twice is an error; or the `first` counts, for samplers that hand some lists out
            twice so that every process has as many.
        options: of `score` (`level`, `profile`, `empty`, `ties` …), and of `torchmetrics.Metric` (`dist_sync_on_step` …).
            `profile="torchmetrics"` has the conventions of torchmetrics' own classes; their empty_target_action neg, pos and skip is `empty="zero"`, `"one"` and `"skip"`.
    """

    is_differentiable = False
    full_state_update = False

    if TYPE_CHECKING:
        add_state: Callable[..., None]

    def __init__(self, measures: Measures, *, repeated: Repeated = "error", **options: Any) -> None:
        if repeated not in ("error", "first"):
            raise UsageError("option", "repeated to be one of error, first", got=shown(repeated), value=repeated)
        super().__init__(**{name: options.pop(name) for name in _TORCHMETRICS if name in options})
        self._measuring, self._repeated = Measuring(measures, options), repeated
        # A MetricCollection updates metrics of equal states as one, and two measures may well agree on a first batch: so states have names of their own.
        sign = hashlib.sha256(repr((self._names, sorted(options.items()), repeated)).encode()).hexdigest()[:12]
        self._values, self._indexes = f"values_{sign}", f"indexes_{sign}"
        self.add_state(self._values, default=[], dist_reduce_fx="cat")
        self.add_state(self._indexes, default=[], dist_reduce_fx="cat")

    @property
    def _names(self) -> list[str]:
        return [str(m) for m in self._measuring.measures]

    @property
    def higher_is_better(self) -> bool:
        """Whether more is better; of several measures the first one says."""
        return not self._measuring.measures[0].definition.lower_is_better

    def update(
        self, preds: Any, target: Any, indexes: Any = None, *, mask: Any = None, pad: float | None = None, total_relevant: Any = None
    ) -> None:  # fmt: skip
        """Take in a batch: rows of scores and labels, a list each; or items of any shape with the index of the list that each is of."""
        torch = import_module("torch")
        if indexes is not None:
            preds, target, indexes = preds.reshape(-1), target.reshape(-1), indexes.reshape(-1)
            mask = None if mask is None else mask.reshape(-1)
        found = score(target, preds, self._measuring.measures, mask=mask, pad=pad, qid=indexes, total_relevant=total_relevant,
                      **self._measuring.options)  # fmt: skip
        table = np.stack([found[m] for m in self._measuring.measures], axis=1)
        getattr(self, self._values).append(_tensor(torch, table.ravel(), preds.device))
        if indexes is not None:
            ids = torch.tensor(found.queries, dtype=torch.int64, device=preds.device)
            getattr(self, self._indexes).append(ids)

    def sync(self, *args: Any, **kwargs: Any) -> None:
        """As in torchmetrics; a process without a batch takes part with nothing, of the type that the others have."""
        torch = import_module("torch")
        device = self.device  # type: ignore[attr-defined]
        for name, nothing in ((self._values, _tensor(torch, np.empty(0), device)),
                              (self._indexes, torch.empty(0, dtype=torch.int64, device=device))):  # fmt: skip
            if isinstance(getattr(self, name), list) and not getattr(self, name):
                setattr(self, name, [nothing])
        super().sync(*args, **kwargs)  # type: ignore[misc]

    def compute(self) -> Any:
        """The mean of each measure over the lists: exact, so the order of batches and processes makes no difference."""
        torch = import_module("torch")
        values, ids = _joined(getattr(self, self._values)), _joined(getattr(self, self._indexes))
        if values is None or not values.numel():
            raise DataError("empty-run", "at least one batch", got="none")
        table = values.detach().cpu().double().numpy().reshape(-1, len(self._names))
        table = table if ids is None or not ids.numel() else table[self._once(ids.cpu().numpy(), len(table))]
        means = exact_means(self._measuring.measures, dict(zip(self._names, table.T, strict=True)))
        found = {name: _tensor(torch, np.array(value), values.device) for name, value in means.items()}
        return found if len(found) > 1 else found[self._names[0]]

    def _once(self, ids: Any, size: int) -> Any:
        """The rows that count: each index once."""
        if len(ids) != size:
            raise UsageError("layout", "indexes for the lists of every batch, or for none", got="both")
        kept, first, count = np.unique(ids, return_index=True, return_counts=True)
        if len(kept) < len(ids) and self._repeated == "error":
            raise DataError("duplicate-query", "every list in one batch, whole", got=f"index {kept[count > 1][0]} a second time",
                            hint="indexes go on from batch to batch; reset() begins anew; repeated='first' if a sampler repeats lists")  # fmt: skip
        return first

    def __repr__(self) -> str:
        return f"RankingMetric({' '.join(self._names)!r})"


def _tensor(torch: Any, values: Any, device: Any) -> Any:
    """A tensor of doubles, or of floats on a device without doubles."""
    return torch.tensor(values, dtype=torch.float32 if device.type == "mps" else torch.float64, device=device)


def _joined(state: Any) -> Any:
    """A state as one tensor: a list of them in one process, joined already where several were gathered."""
    if isinstance(state, list):
        return import_module("torch").cat(state) if state else None
    return state


@cache
def _made() -> Any:
    try:
        base = import_module("torchmetrics").Metric
    except ImportError as error:
        raise UsageError("needs", "torchmetrics, for RankingMetric", got="no such package", hint="pip install torchmetrics") from error  # fmt: skip
    names = {"__doc__": _Ranking.__doc__, "__module__": __name__, "__qualname__": "RankingMetric"}
    return type("RankingMetric", (_Ranking, base), names)


def __getattr__(name: str) -> Any:
    if name == "RankingMetric":
        return _made()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
