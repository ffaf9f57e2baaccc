"""Measures beyond accuracy under their names among all measures, so that results can be compared as those of `evaluate` are."""

from __future__ import annotations

import inspect
from typing import Annotated, Any, get_origin

import numpy as np

from judged._types import Floats
from judged.core.judged import Judged
from judged.errors import UsageError
from judged.measures.parameters import Cutoff, Flag, Spec, number
from judged.measures.registry import Measure, find, measure
from judged.recommenders.registry import Beyond, Declared

__all__ = ["comparable"]


def comparable(m: Beyond) -> Measure:
    """The measure as `compare` knows measures: by a name that can be read again, and with which way is up."""
    definition = find(m.declared.name)
    if definition is None:
        _declare(m.declared)
        definition = find(m.declared.name)
    assert definition is not None
    return Measure(definition)(**dict(m.given), cutoff=m.k)


def _declare(d: Declared) -> None:
    """Declare it as a measure of one's own: it has a name and parameters, and no formula from judgments."""

    def function(j: Judged, **_: Any) -> Floats:
        raise UsageError(
            "measure",
            f"beyond_accuracy for {d.name}",
            got="evaluate, which has no catalogue and no history",
            value=d.name,
        )

    hints = {"cutoff": Cutoff, **{name: _hint(hint) for name, (hint, _) in d.parameters.items()}}
    defaults = {"cutoff": None, **{name: default for name, (_, default) in d.parameters.items()}}
    first = inspect.Parameter("j", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    others = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=defaults[name]) for name in hints]
    function.__signature__ = inspect.Signature([first, *others])  # type: ignore[attr-defined]
    function.__annotations__ = {**hints, "return": Floats}
    function.__doc__ = d.description
    measure(d.name, lower_is_better=d.lower_is_better, paper=d.paper, formula=d.formula)(function)


def _hint(hint: Any) -> Any:
    """The type of a parameter as the shelf of measures has it."""
    if hint is bool:
        return Flag
    if get_origin(hint) is not Annotated:
        return hint
    ends = hint.__metadata__[0]
    return Annotated[
        float,
        Spec("a number between two ends", number(ends.low, ends.high, open_low=True, open_high=ends.high < np.inf)),
    ]
