"""The registry of click models, and the function that fits any of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypedDict, Unpack

from judged.clicks.data.estimate import check_prior
from judged.clicks.data.log import ClickLog
from judged.clicks.fitting.chain import Method, fit_bayesian, fit_dependent, fit_simplified
from judged.clicks.fitting.closed_form import fit_cascade
from judged.clicks.fitting.examination import fit_browsing, fit_document_ctr, fit_position, fit_rank_ctr
from judged.clicks.models.model import Fit, FitSettings
from judged.errors import UsageError
from judged.registry import Registry
from judged.stats.checks import check_share
from judged.steps import step


class ModelOptions(TypedDict, total=False):
    """Options of single models: `multiple` of cascade, `method` of dcm and sdbn, `persistence` of dbn."""

    multiple: Literal["error", "first"]
    method: Method
    persistence: float | None


@dataclass(frozen=True, slots=True)
class ModelFitter:
    """A click model: its name, the function that fits it, the options that it takes, and its papers."""

    name: str
    fit: Callable[..., Fit]
    options: frozenset[str] = frozenset()
    aliases: tuple[str, ...] = ()
    paper: str = ""


MODELS: Registry[ModelFitter] = Registry("click model")
for _model in (
    ModelFitter("cascade", fit_cascade, frozenset({"multiple"}), paper="craswell2008"),
    ModelFitter("dcm", fit_dependent, frozenset({"method"}), paper="guo2009"),
    ModelFitter("sdbn", fit_simplified, frozenset({"method"}), paper="chapelle2009b"),
    ModelFitter("dbn", fit_bayesian, frozenset({"persistence"}), paper="chapelle2009b"),
    ModelFitter("pbm", fit_position, paper="richardson2007 craswell2008"),
    ModelFitter("ubm", fit_browsing, paper="dupret2008"),
    ModelFitter("ctr", fit_document_ctr),
    ModelFitter("rank-ctr", fit_rank_ctr),
):
    MODELS.add(_model)


def fit(
    log: ClickLog,
    model: str = "dbn",
    *,
    prior: Sequence[float] = (1, 1),
    level: float = 0.95,
    tolerance: float = 1e-10,
    max_steps: int = 2000,
    **options: Unpack[ModelOptions],
) -> Fit:
    """Fit a click model to a log; see `fit_clicks` for the parameters.

    >>> log = ClickLog.of([1, 2, 3], ["q"] * 3, ["a"] * 3, [1] * 3, [1, 0, 1])
    >>> fit(log, "cascade").of("attractiveness").value
    array([0.6])
    """
    fitter = MODELS.find(model)
    unknown = sorted(set(options) - fitter.options)
    if unknown:
        hint = f"use {', '.join(sorted(fitter.options))}" if fitter.options else "omit it"
        raise UsageError(
            "parameter", f"the model {fitter.name} has no option {unknown[0]!r}", hint=hint, value=unknown[0]
        )
    settings = FitSettings(
        prior=check_prior(prior),
        level=check_share(level, "level", slug="parameter"),
        tolerance=tolerance,
        max_steps=max_steps,
    )
    with step(f"fitting {fitter.name}"):
        return fitter.fit(log, settings, **options)
