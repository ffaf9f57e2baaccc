"""Recommendations and what is known beside them, from whatever people have, as `RecommendedLists`: users and items become numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from judged._types import Floats, Ints
from judged.core.find.pool import decoded
from judged.core.find.ranking import ranked_rows
from judged.core.numeric import segments_reference as segment
from judged.core.policy import Policy
from judged.core.tables import Id, Run
from judged.errors import DataError, UsageError, Warned, shown
from judged.io.read import read_qrels, read_run
from judged.recommenders.interactions import Interactions, as_text, interactions_of
from judged.recommenders.lists import History, RecommendedLists
from judged.recommenders.similarity import ItemTable, similarity_of
from judged.tables.text import counted

__all__ = ["Given", "Recommended", "recommended_of", "whole_number"]


@dataclass(frozen=True, slots=True)
class Given:
    """What was given beside the run, as it came."""

    items: Any = None
    history: Any = None
    vectors: Any = None
    similarity: Any = None
    qrels: Any = None
    level: float = 1
    categories: Any = None
    expected: Any = None


@dataclass(frozen=True, slots=True)
class Recommended:
    """The lists, their users, and what is worth knowing."""

    name: str
    users: tuple[Id, ...]
    lists: RecommendedLists
    warnings: tuple[Warned, ...]


def recommended_of(source: Any, given: Given, k: int) -> Recommended:
    """The first k recommendations of each user of a run, with everything that was given."""
    run = read_run(source)
    users = _in_order(decoded(run.queries, run.query_kind))
    user, doc, rank = _first(run, users, k)
    history = None if given.history is None else interactions_of(given.history)
    catalogue = None if given.items is None or isinstance(given.items, (int, np.integer)) else _catalogue(given.items)
    labels = None if given.categories is None else _labels(given.categories)
    known = [
        doc,
        *([] if history is None else [history.items]),
        *([] if catalogue is None else [catalogue]),
    ]
    place = {text: i for i, text in enumerate(sorted({text for texts in known for text in texts}))}
    item = np.fromiter(map(place.__getitem__, doc), np.int64, len(doc))
    shares = None if labels is None else _shares(labels, place)
    alike = similarity_of(
        given.vectors, given.similarity, shares, ItemTable(place, catalogue, run.doc_kind == "integer")
    )
    names = {as_text(u): i for i, u in enumerate(users)}
    lists = RecommendedLists(
        user=user, item=item, rank=rank, users=len(users), items=len(place), k=k,
        size_of_catalogue=_size(given.items, catalogue, doc),
        relevant_row=None if given.qrels is None else _relevant(given, names, place, user, item),
        interactions=None if history is None else _history(history, names, place),
        similarity_of=alike.between, described=alike.described, shares=shares,
        expected_rank=None if given.expected is None else _expected(given.expected, k, names, place, user, item),
    )  # fmt: skip
    return Recommended(run.label, users, lists, _warnings(lists))


def whole_number(value: Any, name: str) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
        raise UsageError("cutoff", f"{name} that is a whole number from 1", got=shown(value), value=value)
    return int(value)


# ── the run ──────────────────────────────────────────────────────────────────────────────────────


def _in_order(users: list[Id]) -> tuple[Id, ...]:
    numbers = all(isinstance(u, int) or (isinstance(u, str) and u.isdigit()) for u in users)
    return tuple(sorted(users, key=(lambda u: (int(str(u)), str(u))) if numbers else str))


def _first(run: Run, users: tuple[Id, ...], k: int) -> tuple[Ints, list[str], Ints]:
    """The user, the item and the rank of the first k recommendations of each user, by user and rank."""
    query, row = ranked_rows(run, Policy(depth=k), hint="keep one of them")
    rank = segment.positions(np.bincount(query, minlength=len(users))) + 1
    query, row, rank = query[rank <= k], row[rank <= k], rank[rank <= k]
    place = {u: i for i, u in enumerate(users)}
    user = np.array([place[u] for u in decoded(run.queries, run.query_kind)], dtype=np.int64)[query]
    order = np.argsort(user, kind="stable")
    docs = [raw.decode("utf-8", "surrogateescape") for raw in run.doc.take(row[order]).tolist()]
    return user[order], docs, rank[order]


# ── what is known beside it ──────────────────────────────────────────────────────────────────────


def _catalogue(items: Any) -> list[str]:
    if isinstance(items, (str, bytes)) or not isinstance(items, Iterable) or hasattr(items, "columns"):
        raise UsageError("argument", "items= as ids, or their number", got=shown(items), value=items)
    return [as_text(i) for i in (items.tolist() if hasattr(items, "tolist") else items)]


def _size(items: Any, catalogue: list[str] | None, recommended: list[str]) -> int | None:
    """How many items the catalogue has; an error if something else was recommended."""
    if items is None:
        return None
    distinct = set(recommended)
    if catalogue is None:
        strange, size = len(distinct) - whole_number(items, "a number of items="), int(items)
        example = ""
    else:
        outside = sorted(distinct - set(catalogue))
        strange, size = len(outside), len(set(catalogue))
        example = f", such as {shown(outside[0])}" if outside else ""
    if strange > 0:
        raise DataError("catalogue", "recommendations out of the catalogue", got=f"{counted(strange, 'item')} beyond it{example}",
                        where="items", hint="items= holds all items that can be recommended")  # fmt: skip
    return size


def _history(found: Interactions, users: dict[str, int], items: dict[str, int]) -> History:
    item = np.array([items[i] for i in found.items], dtype=np.int64)[found.item]
    place = np.full(len(users), -1)
    for number, user in enumerate(found.users):
        if (at := users.get(user)) is not None:
            place[at] = number
    return History(user=found.user, item=item, users=len(found.users), place=place)


def _relevant(given: Given, users: dict[str, int], items: dict[str, int], user: Ints, item: Ints) -> NDArray[np.bool_]:
    qrels = read_qrels(given.qrels)
    good = qrels.grade >= given.level
    query = np.array([users.get(as_text(u), -1) for u in decoded(qrels.queries, qrels.query_kind)])[qrels.query[good]]
    doc = np.array(
        [items.get(raw.decode("utf-8", "surrogateescape"), -1) for raw in qrels.doc.take(good).tolist()], dtype=np.int64
    )
    if (query < 0).all():
        raise DataError("no-common-query", "judgments for users of the run", got="none of them", where=qrels.name, hint="are the ids the same?")  # fmt: skip
    kept = (query >= 0) & (doc >= 0)
    return np.isin(user * len(items) + item, query[kept] * len(items) + doc[kept])


def _expected(source: Any, k: int, users: dict[str, int], items: dict[str, int], user: Ints, item: Ints) -> Floats:
    """Where a primitive recommender has each row's item in the user's list."""
    run = read_run(source)
    named = tuple(decoded(run.queries, run.query_kind))
    owner, docs, rank = _first(run, named, k)
    rows = zip((as_text(named[u]) for u in owner.tolist()), docs, rank.tolist(), strict=True)
    at = {(users[u], items[d]): r for u, d, r in rows if u in users and d in items}
    return np.array([at.get(pair, np.inf) for pair in zip(user.tolist(), item.tolist(), strict=True)], dtype=float)


def _labels(categories: Any) -> dict[str, list[Any]]:
    if not isinstance(categories, Mapping):
        expected = "categories= as {item: category, or a list of them}"
        raise UsageError("argument", expected, got=shown(categories), value=categories)
    several: Callable[[Any], bool] = lambda c: isinstance(c, Iterable) and not isinstance(c, (str, bytes))  # noqa: E731
    return {as_text(i): list(dict.fromkeys(c)) if several(c) else [c] for i, c in categories.items()}


def _shares(labels: dict[str, list[Any]], items: dict[str, int]) -> Floats:
    """Items × categories: an item of several has an equal share in each."""
    rows = [(items[item], c, 1 / len(found)) for item, found in labels.items() if item in items for c in found]
    if not rows:
        raise DataError("catalogue", "categories of recommended items, or of those in the history", got="of others only",
                        where="categories", hint="are the ids the same?")  # fmt: skip
    column = {c: i for i, c in enumerate(dict.fromkeys(c for _, c, _ in rows))}
    out = np.zeros((len(items), len(column)))
    out[[item for item, _, _ in rows], [column[c] for _, c, _ in rows]] = [share for _, _, share in rows]
    return out


def _warnings(lists: RecommendedLists) -> tuple[Warned, ...]:
    found = []
    shown_items = lists.recommended
    if lists.interactions is not None:
        unseen = int((lists.interactions.popularity(lists.items, "interactions")[shown_items] == 0).sum())
        if unseen:
            found.append(Warned("item-unseen", unseen, f"{counted(unseen, 'recommended item')} without an interaction: popularity 0, in Novelty as if there were one{' – that is all of them: are the ids the same?' if unseen == len(shown_items) else ''}"))  # fmt: skip
    listed = None if lists.shares is None else np.asarray(lists.shares.any(axis=1))
    for known, what in ((lists.described, "vector or similarity"), (listed, "category")):
        missing = 0 if known is None else int((~known[shown_items]).sum())
        if missing:
            found.append(Warned("item-unknown", missing, f"{counted(missing, 'recommended item')} without a {what}, left out where one is needed"))  # fmt: skip
    return tuple(found)
