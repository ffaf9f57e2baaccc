"""Examples of docstrings for pages: the lines that import what an example uses come first, so that a reader can copy it."""

from __future__ import annotations

import ast
import builtins
import doctest
import sys
from types import ModuleType
from typing import Any

from tools.site.api_names import public_names


def with_imports(example: str, module: str) -> str:
    """The session with imports of the names that it takes from its module; public names are imported from where users find them."""
    used = _free_names(example)
    space = vars(sys.modules[module])
    lines = [line for name in used if name in space and (line := _import(name, space[name], module))]
    froms: dict[str, list[str]] = {}
    for line in lines:
        source, _, name = line.removeprefix("from ").partition(" import ")
        froms.setdefault(source, []).append(name)
    made = [f">>> {s}" if not names[0] else f">>> from {s} import {', '.join(names)}" for s, names in froms.items()]
    return "\n".join([*made, example])


def _import(name: str, thing: Any, module: str) -> str:
    if isinstance(thing, ModuleType):
        return f"import {thing.__name__}" + (f" as {name}" if thing.__name__ != name else "")
    for public, value in public_names().items():
        if value is thing and public.rpartition(".")[2] == name:
            inside = public.rpartition(".")[0]
            return f"from judged{'.' + inside if inside else ''} import {name}"
    home = getattr(thing, "__module__", None) or module
    return f"from {module if '._' in home else home} import {name}"


def _free_names(example: str) -> list[str]:
    """The names that a session uses before it defines them, in their order."""
    found: dict[str, None] = {}
    known = set(vars(builtins))
    for part in doctest.DocTestParser().get_examples(example):
        tree = ast.parse(part.source)
        names = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
        bound = {node.id for node in names if isinstance(node.ctx, ast.Store)}
        bound |= {
            a.arg for node in ast.walk(tree) if isinstance(node, ast.arguments) for a in [*node.args, *node.kwonlyargs]
        }
        own = {
            a.asname or a.name.partition(".")[0]
            for node in ast.walk(tree)
            if isinstance(node, (ast.Import, ast.ImportFrom))
            for a in node.names
        }
        own |= {node.name for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
        first = {node.id for node in names if isinstance(node.ctx, ast.Load)} - known - own
        inner = bound - {
            t.id
            for s in tree.body
            if isinstance(s, ast.Assign)
            for t in ast.walk(s)
            if isinstance(t, ast.Name) and isinstance(t.ctx, ast.Store)
        }
        found |= dict.fromkeys(
            node.id for node in sorted(names, key=lambda n: (n.lineno, n.col_offset)) if node.id in first - inner
        )
        known |= bound | own
    return list(found)
