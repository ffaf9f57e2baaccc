"""Columns of a table: the known names of each role, what a caller requests, and the search for the column of each role."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple, NoReturn

from numpy.typing import NDArray

from judged.errors import DataError, Hint, Place, UsageError, shown, to_choose
from judged.io.text import What, is_decimal
from judged.registry import nearest_name

# ── Names of columns as people write them ───────────────────────────────────────────────────────────

Names = tuple[tuple[str, ...], ...]

# The known names of each role, for every kind of input; without case, blanks, hyphens and underscores. Two columns of one line
# are ambiguous. Names of a lower line count without one of a higher; beside one, they are ambiguous too, unless `rivals` knows better.
NAMES: Mapping[str, Names] = {
    role: tuple(tuple(tier.split()) for tier in tiers)
    for role, tiers in {
        "query": (
            "queryid qid topicid userid customerid visitorid memberid reviewerid uid questionid",
            "query topic user searchterm searchquery querytext keyword searchphrase question",
        ),
        "doc": (
            "docno docid itemid corpusid documentid pid passageid chunkid movieid productid articleid "
            "newsid bookid trackid songid videoid asin iid sku productsku itemsku urlid resultid",
            "doc item document product chunk passage article url result",
            "id",
        ),
        "score": (
            "score sim similarity prediction predictedrating predicted predict pred est relevancescore similarityscore",
        ),
        "grade": (
            "relevance rel grade label gain rating stars humangrade humanlabel humanrating relevancegrade "
            "relevancelabel escilabel queryrelevancelabel",
        ),
        "rank": ("rank", "position", "pos", "place"),
        "aspect": ("subtopic subtopicid intent aspect iteration",),
    }.items()
}

# A table of queries and documents with a time, and without grades, has interactions: each counts as relevant; clicks are 0 and 1.
TIMES, _CLICKS = (
    tuple(names.split())
    for names in (
        "timestamp ts time date datetime eventtime eventtimestamp eventdate unixtime unixtimestamp reviewtime "
        "unixreviewtime createdat updatedat clickedat viewedat orderdate purchasedate",
        "click clicked clicks isclick isclicked",
    )
)
_INDEX = ("", "unnamed:0", "index")  # of a frame of pandas

# Beside an id, these are texts or addresses of what it identifies: beside `qid`, `query` is the text of the query.
_TEXTS = frozenset({*NAMES["query"][1], *NAMES["doc"][1]} - {"topic", "user", "doc", "item", "product", "result"})

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
    (
        *(name for _, things in _GOLD for name in things),
        "qrels",
        "judgments",
        "judgements",
        "highlights",
        "retrievalgroundtruth",
    ),
)


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


def single(columns: list[str]) -> str | None:
    return columns[0] if len(columns) == 1 else None


def named_fields(kind: type) -> tuple[str, ...] | None:
    """Return the fields of a named tuple or a dataclass; None for other types."""
    if issubclass(kind, tuple):
        return getattr(kind, "_fields", None)
    return tuple(field.name for field in dataclasses.fields(kind)) if dataclasses.is_dataclass(kind) else None


def list_columns(names: Iterable[str]) -> str:
    """Return names of columns for a message."""
    return ", ".join(shown(name, 40) for name in names) or "none"


# ── Roles of columns ────────────────────────────────────────────────────────────────────────────────

_NESTED = ("docs", "docids", "documents", "results", "ranking", "hits", "items")
_MEANING = {
    "query": "query ids (query_id, qid, topic …)",
    "doc": "document ids (doc_id, docno, corpus-id …)",
    "score": "scores (score, sim …) or ranks (rank, position)",
    "grade": "grades (relevance, grade, label …)",
    "rank": "ranks",
    "aspect": "subtopics",
}


class Role(NamedTuple):
    """The meaning of a column: its known names in tiers, the surest first, and how its cells are read (None: as ids)."""

    names: Names
    meaning: str
    read: Callable[[Any], NDArray[Any] | None] | None = None
    required: bool = True
    expected: str = ""  # what a cell must be
    slug: str = "columns"


Roles = Mapping[str, Role]
_RANKING: Roles = {role: Role(NAMES[role], _MEANING[role]) for role in NAMES}
_BY_KIND = {"run": ("query", "doc", "score", "rank"), "qrels": ("query", "doc", "grade", "aspect")}


Name = str | Sequence[str]  # of a column; several if tables have different ones


class ColumnRequest(NamedTuple):
    """A request for a table, or for judgments and runs together: then each named column is used in every table that has it.

    Args:
        what: run, qrels, or what else is read; used in messages.
        named: the columns that the caller named, by role; of several, the first that a table has.
        roles: the columns to find; those of a run or of judgments follow from `what`.
        grade_map: grades of words.
        used: collects the columns of all tables, with the roles that the caller named them for; None if every table must have these.
        split: the split to read, of an input that has several.
        tag: the run to read, of a TREC file that has several.
        others: the columns of the scores, if judgments are read, and of the grades, if a run is.
    """

    what: str = ""
    named: Mapping[str, Name] = {}
    roles: Mapping[str, Role] = {}
    grade_map: Mapping[str, float] | None = None
    used: dict[str, set[str]] | None = None
    split: Split | None = None
    tag: Split | None = None
    others: Mapping[str, Name] = {}

    def request(self, what: str) -> ColumnRequest:
        """Return the part of a request for judgments and runs that concerns one of them."""
        if self is ANY_COLUMNS:
            return _OF_ANY[what]
        other = ("grade",) if what == "run" else ("score", "rank")
        named = {role: column for role, column in self.named.items() if role not in other}
        others = {role: column for role, column in self.named.items() if role in other}
        return self._replace(
            what=what, named=named, others=others, grade_map=self.grade_map if what == "qrels" else None
        )

    def check_used(self) -> None:
        """Raise `columns` if no table has a column that was named, `split` if no input has splits or tags."""
        self.check_parts()
        if self.used is None:
            return
        known = set(map(plain_name, self.used))
        for role in self.named:
            is_used = any(role in roles for roles in self.used.values())
            for column in self.names(role):
                if is_used and plain_name(column) in known:
                    continue
                have = f"; the columns are {list_columns(self.used)}" if self.used else ""
                hint = Hint(f"leave out {{{role}_col}}, or name a column", **{f"{role}_col": None})
                raise DataError("columns", f"no input has the column {column!r}{have}", hint=hint, value=column)

    def check_parts(self) -> None:
        """Raise `split` if a split or a tag was named, and no input has any."""
        for part in (self.split, self.tag):
            if part is not None and not part.used:
                hint = Hint(f"omit {{{part.option}}}", **{part.option: part.name})
                raise UsageError("split", f"no input has {part.option}s", hint=hint, value=part.name)

    def names(self, role: str) -> Sequence[str]:
        """Return the names that the caller gave the column of a role."""
        named = self.named.get(role, ())
        return named if isinstance(named, list | tuple) else [named]  # type: ignore[list-item]  # a name, or what is none

    def named_column(self, role: str, names: Sequence[str]) -> str | None:
        """Return the first column that the caller named, if one is among these."""
        return next((same for name in self.names(role) if (same := same_column(name, names)) is not None), None)

    @property
    def is_ranking(self) -> bool:
        """True for runs and judgments, which may also be nested by query."""
        return self.what in _BY_KIND and not self.roles

    @property
    def number(self) -> What:
        return "score" if self.what == "run" else "grade"

    @property
    def all_roles(self) -> Roles:
        return self.roles or {role: _RANKING[role] for role in _BY_KIND[self.what]}

    def raise_named(self, where: str) -> None:
        """Raise if columns were named for a source that has none."""
        if self.named and self.used is None:
            role, column = next((role, name) for role in self.named for name in self.names(role))
            option = Hint("omit {" + f"{role}_col" + "}", **{f"{role}_col": column})
            raise UsageError("columns", "the input has no named columns", where=where, hint=option, value=column)


ANY_COLUMNS = ColumnRequest()  # judgments and runs with the usual names
_OF_ANY = {what: ColumnRequest(what) for what in _BY_KIND}


def is_borrowed(column: Mapping[str, str], request: ColumnRequest) -> bool:
    """Return whether the grades are in a column called score, as in BEIR, which the caller did not name."""
    grade = column.get("grade")
    return plain_name(grade) in NAMES["score"][0] and not request.named_column("grade", [str(grade)])


def _texts(names: Iterable[Any]) -> list[str]:
    """Return the names that are text: a column may be called 7, and a query None."""
    return [name for name in names if isinstance(name, str)]


_KNOWN = frozenset(name for tiers in NAMES.values() for tier in tiers for name in tier)


def count_known(names: Iterable[object], request: ColumnRequest) -> int:
    """Count the names that are known, or named by the caller."""
    known = _KNOWN
    if request.roles:
        known = frozenset(name for role in request.roles.values() for tier in role.names for name in tier)
    named = {plain_name(name) for role in request.named for name in request.names(role)}
    return sum(plain_name(name) in known or plain_name(name) in named for name in _texts(names))


def is_usual(name: str) -> bool:
    """Return whether a reader takes a column of this name for ids, scores, grades, ranks or subtopics."""
    return plain_name(name) in _KNOWN


def are_columns(names: Iterable[Any], request: ColumnRequest) -> bool:
    """Return whether these are names of columns: query ids are never all called so."""
    names = _texts(names)
    roles = [role for role in NAMES if match(NAMES[role], names) or request.named_column(role, names)]
    more = len(roles) > 2 or request.named or (request.number == "grade" and _time(names))
    return {"query", "doc"} <= set(roles) and bool(more)


def _time(names: Sequence[str]) -> str | None:
    """Return the column of times of interactions without grades."""
    graded = any(match(tiers, names) for tiers in (NAMES["grade"], NAMES["score"], NAMES["rank"], (_CLICKS,)))
    return None if graded else next(iter(match((TIMES,), names)), None)


def is_flat(item: Any, request: ColumnRequest) -> bool:
    """Return whether an item is a record of one document."""
    if not request.is_ranking:
        return isinstance(item, Mapping)
    return isinstance(item, Mapping) and nested(item, request) is None and count_known(item, request) > 0


def nested(record: Mapping[Any, Any], request: ColumnRequest) -> tuple[str, str] | None:
    """Return the keys of a query and of its list of documents, in a record that holds a whole ranking.

    Beside a list, `id` is that of the query, as in a question file.
    """
    names = _texts(record)
    held = [name for name in names if not isinstance(record[name], (str, bytes, int, float, type(None)))]
    lists = match((*(RETRIEVED if request.what == "run" else RELEVANT), _NESTED), held)
    ids, words = NAMES["query"]
    query = request.named_column("query", names) or single(match((ids, ("id",), words), names))
    alone = query is not None and len(lists) == 1 and query not in held and not match(NAMES["doc"][:-1], names)
    return (query, lists[0]) if alone and query is not None else None


def find_columns(
    names: Sequence[Any],
    request: ColumnRequest,
    where: Place,
    *,
    query: bool = True,
) -> dict[str, str]:
    """Find the column of each role.

    Args:
        names: of the columns.
        request: the roles, and the columns that the caller named.
        where: the place for messages.
        query: whether the table has queries; a ranking of one query has none.

    Raises:
        DataError: a role without a column or with several, with the names of the columns and the option that names one.
    """
    names = _texts(names)
    column: dict[str, str] = {}
    used: dict[str, set[str]] = {} if request.used is None else request.used
    for name in names:
        used.setdefault(name, set())
    for role, declared in request.all_roles.items():
        if role == "query" and not query:
            continue
        named = request.named_column(role, names)
        if named is None and (asked := request.names(role)) and request.used is None:
            problem = f"no column {' or '.join(map(repr, asked))}; the columns are {list_columns(names)}"
            meant = nearest_name(asked[0], names)
            action = f"did you mean {meant!r}?" if meant else "check its name"
            raise DataError("columns", problem, hint=action, where=where, value=asked[0])
        if named is not None:
            used[named].add(role)
        columns = [named] if named is not None else match(declared.names, names)
        if len(columns) == 1 and named is None and role in ("query", "doc"):
            columns += rivals(declared.names, columns[0], names)
        if len(columns) > 1:  # one of them may be named for another role
            others = {request.named_column(other, names) for other in request.named if other != role}
            columns = [name for name in columns if name not in others] or columns
        if columns and names.count(columns[0]) > 1:
            _raise(f"two columns are called {columns[0]!r}", names, request, where, hint="rename one of them")
        if len(columns) > 1:
            both = " and ".join(map(repr, columns))
            _raise(f"{both} can both be the column of {declared.meaning}", names, request, where, role)
        if columns:
            column[role] = columns[0]
    required = (
        ["query", "doc"] if request.is_ranking else [name for name, role in request.roles.items() if role.required]
    )
    missing = [role for role in required if role not in column and (query or role != "query")]
    if missing:
        data = request.is_ranking and any(is_decimal(str(n).encode(errors="replace")) for n in names)
        hint = f"these look like data: add a header such as query,doc,{request.number}" if data else None
        known = request.number in column or "rank" in column or (request.number == "grade" and _time(names))
        if request.is_ranking and not known:
            missing.append(request.number)
        meaning = request.all_roles[missing[0]].meaning
        _raise(f"no column of {meaning}", names, request, where, *missing, hint=hint)
    if not request.is_ranking:
        return column
    return _check_number(names, request, column, where, query=query)


def _check_number(
    names: Sequence[str],
    request: ColumnRequest,
    column: dict[str, str],
    where: Place,
    *,
    query: bool,
) -> dict[str, str]:
    """Return the columns of a run or of judgments, which have scores, ranks or grades; grades may be called score, see `is_borrowed`.

    Interactions have a column `time` instead, and pairs nothing.
    """
    number = request.number
    if number in column or (number == "score" and "rank" in column):
        return column
    opposite = "grade" if number == "score" else "score"
    other = match(NAMES[opposite], names)
    if number == "grade" and query and sum(plain_name(name) not in _INDEX for name in names) == 2:
        return column  # only pairs: every listed document is relevant, as in {query: [doc, …]}
    if number == "grade" and query and (time := _time(names)):
        return {**column, "time": time}
    if number == "grade":
        ranks = match(NAMES["rank"], names)
        if len(other) == 1 and not ranks:
            return {**column, "grade": other[0]}
        other = other or ranks
    other = other or match(RETRIEVED if number == "grade" else RELEVANT, names)
    if number in request.named and nearest_name(request.names(number)[0], names) is None:
        named = request._replace(named=request.others).named_column(opposite, names)
        other = other or ([named] if named else [])
    looks, needed = ("judgments", "a run") if number == "score" else ("a run", "judgments")
    swapped = f"this looks like {looks}, not {needed}; where both are needed, the judgments come first"
    slug, hint = ("swapped", Hint(swapped)) if other else ("columns", None)
    if number == "grade" and not other and "grade" not in request.named:
        clicks = next(iter(match((_CLICKS,), names)), None)
        text = "name the column of grades, {grade_col}; if every row is relevant, keep only queries and documents"
        hint = Hint(text, grade_col=clicks or to_choose("grade_col"))
    return _raise(f"no column of {_MEANING[number]}", names, request, where, number, slug=slug, hint=hint)


def _raise(
    problem: str,
    names: Sequence[str],
    request: ColumnRequest,
    where: Place,
    *roles: str,
    slug: str = "columns",
    hint: Hint | str | None = None,
) -> NoReturn:
    """Raise an error with the names of the columns; without a hint, name the options of the roles whose columns are missing."""
    listing = list_columns(names)
    asked = " or ".join(repr(name) for role in roles for name in request.names(role))
    among = f"{asked} is not one of the columns" if asked else "the columns are"
    if hint is None and all(map(str.isidentifier, roles)):
        options: dict[str, Any] = {}
        words = "name the columns"
        for role in roles:
            given = request.names(role)
            near = nearest_name(given[0], names) if given else None
            elsewhere = any(role in used for used in (request.used or {}).values())  # there the name is right
            if given and (elsewhere or (near is None and role != request.number)):
                words = "name this table's columns too"
                options[f"{role}_col"] = [*given, near] if near else to_choose(f"{role}_col", given=given)
            else:
                options[f"{role}_col"] = near or to_choose(f"{role}_col")
        listed = ", ".join(f"{{{option}}}" for option in options)
        hint = Hint(f"{words}: {listed}", **options)
    raise DataError(slug, f"{problem}; {among} {listing}", hint=hint, where=where, value=listing)


# ── The split of an input that has several, such as a BEIR folder or predictions of MTEB ────────────


@dataclass(slots=True, repr=False, eq=False)
class Split:
    """The split, or the tag of a run, that the caller named. `used` is True once an input has had it."""

    name: str
    option: str = "split"
    used: bool = False

    @classmethod
    def of(cls, name: str | None, option: str = "split") -> Split | None:
        """Return the split or the tag that the caller named."""
        return None if name is None else cls(name, option)


def choose_split(names: Sequence[str], split: Split | None, where: Place) -> str:
    """Return the name of the split to read: the only one, or the one that the caller named.

    Args:
        names: of the splits that the input has, such as `test` or `default/test`.
        split: the caller's, by its whole name or by one part of it.
        where: the input, for messages.
    """
    if split is None:
        if len(names) == 1:
            return names[0]
        usual = next((name for name in names if name.rpartition("/")[2] == "test"), names[0])
        hint = Hint("choose one with {split}", split=usual)
        raise DataError("split", f"several splits: {list_columns(names)}", where=where, hint=hint)
    split.used = True
    if split.name in names:
        return split.name
    last = split.name.rpartition("/")[2]  # of an input without subsets, beside one that has them
    fitting = [name for name in names if split.name in name.split("/")] or [name for name in names if name == last]
    if len(fitting) == 1:
        return fitting[0]
    problem = f"{split.name!r} is not one of the {split.option}s {list_columns(names)}"
    if not names:
        raise DataError("split", f"no {split.option}s, so not {split.name!r} either", where=where, value=split.name)
    hint = Hint(f"choose one with {{{split.option}}}", **{split.option: (fitting or names)[0]})
    raise DataError("split", problem, hint=hint, where=where, value=split.name)
