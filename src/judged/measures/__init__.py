"""Measures: pure functions from `Judged` to one value per query, each declared once.

Every measure is an attribute under its own name, and under its aliases: `from judged.measures import nDCG, AP`.
"""

import sys
from types import ModuleType
from typing import Any, NoReturn

import lazy_loader

_public, _, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name: str) -> Any:
    if name.startswith("_") or name in __all__:
        return _public(name)
    definition = next((d for d in _public("MEASURES").installed() if name in (d.name, *d.aliases)), None)
    if definition is None:
        return _public(name)
    value = globals()[name] = _public("Measure")(definition)
    return value


def __dir__() -> list[str]:
    return sorted({*__all__, *(d.name for d in _public("MEASURES") if d.name.isidentifier())})


class _Namespace(ModuleType):
    def __call__(self, *names: object, **_: object) -> NoReturn:
        raise TypeError(
            "jd.measures is a namespace; describe a measure with jd.describe('nDCG'), or `judged measures nDCG` in a shell"
        )


sys.modules[__name__].__class__ = _Namespace
