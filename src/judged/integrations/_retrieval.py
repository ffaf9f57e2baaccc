"""Shared by scorers of tools that evaluate one question at a time: relevant and retrieved documents become values of measures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from judged.core.policy import Duplicates
from judged.errors import DataError, UsageError, shown
from judged.evaluation.evaluate import evaluate
from judged.integrations._measuring import ScoreOptions
from judged.measures.registry import Measure

Field = str | Callable[[Any], Any]
_KEYS = ("id", "doc_id", "document_id", "doc_uri", "node_id", "id_")
_NOTHING = "no relevant document"  # a judged document that no ranking has


class RetrievalOptions(ScoreOptions, total=False):
    """Keyword options of `evaluate` that a scorer passes on."""

    duplicates: Duplicates


class Retrieval:
    """One measure of the documents retrieved for one question, checked before any question is evaluated.

    A document that is retrieved twice, as its chunks may be, counts once, at its first rank (`duplicates="first"`).

    >>> Retrieval("nDCG@10", {}).of(["a", "b"], ["a", "x"])
    0.6131471927654584
    """

    def __init__(self, measure: str | Measure, options: RetrievalOptions) -> None:
        self._options: dict[str, Any] = {"duplicates": "first", **options}
        found = evaluate({"q": {"d": options.get("level") or 1}}, {"q": ["d"]}, measure, **self._options).measures
        if len(found) > 1:
            names = " ".join(map(str, found))
            raise UsageError("measure", f"a scorer takes one measure, got {len(found)}: {names}", value=names)
        self.measure = found[0]
        self.name = str(self.measure)

    def of(self, relevant: Any, retrieved: Any, key: Field | None = None) -> float:
        """The value for one question.

        Args:
            relevant: relevant documents, or {document: grade}.
            retrieved: documents in the order of their ranks.
            key: field of a document that identifies it, or a function of the document. [default: the document itself, or its id]
        """
        graded = relevant.items() if isinstance(relevant, Mapping) else ((doc, 1) for doc in relevant or ())
        grades = {identify(doc, key): grade for doc, grade in graded} or {_NOTHING: 0}
        ranking = [identify(doc, key) for doc in retrieved or ()]
        values = evaluate({"q": grades}, {"q": ranking}, [self.measure], **self._options)
        return float(values[self.measure][0])


def identify(document: Any, key: Field | None = None) -> str:
    """The id of a document: text or a number is its own id; others have a field `id`, or another usual name."""
    if key is not None and not isinstance(document, str | int):
        return str(field_of(document, key))
    if isinstance(document, str | int):
        return str(document)
    for name in _KEYS:
        found = document.get(name) if isinstance(document, Mapping) else getattr(document, name, None)
        if found is not None:
            return str(found)
    raise DataError(
        "no-document", f"expected an id or a document with a field {', '.join(_KEYS)}, got {shown(document)}"
    )


def field_of(thing: Any, field: Field) -> Any:
    """A field of a mapping or an object, by its name (`meta.file` for a field of a field), or what a function returns."""
    if callable(field):
        return field(thing)
    for name in field.split("."):
        known = isinstance(thing, Mapping) and name in thing
        if not known and not hasattr(thing, name):
            raise DataError("fields", f"no field {name!r} in {shown(thing)}", value=name)
        thing = thing[name] if known else getattr(thing, name)
    return thing


def needed(module: str, package: str) -> Any:
    """A module of another tool; the error says how to install it."""
    try:
        return import_module(module)
    except ImportError as error:
        raise UsageError("needs", f"the scorer needs {package}: {error}", hint=f"run pip install {package}") from error
