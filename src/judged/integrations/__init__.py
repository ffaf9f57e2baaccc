"""Measures in training loops: LightGBM, XGBoost, CatBoost, scikit-learn, torchmetrics and Lightning.

    import judged as jd

    lightgbm.train(params, train, valid_sets=[valid], feval=jd.integrations.lightgbm.metric("nDCG(gain='exp')@10"))

No library is imported before it is needed.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
