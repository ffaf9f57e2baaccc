"""`judged doctor`: what is installed, missing and broken."""

import json
import tomllib
from pathlib import Path

import pytest
from commands import run

import judged as jd
from judged.cli import doctor


@pytest.fixture(autouse=True)
def few_packages(monkeypatch):
    """Importing all of them takes seconds."""
    chosen = {"isal": ("faster gzip", None), "pyarrow": ("Parquet", "parquet"), "colours": ("nothing", None)}
    monkeypatch.setattr(doctor, "_OPTIONAL", chosen)


def states():
    return {row["part"]: row["state"] for row in json.loads(run("doctor", "--format", "json"))}


@pytest.mark.needs("pyarrow")
def test_versions_and_missing_packages_are_shown():
    import numpy
    import pyarrow

    found = states()
    assert found["judged"] == jd.__version__
    assert found["numpy"] == numpy.__version__
    assert found["pyarrow"] == pyarrow.__version__
    assert found["colours"] == "not installed: pip install colours"
    assert "All parts that are installed work." in run("doctor")


def test_a_broken_package_is_found(tmp_path, monkeypatch):
    (tmp_path / "colours.py").write_text("raise OSError('wrong ELF class\\nand more')\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert states()["colours"] == "broken: OSError: wrong ELF class"
    assert "1 of the installed parts cannot be imported." in run("doctor")


def test_the_native_core_says_why_it_is_not_used(monkeypatch):
    monkeypatch.setenv("JUDGED_NATIVE", "0")
    assert states()["native core"] == "turned off by JUDGED_NATIVE=0"


def test_extras_that_are_named_exist():
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    assert {extra for _, extra in doctor._OPTIONAL.values() if extra} <= extras.keys()
    assert {part for name, parts in extras.items() if name != "all" for part in parts} == set(extras["all"])
