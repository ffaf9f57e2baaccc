"""The slugs that the source raises and warns with, read from its syntax trees."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

ERRORS = ("DataError", "UsageError", "FileError", "EngineError", "JudgedError")
Helpers = dict[str, int]  # the position of the slug among the arguments of a function or class


def find_slugs(folder: Path) -> dict[str, set[str]]:
    """Every slug with "error", "warning" or both; `*` is a part of the slug that is known only at run time."""
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in sorted(folder.rglob("*.py"))]
    public: Helpers = dict.fromkeys((*ERRORS, "Warned"), 0)
    for tree in trees:
        public |= {name: at for name, at in _helpers(tree).items() if not name.startswith("_")}
    slugs = defaultdict(set)
    for tree in trees:
        helpers = public | _helpers(tree)
        for node in ast.walk(tree):
            if isinstance(node, ast.Call):
                for slug in _slugs_of(node, helpers, tree):
                    slugs[slug].add("warning" if _name(node.func) == "Warned" else "error")
            elif isinstance(node, ast.FunctionDef):
                for argument, default in _defaults(node):
                    if argument == "slug" and isinstance(default, ast.Constant) and isinstance(default.value, str):
                        slugs[default.value].add("error")
    return dict(slugs)


def _helpers(tree: ast.Module) -> Helpers:
    """Functions with a parameter `slug`, and dataclasses with a field of that name."""
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            names = [one.arg for one in (*node.args.posonlyargs, *node.args.args) if one.arg != "self"]
            names += [one.arg for one in node.args.kwonlyargs]
        elif isinstance(node, ast.ClassDef):
            names = [
                one.target.id
                for one in node.body
                if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)
            ]
        else:
            continue
        if "slug" in names and node.name != "__init__":
            found[node.name] = names.index("slug")
    return found


def _defaults(node: ast.FunctionDef) -> Iterator[tuple[str, ast.expr | None]]:
    names = [one.arg for one in node.args.args]
    yield from zip(reversed(names), reversed(node.args.defaults), strict=False)
    yield from zip([one.arg for one in node.args.kwonlyargs], node.args.kw_defaults, strict=True)


def _name(node: ast.expr) -> str:
    """The name of what is called; nothing for click's own errors."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return "" if isinstance(node.value, ast.Name) and node.value.id == "click" else node.attr
    return _name(node.value) if isinstance(node, ast.Subscript) else ""


def _slugs_of(call: ast.Call, helpers: Helpers, tree: ast.Module) -> set[str]:
    name, keywords = _name(call.func), {keyword.arg: keyword.value for keyword in call.keywords}
    if name == "Registry" and call.args:
        return {"unknown-name"}
    if name == "changed":
        return _texts(keywords["slug"], tree) if "slug" in keywords else set()
    if name not in helpers:
        return set()
    if "slug" in keywords:
        return _texts(keywords["slug"], tree)
    return _texts(call.args[helpers[name]], tree) if len(call.args) > helpers[name] else set()


def _texts(node: ast.expr, tree: ast.Module) -> set[str]:
    """The texts that an expression can have: constants, either side of a condition, names that are assigned in the file."""
    if isinstance(node, ast.Constant):
        return {node.value} if isinstance(node.value, str) else set()
    if isinstance(node, ast.IfExp):
        return _texts(node.body, tree) | _texts(node.orelse, tree)
    if isinstance(node, ast.JoinedStr):
        return {"".join(str(part.value) if isinstance(part, ast.Constant) else "*" for part in node.values)}
    if not isinstance(node, ast.Name):
        return set()
    assigned = (one for one in ast.walk(tree) if isinstance(one, ast.Assign))
    return {
        text
        for one in assigned
        for value in _values(one.targets[0], one.value, node.id)
        if not (isinstance(value, ast.Name) and value.id == node.id)
        for text in _texts(value, tree)
    }


def _values(target: ast.expr, value: ast.expr, name: str) -> Iterator[ast.expr]:
    if isinstance(target, ast.Name) and target.id == name:
        yield value
    elif isinstance(target, ast.Tuple):
        if isinstance(value, ast.IfExp):
            yield from _values(target, value.body, name)
            yield from _values(target, value.orelse, name)
        elif isinstance(value, ast.Tuple):
            for one, part in zip(target.elts, value.elts, strict=True):
                yield from _values(one, part, name)
