"""What judges disagree on as a file to be filled, and to be read as an adjudicator's judgments."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import click

from judged.cli.options.output import emit

__all__ = ["form_of", "write_adjudicable"]

_FORMS = {"": "csv", ".csv": "csv", ".tsv": "tsv", ".json": "json", ".jsonl": "jsonl", ".ndjson": "jsonl"}
_COMPRESSED = (".gz", ".bz2", ".xz", ".zst")
_COMPUTED = ("=", "+", "-", "@")


def form_of(path: str) -> str:
    """The form that the ending says: CSV without one, and on standard output."""
    if path == "-":
        return "csv"
    name = Path(path)
    inner = name.with_suffix("") if name.suffix in _COMPRESSED else name
    if inner.suffix.lower() not in _FORMS:
        endings = ", ".join(ending for ending in _FORMS if ending)
        raise click.BadParameter(
            f"{path!r} must end in {endings}, or have no ending (CSV).", param_hint="--disagreements"
        )
    return _FORMS[inner.suffix.lower()]


def write_adjudicable(found: Any, path: str) -> None:
    """All disagreements, with an empty column `relevance`; ids as they are, since the file is read again."""
    from judged.tables.table import counted

    listing, form = found.adjudicable(), form_of(path)
    text = _delimited(listing, "\t" if form == "tsv" else ",") if form in ("csv", "tsv") else _json(listing, form)
    emit(text, None if path == "-" else path)
    todo = f"{counted(len(listing), 'document')} to adjudicate; fill the column relevance, then --merge adjudicate"
    click.echo(todo, err=True)
    ids = {str(i) for column in ("query_id", "doc_id") for i in listing[column]}
    computed = sum(i.startswith(_COMPUTED) for i in ids)
    if computed and form in ("csv", "tsv"):
        many = f"{counted(computed, 'id begins', 'ids begin')} with =, +, - or @"
        click.echo(f"warning: {many}, which a spreadsheet computes: import columns as text", err=True)


def _json(listing: Any, form: str) -> str:
    rows = [json.dumps(row, ensure_ascii=False) for row in listing.to_dicts()]
    return "".join(f"{row}\n" for row in rows) if form == "jsonl" else f"[{f',{chr(10)} '.join(rows)}]\n"


def _delimited(listing: Any, delimiter: str) -> str:
    from judged.tables.table import cell

    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, lineterminator="\n")
    writer.writerow([cell(header) for header in listing.columns])
    writer.writerows((query, doc, *map(cell, others)) for query, doc, *others in listing)
    return out.getvalue()
