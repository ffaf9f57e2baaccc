"""The checked-in stub of the native module is the one that the build generates."""

import ast
import re
from pathlib import Path

import pytest

import judged.core
from judged.core.native import native

pytestmark = pytest.mark.needs("native")

STUB = ast.parse((Path(judged.core.__file__).parent / "_native.pyi").read_text())


def parameters(node: ast.FunctionDef) -> tuple[str, ...]:
    return tuple(argument.arg for argument in node.args.args)


def native_parameters(function) -> set[tuple[str, ...]]:
    """The parameter names of each overload, as nanobind keeps them."""
    return {_names_of(signature) for signature, *_ in function.__nb_signature__}


def _names_of(signature: str) -> tuple[str, ...]:
    text = signature.partition("(")[2].rpartition(") ->")[0]
    while text != (text := re.sub(r"\[[^\[\]]*\]", "", text)):  # types, from the innermost brackets
        pass
    return tuple(part.partition(":")[0].strip() for part in text.split(",") if part.strip())


def test_the_stub_has_the_names_of_the_module():
    names = {node.name for node in STUB.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    names |= {node.target.id for node in STUB.body if isinstance(node, ast.AnnAssign)}
    assert names == {name for name in dir(native) if not name.startswith("_")}


def test_functions_of_the_stub_have_the_parameters_of_the_module():
    functions: dict[str, set[tuple[str, ...]]] = {}
    for node in STUB.body:
        if isinstance(node, ast.FunctionDef):
            functions.setdefault(node.name, set()).add(parameters(node))
    assert functions == {name: native_parameters(getattr(native, name)) for name in functions}
