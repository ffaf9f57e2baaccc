"""Saved values: everything as JSON with a checksum, the values alone as CSV."""

from __future__ import annotations

import csv
import hashlib
import json
import math
import os
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from judged._types import Column
from judged.core.policy import Policy
from judged.errors import DataError, Hint, JudgedError, Place, UsageError, Warned, Wording
from judged.evaluation.unanswerable import Unanswerable
from judged.io.atomic import write_atomically
from judged.io.json_parser import load_json
from judged.measures.registry import parse
from judged.tables.formats.csv import cell
from judged.tables.table import plain_data

if TYPE_CHECKING:
    from judged.evaluation.values import Values

FORMAT = 2
_AGAIN = Hint("write one with {save}", save=Wording("Values.save", "judged eval -q --format json -o FILE"))


def save(values: Values, path: str | os.PathLike[str]) -> None:
    """Write values in the format given by the file extension; the file is written atomically."""
    ending = Path(path).suffix.lower()
    if ending not in (".json", ".csv"):
        raise UsageError("format", "a name that ends in .json or .csv", got=str(path), value=str(path))
    with write_atomically(path, inputs=values.input_files) as file:
        if ending == ".json":
            file.write(values.to_json())
            return
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["query", *values.columns])
        columns = [values.queries, *(column.tolist() for column in values.columns.values())]
        writer.writerows(zip(*(map(cell, column) for column in columns), strict=True))


def saved_data(values: Values) -> dict[str, Any]:
    """Return everything that a file of values contains."""
    parts = ("if_irrelevant", "if_top", "weights", "clusters", "model")
    optional = {name: part for name in parts if (part := getattr(values, name)) is not None}
    if values.unanswerable is not None:
        optional["unanswerable"] = asdict(values.unanswerable)
    if own := {str(m): dict(m.policy) for m in values.measures if m.policy}:
        optional["own_policy"] = own
    data = {
        "judged": FORMAT,
        "qrels": values.names[0],
        "run": values.names[1],
        "profile": values.profile,
        "policy": {name: getattr(values.policy, name) for name in Policy.__dataclass_fields__},
        "coverage": values.coverage,
        "warnings": [w.to_dict() for w in values.warnings],
        "summary": values.mean(),
        "queries": list(values.queries),
        "values": values.columns,
        **optional,
    }
    return with_checksum(data)


def with_checksum(data: dict[str, Any]) -> dict[str, Any]:
    """Return the content of a file with the SHA-256 hash of everything else in it."""
    plain = plain_data({name: value for name, value in data.items() if name != "checksum"})
    return {**plain, "checksum": _checksum(plain)}


def _checksum(plain: dict[str, Any]) -> str:
    text = json.dumps(plain, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def load_saved(text: str, name: str) -> dict[str, Any]:
    """Return the content of a file that `Values.save`, `Baseline.save` or `judged eval -q --format json` wrote.

    The checksum must match, so what is in the file was written by `judged` and needs no other check.

    Raises:
        DataError: not JSON, another kind of file, means without values, a newer format, or a wrong checksum.
    """
    try:
        data = load_json(text, Place(name))
    except DataError as error:
        _raise(f"not a complete result saved by judged ({error.problem})", name)
    if isinstance(data, list):
        _raise(f"the file has {len(data)} results, not one", name)
    version = data.get("judged") if isinstance(data, dict) else None
    if type(version) is not int or version < FORMAT:
        _raise("not a result saved by judged", name)
    if version > FORMAT:
        problem = f"the file has format {version}, and this version of judged reads formats up to {FORMAT}"
        _raise(problem, name, Hint("install a newer version"))
    if "values" not in data or "queries" not in data:
        _raise("no values per query", name, Hint("write it with {save}", save=Wording("Values.save", "-q")))
    content = {key: value for key, value in data.items() if key != "checksum"}
    try:
        same = data.get("checksum") == _checksum(content)
    except (ValueError, RecursionError):  # numbers and depths that no file of ours has
        same = False
    if not same:
        _raise("the content does not match its checksum: the file was edited", name, Hint("save it again"))
    return data


def values_arguments(data: dict[str, Any], name: str) -> dict[str, Any]:
    """Return the arguments of `Values`.

    Raises:
        DataError: a part that is missing or unknown to this version of judged.
    """
    try:
        own = data.get("own_policy", {})
        measures = {key: replace(parse(key), policy=tuple(own.get(key, {}).items())) for key in data["values"]}

        def columns(part: str) -> dict[str, Column] | None:
            return (stored := data.get(part)) and {
                str(measures[key]): np.array(column, object if measures[key].definition.text else np.float64)
                for key, column in stored.items()  # null is NaN
            }

        weights, clusters = data.get("weights"), data.get("clusters")
        return {
            "queries": tuple(data["queries"]),
            "measures": tuple(measures.values()),
            "columns": columns("values"),
            "policy": Policy(**data["policy"]),
            "profile": data["profile"],
            "names": (data["qrels"], data["run"]),
            "coverage": {key: math.nan if share is None else share for key, share in data["coverage"].items()},
            "warnings": tuple(Warned(w["code"], w["count"], w["text"]) for w in data["warnings"]),
            **{part: columns(part) for part in ("if_irrelevant", "if_top", "model")},
            "unanswerable": (counts := data.get("unanswerable")) and Unanswerable(**counts),
            "weights": None if weights is None else np.array(weights, np.float64),
            "clusters": None if clusters is None else np.array(clusters, np.int64),
        }
    except (JudgedError, ValueError, KeyError, TypeError, AttributeError) as error:
        problem = error.problem if isinstance(error, JudgedError) else str(error)
        _raise(f"not a complete result saved by judged ({problem})", name)


def _raise(problem: str, name: str, hint: Hint = _AGAIN) -> NoReturn:
    raise DataError("values-file", problem, where=name, hint=hint)
