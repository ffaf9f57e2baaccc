"""Signatures, attributes and methods of public names, as people read them."""

from __future__ import annotations

import ast
import inspect
import re
import sys
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any, is_typeddict

from tools.site.docstrings import parse

_WIDE = 88
_SPECIAL = ("__call__", "__matmul__", "__getitem__", "__enter__", "__or__")


def signature(thing: Any, name: str) -> str:
    """The call of a name with its parameters, one per line if they are long."""
    if isinstance(thing, property):
        return name
    try:
        found = inspect.signature(thing)
    except (TypeError, ValueError):
        return f"{name}(…)"
    parameters = [p for p in found.parameters.values() if p.name not in ("self", "cls") and not p.name.startswith("_")]
    words = list(_written(parameters))
    result = (
        ""
        if inspect.isclass(thing) or found.return_annotation is inspect.Signature.empty
        else f" -> {_type(found.return_annotation)}"
    )
    short = f"{name}({', '.join(words)}){result}"
    if len(short) <= _WIDE:
        return short
    return "\n".join([f"{name}(", *(f"    {word}," for word in words), f"){result}"])


def _written(parameters: list[inspect.Parameter]) -> Iterator[str]:
    kinds = inspect.Parameter
    starred = slashed = False
    for i, p in enumerate(parameters):
        if p.kind is kinds.KEYWORD_ONLY and not starred:
            starred = True
            yield "*"
        starred = starred or p.kind is kinds.VAR_POSITIONAL
        mark = {kinds.VAR_POSITIONAL: "*", kinds.VAR_KEYWORD: "**"}.get(p.kind, "")
        kind = "" if p.annotation is kinds.empty else f": {_type(p.annotation)}"
        default = "" if p.default is kinds.empty else f"{' = ' if kind else '='}{_value(p.default)}"
        yield f"{mark}{p.name}{kind}{default}"
        after = parameters[i + 1].kind if i + 1 < len(parameters) else None
        if p.kind is kinds.POSITIONAL_ONLY and after is not kinds.POSITIONAL_ONLY and not slashed:
            slashed = True
            yield "/"


def _type(annotation: Any) -> str:
    text = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    text = re.sub(r"\b(typing|collections\.abc|judged(\.\w+)+)\.(?=\w)", "", text)
    return text.strip("'\"") if text[:1] in "'\"" else text


def _value(default: Any) -> str:
    text = repr(default)
    return "…" if " object at 0x" in text or text.startswith("<") or len(text) > 60 else text


def attributes(thing: type) -> Iterator[tuple[str, str, str]]:
    """Fields and properties: name, type and meaning. The meaning of a field is the comment behind it, or its `Args` entry."""
    comments = _comments(thing)
    if is_dataclass(thing):
        for f in fields(thing):
            if not f.name.startswith("_"):
                yield f.name, _type(f.type), comments.get(f.name, "")
    for owner in thing.__mro__:
        if not owner.__module__.startswith("judged"):
            continue
        for name, value in vars(owner).items():
            text = (
                inspect.getdoc(value)
                if isinstance(value, property) or type(value).__name__ == "cached_property"
                else None
            )
            if text and not name.startswith("_") and getattr(thing, name, None) is not None:
                getter = getattr(value, "fget", None) or getattr(value, "func", None)
                hints = getattr(getter, "__annotations__", {})
                yield name, _type(hints.get("return", "")), parse(text).summary


def _comments(thing: type) -> dict[str, str]:
    """Comments behind the fields of a class."""
    found: dict[str, str] = {}
    for owner in reversed(thing.__mro__):
        if not owner.__module__.startswith("judged"):
            continue
        for line in inspect.getsource(owner).split("\n"):
            if match := re.match(r"    (\w+): [^#]*#\s+(.+)$", line):
                found[match[1]] = match[2].partition("noqa")[0].strip()
    return found


def methods(thing: type) -> Iterator[tuple[str, Any]]:
    """Public methods that the class itself defines, in the order of its source; special ones if they are documented."""
    for name, value in vars(thing).items():
        made = isinstance(value, (classmethod, staticmethod))
        if not (inspect.isfunction(value) or made) or (name.startswith("_") and name not in _SPECIAL):
            continue
        if inspect.getdoc(value):
            yield name, getattr(thing, name)


def inherited(thing: type) -> Iterator[tuple[str, str]]:
    """Public methods of other classes of the package: name and docstring."""
    seen = set(vars(thing))
    for owner in thing.__mro__[1:]:
        if not owner.__module__.startswith("judged"):
            continue
        for name, value in vars(owner).items():
            if name not in seen and not name.startswith("_") and inspect.isfunction(value) and inspect.getdoc(value):
                seen.add(name)
                yield name, inspect.getdoc(value) or ""


def keyword_options(thing: Any) -> Iterator[tuple[str, str, str]]:
    """The keyword options of a signature that ends with `**options: Unpack[…]`: name, type and meaning."""
    found = [
        p.annotation for p in inspect.signature(thing).parameters.values() if p.kind is inspect.Parameter.VAR_KEYWORD
    ]
    match = re.match(r"Unpack\[(\w+)\]", found[0]) if found and isinstance(found[0], str) else None
    if match is None:
        return
    declared = vars(sys.modules[thing.__module__]).get(match[1]) or _imported(thing.__module__, match[1])
    if declared is None or not is_typeddict(declared):
        return
    texts = _meanings(declared)
    for name, kind in declared.__annotations__.items():
        yield name, _type(getattr(kind, "__forward_arg__", kind)), texts.get(name, "")


def _imported(module: str, name: str) -> Any:
    """A name that a module imports for type checkers only."""
    tree = ast.parse(inspect.getsource(sys.modules[module]))
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and any(alias.name == name for alias in node.names):
            from importlib import import_module

            return getattr(import_module(node.module or ""), name)
    return None


def _meanings(declared: Any) -> dict[str, str]:
    from judged.core.policy import Policy
    from judged.evaluation.options import EvaluateOptions

    texts: dict[str, str] = {}
    for owner in (Policy, EvaluateOptions, *declared.__mro__[::-1], declared):
        for names, text in parse(inspect.getdoc(owner) or "").sections.get("Args", []):
            texts |= {name.strip(): text for name in names.split(",")}
    return texts
