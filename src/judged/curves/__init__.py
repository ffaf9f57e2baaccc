"""Precision-recall, ROC and measure-at-k curves; decisions at a threshold."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
