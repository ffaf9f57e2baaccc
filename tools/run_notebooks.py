"""Run the notebooks of examples/notebooks and write their outputs: `python tools/run_notebooks.py`."""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

NOTEBOOKS = Path(__file__).resolve().parents[1] / "examples" / "notebooks"


def run_notebook(path: Path) -> Any:
    """The notebook with new outputs, and without what differs from run to run: times, addresses, picture files."""
    notebook = nbformat.read(path, as_version=4)
    inline = {name: value for name, value in os.environ.items() if name != "MPLBACKEND"}
    with tempfile.TemporaryDirectory() as folder:
        client = NotebookClient(notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": folder}})
        client.execute(env=inline)
    for cell in notebook.cells:
        cell.metadata = {}
        for output in cell.get("outputs", ()):
            if "text" in output:  # the file of a cell is named after the process
                output["text"] = re.sub(r"\S+/ipykernel_\d+/\d+\.py", "cell", output["text"])
            for kind, text in output.get("data", {}).items():
                if kind.startswith("text/"):
                    output["data"][kind] = re.sub(r" at 0x[0-9a-f]+", "", text)
    notebook.metadata["language_info"] = {"name": "python"}
    return notebook


def texts(notebook: Any) -> list[list[str]]:
    """What each cell of code prints and shows as text; pictures only by their kind."""
    shown = []
    for cell in notebook.cells:
        outputs = cell.get("outputs", ())
        printed = [output["text"] for output in outputs if output.output_type == "stream"]
        data = [output["data"] for output in outputs if "data" in output]
        shown.append(printed + [d["text/plain"] for d in data] + [kind for d in data for kind in sorted(d)])
    return shown


if __name__ == "__main__":
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        nbformat.write(run_notebook(path), path)
