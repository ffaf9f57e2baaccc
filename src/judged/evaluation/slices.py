"""Groups of queries: by an attribute in a table of queries, by a mapping, or by the number of relevant documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from judged._types import Floats
from judged.core.tables import Id
from judged.errors import DataError, UsageError, Warned, shown
from judged.evaluation.query_attributes import read_attribute
from judged.tables.table import counted

_RELEVANT = ((0, "0"), (1, "1"), (5, "2 to 5"), (20, "6 to 20"), (100, "21 to 100"), (np.inf, "more than 100"))


@dataclass(frozen=True, slots=True)
class Slices:
    """Groups of queries with their labels."""

    groups: tuple[tuple[str, NDArray[np.bool_]], ...] = ()
    warnings: tuple[Warned, ...] = ()


def slices_of(slices: Any, queries: Sequence[Id], relevant: Floats | None) -> Slices:
    """Group queries.

    Args:
        slices: {query: group}; (table of queries, name of a column); `"relevant"`, the number of relevant documents; a list of these; or None.
        queries: the queries.
        relevant: number of relevant documents of each query, if known.
    """
    if slices is None:
        return Slices()
    if isinstance(slices, str) and slices == "relevant":
        return _by_relevant(relevant)
    if isinstance(slices, list) and all(isinstance(one, tuple | Mapping) or one == "relevant" for one in slices):
        each = [slices_of(one, queries, relevant) for one in slices]
        return Slices(
            tuple(group for one in each for group in one.groups), tuple(w for one in each for w in one.warnings)
        )
    if isinstance(slices, tuple | list) and len(slices) == 2 and isinstance(slices[1], str):
        source, name = slices
        return _group(read_attribute(source, name), queries, f"{name}=")
    if isinstance(slices, Mapping):
        return _group(slices, queries, "")
    expected = "{query: group}, (table of queries, name of a column) or 'relevant'"
    raise UsageError("slice", expected, got=shown(slices), value=slices)


def _group(groups: Mapping[Any, Any], queries: Sequence[Id], prefix: str) -> Slices:
    # Ids may be text on one side and numbers on the other, so their text is compared.
    by_text = {str(query): group for query, group in groups.items()}
    group_of = [groups.get(query, by_text.get(str(query))) for query in queries]
    if all(group is None for group in group_of):
        ours, theirs = shown(queries[0]), shown(next(iter(groups), None))
        raise DataError(
            "slice",
            f"the slices contain none of the evaluated queries (evaluated: {ours} …, slices: {theirs} …)",
            hint="check that both use the same query ids",
        )
    labels = sorted({str(group) for group in group_of if group is not None})
    text = np.array([None if group is None else str(group) for group in group_of], dtype=object)
    warnings = []
    if missing := group_of.count(None):
        example = shown(queries[group_of.index(None)])
        warnings.append(
            Warned("slice", missing, f"{counted(missing, 'query is', 'queries are')} in no slice: {example} …")
        )
    return Slices(tuple((f"{prefix}{label}", text == label) for label in labels), tuple(warnings))


def _by_relevant(relevant: Floats | None) -> Slices:
    if relevant is None:
        raise UsageError("slice", "the number of relevant documents is unknown", hint="pass the judgments and the runs")
    groups, below = [], -1.0
    for upto, label in _RELEVANT:
        rows = (relevant > below) & (relevant <= upto)
        if rows.any():
            groups.append((f"relevant={label}", rows))
        below = upto
    return Slices(tuple(groups))
