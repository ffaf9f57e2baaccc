"""Predictions of MTEB: `TASK_predictions.json`, with a run for each subset and split of a task. Older ones are plain `{query: {doc: score}}`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import IO, Any

from judged.core.tables import Run
from judged.errors import DataError, Place, shown
from judged.io.export import Export, write_json
from judged.io.formats.shape_rows import Ranking, raise_kind
from judged.io.formats.shapes import JSON_SHAPES, WRITERS, JsonShape, ToolWriter

META = "mteb_model_meta"


def _splits(document: Any, where: Place) -> dict[str, Any]:
    """Return the predictions of each split, by subset and split."""
    found: dict[str, Any] = {}
    for subset, parts in document.items():
        if subset != META:
            whole = parts if isinstance(parts, Mapping) else raise_kind(parts, subset, dict, where)
            found |= {f"{subset}/{split}": part for split, part in whole.items()}
    if not found:
        raise DataError("empty-run", "the predictions have no split", where=where, hint="check that MTEB has finished")
    return found


def _run(predictions: Any, where: Place) -> Iterator[Ranking]:
    if not isinstance(predictions, Mapping):
        problem, hint = "predictions as {query: {doc: score}}", "choose a retrieval or reranking task"
        raise DataError(
            "json-field", problem, got=f"{shown(predictions)} ({type(predictions).__name__})", where=where, hint=hint
        )
    for query, ranking in predictions.items():
        if not isinstance(ranking, Mapping):
            raise_kind(ranking, f"query {shown(query)}", dict, where)
        yield Ranking(list(ranking), list(ranking.values()), query=query, ordered=False, whole=True)


def _write(export: Export, file: IO[str]) -> None:
    """Write a run as the predictions of the subset `default` and the split `test`, with the name of the run as the model."""
    if not isinstance(export.table, Run):
        problem, hint = "only a run can be written in this format", "write judgments as TREC, CSV or JSON"
        raise DataError("swapped", problem, where=export.table.name, hint=hint)
    queries, docs, _ = export.each(export.strict)
    model = {"model_name": export.table.label, "revision": "no_revision_available"}
    write_json({META: model, "default": {"test": export.rankings(queries, docs)}}, export, file)


WRITERS.add(
    ToolWriter("mteb", _write, "`task.convert_to_reranking(…)` of MTEB, as `TASK_predictions.json`", kind="run")
)
JSON_SHAPES.add(
    JsonShape(
        "prediction file of MTEB",
        (f"{META}{{}}",),
        """{"mteb_model_meta": {"model_name": "intfloat/e5-small", "revision": "1"},
 "default": {"test": {"q1": {"d1": 0.5, "d2": 0.75}}}}""",
        run=_run,
        splits=_splits,
        origin="`mteb.evaluate(…, prediction_folder=…)`",
    )
)
