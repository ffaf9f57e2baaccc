"""Who imports whom, what is public, and what a first look costs."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import judged

SRC = Path(judged.__file__).parent
ROOT = SRC.parents[1]
# A room imports only rooms of an earlier line; rooms of one line do not know each other.
ORDER = [
    {"errors"},
    {"tables"},
    {"core"},
    {"stats", "measures", "io"},
    {"plots", "distributed"},
    {"evaluation"},
    {"comparison", "curves", "judges", "correlation", "clicks", "recommenders"},
    {"quality_gate", "page", "integrations"},
    {"cli", "pytest_plugin"},
]
LEVEL = {room: i for i, rooms in enumerate(ORDER) for room in rooms}
FILES = sorted(SRC.rglob("*.py"))


def room(path: Path) -> str:
    return path.relative_to(SRC).parts[0].removesuffix(".py")


def imports(path: Path) -> list[str]:
    found = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "judged":
            found += [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            found += [alias.name for alias in node.names if alias.name.split(".")[0] == "judged"]
    return found


@pytest.mark.parametrize("path", [p for p in FILES if room(p) != "__init__"], ids=lambda p: str(p.relative_to(SRC)))
def test_a_file_imports_only_its_own_room_and_earlier_ones(path):
    for name in imports(path):
        parts = name.split(".")
        if len(parts) < 2 or parts[1] not in LEVEL:
            continue
        if parts[1] != room(path):
            assert LEVEL[parts[1]] < LEVEL[room(path)], f"{path.name} imports {name}"
            private = [p for p in parts[2:-1] if p.startswith("_")]
            assert not private, f"{path.name} reaches into {name}, which is private to its folder"


def test_there_is_no_utils_module():
    assert [p for p in FILES if p.stem in ("utils", "helpers", "common", "misc")] == []


def test_every_public_name_can_be_imported_and_is_documented():
    for name in judged.__all__:
        thing = getattr(judged, name)
        assert name.isupper() or name.startswith("__") or (thing.__doc__ or "").strip(), name


def test_every_measure_is_an_attribute_under_its_name():
    from judged.measures.registry import Measure, definitions

    for definition in definitions():
        if definition.name.isidentifier() and definition.name not in judged.__all__:
            assert getattr(judged, definition.name) == Measure(definition)


def test_the_lazy_names_are_those_that_type_checkers_see():
    tree = ast.parse((SRC / "__init__.py").read_text())
    block = next(n for n in tree.body if isinstance(n, ast.If))
    seen = {alias.name: node.module for node in block.body for alias in node.names}
    assert seen == judged._HOME


def test_the_command_line_offers_every_choice_of_every_policy():
    from typing import get_args, get_type_hints

    import click

    from judged.cli.eval import command

    choices = {o.name: set(o.type.choices) for o in command.params if isinstance(o.type, click.Choice)}
    hints = get_type_hints(judged.Policy)
    for name in ("ties", "duplicates", "rejudged", "empty", "order", "queries"):
        assert choices[name] == set(get_args(hints[name]))


def modules_after(code: str) -> set[str]:
    program = f"import sys\n{code}\nprint(' '.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_help_imports_neither_numpy_nor_rich():
    loaded = modules_after(
        "import click.testing, judged.cli.main as m\n"
        "assert click.testing.CliRunner().invoke(m.cli, ['--help']).exit_code == 0"
    )
    assert not {"numpy", "rich", "judged.evaluation", "judged.measures"} & loaded


def test_importing_the_package_loads_nothing_heavy():
    assert "numpy" not in modules_after("import judged")


def test_an_evaluation_loads_no_library_it_does_not_need():
    loaded = modules_after("import judged as jd; jd.evaluate({'q': {'a': 1}}, {'q': ['a']}, 'AP').mean()")
    assert not {"pandas", "polars", "pyarrow", "scipy", "rich", "duckdb"} & loaded


def test_documents_name_no_machine_and_no_registry():
    for path in [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), ROOT / "pyproject.toml", ROOT / "Makefile"]:
        if path.exists():
            assert not re.search(r"/(work|root)/|index.url", path.read_text()), path
