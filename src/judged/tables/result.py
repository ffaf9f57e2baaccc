"""`Result`: what every function returns that people read, as tables, records, frames and text in any format."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from judged.errors import DataError, UsageError, safe, shown
from judged.tables.formats import FORMATS
from judged.tables.table import Detail, Table, counted, number, plain_data

_LINE = 80  # columns of a terminal


class Frames:
    """Base of what frame libraries can hold; `to_columns` decides on the columns for all of them."""

    __slots__ = ()

    def to_columns(self) -> dict[str, Any]:
        """{name: column}, of one length."""
        raise NotImplementedError

    def to_pandas(self) -> Any:
        """A pandas frame; see `to_columns`."""
        import pandas as pd

        return pd.DataFrame(self.to_columns())

    def to_polars(self) -> Any:
        """A polars frame; see `to_columns`. Missing values are null."""
        import polars as pl

        return pl.DataFrame(self.to_columns(), strict=False).fill_nan(None)


class ArrowTable(Frames):
    """Base of what libraries with an Arrow interface take as a table: `pl.DataFrame(values)`, `pa.table(values)`, DuckDB."""

    __slots__ = ()

    def to_arrow(self) -> Any:
        """A pyarrow table; see `to_columns`. Missing values are null."""
        try:
            import pyarrow as pa
        except ImportError as error:
            hint = "run pip install 'judged[parquet]'"
            raise UsageError("needs", "an Arrow table needs pyarrow", hint=hint) from error
        columns = self.to_columns()  # of type double also if all is missing
        return pa.table({k: pa.array(x, pa.array(x).type, from_pandas=True) for k, x in columns.items()})

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The table as a stream of the Arrow C interface."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)


def utf8_ids(ids: Sequence[Any]) -> list[Any]:
    """Ids for libraries whose text is UTF-8, and whose integers have 64 bits."""
    for one in ids:
        if not str(one).isascii() and str(one) != str(one).encode("utf-8", "replace").decode():
            hint = "use to_dict, to_json or CSV, which keep other bytes"
            raise DataError("id-type", f"id {shown(one)} is not UTF-8", value=one, hint=hint)
    wide = any(isinstance(one, int) and abs(one) >= 2**63 for one in ids)
    return [str(one) for one in ids] if wide else list(ids)


class Result(Frames):
    """Base of all results. A subclass defines `tables` and `records`; `headline` and `to_data` if there is more to say."""

    __slots__ = ()

    def tables(self, *, places: int = 4) -> list[Table]:
        """The result as tables of text, in reading order."""
        raise NotImplementedError

    def records(self) -> list[dict[str, Any]]:
        """The result as flat rows with full precision: what CSV files and frames contain."""
        raise NotImplementedError

    def headline(self) -> Sequence[str]:
        """Sentences above the tables: the answer first."""
        return ()

    def details(self) -> Sequence[Detail]:
        """Lines below the first sentence of the headline: the reasons for it."""
        return ()

    def to_data(self) -> Any:
        """Everything as plain data: what JSON contains."""
        return self.records()

    def render(self, format: str, *, places: int = 4) -> str:
        """Write the result in an output format, such as "md" or "latex": one of `judged.tables.formats`, or one that only this result
        has (`Values.to_trec`, `Gate.to_junit`).
        """
        known = FORMATS.get(format)
        own: Callable[..., str] | None = getattr(self, f"to_{format}", None) if known is None else None
        if own is None:
            return (known or FORMATS.find(format)).render(self, places)
        from inspect import signature

        return own(places=places) if "places" in signature(own).parameters else own()

    def to_text(self, *, places: int = 4) -> str:
        """Text in fixed width."""
        return self.render("table", places=places)

    def to_markdown(self, *, places: int = 4) -> str:
        """Markdown tables."""
        return self.render("md", places=places)

    def to_latex(self, *, places: int = 4) -> str:
        """LaTeX tables in booktabs style."""
        return self.render("latex", places=places)

    def to_csv(self, *, spreadsheet_safe: bool = False) -> str:
        """The records as CSV.

        Args:
            spreadsheet_safe: put `'` before text that begins with =, +, -, @, a tab or `'`, so that a spreadsheet computes no
                text. Removing one leading `'` from such cells restores them.
        """
        from judged.tables.formats.csv import csv_text

        return csv_text(self.records(), spreadsheet_safe=spreadsheet_safe)

    def to_json(self) -> str:
        """Everything as strict JSON on one line; missing values are null."""
        import json

        return json.dumps(plain_data(self.to_data()), allow_nan=False)  # in ASCII: ids need not be UTF-8

    def to_columns(self) -> dict[str, Any]:
        """{name: column} of the records; None where a record lacks the name."""
        rows = self.records()
        return {name: [row.get(name) for row in rows] for name in dict.fromkeys(key for row in rows for key in row)}

    def facts(self) -> Sequence[str]:
        """The answer, or the title and the size of each table: what `repr` shows."""
        if answer := self.headline():
            return answer[:1]
        return [f"{t.title}{': ' * bool(t.title)}{counted(len(t.rows), 'row')}" for t in self.tables()]

    def __str__(self) -> str:
        return self.to_text().rstrip("\n")

    def __repr__(self) -> str:
        """One line, as short as that of a terminal, with whole words and numbers."""
        from textwrap import shorten

        name = type(self).__name__
        return f"{name}({shorten(safe(', '.join(self.facts())), _LINE - len(name) - 2, placeholder=' …')})"

    def _repr_html_(self) -> str:
        return self.render("html")


class Tracked(Result):
    """A result whose numbers a tracker of experiments can log."""

    __slots__ = ()

    def tracked(self) -> dict[str, float]:
        """The numbers that `log_to` logs, by name."""
        raise NotImplementedError

    def log_to(self, tracker: Any, *, prefix: str = "", step: int | None = None, page: Any = None) -> None:
        """Log means, differences and the ends of their intervals (`.low`, `.high`) to a tracker of experiments.

        Args:
            tracker: a run of MLflow or Weights & Biases, or one of these modules for the active run; a `SummaryWriter` of TensorBoard.
                MLflow gets `nDCG_at_10` for nDCG@10, since it refuses the character @.
            prefix: text before each name, such as `"test/"`.
            step: step of the training loop.
            page: a page to keep beside the numbers, as `judged.html`: `jd.report(result)`, its text, or the path of a file.
        """
        from judged.tables.trackers import log

        log(self.tracked(), tracker, prefix=prefix, step=step, page=page)


def with_ends(values: Mapping[str, float], ends: Mapping[str, tuple[float, float] | None]) -> dict[str, float]:
    """Numbers and the ends of their intervals, by the names under which they are logged."""
    logged = dict(values)
    for name, pair in ends.items():
        if pair is not None:
            logged |= {f"{name}.low": pair[0], f"{name}.high": pair[1]}
    return logged


@dataclass(frozen=True, slots=True, repr=False)
class RecordTable(Result):
    """Named columns of one length; `words` are the columns that contain words."""

    columns: dict[str, tuple[Any, ...]]
    words: tuple[str, ...] = ()
    title: str = ""
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, records: Sequence[dict[str, Any]], **options: Any) -> RecordTable:
        """Build it from mappings with the same keys."""
        return cls({name: tuple(row[name] for row in records) for name in records[0]} if records else {}, **options)

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return iter(zip(*self.columns.values(), strict=True))

    def __getitem__(self, column: str) -> tuple[Any, ...]:
        return self.columns[column]

    def take(self, rows: Sequence[int]) -> RecordTable:
        """Some rows, in this order."""
        return replace(self, columns={name: tuple(column[i] for i in rows) for name, column in self.columns.items()})

    def records(self) -> list[dict[str, Any]]:
        """One mapping per row."""
        return [dict(zip(self.columns, row, strict=True)) for row in self]

    def tables(self, *, places: int = 4) -> list[Table]:
        """The rows as one table."""
        headers = tuple(self.columns)
        rows = tuple(tuple(number(x, places) for x in row) for row in self)
        words = tuple(i for i, header in enumerate(headers) if header in self.words)
        return [Table(headers, rows, title=self.title, notes=self.notes, words=words)]
