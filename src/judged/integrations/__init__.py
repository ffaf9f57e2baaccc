"""Measures in training loops: LightGBM, XGBoost, CatBoost, scikit-learn, torchmetrics and Lightning.

    import judged as jd

    lightgbm.train(params, train, valid_sets=[valid], feval=jd.integrations.lightgbm.metric("nDCG(gain='exp')@10"))

No library is imported before it is needed.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from judged.integrations import catboost, lightgbm, sklearn, torchmetrics, xgboost

__all__ = ["catboost", "lightgbm", "sklearn", "torchmetrics", "xgboost"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        return import_module(f"judged.integrations.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
