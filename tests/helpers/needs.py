"""Libraries, programs and properties of a machine that some tests need, each named once.

A test says so with `@pytest.mark.needs("torch")`, a file with `pytestmark = pytest.mark.needs("pyarrow")`. Without them it is skipped, and the end
of the session has one line per missing name. A file that uses a library in many tests binds it with `optional("torch")`.
"""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from judged.core import NATIVE

ROOT = Path(__file__).parents[2]
IMPORTED_AS = {
    "scikit-learn": "sklearn",
    "pyyaml": "yaml",
    "pytrec-eval-terrier": "pytrec_eval",
    "xgboost-cpu": "xgboost",
    "codespell": "codespell_lib",
}
ALWAYS = {"pytest", "pytest-xdist", "hypothesis", "deno"}  # every test, or a program
APART = {  # tools with an environment of their own: 200 packages, which pin other libraries, and three pytest plugins
    "mlflow": "mlflow-skinny", "ragas": "ragas", "deepeval": "deepeval", "haystack": "haystack-ai",
    "llama_index": "llama-index-core", "inspect_ai": "inspect-ai",
}  # fmt: skip


@dataclass(frozen=True)
class Need:
    found: Callable[[], object]
    missing: str
    group: str = ""  # the dependency group that installs it
    counts: bool = True  # in CI, a test that is skipped for want of it fails the session


def _groups() -> dict[str, tuple[str, str]]:
    """The libraries of the dependency groups by the name under which they are imported: distribution and group."""
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["dependency-groups"]
    found = {}
    for group in ("docs", "spark", "peers", "tensors", "test"):
        for line in groups[group]:
            name = re.match(r"[\w-]+", line)[0]
            if name not in ALWAYS:
                found[IMPORTED_AS.get(name, name.replace("-", "_"))] = name, group
    return found


def _library(name: str) -> Callable[[], object]:
    return lambda: importlib.util.find_spec(name)


def program(*names: str) -> str | None:
    """The first of these programs that is installed."""
    return next(filter(None, map(shutil.which, names)), None)


def pythons() -> dict[int, str]:
    """The Pythons of this machine that know the stable ABI of 3.12, by minor version."""
    found = {}
    for minor in range(12, 20):
        named = [shutil.which(f"python3.{minor}"), sys.executable]
        named += (Path.home() / ".pyenv" / "versions").glob(f"3.{minor}.*/bin/python3")
        for python in filter(None, named):
            code = "import sys, venv; print(sys.version_info[1], sys.implementation.name, sys.abiflags)"
            said = subprocess.run([python, "-c", code], capture_output=True, text=True).stdout
            if said.split() == [str(minor), "cpython"]:
                found[minor] = str(python)
                break
    return found


CHROMIUM = program("chromium", "chromium-browser", "google-chrome")
DENO = shutil.which("deno", path=str(Path(sys.executable).parent)) or shutil.which("deno")
AXE = Path(sys.prefix) / "axe/node_modules/axe-core/axe.min.js"  # `make axe` installs it from the npm registry
COLLECTIONS = ROOT.parent / "shared" / "data"
TOGETHER = any(importlib.util.find_spec(name) for name in APART)  # where one is installed, CI wants all

NEEDS = {
    name: Need(_library(name), f"{distribution} is not installed (pip install --group {group})", group)
    for name, (distribution, group) in _groups().items()
}
NEEDS |= {
    name: Need(
        _library(name), f"{distribution} is not in the environment of the tests (make external)", "external", TOGETHER
    )
    for name, distribution in APART.items()
}
NEEDS |= {
    "grpc": Need(_library("grpc"), "grpcio is not installed (pip install --group spark)", "spark"),
    "java": Need(lambda: shutil.which("java") or os.environ.get("JAVA_HOME"), "there is no Java (make java)"),
    "chromium": Need(lambda: CHROMIUM, "there is no Chromium (make chromium)"),
    "axe": Need(AXE.exists, "there is no axe-core (make axe)"),
    "deno": Need(lambda: DENO, "there is no deno (pip install --group test)", "test"),
    "latex": Need(lambda: _latex(), "there is no LaTeX with booktabs (make latex)"),
    "bibtex": Need(lambda: program("bibtex") and program("pdflatex"), "there is no BibTeX (make latex)"),
    "collections": Need(COLLECTIONS.is_dir, "the collections in ../shared/data are not on this machine"),
    "pythons": Need(lambda: len(pythons()) > 1, "fewer than two Pythons from 3.12 on were found", counts=False),
    "lowest python": Need(
        lambda: sys.version_info[:2] == (3, 11), "this is not Python 3.11, the lowest supported one", counts=False
    ),
    "native": Need(lambda: NATIVE, "the native core is not in use", counts=os.environ.get("JUDGED_NATIVE") != "0"),
    "unix": Need(lambda: os.name == "posix", "this is Windows", counts=False),
    "linux": Need(lambda: sys.platform == "linux", "this is not Linux", counts=False),
}


def _latex() -> bool:
    find = shutil.which("kpsewhich")
    return bool(find) and subprocess.run([find, "booktabs.sty"], capture_output=True).returncode == 0


@cache
def is_missing(name: str) -> bool:
    return not NEEDS[name].found()


def named(words: str) -> set[str]:
    """The needs that words name, separated by commas: each one itself, or a dependency group."""
    found = set()
    for word in filter(None, words.split(",")):
        members = {name for name, need in NEEDS.items() if word in (name, need.group)}
        if not members:
            raise ValueError(f"unknown need {word!r}: one of {', '.join(NEEDS)}, or a dependency group")
        found |= members
    return found


class Absent:
    """A module that is not installed. Anything can be made of it, so that data of tests can be declared; it is false."""

    def __bool__(self) -> bool:
        return False

    def __iter__(self) -> Any:
        return iter(())

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return self

    def __setitem__(self, *key: Any) -> None: ...

    def _same(self, *args: Any, **kwargs: Any) -> Any:
        return self

    __call__ = __getitem__ = __lt__ = __gt__ = __mul__ = __rmul__ = __add__ = __sub__ = __truediv__ = _same


def optional(name: str) -> Any:
    """A module, or one that is `Absent`: tests that use it say that they need it, and are skipped."""
    return Absent() if is_missing(name.partition(".")[0]) else import_module(name)


def each(*names: str, others: Mapping[str, str] = MappingProxyType({})) -> list[Any]:
    """Parameters of a test that each need a library: the one of their name, or for others the one that is given."""
    needed = {name: name for name in names} | others
    return [pytest.param(parameter, marks=pytest.mark.needs(name)) for parameter, name in needed.items()]
