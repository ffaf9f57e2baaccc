"""Names of columns as people write them: the same name in another spelling, and the nearest one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from judged.errors import shown

Names = tuple[tuple[str, ...], ...]

# The known names of each role, for every kind of input; without case, blanks, hyphens and underscores. Two columns of one line
# are ambiguous. Names of a lower line count without one of a higher; beside one, they are ambiguous too, unless `rivals` knows better.
NAMES: Mapping[str, Names] = {
    "query": (
        (
            "queryid",
            "qid",
            "topicid",
            "userid",
            "customerid",
            "visitorid",
            "memberid",
            "reviewerid",
            "uid",
            "questionid",
        ),
        ("query", "topic", "user", "searchterm", "searchquery", "querytext", "keyword", "searchphrase", "question"),
    ),
    "doc": (
        (
            "docno",
            "docid",
            "itemid",
            "corpusid",
            "documentid",
            "pid",
            "passageid",
            "chunkid",
            "movieid",
            "productid",
            "articleid",
            "newsid",
            "bookid",
            "trackid",
            "songid",
            "videoid",
            "asin",
            "iid",
            "sku",
            "productsku",
            "itemsku",
            "urlid",
            "resultid",
        ),
        ("doc", "item", "document", "product", "chunk", "passage", "article", "url", "result"),
        ("id",),
    ),
    "score": (
        (
            "score",
            "sim",
            "similarity",
            "prediction",
            "predictedrating",
            "predicted",
            "pred",
            "est",
            "relevancescore",
            "similarityscore",
        ),
    ),
    "grade": (
        (
            "relevance",
            "rel",
            "grade",
            "label",
            "gain",
            "rating",
            "humangrade",
            "humanlabel",
            "humanrating",
            "relevancegrade",
            "relevancelabel",
            "escilabel",
        ),
    ),
    "rank": (("rank",), ("position",), ("pos",), ("place",)),
    "aspect": (("subtopic", "subtopicid", "intent", "aspect", "iteration"),),
}

# Beside an id, these are texts or addresses of what it identifies: beside `qid`, `query` is the text of the query.
_TEXTS = frozenset(
    (
        "query",
        "searchterm",
        "searchquery",
        "querytext",
        "keyword",
        "searchphrase",
        "question",
        "document",
        "passage",
        "chunk",
        "article",
        "url",
    )
)

_UNITS = ("context", "chunk", "doc", "document", "node", "passage")
_MANY = tuple(f"{unit}s" for unit in _UNITS)


def _named(stem: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return names of ids, then of the chunks themselves: `relevant_chunk_ids`; `relevant`, `relevant_chunks`."""
    plain = (
        *(f"{stem}{unit}ids" for unit in _UNITS),
        f"{stem}ids",
        *(f"{stem}{unit}id" for unit in _UNITS),
        f"{stem}id",
    )
    return plain, (stem, f"{stem}s", *(f"{stem}{unit}" for unit in (*_MANY, *_UNITS, "span", "spans")))


_GOLD = [_named(stem) for stem in ("relevant", "expected", "gold", "groundtruth", "reference", "positive")]

# Fields with lists of chunks, as `plain_name` writes them; the most reliable first. Ids come before texts.
RETRIEVED = (
    _named("retrieved")[0],
    (*_named("retrieved")[1], "retrievalcontext", "retrievalresults"),
    (
        "sourcenodes",
        "sourcedocuments",
        *_MANY,
        "results",
        "ranking",
        "hits",
        "context",
        "chunkids",
        "docids",
        "contextids",
    ),
)
RELEVANT = (
    tuple(name for ids, _ in _GOLD for name in ids),
    (*(name for _, things in _GOLD for name in things), "qrels", "judgments", "judgements", "highlights"),
)

_RANK_WORDS = frozenset(("rank", "ranks", "ranking", "position", "positions", "pos", "place"))


@lru_cache(maxsize=4096)
def plain_name(name: object) -> str:
    """Return a name without case, blanks, hyphens and underscores; '' for anything that is not text.

    >>> plain_name("Search Term") == plain_name("search_term")
    True
    """
    return name.casefold().replace("-", "").replace("_", "").replace(" ", "") if isinstance(name, str) else ""


def same_column(name: str, names: Sequence[str]) -> str | None:
    """Return the column of this name; without it, the only one that differs in case, blanks, hyphens or underscores.

    >>> same_column("search term", ["Search_Term", "sku"])
    'Search_Term'
    """
    return name if name in names else single([other for other in names if plain_name(other) == plain_name(name)])


def nearest_column(name: str, names: Sequence[str]) -> str | None:
    """Return the column whose name contains a name, or resembles it most."""
    inside = [other for other in names if len(name) > 2 and plain_name(name) in plain_name(other)]
    if inside:
        return inside[0]
    from difflib import get_close_matches

    close = get_close_matches(plain_name(name), [plain_name(other) for other in names], 1, 0.6)
    return next((other for other in names if close and plain_name(other) == close[0]), None)


def match(tiers: Names, names: Iterable[Any]) -> list[str]:
    """Return the columns of the first tier that has any; several are ambiguous."""
    by_name: dict[str, list[str]] = {}
    for name in names:
        by_name.setdefault(plain_name(name), []).append(name)
    for tier in tiers:
        if columns := [column for name in tier for column in by_name.get(name, ())]:
            return columns
    return []


def rivals(tiers: Names, column: str, names: Iterable[Any]) -> list[str]:
    """Return the columns of lower tiers that may be ids of the same role as this column.

    Beside an id, a text is none, nor is what the id is named after, nor `id`, which numbers the rows.

    >>> rivals(NAMES["doc"], "product_id", ["product_id", "product", "url", "item"])
    ['item']
    """
    own = plain_name(column)
    tier = next((i for i, known in enumerate(tiers) if own in known), len(tiers))
    texts = {*_TEXTS, "id", own.removesuffix("id").removesuffix("no")} if tier == 0 else set()
    lower = {name for known in tiers[tier + 1 :] for name in known} - texts
    return [name for name in names if plain_name(name) in lower]


def list_names(role: str) -> tuple[str, ...]:
    """Return every known name of a role, the surest first."""
    return tuple(name for tier in NAMES[role] for name in tier)


def looks_like_ranks(name: str) -> bool:
    """Return whether a word of a column's name means ranks.

    >>> [looks_like_ranks(name) for name in ("Listing Position", "searchRank", "Composition")]
    [True, True, False]
    """
    words = re.split(r"[^a-z]+", re.sub(r"([a-z])([A-Z])", r"\1 \2", name).casefold())
    return not _RANK_WORDS.isdisjoint(words)


def single(columns: list[str]) -> str | None:
    return columns[0] if len(columns) == 1 else None


def list_columns(names: Iterable[str]) -> str:
    """Return names of columns for a message."""
    return ", ".join(shown(name, 40) for name in names) or "none"
