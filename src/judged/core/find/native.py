"""The join in C++ (`src/native`): one pass over a run, on all cores. It gives the same bits as the reference."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from judged.core.find.hits import Hits, queries_of, raise_duplicate, raise_no_common_query, raise_no_rank
from judged.core.find.pool import IdPool
from judged.core.ids import IdColumn
from judged.core.numeric.native import native, usable_cores
from judged.core.policy import Duplicates, Order, Policy, Ties
from judged.core.tables import IdKind, Run
from judged.core.unread_runs import ArrowRun, DictRun, TrecLines, UnreadRun
from judged.errors import Place

__all__ = ["Progress", "as_ints", "as_text", "find", "native_policy", "native_pool"]

Progress = Callable[[int, int], object]

_BYTES = 1 << 20  # that a core takes at a time
_ROWS = 1 << 15
_IDS: dict[type, IdKind] = {str: "text", int: "integer"}


def find(
    pool: IdPool, run: Run | UnreadRun, policy: Policy, kinds: tuple[IdKind, IdKind], progress: Progress | None = None
) -> Hits | None:
    """What the run holds of the pool; None where only the reference can say (and say what is wrong).

    `kinds` are the types of the ids of queries and documents in the judgments.
    """
    if native is None:
        return None
    whole = [kind == "integer" for kind in kinds]
    common = (native_pool(pool), native_policy(policy), usable_cores())
    if isinstance(run, TrecLines):
        if kinds != ("text", "text"):
            return None
        with run.opened() as (data, start):
            seen = native.scan_lines(data, start, len(data), *common, _BYTES, progress)
            if seen["bad"] is not None:
                run.refuse(data, seen["bad"], seen["empty"])
            return _found(pool, run, policy, seen, partial(run.place, data))
    if isinstance(run, Run):
        rank = None if run.rank is None else as_ints(run.rank)
        columns = as_text(run.queries), as_ints(run.query), as_text(run.doc), np.ascontiguousarray(run.score), rank
        return _found(pool, run, policy, native.scan_rows(*columns, *common, _ROWS, progress), run.where)
    seen = None
    if isinstance(run, ArrowRun) and "other" not in kinds and (stream := run.stream()) is not None:
        seen = native.scan_arrow([stream], run.columns, *whole, *common, _ROWS, progress)
    elif isinstance(run, DictRun) and _same_kinds(run, kinds):
        seen = native.scan_dict(run.rankings, *whole, *common[:2])
    regular = seen is not None and seen["bad"] is None and seen["repeat"] is None
    return _found(pool, run, policy, seen, _nowhere) if regular else None


def _found(
    pool: IdPool, run: Run | UnreadRun, policy: Policy, seen: dict[str, Any], place: Callable[[int], Place]
) -> Hits | None:
    if seen["empty"]:
        return None
    found = _as_found(pool, seen)
    if isinstance(run, Run):
        found = replace(found, **queries_of(pool, run))
    if not found.answered.any():
        raise_no_common_query(pool, run.name, found.some_unjudged)
    _refuse(pool, run.name, policy, seen, place)
    return found


def find_in(
    pool: IdPool, batches: Sequence[Run | UnreadRun], policy: Policy, kinds: tuple[IdKind, IdKind]
) -> Hits | None:
    """What the batches of a part of a run, which may be nothing, hold of the pool; None where only the reference can say."""
    tables = [batch for batch in batches if isinstance(batch, ArrowRun)]
    if native is None or not tables or len(tables) < len(batches) or "other" in kinds:
        return None
    streams = [table.stream() for table in tables]
    if None in streams or len({table.columns for table in tables}) > 1:
        return None
    whole = [kind == "integer" for kind in kinds]
    seen = native.scan_arrow(
        streams, tables[0].columns, *whole, native_pool(pool), native_policy(policy), 1, _ROWS, None
    )
    if seen is None or seen["bad"] is not None or seen["repeat"] is not None or seen["empty"]:
        return None
    _refuse(pool, tables[0].name, policy, seen, _nowhere)
    return _as_found(pool, seen)


def _as_found(pool: IdPool, seen: dict[str, Any]) -> Hits:
    given = {name: seen[name] for name in Hits.__dataclass_fields__ if name in seen}
    given["answered"] = seen["answered"].view(np.bool_)[: len(pool.queries)]
    given["retrieved"] = seen["retrieved"][: len(pool.queries)]
    return Hits(**given)


def _refuse(pool: IdPool, name: str, policy: Policy, seen: dict[str, Any], place: Callable[[int], Place]) -> None:
    if policy.order == "rank" and not seen["ranked"]:
        raise_no_rank(name)
    if seen["repeat"] is not None:
        query, doc, earlier, later, count = seen["repeat"]
        raise_duplicate(pool.ids[query], doc, place(earlier), place(later), count)


def _nowhere(row: int) -> Place:
    raise AssertionError(row)


def _same_kinds(run: DictRun, kinds: tuple[IdKind, IdKind]) -> bool:
    """Whether a mapping's ids are of the types of the judgments', by the first of them; the core makes sure of the others."""
    first = [next(iter(run.rankings), None), next((next(iter(r)) for r in run.rankings.values() if r), None)]
    return all(id is None or _IDS.get(type(id)) == kind for id, kind in zip(first, kinds, strict=True))


def native_pool(pool: IdPool) -> Any:
    """The pool as the core takes it; queries without judgments stand behind the others."""
    return native.Pool(
        as_text(pool.ids), len(pool.queries), as_ints(pool.query), np.ascontiguousarray(pool.grade), as_text(pool.doc)
    )


def native_policy(policy: Policy) -> Any:
    ties = [t for t in get_args(Ties) if t != "expected"]
    return native.Policy(
        order=get_args(Order).index(policy.order),
        ties=ties.index("id-desc" if policy.ties == "expected" else policy.ties),
        duplicates=get_args(Duplicates).index(policy.duplicates),
        depth=policy.depth or 0,
        single=policy.precision == "float32",
    )


def as_text(text: IdColumn) -> tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.int64]]:
    return np.ascontiguousarray(text.buffer), as_ints(text.start), as_ints(text.length)


def as_ints(column: NDArray[Any]) -> NDArray[np.int64]:
    return np.ascontiguousarray(column, np.int64)
