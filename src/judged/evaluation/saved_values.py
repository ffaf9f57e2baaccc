"""Saved values: the format of the file, its checksum, and the checks of its content."""

from __future__ import annotations

import csv
import hashlib
import json
import math
import os
from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from judged._types import Column, Floats, Ints
from judged.core.policy import Policy
from judged.errors import DataError, Hint, JudgedError, Place, UsageError, Warned, Wording, shown
from judged.evaluation.model_judgments import summaries
from judged.io.atomic import write_atomically
from judged.io.text.json_parser import load_json
from judged.measures.grammar import parse
from judged.measures.registry import Measure
from judged.stats.summary import summarise
from judged.tables.formats.csv import cell
from judged.tables.text import plain_data

if TYPE_CHECKING:
    from judged.evaluation.values import Values


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


FORMAT = 2  # 1 had no checksum
_SLACK = 1e-9  # rounding of sums
_UNIT = {"cutoff", "level", "judged_only", "tokens"}  # parameters under which a share stays a share


def with_checksum(data: dict[str, Any]) -> dict[str, Any]:
    """Return the content of a file with the SHA-256 hash of everything else in it."""
    plain = plain_data({name: value for name, value in data.items() if name != "checksum"})
    return {**plain, "checksum": _checksum(plain)}


def _checksum(plain: dict[str, Any]) -> str:
    """Return the hash of a document; '' for one that no file of ours can have."""
    try:
        text = json.dumps(plain, sort_keys=True, separators=(",", ":"), allow_nan=False)
    except (ValueError, RecursionError):
        return ""
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def load_saved(text: str, name: str, *, allow_edited: bool = False) -> dict[str, Any]:
    """Return the content of a file that `Values.save`, `Baseline.save` or `judged eval -q --format json` wrote.

    Format 2 has a checksum, which must match unless `allow_edited`. Format 1, of earlier versions, has none: its values must be within
    the range of their measures and agree with the means in the file, and a warning says that it is not protected.

    Raises:
        DataError: not JSON, another kind of file, means without values, a newer format, or a wrong checksum.
    """
    try:
        data = load_json(text, Place(name))
    except DataError as error:
        _raise(f"not a complete result saved by judged ({error.problem})", name)
    if isinstance(data, list):
        _raise(f"the file has {len(data)} results, not one", name)
    if not isinstance(data, dict) or not _is_count(data.get("judged")):
        _raise("not a result saved by judged", name)
    if data["judged"] > FORMAT:
        problem = f"the file has format {data['judged']}, and this version of judged reads formats up to {FORMAT}"
        raise DataError("values-version", problem, where=name, value=data["judged"], hint="install a newer version")
    if "values" not in data or "queries" not in data:
        hint = Hint("write it with {save}", save=Wording("Values.save", "-q"))
        raise DataError("values-file", "no values per query", where=name, hint=hint)
    content = {key: value for key, value in data.items() if key != "checksum"}
    if data["judged"] > 1 and not allow_edited and data.get("checksum") != (_checksum(content) or data):
        raise DataError(
            "values-edited",
            "the content does not match its checksum: the file was edited",
            where=name,
            hint=Hint("save it again, or accept it with {allow_edited}", allow_edited=True),
        )
    return data


def values_arguments(data: dict[str, Any], name: str) -> dict[str, Any]:
    """Return the arguments of `Values`, after every check of the content.

    Raises:
        DataError: a part that is missing or of a wrong type, a value outside the range of its measure, a mean that does not
            belong to the values.
    """
    try:
        return _arguments(data, name)
    except DataError:
        raise
    except (JudgedError, ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
        problem = error.problem if isinstance(error, JudgedError) else str(error)
        _raise(f"not a complete result saved by judged ({problem})", name)


def _arguments(data: dict[str, Any], name: str) -> dict[str, Any]:
    queries, stored = data["queries"], data["values"]
    if not isinstance(queries, list) or not all(isinstance(q, str | int) and not isinstance(q, bool) for q in queries):
        _raise("queries are not a list of ids", name)
    if len(set(queries)) < len(queries):
        _raise("duplicate query", name)
    if not isinstance(stored, dict) or not stored:
        _raise("there are no values", name)
    own = data.get("own_policy", {})
    measures = tuple(replace(parse(key), policy=tuple(own.get(key, {}).items())) for key in stored)
    if len(set(map(str, measures))) < len(measures):
        _raise("duplicate measure", name)
    known = {spec.name for spec in fields(Policy)}
    if not isinstance(data["policy"], dict) or not data["policy"].keys() <= known:
        _raise("the policy has unknown parts", name)
    policy = Policy(**data["policy"])
    columns = _columns(stored, measures, len(queries), name, estimated=policy.estimated)
    weights = None if (held := data.get("weights")) is None else _weights(held, len(queries), name)
    model = None if (other := data.get("model")) is None else _columns(other, measures, len(queries), name)
    _check_means(data.get("summary", {}), measures, columns, weights, model, name)
    texts = [data["profile"], data["qrels"], data["run"]]
    if not all(isinstance(text, str) for text in texts):
        _raise("profile, qrels and run are not text", name)
    sides = {side: data.get(side) for side in ("if_irrelevant", "if_top")}
    return {
        "queries": tuple(queries),
        "measures": measures,
        "columns": columns,
        "policy": policy,
        "profile": texts[0],
        "names": (texts[1], texts[2]),
        "coverage": {str(key): _number(value, name) for key, value in data["coverage"].items()},
        "warnings": (*map(_warned, data["warnings"]), *_unchecked(data, name)),
        **{side: held and _columns(held, measures, len(queries), name) for side, held in sides.items()},
        "weights": weights,
        "model": model,
        "clusters": None if (codes := data.get("clusters")) is None else _clusters(codes, len(queries), name),
    }


def _weights(stored: Any, size: int, name: str) -> Floats:
    """Return the weights of the queries: finite numbers that are not negative."""
    if not isinstance(stored, list) or len(stored) != size:
        _raise(f"there are not {size} weights", name)
    weights = np.array([_number(value, name) for value in stored], dtype=np.float64)
    if not (weights >= 0).all():
        _raise("a weight is negative or missing", name)
    return weights


def _clusters(stored: Any, size: int, name: str) -> Ints:
    """Return the codes of the clusters of the queries."""
    if (
        not isinstance(stored, list)
        or len(stored) != size
        or not all(type(code) is int and 0 <= code < size for code in stored)
    ):
        _raise(f"there are not {size} codes of clusters", name)
    return np.array(stored, dtype=np.int64)


def _columns(
    stored: Any, measures: Sequence[Measure], size: int, name: str, *, estimated: bool = False
) -> dict[str, Column]:
    if not isinstance(stored, dict) or len(stored) != len(measures):
        _raise("the columns are not those of the measures", name)
    columns: dict[str, Column] = {}
    for measure, column in zip(measures, stored.values(), strict=True):
        if not isinstance(column, list) or len(column) != size:
            _raise(f"{measure} does not have {size} values", name)
        if measure.definition.text:
            if not all(isinstance(value, str | None) for value in column):
                _raise(f"a value of {measure} is not text", name)
            columns[str(measure)] = np.array(column, dtype=object)
        else:
            numbers = np.array([_number(value, name) for value in column], dtype=np.float64)
            if not estimated:
                _check_range(measure, numbers, name)
            columns[str(measure)] = numbers
    return columns


def _number(value: Any, name: str) -> float:
    """Return a number; null is NaN."""
    if value is None:
        return math.nan
    if isinstance(value, bool) or not isinstance(value, int | float) or not _is_finite(value):
        _raise(f"{shown(value)} is not a finite number", name)
    return float(value)


def _is_finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # an integer beyond every double
        return False


def _check_range(measure: Measure, values: Column, name: str) -> None:
    """Raise at a value that the measure cannot have: shares are between 0 and 1, counts are not negative."""
    unit = "unit" in measure.definition.laws and {key for key, _ in measure.given} <= {*_UNIT, measure.definition.at}
    low = 0.0 if unit or measure.definition.whole else -math.inf
    high = 1.0 if unit else math.inf
    outside = (values < low - _SLACK) | (values > high + _SLACK)
    if outside.any():
        value = float(values[int(np.argmax(outside))])
        problem = f"{measure} cannot be {value:g}; it is " + ("between 0 and 1" if unit else "not negative")
        raise DataError("values-range", problem, where=name, value=value, hint=AGAIN)


def _check_means(
    summary: Any,
    measures: Sequence[Measure],
    columns: dict[str, Column],
    weights: Floats | None,
    model: dict[str, Column] | None,
    name: str,
) -> None:
    """Raise if a mean in the file does not belong to its values."""
    estimated = None if model is None else summaries(columns, model, "mean")
    for measure, (key, stored) in zip((m for m in measures if not m.definition.text), summary.items(), strict=False):
        column = columns[str(measure)]
        mean = estimated[str(measure)] if estimated else summarise(column, measure.definition.summary, weights)
        number = _number(stored, name)
        same = (
            (math.isnan(mean) or math.isinf(mean)) if math.isnan(number) else math.isclose(mean, number, rel_tol=1e-9)
        )
        if not same:
            _raise(f"the summary of {key} is {shown(stored)}, and that of its values {mean!r}", name)


def _warned(entry: dict[str, Any]) -> Warned:
    slug, count, text = entry["code"], entry["count"], entry["text"]
    if not isinstance(slug, str) or not isinstance(text, str) or not _is_count(count):
        raise TypeError("a warning is incomplete")
    return Warned(slug, count, text)


def _unchecked(data: dict[str, Any], name: str) -> tuple[Warned, ...]:
    if data["judged"] > 1:
        return ()
    text = f"{name} was saved by an earlier version, without a checksum; a change of it would not be noticed"
    return (Warned("values-unchecked", 1, text, AGAIN),)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _raise(problem: str, name: str) -> NoReturn:
    raise DataError("values-file", problem, where=name, hint=AGAIN)


def saved_data(values: Values) -> dict[str, Any]:
    """Return everything that a file of values contains."""
    sides = (("if_irrelevant", values.if_irrelevant), ("if_top", values.if_top))
    data = {
        "judged": FORMAT,
        "qrels": values.names[0],
        "run": values.names[1],
        "profile": values.profile,
        "policy": {k: getattr(values.policy, k) for k in Policy.__dataclass_fields__},
        **({"own_policy": own} if (own := {str(m): dict(m.policy) for m in values.measures if m.policy}) else {}),
        "coverage": values.coverage,
        "warnings": [w.to_dict() for w in values.warnings],
        "summary": values.mean(),
        "queries": list(values.queries),
        "values": {name: column.tolist() for name, column in values.columns.items()},
        **{side: columns for side, columns in sides if columns is not None},
        **({} if values.weights is None else {"weights": values.weights.tolist()}),
        **({} if values.clusters is None else {"clusters": values.clusters.tolist()}),
        **({} if values.model is None else {"model": {name: column.tolist() for name, column in values.model.items()}}),
    }
    return with_checksum(data)
