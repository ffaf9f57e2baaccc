"""Drop-in replacements of other tools: change one import line, keep the rest of the program.

    from judged.compat import pytrec_eval

Each module has the names, arguments and results of the tool it is named after, and maps them to functions of `judged` under the
profile of that tool. Values differ only where the profile says so (`PROFILES["ranx"].except_for`) and where the tool is wrong or
undefined; `docs/migration/` lists both.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from judged.compat import beir, ir_measures, pytrec_eval, ranx, sklearn

__all__ = ["beir", "ir_measures", "pytrec_eval", "ranx", "sklearn"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        return import_module(f"judged.compat.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
