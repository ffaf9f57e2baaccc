"""Load values that `Values.save` wrote."""

from __future__ import annotations

import os
from pathlib import Path

from judged.errors import DataError, FileError, UsageError
from judged.evaluation.result.save import AGAIN
from judged.evaluation.result.values import Values
from judged.io.files import read_text


def load(path: str | os.PathLike[str], *, allow_edited: bool = False) -> Values:
    """Load values from a JSON or Parquet file.

    Args:
        path: a file that `Values.save`, `judged eval -q --format json` or `judged gate --save` wrote.
        allow_edited: accept a file whose content does not match its checksum; every other check remains.

    Raises:
        DataError: an incomplete or edited file, one of a newer format, values outside the range of their measure.
    """
    if Path(path).suffix.lower() == ".csv":
        raise UsageError(
            "ending",
            "a .json or .parquet file",
            got=str(path),
            hint="save the result as JSON or Parquet; a CSV file does not contain the policy",
            value=str(path),
        )
    if Path(path).suffix.lower() == ".parquet":
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            metadata = pq.read_schema(path).metadata or {}
        except pa.ArrowInvalid as error:
            raise DataError("values-file", "not a result saved by judged", where=str(path), hint=AGAIN) from error
        except OSError as error:
            raise FileError("io", f"cannot read the file: {error.strerror or error}", where=str(path)) from error
        text = metadata.get(b"judged", b"{}").decode("utf-8", "replace")
        return Values.from_json(text, str(path), allow_edited=allow_edited)
    return Values.from_json(read_text(path), str(path), allow_edited=allow_edited)
