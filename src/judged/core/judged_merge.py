"""Parts with different queries put together again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np

from judged.core.ids import IdColumn
from judged.core.judged import Aspects, Judged
from judged.core.passages import RankTexts
from judged.errors import UsageError

__all__ = ["merge_judged"]


def merge_judged(parts: Sequence[Judged]) -> Judged:
    """Parts with different queries as one, in the order given."""
    everyone = tuple(query for part in parts for query in part.queries)
    if not parts or len(set(everyone)) < len(everyone) or len({part.policy for part in parts}) > 1:
        raise UsageError(
            "merge", "parts with different queries under one policy", got="none, a query twice, or two policies"
        )
    queries = np.cumsum([0, *(len(p) for p in parts)])
    pools = np.cumsum([0, *(len(p.pool_query) for p in parts)])
    joined: dict[str, Any] = {
        spec.name: np.concatenate([getattr(p, spec.name) for p in parts])
        for spec in fields(Judged)
        if isinstance(getattr(parts[0], spec.name), np.ndarray)
    }
    for name in ("query", "pool_query"):
        joined[name] = np.concatenate([getattr(p, name) + q for p, q in zip(parts, queries, strict=False)])
    joined["judgment"] = np.concatenate([p.judgment + s for p, s in zip(parts, pools, strict=False)])
    aspects = None
    shifted = [(p.aspects, s) for p, s in zip(parts, pools, strict=False) if p.aspects is not None]
    if shifted:
        aspects = Aspects(
            np.concatenate([a.judgment + s for a, s in shifted]),
            np.concatenate([a.aspect for a, _ in shifted]),
            np.concatenate([a.sub for a, _ in shifted]),
            np.concatenate([a.grade for a, _ in shifted]),
        )
    docs = [part.pool_doc for part in parts if part.pool_doc is not None]
    pool_doc = IdColumn.of(doc for text in docs for doc in text.tolist()) if len(docs) == len(parts) else None
    reading = RankTexts.merge([part.reading for part in parts])
    return replace(parts[0], queries=everyone, pool_doc=pool_doc, aspects=aspects, reading=reading, **joined)
