"""Read recommendations and side information from any supported input into `RecommendedLists`: users and items become numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from judged._types import Floats, Ints
from judged.core import segments
from judged.core.find.ranking import ranked_rows
from judged.core.policy import Policy
from judged.core.tables import Id, Run, decoded
from judged.errors import DataError, Hint, UsageError, Warned, shown
from judged.io.arrays import is_number_matrix
from judged.io.read import read_qrels, read_run
from judged.recommenders.interactions import Interactions, as_text, read_interactions
from judged.recommenders.lists import History, RecommendedLists
from judged.recommenders.similarity import ItemTable, similarity_of
from judged.stats.checks import check_count
from judged.tables.text import counted


@dataclass(frozen=True, slots=True)
class SideInformation:
    """The arguments of `beyond_accuracy` other than the run, as passed."""

    items: Any = None
    history: Any = None
    vectors: Any = None
    similarity: Any = None
    qrels: Any = None
    level: float = 1
    categories: Any = None
    expected: Any = None


@dataclass(frozen=True, slots=True)
class Recommendations:
    """The lists, their users, and warnings."""

    name: str
    users: tuple[Id, ...]
    lists: RecommendedLists
    warnings: tuple[Warned, ...]


def read_recommendations(source: Any, side: SideInformation, k: int) -> Recommendations:
    """Read the first k recommendations of each user of a run, with the side information."""
    run = _read_lists(source, "run")
    users = _sorted_users(decoded(run.queries, run.query_kind))
    user, doc, rank = _first(run, users, k)
    history = None if side.history is None else read_interactions(side.history, "history")
    catalogue = None if side.items is None or isinstance(side.items, (int, np.integer)) else _catalogue(side.items)
    labels = None if side.categories is None else _labels(side.categories)
    known = [doc, [] if history is None else history.items, catalogue or []]
    place = {text: i for i, text in enumerate(sorted({text for texts in known for text in texts}))}
    item = np.fromiter(map(place.__getitem__, doc), np.int64, len(doc))
    numbers = place if labels is None or catalogue is not None else _with_labelled(place, labels)
    shares = None if labels is None else _shares(labels, place, numbers)
    table = ItemTable(place, catalogue, run.doc_kind == "integer")
    alike = similarity_of(side.vectors, side.similarity, shares, table)
    names = {as_text(u): i for i, u in enumerate(users)}
    relevant = None if side.qrels is None else _relevant(side, names, numbers)
    lists = RecommendedLists(
        user=user,
        item=item,
        rank=rank,
        users=len(users),
        items=len(place),
        k=k,
        size_of_catalogue=_size(side.items, catalogue, doc),
        relevant_row=None if relevant is None else _found(relevant, user, item),
        relevant_to=relevant,
        interactions=None if history is None else _history(history, names, place),
        similarity_of=alike.between,
        described=alike.described,
        shares=shares,
        expected_rank=None if side.expected is None else _expected(side.expected, k, names, place, user, item),
    )
    return Recommendations(run.label, users, lists, _warnings(lists))


# ── the run ──────────────────────────────────────────────────────────────────────────────────────


def _read_lists(source: Any, where: str) -> Run:
    """Read a run; an array is a matrix of scores, even with three columns."""
    if is_number_matrix(source):
        raise DataError(
            "score-matrix",
            "a run with ids",
            got="a matrix of numbers",
            where=where,
            hint="convert it to a run with jd.recommenders.top_k",
        )
    try:
        return read_run(source)
    except DataError as error:
        if error.slug != "swapped":
            raise
        raise error.changed(
            hint=Hint(
                "pass a table with a column of scores or ranks; past interactions belong in {history}", history=None
            )
        ) from error


def _sorted_users(users: list[Id]) -> tuple[Id, ...]:
    numbers = all(isinstance(u, int) or (isinstance(u, str) and u.isdigit()) for u in users)
    return tuple(sorted(users, key=(lambda u: (int(str(u)), str(u))) if numbers else str))


def _first(run: Run, users: tuple[Id, ...], k: int) -> tuple[Ints, list[str], Ints]:
    """The user, the item and the rank of the first k recommendations of each user, by user and rank."""
    query, row = ranked_rows(run, Policy(depth=k), hint="keep one of them")
    rank = segments.positions(np.bincount(query, minlength=len(users))) + 1
    query, row, rank = query[rank <= k], row[rank <= k], rank[rank <= k]
    place = {u: i for i, u in enumerate(users)}
    user = np.array([place[u] for u in decoded(run.queries, run.query_kind)], dtype=np.int64)[query]
    order = np.argsort(user, kind="stable")
    docs = [as_text(raw) for raw in run.doc.take(row[order]).tolist()]
    return user[order], docs, rank[order]


# ── side information ─────────────────────────────────────────────────────────────────────────────


def _catalogue(items: Any) -> list[str]:
    if isinstance(items, (str, bytes)) or not isinstance(items, Iterable) or hasattr(items, "columns"):
        raise UsageError("argument", f"items must be ids or their number, got {shown(items)}", value=items)
    return [as_text(i) for i in (items.tolist() if hasattr(items, "tolist") else items)]


def _size(items: Any, catalogue: list[str] | None, recommended: list[str]) -> int | None:
    """The size of the catalogue; raise if an item outside it was recommended."""
    if items is None:
        return None
    distinct = set(recommended)
    if catalogue is None:
        size = check_count(items, "items")
        extra, example = len(distinct) - size, ""
    else:
        outside = sorted(distinct - set(catalogue))
        extra, size = len(outside), len(set(catalogue))
        example = f", such as {shown(outside[0])}" if outside else ""
    if extra > 0:
        raise DataError(
            "catalogue",
            f"{counted(extra, 'recommended item is', 'recommended items are')} outside the catalogue{example}",
            where="items",
            hint=Hint("pass all items that can be recommended as {items}", items=None),
        )
    return size


def _history(past: Interactions, users: dict[str, int], items: dict[str, int]) -> History:
    item = np.array([items[i] for i in past.items], dtype=np.int64)[past.item]
    place = np.full(len(users), -1)
    for number, user in enumerate(past.users):
        if (at := users.get(user)) is not None:
            place[at] = number
    return History(user=past.user, item=item, users=len(past.users), place=place)


def _relevant(side: SideInformation, users: dict[str, int], items: dict[str, int]) -> tuple[Ints, Ints]:
    """Users of the run, and their relevant items, as far as these are known."""
    qrels = read_qrels(side.qrels)
    good = qrels.grade >= side.level
    query = np.array([users.get(as_text(u), -1) for u in decoded(qrels.queries, qrels.query_kind)])[qrels.query[good]]
    doc = np.array([items.get(as_text(raw), -1) for raw in qrels.doc.take(good).tolist()], dtype=np.int64)
    if (query < 0).all():
        raise DataError(
            "no-common-query",
            "run and judgments have no user in common",
            where=qrels.name,
            hint="check that the ids are the same",
        )
    kept = (query >= 0) & (doc >= 0)
    return query[kept], doc[kept]


def _found(relevant: tuple[Ints, Ints], user: Ints, item: Ints) -> NDArray[np.bool_]:
    width = int(max(item.max(initial=0), relevant[1].max(initial=0))) + 1
    return np.isin(user * width + item, relevant[0] * width + relevant[1])


def _expected(source: Any, k: int, users: dict[str, int], items: dict[str, int], user: Ints, item: Ints) -> Floats:
    """The rank of each row's item in the user's list of a primitive recommender."""
    run = _read_lists(source, "expected")
    named = tuple(decoded(run.queries, run.query_kind))
    owner, docs, rank = _first(run, named, k)
    rows = zip((as_text(named[u]) for u in owner.tolist()), docs, rank.tolist(), strict=True)
    at = {(users[u], items[d]): r for u, d, r in rows if u in users and d in items}
    return np.array([at.get(pair, np.inf) for pair in zip(user.tolist(), item.tolist(), strict=True)], dtype=float)


def _labels(categories: Any) -> dict[str, list[Any]]:
    if not isinstance(categories, Mapping):
        problem = f"categories must be {{item: category or list of categories}}, got {shown(categories)}"
        raise UsageError("argument", problem, value=categories)
    return {as_text(i): list(dict.fromkeys(c)) if _is_list(c) else [c] for i, c in categories.items()}


def _is_list(value: Any) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, str | bytes)


def _with_labelled(items: dict[str, int], labels: dict[str, list[Any]]) -> dict[str, int]:
    """The numbers of items, followed by those of items that only the categories have."""
    return items | {item: len(items) + i for i, item in enumerate(item for item in labels if item not in items)}


def _shares(labels: dict[str, list[Any]], known: dict[str, int], items: dict[str, int]) -> Floats:
    """Items × categories: an item of several categories has an equal share in each."""
    rows = [(items[item], c, 1 / len(own)) for item, own in labels.items() if item in items for c in own]
    if not any(item in known for item in labels):
        raise DataError(
            "catalogue",
            "no item of the run or the history has a category",
            where="categories",
            hint="check that the ids are the same",
        )
    column = {c: i for i, c in enumerate(dict.fromkeys(c for _, c, _ in rows))}
    out = np.zeros((len(items), len(column)))
    out[[item for item, _, _ in rows], [column[c] for _, c, _ in rows]] = [share for _, _, share in rows]
    return out


def _warnings(lists: RecommendedLists) -> tuple[Warned, ...]:
    warnings = []
    shown_items = lists.recommended
    if lists.interactions is not None:
        unseen = int((lists.interactions.popularity(lists.items, "interactions")[shown_items] == 0).sum())
        if unseen:
            text = (
                f"{counted(unseen, 'recommended item has', 'recommended items have')} no interactions; Popularity treats "
                f"{'it' if unseen == 1 else 'them'} as having 0 interactions, Novelty as having 1"
            )
            every = "no recommended item has any: check that the ids are the same"
            hint = Hint(every) if unseen == len(shown_items) else None
            warnings.append(Warned("item-unseen", unseen, text, hint))
    listed = None if lists.shares is None else np.asarray(lists.shares.any(axis=1))
    for known, what in ((lists.described, "vector or similarity"), (listed, "category")):
        missing = 0 if known is None else int((~known[shown_items]).sum())
        if missing:
            text = f"{counted(missing, 'recommended item has', 'recommended items have')} no {what}; excluded where one is needed"
            warnings.append(Warned("item-unknown", missing, text))
    return tuple(warnings)
