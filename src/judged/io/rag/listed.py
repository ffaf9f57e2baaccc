"""Questions whose chunks are plain lists of ids, as the native core reads them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from judged.core.numeric.native import NATIVE
from judged.core.tables import Questions
from judged.errors import JudgedError, Place
from judged.io.files.outputs import located
from judged.io.files.source import open_content
from judged.io.rag.fields import find_fields, has_sides, is_known
from judged.io.tables.columns import ColumnRequest
from judged.io.tables.context import Context
from judged.io.tables.table import as_qrels, as_run
from judged.io.text.json_rows import first_record, lists, read_json_rows
from judged.io.text.lines import read_head


def read_listed_questions(source: Any, named: Mapping[str, str]) -> Questions | None:
    """Read a file of JSON Lines whose records all have the fields of the first; None if only the reference can."""
    if not NATIVE:
        return None
    with open_content(source) as content:
        first, followed = first_record(read_head(content))
        if first is None or not followed or has_sides(first):
            return None
        try:
            field = find_fields([first], named, Place(content.name))
        except JudgedError:
            return None
        kinds = {
            name: _first_letter(value) if is_known(name) or name in named.values() else "*"
            for name, value in first.items()
        }
        tables = {}
        for role, what in (("retrieved", "run"), ("relevant", "qrels")):
            text = lists(field["question"], field[role], what, kinds)
            tables[what] = read_json_rows(content, text, Context(ColumnRequest(what), content.name))
    if tables["run"] is None or tables["qrels"] is None:
        return None
    run, qrels = (
        replace(tables["run"], warnings=()),
        replace(tables["qrels"], name=f"field {field['relevant']!r}", warnings=()),
    )
    return Questions(located(as_qrels(qrels), source), located(as_run(run), source))


def _first_letter(value: Any) -> str:
    """Return the first letter of a value in JSON, the same for all numbers, and for both truth values."""
    kinds = {str: '"', list: "[", dict: "{", bool: "t", type(None): "n"}
    return kinds.get(type(value), "")
