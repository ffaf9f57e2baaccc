"""The native core against the reference: the same arrays, bit for bit, or the same error.

    python -m fuzz.compare lines CORPUS -max_total_time=60    fuzz (needs atheris)
    python -m fuzz.compare --replay lines FILE…               compare on some inputs

`JUDGED_FUZZ_NATIVE` names the extension to use, where it is not the installed one.
"""

from __future__ import annotations

import importlib.util
import os
import sys
import warnings
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

__all__ = ["difference", "replay"]

ROOT = Path(__file__).resolve().parent.parent


def _use(extension: str) -> None:
    """Make this file the native core of the package."""
    name = "judged.core._native"
    spec = importlib.util.spec_from_file_location(name, extension)
    assert spec is not None
    assert spec.loader is not None
    sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules[name])
    sys.path.insert(0, str(ROOT / "src"))


if "JUDGED_FUZZ_NATIVE" in os.environ:
    _use(os.environ["JUDGED_FUZZ_NATIVE"])

import numpy as np  # noqa: E402
from fuzz.inputs import TARGETS, Case, case_of, documents_of, read_by_reference, read_natively, source_of  # noqa: E402

import judged.core.join as _join  # noqa: E402
from judged.core import reference, scan, unread_runs  # noqa: E402
from judged.core.parts import find as placing  # noqa: E402
from judged.core.parts.run import LocalPartitions, PartitionedRun  # noqa: E402
from judged.core.pool import IdPool, pool_of  # noqa: E402
from judged.core.reference import Hits, check_id_kinds  # noqa: E402
from judged.core.tables import IdColumn, Run  # noqa: E402
from judged.errors import JudgedError  # noqa: E402
from judged.io.read import read_qrels, read_run  # noqa: E402

Answer = dict[str, Any]


def difference(target: str, data: bytes) -> str:
    """Return the differences between the two; empty if they agree."""
    if target == "documents":
        return _told(*_grouped(data))
    case = case_of(target, data)
    ours, theirs = _answer(_natively, case), _answer(_by_reference, case)
    if told := _told(ours, theirs):
        return told
    # Below a depth repeats are left, and cut off later; partitions hold rows: no ranking is empty.
    whole = case.policy.duplicates == "error" and case.policy.depth is None
    if (
        "rank" in theirs
        and whole
        and theirs["retrieved"].any()
        and (told := _told(_answer(_in_parts, case), theirs, _COUNTED))
    ):
        return told
    source = source_of(target, data)
    for read in (read_run, read_qrels) if source is not None else ():
        ours, theirs = (_columns(partial(way, read, source)) for way in (read_natively, read_by_reference))
        if told := _told(ours, theirs):
            return told
    return ""


def _told(ours: Answer, theirs: Answer, names: Iterable[str] | None = None) -> str:
    """The answers by these names, or by all, that are not the same."""
    wrong = [name for name in names or {**theirs, **ours} if not _same(ours.get(name), theirs.get(name))]
    return "\n".join(f"{name}:\n  native     {ours.get(name)!r}\n  reference  {theirs.get(name)!r}" for name in wrong)


def _grouped(data: bytes) -> tuple[Answer, Answer]:
    """Rows of several runs, those of one document next to each other."""
    query, queries, docs, threads = documents_of(data)
    with mock.patch.object(reference, "CORES", threads):
        ours = reference.group_documents(query, queries, docs)
    theirs = reference.group_documents_reference(query, docs)
    return dict(zip(("order", "first"), ours, strict=True)), dict(zip(("order", "first"), theirs, strict=True))


def replay(target: str, data: bytes) -> None:
    """Raise what is different; the same for a fuzzer and for a file."""
    found = difference(target, data)
    if found:
        policy = "" if target == "documents" else case_of(target, data).policy
        raise AssertionError(f"native and reference differ\n{policy}\n{found}")


def _natively(case: Case) -> Hits:
    """As `join` does it, with parts so small that a short run has several."""
    with mock.patch.multiple(scan, BYTES=case.part, _ROWS=case.part, CORES=case.threads):
        run = case.opened()
        if isinstance(run, Run):
            check_id_kinds(_kinds(case), run)
        return _join._find(case.qrels, _pool(case), run, case.policy, None)[1]


_COUNTED = (
    "retrieved",
    "query",
    "rank",
    "judgment",
    "tie_first",
    "tie_last",
    "infinite",
)  # the same however rows are cut


class _Part:
    """A third of a run."""

    size = 1

    def __init__(self, run: Run) -> None:
        self.run = run

    def batches(self) -> Iterator[Run]:
        return iter([self.run] if len(self.run.query) else [])


def _in_parts(case: Case) -> Hits:
    """As a run in parts, rows dealt out like cards; documents of one value and one grade may then come in another order."""
    run = case.read()
    rows = np.arange(len(run.query))
    deal = (
        rows
        if "input" in (case.policy.ties, case.policy.order) or case.policy.ties in ("best", "worst")
        else rows[::-1]
    )
    parts = tuple(_Part(run.take(part)) for part in np.array_split(deal, 3))
    partitioned = PartitionedRun(name=run.name, read=case.read, partitions=LocalPartitions(parts))
    return placing.find_in_partitions(_pool(case), partitioned, case.policy, _kinds(case), None)


def _kinds(case: Case) -> tuple[Any, Any]:
    return case.qrels.query_kind, case.qrels.doc_kind


def _by_reference(case: Case) -> Hits:
    with mock.patch.object(unread_runs, "native", None):  # which would read the columns of a file
        run = case.read()
    check_id_kinds(_kinds(case), run)
    return reference.find(_pool(case), run, case.policy)


def _pool(case: Case) -> IdPool:
    """The pool of the judgments, of which there are few; no choice of a case changes it."""
    if id(case.qrels) not in _POOLS:
        _POOLS[id(case.qrels)] = pool_of(case.qrels, case.policy)
    return _POOLS[id(case.qrels)]


_POOLS: dict[int, IdPool] = {}


def _columns(read: Any) -> Answer:
    """The columns of a run or of judgments, and the places of its rows; read in parts so small that a short file has several."""
    with mock.patch.object(unread_runs, "_BYTES", 40):
        answer = _caught(read)
    for name, value in answer.items():
        if isinstance(value, IdColumn):
            answer[name] = value.tolist()
    where = answer.pop("where", None)
    return answer if where is None else {**answer, "places": [where(row) for row in range(len(answer["query"]))]}


def _answer(find: Any, case: Case) -> Answer:
    return _caught(lambda: find(case))


def _caught(find: Any) -> Answer:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            found = find()
        return {name: getattr(found, name) for name in found.__dataclass_fields__}
    except JudgedError as error:
        return {
            "error": type(error),
            "slug": error.slug,
            "message": str(error),
            "place": error.where,
            "value": error.value,
        }


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
    return type(a) is type(b) and (a == b or a is b or (a != a and b != b))


def _fuzz(target: str, arguments: list[str]) -> None:
    import atheris

    atheris.Setup([sys.argv[0], *arguments], lambda data: replay(target, data))
    atheris.Fuzz()


def main(arguments: list[str]) -> None:
    if arguments[:1] == ["--replay"]:
        for file in arguments[2:]:
            replay(arguments[1], Path(file).read_bytes())
    elif arguments and arguments[0] in (*TARGETS, "documents"):
        _fuzz(arguments[0], arguments[1:])
    else:
        raise SystemExit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
