"""The small collection that every form must give, and how two tables are compared."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from small_collection import QRELS, RUN

from judged.core.tables import Qrels, Run
from judged.io.read import read_qrels, read_run


def _rows(table: Run | Qrels) -> list[tuple[Any, ...]]:
    queries = table.queries.tolist()
    numbers = table.score if isinstance(table, Run) else table.grade
    rows = [(queries[q], d, n) for q, d, n in zip(table.query, table.doc.tolist(), numbers.tolist(), strict=True)]
    if isinstance(table, Qrels) and table.aspect is not None:
        return [(*row, aspect) for row, aspect in zip(rows, table.aspect.tolist(), strict=True)]
    return rows


@pytest.fixture
def rows() -> Callable[[Run | Qrels], list[tuple[Any, ...]]]:
    """(query, doc, number) of every row, and the subtopic where there are any."""
    return _rows


@pytest.fixture
def save(tmp_path: Path) -> Callable[..., Path]:
    """Write bytes or text to a file with a name; give its path."""

    def write(name: str, content: bytes | str) -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


@pytest.fixture
def run_rows(save: Callable[..., Path]) -> list[tuple[Any, ...]]:
    """The rows of the run in its TREC file."""
    return _rows(read_run(save("base.run", RUN)))


@pytest.fixture
def qrels_rows(save: Callable[..., Path]) -> list[tuple[Any, ...]]:
    """The rows of the judgments in their TREC file."""
    return _rows(read_qrels(save("base.qrels", QRELS)))
