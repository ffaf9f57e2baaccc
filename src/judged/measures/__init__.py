"""Measures: pure functions from `Judged` to one value per query, each declared once."""

import sys
from types import ModuleType
from typing import NoReturn

from judged.measures.examples import ranked
from judged.measures.grammar import parse, parse_all
from judged.measures.registry import MEASURES, Definition, Measure, find, measure


class _Namespace(ModuleType):
    def __call__(self, *names: object, **_: object) -> NoReturn:
        raise TypeError(
            "jd.measures is a namespace; describe a measure with jd.describe('nDCG'), or `judged measures nDCG` in a shell"
        )


sys.modules[__name__].__class__ = _Namespace

__all__ = ["MEASURES", "Definition", "Measure", "find", "measure", "parse", "parse_all", "ranked"]
