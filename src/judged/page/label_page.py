"""Write the page on which people judge documents."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from judged._version import __version__
from judged.errors import DataError, safe
from judged.io.atomic import write_atomically
from judged.io.texts import Texts, cut_text
from judged.judging.todo import Missing, Scale, TodoItem, assign, read_todo, texts_to_judge
from judged.page.assemble import LABEL, assembled, check_path, check_title, json_bytes
from judged.stats.checks import check_choice, check_count
from judged.steps import step
from judged.tables.table import counted, some

_BLOCK = 50  # documents whose texts are unpacked together

_Orders = Mapping[str, tuple[int, ...]]  # the positions of the documents of each judge


@step("preparing the page")
def label(
    todo: Any,
    path: str | os.PathLike[str],
    *,
    doc_texts: Any,
    query_texts: Any = None,
    scale: Any = "graded",
    judges: Any = None,
    overlap: float = 0.2,
    title: str | None = None,
    length: int = 20_000,
    missing: Missing = "error",
    seed: int = 0,
) -> tuple[str, ...]:
    """Write one self-contained HTML page on which people judge documents; it needs no server and no network access.

    The browser keeps the judgments and exports them as JSON Lines, which `agree`, `merge_judgments` and every reader of judgments take. Judges see neither
    the runs that retrieved a document nor its rank, and the documents of a query are shuffled. The same input always gives the same bytes.

    Args:
        todo: documents to judge: a result of `pool` or `next_to_judge`, its file, any table of query and document ids, or pairs of ids.
        path: output file, such as `label.html`.
        doc_texts: texts of the documents; in any format that `read_texts` accepts (JSON Lines, TSV, CSV, Parquet, {id: text}, frames).
        query_texts: texts of the queries; in the same formats. [default: the ids of the queries]
        scale: grades: graded (0 to 2), binary, or a JSON file of {number: name}; or {number: name}, {number: [name, description]}. Binary
            measures count grades from 1 on as relevant, unless `level` is set.
        judges: names of the judges, or their number; each chooses their name on the page. By default the page asks for a name, and everyone
            judges everything.
        overlap: share of documents that all judges judge. With these, `agree` can compare the judges. Each query belongs to one judge,
            who judges all its documents.
        title: title of the page.
        length: maximum number of characters of a document text; the page says where it cut one.
        missing: documents or queries without a text: raise an error, or skip them.
        seed: random seed of the assignment and of the order.

    Returns:
        Lines that say what is on the page.

    >>> import tempfile, pathlib
    >>> page = pathlib.Path(tempfile.mkdtemp()) / "label.html"
    >>> label([("q1", "d1"), ("q1", "d2")], page, doc_texts={"d1": "Salt the water.", "d2": "Boil it."}, query_texts={"q1": "How to cook pasta"})
    ('2 documents of 1 query.',)
    >>> page.stat().st_size > 10_000
    True
    """
    check_count(length, "length")
    check_choice(missing, Missing, "missing")
    check_title(title)
    check_path(path, [todo, doc_texts, query_texts])
    grades = Scale.of(scale)
    every = read_todo(todo).items
    different: set[str] = set()
    texts = texts_to_judge(every, doc_texts, query_texts, missing, different)
    pairs = [(item, text) for item, text in zip(every, texts, strict=True) if text is not None]
    if not pairs:
        raise DataError("no-text", "no document has a text", hint="check that the texts use the same ids")
    first = {query: i for i, query in enumerate(dict.fromkeys(str(item.query) for item, _ in pairs))}
    pairs.sort(key=lambda pair: first[str(pair[0].query)])  # stable: the documents of a query become neighbours
    items = [item for item, _ in pairs]
    orders = assign(items, judges, overlap, seed)
    heading = f"{counted(len(items), 'document')} to judge" if title is None else title
    facts = _facts(items, [query for _, (query, _) in pairs], grades, orders, heading)
    slots = {"title": escape(safe(heading)), "version": escape(__version__)}
    documents = [_document(text, length) for _, (_, text) in pairs]
    blocks = [(f"texts-{i // _BLOCK}", json_bytes(documents[i : i + _BLOCK])) for i in range(0, len(documents), _BLOCK)]
    with write_atomically(path) as file:
        for part in assembled(LABEL, slots, [("facts", json_bytes(facts)), *blocks]):
            file.write(part)
    return _about(items, orders, len(every) - len(items), sorted(different))


def _facts(
    items: Sequence[TodoItem], queries: Sequence[str], scale: Scale, orders: _Orders, title: str
) -> dict[str, Any]:
    """Return the data of the page but for the texts of documents; see facts.js. Runs, ranks and reasons are left out: judges must not know them."""
    ids = list(dict.fromkeys(str(item.query) for item in items))
    place = {query: i for i, query in enumerate(ids)}
    texts = dict(zip((str(item.query) for item in items), queries, strict=True))
    pairs = [[place[str(item.query)], str(item.doc)] for item in items]
    names = [[grade.number, grade.name, grade.description] for grade in scale.grades]
    # A page of the same documents and grades continues the judgments that the browser keeps.
    identity = json_bytes([ids, pairs, list(scale.numbers)])
    return {
        "title": title,
        "version": __version__,
        "key": hashlib.sha256(identity).hexdigest()[:16],
        "scale": names,
        "queries": [[query, texts[query]] for query in ids],
        "items": pairs,
        "judges": [[name, list(order)] for name, order in orders.items()],
        "block": _BLOCK,
    }


def _document(texts: Texts, length: int) -> list[Any]:
    """Return title, text, and whether one of them was cut."""
    whole = [texts.title or "", texts.text or ""]
    short = [cut_text(text, length) for text in whole]
    return [*short, short != whole]


def _about(items: Sequence[TodoItem], orders: _Orders, skipped: int, different: list[str]) -> tuple[str, ...]:
    lines = [f"{counted(len(items), 'document')} of {counted(len({str(item.query) for item in items}), 'query')}."]
    if skipped:
        lines.append(f"{counted(skipped, 'document')} without a text left out.")
    if different:
        have = "has" if len(different) == 1 else "have"
        about = f"{counted(len(different), 'document')} {have} several different texts; the first is shown"
        lines.append(f"warning: {about}: {some(different)}.")
    if len(orders) > 1:
        counts = ", ".join(f"{safe(name)} {len(order):,}" for name, order in orders.items())
        lines.append(
            f"Documents per judge: {counts}; {len(set.intersection(*map(set, orders.values()))):,} are judged by all."
        )
    return tuple(lines)
