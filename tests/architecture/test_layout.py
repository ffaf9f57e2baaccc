"""The layout of the package: who imports whom, and in which order. Each check lists its offenders."""

import ast
from collections import Counter
from graphlib import TopologicalSorter
from pathlib import Path

import judged

SRC = Path(judged.__file__).parent
FILES = {
    ".".join(("judged", *path.relative_to(SRC).with_suffix("").parts)).removesuffix(".__init__"): path
    for path in sorted(SRC.rglob("*.py"))
}


def imports(path: Path) -> set[str]:
    """The modules of `judged` that a file imports, inside functions too; not those that only a type checker sees."""
    found: set[str] = set()
    pending: list[ast.AST] = [ast.parse(path.read_text(encoding="utf-8"))]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "judged":
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                found.add(full if full in FILES else str(node.module))
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names if alias.name in FILES}
        pending += ast.iter_child_nodes(node)
    return found


GRAPH = {name: imports(path) - {name} for name, path in FILES.items()}

# A package imports only packages of earlier lines; packages of one line do not import each other.
ORDER = [
    {"errors", "steps", "_types", "_version"},
    {"registry", "references"},
    {"tables"},
    {"core"},
    {"stats", "measures", "io"},
    {"plots", "distributed"},
    {"evaluation"},
    {"judging"},
    {"comparison", "curves", "correlation", "clicks", "recommenders", "fusion"},
    {"quality_gate", "page", "integrations", "compat", "citations"},
    {"cli", "metrics", "pytest_plugin", "rag", "typing"},
    {"__main__"},
]
LEVEL = {package: i for i, line in enumerate(ORDER) for package in line}
INSIDE = [name for name in FILES if name != "judged"]


def package(name: str) -> str:
    return name.split(".")[1]


def test_a_file_imports_only_its_own_package_and_earlier_ones():
    found = {
        (name, other)
        for name in INSIDE
        for other in {package(other) for other in GRAPH[name] if other != "judged"} - {package(name)}
        if LEVEL[other] >= LEVEL[package(name)]
    }
    assert found == set()


def test_no_files_import_each_other_in_a_circle():
    TopologicalSorter(GRAPH).prepare()  # raises an error that names the circle


def test_a_package_does_not_import_its_own_files():
    """Of two threads, one that imports the package and one that imports a file of it, each would wait for the other."""
    packages = [name for name in INSIDE if FILES[name].name == "__init__.py"]
    assert {(name, other) for name in packages for other in GRAPH[name] if other.startswith(f"{name}.")} == set()


def test_a_private_file_is_imported_only_inside_its_folder():
    shared = ("judged._types", "judged._version")
    private = {
        (name, other)
        for name in INSIDE
        for other in GRAPH[name]
        if other.rpartition(".")[2].startswith("_") and other not in shared
    }
    assert {(name, other) for name, other in private if not name.startswith(other.rpartition(".")[0])} == set()


def test_no_package_hides_a_public_function():
    packages = {package(name) for name in INSIDE}
    namespaces = {
        "clicks",
        "compat",
        "curves",
        "integrations",
        "measures",
        "metrics",
        "rag",
        "recommenders",
        "stats",
        "typing",
    }
    assert packages & set(judged.__all__) == namespaces


def test_a_class_name_means_one_thing():
    classes = Counter(
        node.name
        for path in FILES.values()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef)
    )
    assert [name for name, n in classes.items() if n > 1] == []


def test_a_docstring_begins_with_a_verb_or_a_noun():
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docstrings = {
        f"{name}: {(ast.get_docstring(node) or '').partition(chr(10))[0]}"
        for name, path in FILES.items()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, documented)
    }
    interrogative = tuple(f": {word} " for word in ("What", "How", "Whether", "Where", "Which", "Who", "Why", "When"))
    assert [line for line in docstrings if any(word in f"{line} " for word in interrogative)] == []
