"""A command imports only what it needs: modules are counted, since times depend on the machine."""

import os
import subprocess
import sys

import pytest

from judged import compat
from judged.io.sample import sample_path

CALL = """
import sys
from judged.__main__ import main
try:
    main()
except SystemExit as end:
    assert not end.code, end.code
print(*sorted(sys.modules))
"""
OF_OTHERS = {  # modules that take milliseconds, and that an evaluation of TREC files does not need
    "numpy.ma", "numpy.random", "numpy.fft", "numpy.polynomial", "scipy", "pandas", "polars", "pyarrow", "matplotlib", "asyncio", "concurrent.futures",
    "csv", "difflib", "email", "hashlib", "html", "http", "importlib.metadata", "importlib.resources", "json.decoder", "logging", "multiprocessing", "pathlib",
    "shlex", "shutil", "socket", "subprocess", "tempfile", "unittest", "urllib.request", "xml", "zipfile", "zstandard", "isal",
}  # fmt: skip
FORMATS = ("columnar", "json", "delimited", "letor", "trec_eval")
FAMILIES = ("cascade", "cwl", "positions", "diversity", "effort", "ideal_overlap", "preferences")
OURS = {
    "judged.comparison", "judged.page", "judged.plots", "judged.curves", "judged.core.passages",
    "judged.io.containers", "judged.io.frames", "judged.io.read", "judged.io.table", "judged.io.partitions", "judged.evaluation.roll_up", "judged.tables.formats.html",
    *(f"judged.io.formats.{name}" for name in FORMATS), *(f"judged.measures.families.{name}" for name in FAMILIES),
}  # fmt: skip


def imported(*words: str, code: str = CALL, **variables: str) -> set[str]:
    """The modules that a command has imported when it ends."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **variables}
    done = subprocess.run(
        [sys.executable, "-c", code, *words], capture_output=True, text=True, env=environment, check=True
    )
    return set(done.stdout.splitlines()[-1].split())


def test_an_evaluation_of_trec_files_imports_only_what_it_needs():
    found = imported("eval", str(sample_path("qrels.txt")), str(sample_path("runs/bm25.run")))
    found -= imported(code="import sys; print(*sorted(sys.modules))")
    assert not found & OF_OTHERS
    assert not found & OURS
    assert len([name for name in found if name.startswith("judged")]) <= 118
    assert len([name for name in found if not name.startswith(("judged", "numpy", "click"))]) <= 110


@pytest.mark.parametrize("words", [["--help"], ["--version"], ["eval", "--help"]])
def test_help_imports_nothing_that_computes(words):
    found = imported(*words)
    assert "numpy" not in found
    assert len([name for name in found if name.startswith("judged")]) <= 30


def test_completion_of_a_command_imports_nothing_that_computes():
    code = CALL.replace("main()", "from judged.cli.main import main; main()")
    variables = {"_JUDGED_COMPLETE": "bash_complete", "COMP_WORDS": "judged ev", "COMP_CWORD": "1"}
    assert "numpy" not in imported(code=code, **variables)


def test_importing_judged_imports_nothing_else():
    found = imported(code="import sys, judged; print(*sorted(sys.modules))")
    assert not found & {"numpy", "click", "lazy_loader", "judged.measures", "judged.core", "judged.compat"}


@pytest.mark.parametrize("name", compat.__all__)
def test_a_drop_in_does_not_import_the_tool_that_it_replaces(name):
    found = imported(code=f"import sys, judged.compat.{name}; print(*sorted(sys.modules))")
    assert not found & {"pytrec_eval", "ir_measures", "ranx", "numba", "beir", "sklearn", "pandas"}
