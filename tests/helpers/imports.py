"""The import graph of the package: which file imports which, at import time or inside a function."""

from __future__ import annotations

import ast
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


def cycles() -> list[list[str]]:
    """The groups of files that import each other, by Tarjan's algorithm."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(name: str) -> None:
        index[name] = low[name] = len(index)
        stack.append(name)
        for other in GRAPH.get(name, ()):
            if other not in index:
                visit(other)
                low[name] = min(low[name], low[other])
            elif other in stack:
                low[name] = min(low[name], index[other])
        if low[name] == index[name]:
            group = stack[stack.index(name) :]
            del stack[stack.index(name) :]
            if len(group) > 1:
                found.append(sorted(group))

    for name in GRAPH:
        if name not in index:
            visit(name)
    return found
