"""Save values: everything as JSON or Parquet, the values alone as CSV."""

from __future__ import annotations

import csv
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from judged.errors import DataError, Hint, UsageError, Wording
from judged.io.files.atomic import write_atomically
from judged.tables.formats.csv import cell

if TYPE_CHECKING:
    from judged.evaluation.result.values import Values


AGAIN = Hint("write one with {save}", save=Wording("Values.save", "judged eval -q --format json -o FILE"))


def saved_data(text: str, name: str) -> dict[str, Any]:
    """The content of a file that `save` wrote.

    Raises:
        DataError: `values-file`, if judged did not write it, if it has several results, or means only.
    """
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        data = None
    if isinstance(data, list) and data and all(isinstance(one, dict) and "judged" in one for one in data):
        raise DataError("values-file", f"the file has {len(data)} results, not one", where=name, hint=AGAIN)
    if not isinstance(data, dict) or not {"judged", "run"} <= data.keys():
        raise DataError("values-file", "not a result saved by judged", where=name, hint=AGAIN)
    if not {"values", "queries"} <= data.keys():
        hint = Hint("write it with {save}", save=Wording("Values.save", "-q"))
        raise DataError("values-file", "no values per query", where=name, hint=hint)
    return data


def save(values: Values, path: str | os.PathLike[str]) -> None:
    """Write values in the format given by the file extension; the file is written atomically."""
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
