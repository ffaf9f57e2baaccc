"""Measures: pure functions from `Judged` to one value per query, each declared once."""

import sys
from types import ModuleType
from typing import NoReturn

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


class _Namespace(ModuleType):
    def __call__(self, *names: object, **_: object) -> NoReturn:
        raise TypeError(
            "jd.measures is a namespace; describe a measure with jd.describe('nDCG'), or `judged measures nDCG` in a shell"
        )


sys.modules[__name__].__class__ = _Namespace
