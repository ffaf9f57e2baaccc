"""The notebooks run, and their committed outputs are what they print."""

import importlib.util
from pathlib import Path

import nbformat
import pytest

ROOT = Path(__file__).parents[2]
_SPEC = importlib.util.spec_from_file_location("run_notebooks", ROOT / "tools" / "run_notebooks.py")
tool = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(tool)


@pytest.mark.slow
@pytest.mark.parametrize("path", sorted(tool.NOTEBOOKS.glob("*.ipynb")), ids=lambda path: path.stem)
def test_a_notebook_shows_what_it_prints(path):
    again = tool.run_notebook(path)
    assert tool.texts(nbformat.read(path, as_version=4)) == tool.texts(again), "run: python tools/run_notebooks.py"
    pictures = [output for cell in again.cells for output in cell.get("outputs", ()) if "image/png" in output.get("data", {})]  # fmt: skip
    assert bool(pictures) == ("plot" in path.read_text(encoding="utf-8"))
