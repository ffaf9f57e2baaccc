"""Which column holds what: the usual names, or those that the caller gives."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NoReturn

from judged.errors import DataError, Place, UsageError, shown
from judged.io.text.decimals import What

__all__ = ["ColumnRequest", "RoleColumns", "are_columns", "find", "is_usual", "nested", "usual"]

Names = tuple[tuple[str, ...], ...]

# What the tables of recommender systems call users and items, beside the names below.
_CUSTOMER = ("customerid", "visitorid", "memberid", "reviewerid", "uid")
_PRODUCT = ("movieid", "productid", "articleid", "newsid", "bookid", "trackid", "songid", "videoid", "asin", "iid")

# Each role's names, the surest first: beside `qid`, `query` is the text of the query; beside `docno`,
# `docid` is an engine's internal number.
_USUAL: Mapping[str, Names] = {
    "query": (("queryid", "qid", "topicid", "userid"), ("query", "topic", "user"), _CUSTOMER),
    "doc": (
        ("docno",),
        ("docid", "itemid", "corpusid", "documentid", "pid", "passageid"),
        ("doc", "item", "document"),
        _PRODUCT,
    ),
    "score": (("score", "sim", "similarity", "prediction"), ("predictedrating", "predicted", "pred", "est")),
    "grade": (("relevance", "rel", "grade", "label", "gain", "rating"),),
    "rank": (("rank",),),
    "aspect": (("subtopic", "intent", "aspect"), ("iteration",)),
}
_NESTED = ("docs", "docids", "documents", "results", "ranking", "hits", "items", "retrieved", "relevant")
_MEANING = {
    "query": "query ids (query_id, qid, topic …)",
    "doc": "document ids (doc_id, docno, corpus-id …)",
    "score": "scores (score, sim …) or ranks (rank)",
    "grade": "grades (relevance, grade, label …)",
}


@dataclass(frozen=True, slots=True)
class ColumnRequest:
    """What is being read, and the columns that the caller named."""

    what: Literal["run", "qrels"]
    named: Mapping[str, str]

    @property
    def number(self) -> What:
        return "score" if self.what == "run" else "grade"

    @property
    def other(self) -> str:
        return "rank" if self.what == "run" else "aspect"

    def refuse_names(self, name: str) -> None:
        """Names of columns mean nothing where there are no columns."""
        if self.named:
            role, column = next(iter(self.named.items()))
            raise UsageError(
                "columns", "names of columns for a table alone", got=f"{role}={column!r} for another form", where=name,
                hint=f"leave {role}= out", value=column,
            )  # fmt: skip


@dataclass(frozen=True, slots=True)
class RoleColumns:
    """The column of each role. `borrowed`: the grades stand in a column called score, as in BEIR."""

    column: Mapping[str, str]
    borrowed: bool = False


def _plain(name: object) -> str:
    return name.casefold().replace("-", "").replace("_", "").replace(" ", "") if isinstance(name, str) else ""


def _texts(names: Iterable[Any]) -> list[str]:
    """The names that are text: a column may be called 7, and a query None."""
    return [name for name in names if isinstance(name, str)]


def usual(names: Iterable[object], wanted: ColumnRequest) -> int:
    """How many of these are names of columns."""
    known = {name for tiers in _USUAL.values() for tier in tiers for name in tier}
    return sum(_plain(name) in known or name in wanted.named.values() for name in _texts(names))


def is_usual(name: str) -> bool:
    """Whether a reader would take a column of this name for ids, scores, grades, ranks or subtopics."""
    return usual([name], ColumnRequest("qrels", {})) > 0


def are_columns(names: Iterable[Any], wanted: ColumnRequest) -> bool:
    """Whether these are the names of a table's columns: ids of queries are never called so, all of them."""
    names = _texts(names)
    found = [role for role in _USUAL if _match(role, names) or wanted.named.get(role) in names]
    return {"query", "doc"} <= set(found) and (len(found) > 2 or bool(wanted.named))


def nested(names: Iterable[Any], wanted: ColumnRequest) -> tuple[str, str] | None:
    """The keys of a query and of its list of documents, in a record that holds a whole ranking."""
    names = _texts(names)
    lists = [name for name in names if _plain(name) in _NESTED]
    query = wanted.named.get("query") or _match("query", names)
    alone = isinstance(query, str) and query in names and len(lists) == 1 and not _match("doc", names)
    return (query, lists[0]) if alone and isinstance(query, str) else None


def find(names: Sequence[Any], wanted: ColumnRequest, where: Place, *, query: bool = True) -> RoleColumns:
    """The column of each role, or an error that names the columns and says how to name one."""
    number, column = wanted.number, {}
    names = _texts(names)
    keys = ("query", "doc") if query else ("doc",)
    for role in (*keys, number, wanted.other):
        match = _named(role, names, wanted, where) or _match(role, names)
        if isinstance(match, list):
            _refuse(f"one column of {_MEANING.get(role, role)}", match, role, where)
        if match and names.count(match) > 1:
            _refuse(f"one column called {match!r}", names, role, where, hint="rename one of them")
        if match:
            column[role] = match
    for role in keys:
        if role not in column:
            _refuse(f"a column of {_MEANING[role]}", names, role, where)
    if number in column or (number == "score" and "rank" in column):
        return RoleColumns(column)
    other = _match("grade" if number == "score" else "score", names)
    if number == "grade" and query and len(names) == 2:
        return RoleColumns(column)  # pairs and nothing else: what is listed is relevant, as in {query: [doc, …]}
    if number == "grade" and isinstance(other, str) and not _match("rank", names):
        return RoleColumns({**column, "grade": other}, borrowed=True)
    looks = "judgments" if number == "score" else "a run"
    hint = f"this looks like {looks}; the judgments come first, then the run" if other else None
    slug = "swapped" if other else "columns"
    return _refuse(f"a column of {_MEANING[number]}", names, number, where, slug=slug, hint=hint)


def _named(role: str, names: Sequence[Any], wanted: ColumnRequest, where: Place) -> str | None:
    name = wanted.named.get(role)
    if name is not None and name not in names:
        _refuse(f"a column called {name!r}, as {role}={name!r} says", names, role, where)
    return name


def _match(role: str, names: Iterable[Any]) -> str | list[str] | None:
    """The column of a role by its usual names; several where they cannot be told apart."""
    for tier in _USUAL[role]:
        matches = [name for name in names if _plain(name) in tier]
        if matches:
            return matches[0] if len(matches) == 1 else matches
    return None


def _refuse(
    expected: str, names: Iterable[Any], role: str, where: Place, *, slug: str = "columns", hint: str | None = None
) -> NoReturn:
    got = ", ".join(shown(name, 40) for name in names) or "none"
    raise DataError(slug, expected, got=got, hint=hint or f"name it: {role}='…'", where=where, value=got)
