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
from judged.io.query_attributes import read_attribute

__all__ = ["Slices", "slices_of"]

_RELEVANT = ((0, "0"), (1, "1"), (5, "2 to 5"), (20, "6 to 20"), (100, "21 to 100"), (np.inf, "more than 100"))


@dataclass(frozen=True, slots=True)
class Slices:
    """Each group of queries with its label, in order; a query is in one of them, or in none."""

    groups: tuple[tuple[str, NDArray[np.bool_]], ...] = ()
    warnings: tuple[Warned, ...] = ()


def slices_of(slices: Any, queries: Sequence[Id], relevant: Floats | None) -> Slices:
    """The groups that were asked for.

    Args:
        slices: {query: group}; (table of queries, name of a column); `"relevant"`, the number of relevant documents; a list of such; or None.
        queries: the queries to be grouped.
        relevant: how many relevant documents each has, where that is known.
    """
    if slices is None:
        return Slices()
    if isinstance(slices, str) and slices == "relevant":
        return _by_relevant(relevant)
    if isinstance(slices, list) and all(isinstance(one, tuple | Mapping) or one == "relevant" for one in slices):
        found = [slices_of(one, queries, relevant) for one in slices]
        return Slices(
            tuple(group for one in found for group in one.groups), tuple(w for one in found for w in one.warnings)
        )
    if isinstance(slices, tuple | list) and len(slices) == 2 and isinstance(slices[1], str):
        source, name = slices
        return _grouped(read_attribute(source, name), queries, f"{name}=")
    if isinstance(slices, Mapping):
        return _grouped(slices, queries, "")
    raise UsageError(
        "slice", "{query: group}, (table of queries, name of a column) or 'relevant'", got=shown(slices), value=slices
    )


def _grouped(groups: Mapping[Any, Any], queries: Sequence[Id], prefix: str) -> Slices:
    # Ids of a table are text, or numbers, whatever the judgments have: the text of both decides.
    by_text = {str(query): group for query, group in groups.items()}
    found = [groups.get(query, by_text.get(str(query))) for query in queries]
    if all(group is None for group in found):
        ours, theirs = shown(queries[0]), shown(next(iter(groups), None))
        raise DataError(
            "slice",
            f"groups for queries such as {ours}",
            got=f"for others, such as {theirs}",
            hint="are the ids the same?",
        )
    labels = sorted({str(group) for group in found if group is not None})
    text = np.array([None if group is None else str(group) for group in found], dtype=object)
    missing = sum(group is None for group in found)
    some = (
        f"{missing} {'query is' if missing == 1 else 'queries are'} in no slice: {shown(queries[found.index(None)])} …"
        if missing
        else ""
    )
    return Slices(
        tuple((f"{prefix}{label}", text == label) for label in labels),
        (Warned("slice-missing", missing, some),) if missing else (),
    )


def _by_relevant(relevant: Floats | None) -> Slices:
    if relevant is None:
        raise UsageError(
            "slice",
            "the number of relevant documents",
            got="results without it",
            hint="evaluate NumRel too, or give the judgments",
        )
    groups, below = [], -1.0
    for upto, label in _RELEVANT:
        rows = (relevant > below) & (relevant <= upto)
        if rows.any():
            groups.append((f"relevant={label}", rows))
        below = upto
    return Slices(tuple(groups))
