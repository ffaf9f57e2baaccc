"""All click models by name, and one way to fit any of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from difflib import get_close_matches
from typing import Any

from judged.clicks.data.estimate import checked_level, checked_prior
from judged.clicks.data.log import ClickLog
from judged.clicks.fitting.chain import fit_bayesian, fit_dependent, fit_simplified
from judged.clicks.fitting.closed_form import fit_cascade
from judged.clicks.fitting.examination import fit_browsing, fit_document_ctr, fit_position, fit_rank_ctr
from judged.clicks.models.model import Fit, FitSettings
from judged.errors import UsageError, shown

__all__ = ["MODELS", "fit", "model_named"]

MODELS: dict[str, Callable[..., Fit]] = {
    "cascade": fit_cascade,
    "dcm": fit_dependent,
    "sdbn": fit_simplified,
    "dbn": fit_bayesian,
    "pbm": fit_position,
    "ubm": fit_browsing,
    "ctr": fit_document_ctr,
    "rank-ctr": fit_rank_ctr,
}
_OPTIONS = {"cascade": {"multiple"}, "dcm": {"method"}, "sdbn": {"method"}, "dbn": {"persistence"}}


def fit(log: ClickLog, model: str = "dbn", *, prior: Sequence[float] = (1, 1), level: float = 0.95,
        tolerance: float = 1e-10, max_steps: int = 2000, **options: Any) -> Fit:  # fmt: skip
    """A click model fitted to a log.

    Args:
        log: sessions with what was shown and what was clicked.
        model: cascade, dcm, sdbn, dbn, pbm, ubm, ctr or rank-ctr.
        prior: counts (A, B) that are added to every probability, see `FitSettings`; (0, 0) is maximum likelihood.
        level: the share of the intervals.
        tolerance: EM ends when the objective rises by less than this, relatively.
        max_steps: EM steps after which it ends in any case.
        options: `multiple="first"` (cascade), `method="counts"` (dcm, sdbn), `persistence=` (dbn).

    >>> log = ClickLog.of([1, 2, 3], ["q"] * 3, ["a"] * 3, [1] * 3, [1, 0, 1])
    >>> fit(log, "cascade").of("attractiveness").value
    array([0.6])
    """
    name = model_named(model)
    unknown = set(options) - _OPTIONS.get(name, set())
    if unknown:
        known = ", ".join(sorted(_OPTIONS.get(name, set()))) or "none"
        raise UsageError("parameter", f"options of {name} ({known})", got=", ".join(sorted(unknown)), value=unknown)
    settings = FitSettings(
        prior=checked_prior(prior), level=checked_level(level), tolerance=tolerance, max_steps=max_steps
    )
    return MODELS[name](log, settings, **options)


def model_named(name: str) -> str:
    """The name of a model as it is kept, or an error that suggests the nearest one."""
    plain = str(name).lower().replace("_", "-")
    if plain in MODELS:
        return plain
    near = get_close_matches(plain, MODELS, 1)
    hint = f"did you mean {near[0]}?" if near else None
    raise UsageError("click-model", f"a click model: {', '.join(MODELS)}", got=shown(name), value=name, hint=hint)
