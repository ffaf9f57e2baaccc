"""Log metrics and a page to a tracker of experiments: MLflow, Weights & Biases, TensorBoard."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from judged.errors import UsageError, shown

PAGE = "judged.html"
Log = Callable[[Any, dict[str, float], int | None, str | None], None]


def plain_name(name: str) -> str:
    """A name with the characters that every tracker takes.

    >>> plain_name("nDCG@10"), plain_name("P(short='shrink')@5")
    ('nDCG_at_10', 'P_short_shrink_at_5')
    """
    return re.sub(r"_+(?=_)|[^\w./ -]+", "_", name.replace("@", "_at_")).replace("__", "_").strip("_")


def log(
    metrics: Mapping[str, float], tracker: Any, *, prefix: str = "", step: int | None = None, page: Any = None
) -> None:
    """Log metrics, and an HTML page, to a tracker; see `Tracked.log_to`."""
    kinds = [tracker.__name__] if isinstance(tracker, ModuleType) else [c.__module__ for c in type(tracker).__mro__]
    known = next((_TRACKERS[root] for kind in kinds if (root := kind.split(".")[0]) in _TRACKERS), None)
    if known is None:
        raise UsageError("form", "a run of MLflow or Weights & Biases, or a SummaryWriter", got=shown(tracker))
    named = {f"{prefix}{name}": value for name, value in metrics.items() if math.isfinite(value)}
    known(tracker, named, step, None if page is None else _html(page))


def _html(page: Any) -> str:
    """The text of a page: of `jd.report(result)`, or of a file."""
    if hasattr(page, "html"):
        return str(page.html)
    return page if isinstance(page, str) and "<" in page else Path(os.fspath(page)).read_text(encoding="utf-8")


def _mlflow(tracker: Any, metrics: dict[str, float], step: int | None, page: str | None) -> None:
    mlflow = import_module("mlflow")
    run = tracker if hasattr(tracker, "info") else mlflow.active_run()
    if run is None:
        raise UsageError("form", "MLflow has no active run", hint="start one with mlflow.start_run()")
    plain = {plain_name(name): value for name, value in metrics.items()}
    mlflow.log_metrics(plain, step=step, run_id=run.info.run_id)
    if page is not None:
        mlflow.MlflowClient().log_text(run.info.run_id, page, PAGE)


def _wandb(tracker: Any, metrics: dict[str, float], step: int | None, page: str | None) -> None:
    wandb = import_module("wandb")
    run = wandb.run if isinstance(tracker, ModuleType) else tracker
    if run is None:
        raise UsageError("form", "Weights & Biases has no active run", hint="start one with wandb.init()")
    run.log(metrics, step=step)
    if page is not None:
        artifact = wandb.Artifact("judged", type="report")
        with artifact.new_file(PAGE, encoding="utf-8") as file:
            file.write(page)
        run.log_artifact(artifact)


def _tensorboard(tracker: Any, metrics: dict[str, float], step: int | None, page: str | None) -> None:
    for name, value in metrics.items():
        tracker.add_scalar(name, value, step)
    if page is not None:  # TensorBoard has no artifacts
        folder = getattr(tracker, "log_dir", None) or tracker.logdir
        Path(folder, PAGE).write_text(page, encoding="utf-8")
    tracker.flush()


_TRACKERS: dict[str, Log] = {
    "mlflow": _mlflow,
    "wandb": _wandb,
    "torch": _tensorboard,
    "tensorboardX": _tensorboard,
    "tensorboard": _tensorboard,
}
