"""Values in files: all of it as JSON, the table alone as Parquet or CSV."""

from __future__ import annotations

import csv
import os
from pathlib import Path
from typing import TYPE_CHECKING

from judged.errors import DataError, FileError, UsageError
from judged.io.files.atomic import write_atomically
from judged.io.files.source import read_text
from judged.tables.formats.csv import cell

if TYPE_CHECKING:
    from judged.evaluation.result.values import Values

__all__ = ["load", "save"]


def save(values: Values, path: str | os.PathLike[str]) -> None:
    """Write values; the ending decides the form, and the file appears whole or not at all."""
    ending = Path(path).suffix.lower()
    if ending == ".json":
        with write_atomically(path) as file:
            file.write(values.to_json())
    elif ending == ".parquet":
        import pyarrow.parquet as pq

        table = values.to_arrow().replace_schema_metadata({"judged": values.to_json()})
        with write_atomically(path, "wb") as file:
            pq.write_table(table, file, compression="zstd")
    elif ending == ".csv":
        with write_atomically(path) as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["query", *values.columns])
            columns = [values.queries, *(column.tolist() for column in values.columns.values())]
            writer.writerows(zip(*(map(cell, column) for column in columns), strict=True))
    else:
        raise UsageError("ending", "a name that ends in .json, .parquet or .csv", got=str(path), value=str(path))


def load(path: str | os.PathLike[str]) -> Values:
    """Values that were saved as JSON or Parquet."""
    from judged.evaluation.result.values import Values

    if Path(path).suffix.lower() == ".csv":
        raise UsageError("ending", "a .json or .parquet file", got=str(path), hint="CSV holds the values, not their policy",
                         value=str(path))  # fmt: skip
    if Path(path).suffix.lower() == ".parquet":
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            metadata = pq.read_schema(path).metadata or {}
        except pa.ArrowInvalid as error:
            raise DataError(
                "values-file", "values saved by judged", got=f"something else ({error})", where=str(path)
            ) from error
        except OSError as error:
            raise FileError(
                "io", "a file that can be read", got=error.strerror or str(error), where=str(path)
            ) from error
        return Values.from_json(metadata.get(b"judged", b"{}").decode(), str(path))
    return Values.from_json(read_text(path), str(path))
