"""Mutants of a Python file: the same file with one small mistake each.

A mutant changes one operator, comparison, number, name or statement in the syntax tree. Left alone are docstrings,
annotations, texts with spaces (sentences and formulas), f-strings and what is passed to exceptions: the wording of
messages is tested elsewhere.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import CodeType
from typing import Any

_COMPARED: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE), ast.LtE: (ast.Lt, ast.Gt), ast.Gt: (ast.GtE, ast.LtE), ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,), ast.NotEq: (ast.Eq,), ast.In: (ast.NotIn,), ast.NotIn: (ast.In,), ast.Is: (ast.IsNot,), ast.IsNot: (ast.Is,),
}  # fmt: skip
_COMPUTED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Div, ast.Mod: ast.Mult, ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.BitXor: ast.BitAnd, ast.LShift: ast.RShift, ast.RShift: ast.LShift, ast.MatMult: ast.Mult,
}  # fmt: skip
_TWINS = (
    ("min", "max"), ("minimum", "maximum"), ("any", "all"), ("floor", "ceil"), ("argmin", "argmax"), ("zeros", "ones"), ("zeros_like", "ones_like"),
    ("lower", "upper"), ("mean", "sum"), ("union", "intersection"), ("keys", "values"), ("log", "log2"), ("log1p", "log"), ("cumsum", "cumprod"),
    ("isfinite", "isnan"), ("add", "subtract"), ("multiply", "divide"), ("expm1", "exp"), ("logical_and", "logical_or"),
)  # fmt: skip
_TWIN = {a: b for pair in _TWINS for a, b in (pair, pair[::-1])}
_TEXTS = ("Hint", "Warned", "Spec", "Wording")  # calls whose arguments are wording
_NAMES = (
    "check_share",
    "check_count",
    "check_number",
    "check_choice",
    "column",
    "_error",
    "number",
    "no_weights",
)  # of which a string names a value


@dataclass(frozen=True, eq=False)
class Mutant:
    """One change of a file. `scope` is the outermost function or class that it is in; `inside` says that it is in a function."""

    path: str
    scope: str
    inside: bool
    lines: tuple[int, ...]
    text: str
    key: str
    edit: tuple[ast.AST, str, int | None, Any]

    @contextmanager
    def applied(self) -> Iterator[None]:
        """Change the tree for the time of the block."""
        parent, field, index, new = self.edit
        old = getattr(parent, field)
        if index is None:
            setattr(parent, field, new)
        else:
            setattr(parent, field, [*old[:index], *([] if new is None else [new]), *old[index + 1 :]])
        try:
            yield
        finally:
            setattr(parent, field, old)


class MutatedFile:
    """A file's tree and its mutants."""

    def __init__(self, root: Path, path: str) -> None:
        self.path = str(root / path)
        self.tree = ast.parse((root / path).read_text(encoding="utf-8"))
        self.mutants: list[Mutant] = []
        counts: Counter[str] = Counter()
        for scope, lines, before, edit in _edits(self.tree, "", ()):
            new = edit[-1]
            changed = "(removed)" if new is None or isinstance(new, ast.Pass) else _shown(new)
            text = f"{scope}: {before} → {changed}"
            counts[text] += 1
            key = f"{path}::{text} #{counts[text]}"
            self.mutants.append(Mutant(path, f"{path}::{scope}", scope.startswith("def "), lines, text, key, edit))

    def compiled(self, mutant: Mutant | None = None) -> CodeType:
        """The code of the file with one mutation, or as it is."""
        if mutant is None:
            return compile(self.tree, self.path, "exec", dont_inherit=True)
        with mutant.applied():
            return compile(ast.fix_missing_locations(self.tree), self.path, "exec", dont_inherit=True)


def functions(code: CodeType) -> Iterator[CodeType]:
    """All code objects in a code object."""
    for const in code.co_consts:
        if isinstance(const, CodeType):
            yield const
            yield from functions(const)


def _shown(node: ast.AST) -> str:
    return " ".join(ast.unparse(node).split())[:120]


def _edits(node: ast.AST, scope: str, owner: tuple[int, ...]) -> Iterator[tuple[str, tuple[int, ...], str, Any]]:
    """(scope, lines, old text, edit) of all changes below a node."""
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns", "type_comment", "type_params"):
            continue
        for index, child in enumerate(value) if isinstance(value, list) else ((None, value),):
            if not isinstance(child, ast.AST) or _is_left_alone(child, node, field, index):
                continue
            inside = scope
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and field == "body" and not scope.startswith("def "):
                inside = ("def " if isinstance(node, ast.FunctionDef) else "class ") + ".".join(
                    [*scope.removeprefix("class ").split(), node.name]
                )
            lines = (
                (getattr(child, "lineno", 0), getattr(child, "end_lineno", 0)) if hasattr(child, "lineno") else owner
            )
            for new in _replacements(child, node, field):
                yield inside, lines, _shown(child), (node, field, index, new)
            yield from _edits(child, inside, lines)


def _is_left_alone(child: ast.AST, parent: ast.AST, field: str, index: int | None) -> bool:
    match child:
        case ast.JoinedStr() | ast.Import() | ast.ImportFrom():
            return True
        case ast.Expr(value=ast.Constant(value=str())):
            return True
        case ast.Constant(value=str()) if (
            isinstance(parent, ast.Call) and _shown(parent.func).rpartition(".")[2] in _NAMES
        ):
            return True
        case ast.If(test=ast.Name(id="TYPE_CHECKING")):
            return True
        case ast.Call(func=ast.Name(id=name)) if name in _TEXTS or name.endswith("Error"):
            return True
        case ast.Subscript() if (
            isinstance(parent, ast.Assign) and parent.targets and _shown(parent.targets[0])[0].isupper()
        ):
            return _shown(child).startswith(
                ("Literal[", "Annotated[", "tuple[", "Callable[", "dict[")
            )  # an alias of a type
        case (
            ast.keyword(arg="strict" | "slots")
            | ast.keyword(arg="formula" | "title" | "paper" | "intuition" | "assumes" | "null" | "bib" | "doi" | "hint")
        ):
            return True
        case _:
            return False


def _replacements(node: ast.AST, parent: ast.AST, field: str) -> Iterator[ast.AST | None]:
    """What may be written instead of a node; None leaves it out."""
    match node:
        case ast.Compare(left=left, ops=[op, *rest], comparators=right):
            for other in _COMPARED[type(op)]:
                yield ast.Compare(left, [other(), *rest], right)
            for at, more in enumerate(rest, 1):
                yield ast.Compare(left, [op, *rest[: at - 1], _COMPARED[type(more)][0](), *rest[at:]], right)
        case ast.BinOp(left=ast.Constant(value=str())) | ast.BinOp(right=ast.Constant(value=str())):
            return
        case ast.BinOp(left=left, op=op, right=right):
            yield ast.BinOp(left, _COMPUTED[type(op)](), right)
        case ast.AugAssign(target=target, op=op, value=value):
            yield ast.AugAssign(target, _COMPUTED[type(op)](), value)
        case ast.BoolOp(op=op, values=values):
            yield ast.BoolOp(ast.Or() if isinstance(op, ast.And) else ast.And(), values)
        case ast.UnaryOp(operand=operand):
            yield operand
        case ast.Constant(value=bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(value=int(value)):
            yield ast.Constant(value + 1)
        case ast.Constant(value=float(value)):
            yield ast.Constant(value * 1.5 if value else 1.0)
        case ast.Constant(value=str(value)) if value and " " not in value:
            yield ast.Constant(value + "_")
        case ast.Name(id=name, ctx=ast.Load()) if field == "func" and name in _TWIN:
            yield ast.Name(_TWIN[name], ast.Load())
        case ast.Attribute(value=value, attr=name, ctx=ast.Load()) if name in _TWIN:
            yield ast.Attribute(value, _TWIN[name], ast.Load())
        case ast.IfExp(test=test, body=body, orelse=orelse) if not isinstance(test, (ast.Compare, ast.BoolOp)):
            yield ast.IfExp(ast.UnaryOp(ast.Not(), test), body, orelse)
        case ast.keyword() if field == "keywords":
            yield None
        case ast.Break():
            yield ast.Continue()
        case ast.Continue():
            yield ast.Break()
        case ast.Raise() | ast.Expr(value=ast.Call()) | ast.Assign(targets=[ast.Subscript() | ast.Attribute()]):
            yield ast.Pass()
        case ast.Return(value=ast.expr() as value) if isinstance(parent, ast.If):
            yield ast.Pass()
    match parent:
        case ast.If() | ast.While() if field == "test" and not isinstance(node, (ast.Compare, ast.BoolOp, ast.UnaryOp)):
            yield ast.UnaryOp(ast.Not(), node)  # type: ignore[arg-type]
