"""Assign documents to judges, with a share that every judge judges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from judged.core.resample import whole_seed
from judged.errors import UsageError, shown
from judged.judging.todo import TodoItem

_MOST = 100


@dataclass(frozen=True, slots=True)
class Assignment:
    """The documents of each judge, as positions in the list of documents, in the order in which to judge them.

    Args:
        judges: the names; one empty name if anyone may judge everything.
        orders: the positions, for each judge.
        shared: number of documents that every judge judges.
    """

    judges: tuple[str, ...]
    orders: tuple[tuple[int, ...], ...]
    shared: int


def assign(items: Sequence[TodoItem], judges: Any = None, overlap: Any = 0.2, seed: int = 0) -> Assignment:
    """Give each query to one judge, who judges all its documents, and a share of its documents to the other judges too.

    So the grades of a query are consistent, and the agreement of judges can be measured on every query. The number of documents per judge is
    balanced. Queries keep their order; the documents of a query are shuffled, for each judge differently.

    Args:
        items: documents to judge.
        judges: names of the judges, or their number; None: anyone judges everything.
        overlap: share of the documents that every judge judges, 0 to 1.
        seed: random seed.

    >>> found = assign([TodoItem("q1", "a"), TodoItem("q2", "b"), TodoItem("q2", "c")], ["ann", "bob"], overlap=0)
    >>> [sorted(order) for order in found.orders]
    [[1, 2], [0]]
    """
    names = _names(judges)
    share = _share(overlap)
    rng = np.random.default_rng(whole_seed(seed))
    queries: dict[Any, list[int]] = {}
    for position, item in enumerate(items):
        queries.setdefault(str(item.query), []).append(position)
    shared = _shared(list(queries.values()), share if len(names) > 1 else 0.0, rng)
    owner = _owners([len(places) - len(shared & set(places)) for places in queries.values()], len(names))
    orders = []
    for judge in range(len(names)):
        order: list[int] = []
        for query, places in enumerate(queries.values()):
            own = [place for place in places if owner[query] == judge or place in shared]
            order.extend(own[i] for i in rng.permutation(len(own)).tolist())
        orders.append(tuple(order))
    return Assignment(names, tuple(orders), len(shared))


def _names(judges: Any) -> tuple[str, ...]:
    if judges is None:
        return ("",)
    if isinstance(judges, int | np.integer) and not isinstance(judges, bool) and 1 <= judges <= _MOST:
        return tuple(f"judge {i + 1}" for i in range(judges))
    names = (judges,) if isinstance(judges, str) else tuple(judges) if isinstance(judges, list | tuple) else ()
    names = tuple(name.strip() if isinstance(name, str) else "" for name in names)
    if not names or len(names) > _MOST or not all(names) or len(set(names)) < len(names):
        problem = f"judges must be different names, or a number from 1 to {_MOST}, got {shown(judges)}"
        raise UsageError("judge-names", problem, value=judges)
    return names


def _share(overlap: Any) -> float:
    if isinstance(overlap, bool) or not isinstance(overlap, int | float | np.number) or not 0 <= overlap <= 1:
        raise UsageError("parameter", f"overlap must be a number from 0 to 1, got {shown(overlap)}", value=overlap)
    return float(overlap)


def _shared(queries: Sequence[Sequence[int]], share: float, rng: np.random.Generator) -> set[int]:
    """Choose the share of each query at random. What rounding leaves is carried to the next query, so that the total is right."""
    chosen: set[int] = set()
    seen = 0
    for places in queries:
        seen += len(places)
        count = min(len(places), round(share * seen) - len(chosen))
        chosen.update(places[i] for i in rng.permutation(len(places))[:count].tolist())
    return chosen


def _owners(sizes: Sequence[int], judges: int) -> dict[int, int]:
    """Return the judge of each query: from the largest query on, the one who has the fewest documents."""
    loads = [0] * judges
    owner: dict[int, int] = {}
    for query in sorted(range(len(sizes)), key=lambda query: -sizes[query]):
        owner[query] = loads.index(min(loads))
        loads[owner[query]] += sizes[query]
    return owner
