"""A folder in which commands run."""

from pathlib import Path

import pytest
from commands import OTHER, QRELS, RUN


@pytest.fixture
def collection(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which commands run, with judgments and two runs."""
    monkeypatch.chdir(tmp_path)
    for name, content in (("qrels.txt", QRELS), ("a.run", RUN), ("b.run", OTHER)):
        Path(name).write_bytes(content)
    return tmp_path
