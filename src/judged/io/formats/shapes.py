"""Shapes of JSON: the registry of documents that search engines and evaluation tools write, and their detection by content.

Every file of `engines` and `tools` is imported; one that adds a `JsonShape` to `JSON_SHAPES` declares a shape.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from importlib import import_module
from itertools import islice
from operator import attrgetter
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from judged.errors import Place
from judged.io.columns import Split, choose_split
from judged.registry import Registry

if TYPE_CHECKING:
    from judged.io.export import Export
    from judged.io.formats.shape_rows import Ranking

TextRow = tuple[Any, Any, Any]  # id, title, text
_FOLDERS = ("engines", "tools")
_QUERIES = ("query", "query_id", "queryid", "qid", "topic")
_FLAT = "judgment"  # in the only shape without lists and objects
_FEW = 16  # entries by which a value is recognised


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
        splits: returns the parts of a document that has one for each split, by the names of the splits; the readers get the chosen one.
        questions: a document has judgments and a ranking of its own, and is evaluated alone.
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
    splits: Callable[[Any, Place], Mapping[str, Any]] | None = None
    questions: bool = False
    one_query: bool = False
    origin: str = ""
    aliases: tuple[str, ...] = ()

    @property
    def specificity(self) -> int:
        """Number of names in the required paths: of several shapes that a document matches, the most specific is its shape."""
        return sum(path.count(".") + 1 for path in self.requires)

    def matches(self, value: Any) -> bool:
        return all(has_path(value, path) for path in self.requires)


class ToolWriter(NamedTuple):
    """A format of another program in which judgments or runs are written; the name is that of `--to`."""

    name: str
    write: Callable[[Export, IO[str]], None]
    target: str  # what reads the file, for the docs
    kind: str = "qrels"  # or run
    inside: str = ""  # the file to write if the target is a folder
    aliases: tuple[str, ...] = ()


class Shaped(NamedTuple):
    """A document in a source, with the query that it answers and the number of the item that contains it."""

    shape: JsonShape
    value: Any
    query: Any = None
    item: int = 0
    beside: Mapping[str, Any] | None = None  # the record that contains the document

    def choose(self, split: Split | None, where: Place) -> Any:
        """Return the chosen split of a document that has several, else the document."""
        if self.shape.splits is None:
            return self.value
        splits = self.shape.splits(self.value, where)
        return splits[choose_split(list(splits), split, where)]


JSON_SHAPES = Registry[JsonShape]("format")
_NAMED: list[Any] = [-1, []]  # the version of the registry, and what `_by_name` returns for it
WRITERS = Registry[ToolWriter]("format")


def all_shapes() -> tuple[JsonShape, ...]:
    """Return every shape, in the order of the folders and files that declare them."""
    _load()
    return tuple(JSON_SHAPES)


def all_writers() -> tuple[ToolWriter, ...]:
    """Return every format of another program in which judgments or runs can be written."""
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


def shape_of(value: Any, *, alone: bool = True) -> JsonShape | None:
    """Return the shape of one document, of several that it matches the most specific; None if it has none of them, or is a table.

    Not `alone`, it is the entry of a query: an object of numbers may be a ranking, but none that contains others.
    """
    if not isinstance(value, dict) and not isinstance(value, Mapping):
        return None
    found = [shape for names, shape in _by_name() if any(name in value for name in names) and shape.matches(value)]
    return (
        max(found, key=attrgetter("specificity"))
        if found and not (_has_numbers(value) or (alone and _is_table(value)))
        else None
    )


def _is_table(value: Mapping[Any, Any]) -> bool:
    """Return whether a value is `{query: {doc: score}}` or `{query: [doc, …]}`, whatever its ids are; and not if all are empty."""
    entries = value.values()
    return any(entries) and all(map(_is_ranking, entries))


def _is_ranking(entry: Any) -> bool:
    if isinstance(entry, list):
        return not any(isinstance(inner, Mapping | list) for inner in entry)
    return isinstance(entry, Mapping) and _has_numbers(entry)


def _has_numbers(entry: Mapping[Any, Any]) -> bool:
    return all(isinstance(inner, int | float) for inner in entry.values())


def _by_name() -> list[tuple[tuple[str, ...], JsonShape]]:
    """Return every shape with the possible names of its first required field, by which most are excluded."""
    _load()
    if _NAMED[0] != JSON_SHAPES.version:
        _NAMED[:] = (
            JSON_SHAPES.version,
            [(tuple(name.rstrip("[]{}") for name in _first_names(shape.requires[0])), shape) for shape in JSON_SHAPES],
        )
    named: list[tuple[tuple[str, ...], JsonShape]] = _NAMED[1]
    return named


def _first_names(path: str) -> tuple[str, ...]:
    """Return the first name of a path, and the path itself, which may be one name with dots."""
    return tuple(dict.fromkeys((path.split(".")[0], path)))


def may_have_shape(value: Any) -> bool:
    """Return whether a value may have a shape, by its first entries and without importing any: a table of numbers has none."""
    first = value[0] if isinstance(value, list) and value else value
    return isinstance(first, Mapping) and (_FLAT in first or any(map(_is_structure, islice(first.values(), _FEW))))


def has_questions(value: Any) -> bool:
    """Return whether a record of another program has judgments and a ranking of its own."""
    shape = shape_of(value) if may_have_shape(value) else None
    return shape is not None and shape.questions


def has_reader(value: Any, what: str) -> bool | None:
    """Return whether the shape of a value can be read as a run, judgments or texts; None if it has no shape."""
    shape = shape_of(value) if may_have_shape(value) else None
    return None if shape is None else getattr(shape, what) is not None


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
        shape = shape_of(page, alone=False) if isinstance(page, Mapping) else None
        if shape is None or not shape.one_query:
            return None
        parts.append(Shaped(shape, page))
    return parts or None


def _unknown(first: Shaped, value: Any, item: int) -> Shaped:
    """Return a document of another shape as if it had that of the first, whose reader names what is wrong."""
    return Shaped(first.shape, value, item=item)


# ── paths ────────────────────────────────────────────────────────────────────────────────────────


def has_path(value: Any, path: str) -> bool:
    """Return whether a value has something at a path, see `JsonShape`."""
    return next(_values_at(value, path), None) is not None


def lookup(value: Any, path: str) -> Any:
    """Return the value at a path; None if there is none. `{"a": {"b": 1}}` and `{"a.b": 1}` both have `a.b`."""
    return next(_values_at(value, path), (None,))[0]


def _values_at(value: Any, path: str) -> Iterator[tuple[Any]]:
    """Iterate over the values at a path, each in a tuple: a name may contain dots."""
    if not path:
        yield (value,)
        return
    steps = path.split(".")
    for end in range(1, len(steps) + 1):
        step, rest = ".".join(steps[:end]), ".".join(steps[end:])
        name = step.removesuffix("[]").removesuffix("{}")
        if name and not (isinstance(value, Mapping) and name in value):
            continue
        inner = value[name] if name else value
        if step.endswith("[]") and (not isinstance(inner, list) or (rest and not inner)):
            continue
        if step.endswith("{}") and not isinstance(inner, Mapping):
            continue
        yield from _values_at(inner[0] if rest and step.endswith("[]") else inner, rest)


def a_shape(shape: JsonShape) -> str:
    """Return the name of a shape with its article."""
    first = shape.name.split()[0]
    vowels = "AEFHILMNORSX" if first.isupper() else "AEIOU"  # of letters that are spelled: an RRE, an MTEB
    return f"{'an' if first[0] in vowels else 'a'} {shape.name}"
