"""Confidence intervals of the means of measures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from judged._types import Floats, Ints
from judged.measures.registry import Measure
from judged.stats.intervals import Ends, Method, interval, within
from judged.stats.summary import FLOOR, no_weights


def mean_intervals(
    columns: Mapping[str, Any],
    measures: Sequence[Measure],
    weights: Floats | None = None,
    *,
    level: float,
    method: Method,
    clusters: Ints | None,
    seed: int,
) -> dict[str, Ends]:
    """Return the interval of each measure's mean over queries, within the range of the measure; None for counts.

    The interval of a geometric mean is that of the mean logarithm. With weights of queries it is `weighted_interval`.
    """
    means = [m for m in measures if m.definition.summary in ("mean", "geometric")]
    logs = {str(m) for m in means if m.definition.summary == "geometric"}
    values = [columns[str(m)] for m in means]
    values = [np.log(np.maximum(x, FLOOR)) if str(m) in logs else x for m, x in zip(means, values, strict=True)]
    limits = [None if str(m) in logs else m.definition.limits for m in means]
    if weights is None:
        ends = interval(values, method, confidence=level, seed=seed, clusters=clusters, limits=limits)
    elif method != "t" or clusters is not None:
        raise no_weights("clusters" if clusters is not None else f"the {method} interval")
    else:
        from judged.stats.weighted import weighted_interval

        found_ends = [weighted_interval(x, weights, level=level) for x in values]
        ends = [within(pair, limit) for pair, limit in zip(found_ends, limits, strict=True)]
    found: dict[str, Ends] = dict.fromkeys(map(str, measures))
    for m, pair in zip(means, ends, strict=True):
        logged = pair is not None and str(m) in logs
        found[str(m)] = (float(np.exp(pair[0])), float(np.exp(pair[1]))) if logged and pair else pair
    return found
