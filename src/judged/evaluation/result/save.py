"""Save values: everything as JSON or Parquet, the values alone as CSV."""

from __future__ import annotations

import csv
import os
from pathlib import Path
from typing import TYPE_CHECKING

from judged.errors import Hint, UsageError, Wording
from judged.io.atomic import write_atomically
from judged.tables.formats.csv import cell

if TYPE_CHECKING:
    from judged.evaluation.result.values import Values


AGAIN = Hint("write one with {save}", save=Wording("Values.save", "judged eval -q --format json -o FILE"))


def save(values: Values, path: str | os.PathLike[str]) -> None:
    """Write values in the format given by the file extension; the file is written atomically."""
    ending, inputs = Path(path).suffix.lower(), values.input_files
    if ending == ".json":
        with write_atomically(path, inputs=inputs) as file:
            file.write(values.to_json())
    elif ending == ".parquet":
        import pyarrow.parquet as pq

        table = values.to_arrow().replace_schema_metadata({"judged": values.to_json()})
        with write_atomically(path, "wb", inputs=inputs) as file:
            pq.write_table(table, file, compression="zstd")
    elif ending == ".csv":
        with write_atomically(path, inputs=inputs) as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["query", *values.columns])
            columns = [values.queries, *(column.tolist() for column in values.columns.values())]
            writer.writerows(zip(*(map(cell, column) for column in columns), strict=True))
    else:
        raise UsageError("ending", "a name that ends in .json, .parquet or .csv", got=str(path), value=str(path))
