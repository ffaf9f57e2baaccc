"""`judged doctor`: show what is installed, and what is missing."""

from __future__ import annotations

from typing import Any

import click

from judged.cli.options.command import Command
from judged.cli.options.files import emit, output_options
from judged.steps import step

# What each package is for, and the extra that installs it; without an extra, its own name.
_OPTIONAL = {
    "isal": ("faster gzip", None),
    "zstandard": ("zstd files", None),
    "pyarrow": ("Parquet, Arrow and remote files", "parquet"),
    "matplotlib": ("plots", "plot"),
    "pyspark": ("Spark", "spark"),
    "pandas": ("pandas frames", None),
    "polars": ("polars frames", None),
    "duckdb": ("Parquet with bounded memory", None),
    "torch": ("tensors", None),
    "torchmetrics": ("RankingMetric", None),
    "jax": ("JAX arrays", None),
    "lightgbm": ("training callbacks", None),
    "xgboost": ("training callbacks", None),
    "catboost": ("training callbacks", None),
}


@click.command("doctor", cls=Command)
@output_options()
def command(**options: Any) -> None:
    """Show the version, Python, the native core and the optional packages, and how to install what is missing.

    Optional packages are imported, which also finds broken ones. Nothing is sent anywhere.

    \b
    judged doctor
    judged doctor --format json
    """
    import os
    import shutil

    from judged.io.settings import find_settings
    from judged.tables.result import RecordTable

    java = shutil.which("java") or os.environ.get("JAVA_HOME")
    with step("importing packages"):
        rows = [*_own_parts(), *(_package(name, *about) for name, about in _OPTIONAL.items())]
    rows.append({"part": "Java", "state": "installed" if java else "not installed", "for": "Spark"})
    rows.append({"part": "defaults", "state": find_settings()[0] or "no file", "for": "options of commands"})
    broken = sum(row["state"].startswith("broken") for row in rows)
    notes = (
        "All parts that are installed work." if not broken else f"{broken} of the installed parts cannot be imported.",
    )
    emit(RecordTable.of(rows, words=("part", "state", "for"), notes=notes), options)


def _own_parts() -> list[dict[str, str]]:
    import platform
    import sys

    import numpy
    import scipy

    from judged._version import __version__
    from judged.core.native import CORES

    gil = getattr(sys, "_is_gil_enabled", lambda: True)()
    python = f"{platform.python_version()}{'' if gil else ', free-threaded'}, {platform.system()} {platform.machine()}"
    return [
        {"part": "judged", "state": __version__, "for": ""},
        {"part": "Python", "state": python, "for": f"uses {CORES} cores"},
        {"part": "native core", "state": _native(), "for": "speed; values are the same without it"},
        {"part": "numpy", "state": numpy.__version__, "for": "required"},
        {"part": "scipy", "state": scipy.__version__, "for": "required"},
    ]


def _native() -> str:
    import importlib
    import os

    if os.environ.get("JUDGED_NATIVE") == "0":
        return "turned off by JUDGED_NATIVE=0"
    try:
        importlib.import_module("judged.core._native")
    except ModuleNotFoundError:
        return "not built: install judged again where there is a C++ compiler"
    except ImportError as error:
        return f"broken: {error}"
    return "installed"


def _package(name: str, use: str, extra: str | None) -> dict[str, str]:
    """Import a package and return its version, or the reason why it cannot be used."""
    import importlib
    import importlib.util
    import warnings
    from importlib.metadata import PackageNotFoundError, version

    try:
        if importlib.util.find_spec(name) is None:
            wanted = f"'judged[{extra}]'" if extra else name
            return {"part": name, "state": f"not installed: pip install {wanted}", "for": use}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            importlib.import_module(name)
        state = version(name)
    except PackageNotFoundError:
        state = "installed"
    except Exception as error:  # whatever a broken installation raises
        state = f"broken: {type(error).__name__}: {error}".partition("\n")[0]
    return {"part": name, "state": state, "for": use}
