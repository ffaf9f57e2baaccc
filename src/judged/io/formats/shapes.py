"""Shapes of JSON: the registry of documents that search engines and evaluation tools write, and their detection by content.

Every file of `engines` and `tools` is imported; one that adds a `JsonShape` to `JSON_SHAPES` declares a shape.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from itertools import islice
from operator import attrgetter
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from judged.errors import DataError, Place
from judged.registry import Registry

if TYPE_CHECKING:
    from judged.io.export import Export
    from judged.io.formats.shape_rows import Ranking
    from judged.io.tables.columns import ColumnRequest

TextRow = tuple[Any, Any, Any]  # id, title, text
_FOLDERS = ("engines", "tools")
_QUERIES = ("query", "query_id", "queryid", "qid", "topic")
_FEW = 16  # entries by which a value is recognised
_SAMPLE = 100  # keys of a document that are compared with those of the shapes
_UNREADABLE = ("form", "columns", "score-type", "grade-type")
_NEAR = 0.5  # least likeness that makes a shape the nearest


class JsonShape(NamedTuple):
    """A JSON document of another program: one declaration, used for whole files, lines, folders and objects in memory.

    Args:
        name: in messages and in the docs, without an article.
        requires: paths that every such document has, such as `hits.hits[]`: a name followed by `[]` is a list, by `{}` an object;
            names after a list are those of its first item.
        example: a short document, for the docs and the tests; its keys count when the nearest shape is looked for.
        run: returns the rankings of a document.
        qrels: returns its judgments.
        texts: returns its texts of queries or documents.
        one_query: a document is the answer to one query, whose id it does not have. The id is the key in `{query: document}`, the field
            beside the document in `{"query": …, "response": document}`, or else the name of the file.
        origin: the program that writes such documents, for the docs.
    """

    name: str
    requires: tuple[str, ...]
    example: str
    run: Callable[[Any, Place], Iterable[Ranking]] | None = None
    qrels: Callable[[Any, Place], Iterable[Ranking]] | None = None
    texts: Callable[[Any, Place], Iterable[TextRow]] | None = None
    one_query: bool = False
    origin: str = ""
    aliases: tuple[str, ...] = ()

    @property
    def specificity(self) -> int:
        """Number of names in the required paths: of several shapes that a document matches, the most specific is its shape."""
        return sum(path.count(".") + 1 for path in self.requires)

    def matches(self, value: Any) -> bool:
        return all(_has(value, path) for path in self.requires)


class JudgmentWriter(NamedTuple):
    """A format of another program in which judgments are written; the name is that of `--to`."""

    name: str
    write: Callable[[Export, IO[str]], None]
    target: str  # what reads the file, for the docs
    aliases: tuple[str, ...] = ()


class Shaped(NamedTuple):
    """A document in a source, with the query that it answers and the number of the item that contains it."""

    shape: JsonShape
    value: Any
    query: Any = None
    item: int = 0
    beside: Mapping[str, Any] | None = None  # the record that contains the document


JSON_SHAPES = Registry[JsonShape]("format")
_NAMED: list[Any] = [-1, []]  # the version of the registry, and what `_by_name` returns for it
WRITERS = Registry[JudgmentWriter]("format")


def all_shapes() -> tuple[JsonShape, ...]:
    """Return every shape, in the order of the folders and files that declare them."""
    _load()
    return tuple(JSON_SHAPES)


def all_writers() -> tuple[JudgmentWriter, ...]:
    """Return every format of another program in which judgments can be written."""
    _load()
    return tuple(WRITERS)


@cache
def _load() -> None:
    from importlib.util import find_spec
    from pkgutil import iter_modules

    for folder in _FOLDERS:
        name = f"{__package__}.{folder}"
        for file in iter_modules(import_module(name).__path__) if find_spec(name) is not None else ():
            import_module(f"{name}.{file.name}")


def shape_of(value: Any) -> JsonShape | None:
    """Return the shape of one document, of several that it matches the most specific; None if it has none of them."""
    if not isinstance(value, dict) and not isinstance(value, Mapping):
        return None
    found = [shape for name, shape in _by_name() if name in value and shape.matches(value)]
    return max(found, key=attrgetter("specificity"), default=None)


def _by_name() -> list[tuple[str, JsonShape]]:
    """Return every shape with the name of its first required field, by which most are excluded."""
    _load()
    if _NAMED[0] != JSON_SHAPES.version:
        _NAMED[:] = (
            JSON_SHAPES.version,
            [(shape.requires[0].split(".")[0].rstrip("[]{}"), shape) for shape in JSON_SHAPES],
        )
    named: list[tuple[str, JsonShape]] = _NAMED[1]
    return named


def may_have_shape(value: Any) -> bool:
    """Return whether a value may have a shape, by its first entries and without importing any: a table of numbers has none."""
    first = value[0] if isinstance(value, list) and value else value
    return isinstance(first, Mapping) and any(map(_is_structure, islice(first.values(), _FEW)))


def _is_structure(entry: Any) -> bool:
    if isinstance(entry, Mapping):
        return any(not isinstance(inner, int | float) for inner in islice(entry.values(), _FEW))
    return isinstance(entry, list) and (not entry or isinstance(entry[0], Mapping))


def parts_of(value: Any) -> list[Shaped] | None:
    """Return the documents of known shapes in a value; None if it has none.

    Args:
        value: a document, `{query: document}`, a record with a query and a document; or a list of these.
    """
    if isinstance(value, list):
        first = _parts_in(value[0], 0) if value else None
        if first is None:
            return None
        return [part for i, item in enumerate(value) for part in _parts_in(item, i) or [_unknown(first[0], item, i)]]
    return _parts_in(value, 0)


def _parts_in(value: Any, item: int) -> list[Shaped] | None:
    """Return the documents in one item."""
    if (shape := shape_of(value)) is not None:
        key = _query_key(value, _QUERIES) if shape.one_query else None
        return [Shaped(shape, value, None if key is None else value[key], item, value if key is not None else None)]
    if not isinstance(value, Mapping) or not value:
        return None
    key = _query_key(value, (*_QUERIES, "id"))
    held = {name: entry for name, entry in value.items() if isinstance(entry, Mapping | list)}
    found: dict[str, list[Shaped]] = {}
    for i, (name, entry) in enumerate(held.items()):
        if (parts := _answers(entry)) is not None:
            found[name] = parts
        elif i >= _FEW and not found:
            break  # a table of many queries
    if not found:
        return None
    if key is not None and len(found) == 1:
        return [part._replace(query=value[key], item=item, beside=value) for parts in found.values() for part in parts]
    if len(held) < len(value):
        return None
    first = next(iter(found.values()))[0]
    named = [(name, found.get(name) or [_unknown(first, entry, item)]) for name, entry in value.items()]
    return [part._replace(query=name, item=item) for name, parts in named for part in parts]


def _query_key(value: Mapping[str, Any], known: tuple[str, ...]) -> str | None:
    return next((name for name in value if str(name).casefold() in known and isinstance(value[name], str | int)), None)


def _answers(value: Any) -> list[Shaped] | None:
    """Return the answer to one query, or its pages, if it has such a shape."""
    pages = value if isinstance(value, list) else [value]
    parts = []
    for page in pages:
        shape = shape_of(page) if isinstance(page, Mapping) else None
        if shape is None or not shape.one_query:
            return None
        parts.append(Shaped(shape, page))
    return parts or None


def _unknown(first: Shaped, value: Any, item: int) -> Shaped:
    """Return a document of another shape as if it had that of the first, whose reader names what is wrong."""
    return Shaped(first.shape, value, item=item)


# ── paths ────────────────────────────────────────────────────────────────────────────────────────


def _has(value: Any, path: str) -> bool:
    steps = path.split(".")
    for i, step in enumerate(steps):
        name = step.removesuffix("[]").removesuffix("{}")
        if name:
            if not isinstance(value, Mapping) or name not in value:
                return False
            value = value[name]
        if step.endswith("[]"):
            if not isinstance(value, list):
                return False
            if i + 1 < len(steps):
                if not value:
                    return False
                value = value[0]
        elif step.endswith("{}") and not isinstance(value, Mapping):
            return False
    return True


def _keys(value: Any, depth: int = 6) -> Iterator[str]:
    """Iterate over the keys of a document, of lists only the first item."""
    if isinstance(value, Mapping):
        for name, entry in list(value.items())[:_SAMPLE]:
            yield str(name)
            yield from _keys(entry, depth - 1) if depth else ()
    elif isinstance(value, list) and value and depth:
        yield from _keys(value[0], depth - 1)


# ── the nearest shape ────────────────────────────────────────────────────────────────────────────


def nearest_shape(value: Any) -> tuple[JsonShape, list[str]] | None:
    """Return the shape that a document resembles most, and the required paths that it does not have; None if it resembles none."""
    from difflib import get_close_matches

    known = sorted({_plain(key) for key in _keys(value)})[: 10 * _SAMPLE]

    def share(names: set[str]) -> float:
        return sum(bool(get_close_matches(name, known, 1, 0.84)) for name in names) / len(names)

    def likeness(shape: JsonShape) -> tuple[float, int]:
        required = {_plain(step.rstrip("[]{}")) for path in shape.requires for step in path.split(".")} - {""}
        usual = {_plain(key) for key in _keys(json.loads(shape.example))}
        return (2 * share(required) + share(usual)) / 3, shape.specificity

    near = max(all_shapes(), key=likeness)
    if likeness(near)[0] < _NEAR:
        return None
    return near, [path for path in near.requires if not _has(value, path)]


@contextmanager
def nearest_named(value: Any, request: ColumnRequest) -> Iterator[None]:
    """Name the nearest shape in an error about a run or judgments that no reader takes, if there is one."""
    try:
        yield
    except DataError as error:
        near = nearest_shape(value) if request.is_ranking and error.slug in _UNREADABLE else None
        if near is None:
            raise
        shape, missing = near
        problem = error.problem if not error.got else f"expected {error.problem}, got {error.got}"
        add = f"add {' and '.join(missing)}" if missing else "check its fields"
        hint = f"{add} if this is {a_shape(shape)}, the nearest known format"
        raise error.changed(slug="json-shape", problem=problem, got=None, hint=hint) from None


def a_shape(shape: JsonShape) -> str:
    """Return the name of a shape with its article."""
    first = shape.name.split()[0]
    vowels = "AEFHILMNORSX" if first.isupper() else "AEIOU"  # of letters that are spelled: an RRE, an MTEB
    return f"{'an' if first[0] in vowels else 'a'} {shape.name}"


def _plain(key: str) -> str:
    return key.casefold().replace("_", "").replace("-", "")
