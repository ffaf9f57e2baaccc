"""Explain the ideal ranking that a measure such as nDCG divides by."""

from __future__ import annotations

import numpy as np

from judged.core.judged import Judged
from judged.evaluation.explain.result import IdealRanking, plain_number
from judged.evaluation.explain.trace import Trace, trace
from judged.evaluation.result.source import as_text
from judged.measures.registry import MEASURES, Measure


def explain_ideal(measure: Measure, judged: Judged, steps: Trace, depth: int | None) -> IdealRanking | None:
    """The arithmetic of the ideal ranking of one query; None if the measure has none, or does not divide by its value."""
    if not measure.definition.ideal or not len(judged.pool_grade):
        return None
    own = MEASURES.find(measure.definition.ideal)
    shared = set(own.parameters) - {"judged_only", "tokens"}
    base = Measure(own)(**{name: value for name, value in measure.given if name in shared})
    gains = trace(base, judged.ideal).columns.get("gain")
    if gains is None:
        return None
    ideal = judged.ideal_by(gains[np.argsort(judged.ideal.judgment)])
    best = trace(base, ideal)
    divisor = steps.fractions[-1][1][0] if steps.fractions else steps.value[0]
    if not np.isclose(best.value[0], divisor, rtol=1e-12, atol=0):
        return None
    main = best.main_sum()
    columns = best.columns if main is None else {**best.columns, "sum": ideal.running(main.astype(float))}
    useful = max(1, int((best.columns["gain"] > 0).sum()))
    last = min(len(ideal.rank), depth or base.get("cutoff") or useful, useful)
    rows = tuple(
        (
            rank + 1,
            _document(ideal, rank),
            plain_number(ideal.grade[rank]),
            *(plain_number(c[rank]) for c in columns.values()),
        )
        for rank in range(last)
    )
    headers = ("rank", "document", "grade", *columns)
    return IdealRanking(base, headers, rows, f"ideal {base} = {best.value[0]:.6g}", useful - last)


def _document(ideal: Judged, row: int) -> str:
    docs = ideal.pool_doc
    return "" if docs is None else as_text(docs[int(ideal.judgment[row])])
