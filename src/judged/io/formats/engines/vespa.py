"""Responses of Vespa."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from judged.errors import DataError, Place, shown
from judged.io.formats.engines.elasticsearch import raise_error
from judged.io.formats.shape_rows import Ranking, column, scores_of, take
from judged.io.formats.shapes import JSON_SHAPES, JsonShape, TextRow

_CHILDREN = "root.children"


def _hits(response: Any, where: Place) -> list[Any]:
    """Return the hits of a response, without the groups among them."""
    root = take(response, "root", dict, where)
    children = take(root, "children", list, where, "root") if "children" in root else []
    ids = column(children, "id", where, _CHILDREN)
    return [hit for hit, name in zip(children, ids, strict=True) if not str(name).startswith("group:")]


def _doc_id(hit: Mapping[str, Any]) -> Any:
    """Return the id that the document was fed with, which is the part of `id:namespace:type::id` after the two colons."""
    fields = hit.get("fields")
    fed = fields.get("documentid") if isinstance(fields, Mapping) else None
    name = fed if isinstance(fed, str) else hit["id"]
    return name.partition("::")[2] if isinstance(name, str) and name.startswith("id:") and "::" in name else name


def _run(response: Any, where: Place) -> list[Ranking]:
    hits, root = _hits(response, where), response["root"]
    errors = root.get("errors")
    if errors and not hits:
        first = errors[0] if isinstance(errors, list) and isinstance(errors[0], Mapping) else {}
        reason = ": ".join(str(first[name]) for name in ("summary", "message") if first.get(name))
        raise_error(
            {"error": reason or errors, **({"status": first["code"]} if "code" in first else {})}, where, "root.errors"
        )
    ids = [_doc_id(hit) for hit in hits]
    _check_types(hits, ids, where)
    fields = root.get("fields")
    total = fields.get("totalCount") if isinstance(fields, Mapping) else None
    return [
        Ranking(
            ids,
            **scores_of(hits, "relevance", where, _CHILDREN),
            total=total if isinstance(total, int) else None,
            partial="the search returned errors" if errors else _partial(root.get("coverage")),
        )
    ]


def _partial(coverage: Any) -> str:
    covered = coverage.get("coverage") if isinstance(coverage, Mapping) else 100
    return (
        f"the search covered {covered} % of the documents" if isinstance(covered, int | float) and covered < 100 else ""
    )


def _check_types(hits: list[Any], ids: list[Any], where: Place) -> None:
    """Raise if two documents of different types or namespaces have one id."""
    first: dict[str, str] = {}
    for hit, name in zip(hits, map(str, ids), strict=True):
        other = first.setdefault(name, str(hit["id"]))
        if other != str(hit["id"]):
            raise DataError(
                "index-clash",
                f"{shown(other)} and {shown(hit['id'])} have the same id {shown(name)}",
                where=where,
                value=name,
                hint="search one type of documents, or give them different ids",
            )


def _texts(response: Any, where: Place) -> Iterator[TextRow]:
    return ((_doc_id(hit), None, hit.get("fields")) for hit in _hits(response, where))


JSON_SHAPES.add(
    JsonShape(
        "Vespa response",
        ("root{}", "root.relevance"),
        """{"root": {"id": "toplevel", "relevance": 1.0, "fields": {"totalCount": 2}, "coverage": {"coverage": 100, "full": true},
 "children": [{"id": "id:shop:product::d2", "relevance": 1.5, "source": "shop", "fields": {"title": "Red shoes"}},
              {"id": "id:shop:product::d1", "relevance": 0.5, "source": "shop", "fields": {"title": "Shoe box"}}]}}""",
        run=_run,
        texts=_texts,
        one_query=True,
        origin="`/search/` of Vespa; `id:namespace:type::d1` is document `d1`",
    )
)
