"""Write the stubs of array functions and measures from their declarations: `python tools/make_stubs.py`."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

import judged
from judged.evaluation.array_functions import array_function, array_function_names
from judged.measures import MEASURES

PACKAGE = Path(judged.__file__).parent
FUNCTIONS = PACKAGE / "evaluation" / "array_functions.pyi"
NAMES = PACKAGE / "__init__.pyi"
MARK = "# Written by tools/make_stubs.py: measures, and their functions of labels and scores."
COMMON = {
    "scores": "Any = None", "k": "int | Iterable[int] | None = None", "mask": "Any = None", "pad": "float | None = None", "group": "Any = None", "qid": "Any = None",
    "total_relevant": "Any = None", "same_kind": "bool = False", "gains": "Mapping[float, float] | None = None", "ties": "Ties = ...", "empty": "Empty = ...",
}  # fmt: skip


def functions() -> str:
    """The stub of `judged.evaluation.array_functions`."""
    lines = [
        "# Written by tools/make_stubs.py.",
        "# fmt: off",
        "# ruff: noqa: N803",
        "from collections.abc import Callable, Iterable, Mapping",
        "from typing import Any, Literal",
        "",
        "from judged.core.policy import Empty, Ties",
        "",
        "def array_function(name: str) -> Callable[..., Any] | None: ...",
        "def array_function_names() -> list[str]: ...",
    ]
    return "\n".join([*lines, *map(_stub, array_function_names()), ""]).replace("collections.abc.", "")


def public_names() -> str:
    """The stub of `judged`: its public names as they are, then measures and array functions."""
    written = NAMES.read_text(encoding="utf-8").partition(MARK)[0].rstrip("\n")
    own = [d.name for d in MEASURES if d.family != "own" and d.name.isidentifier()]
    functions = [name for name in array_function_names() if name not in own]
    lines = [MARK, "# ruff: noqa: N816"]
    lines += [f"{name} = _functions.{name}" for name in functions]
    return "\n".join([written, "", *lines, *(f"{name}: Measure" for name in own if name not in judged.__all__), ""])


def _stub(name: str) -> str:
    function = array_function(name)
    assert function is not None
    parameters = list(inspect.signature(function).parameters.values())
    first = [p.name for p in parameters if p.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD]
    texts = [f"{p}: Any" if p not in COMMON else f"{p}: {COMMON[p]}" for p in first]
    hints = _hints(name)
    rest = [p for p in parameters if p.kind is inspect.Parameter.KEYWORD_ONLY]
    keywords = [f"{p.name}: {COMMON.get(p.name) or f'{_type(hints[p.name])} = {p.default!r}'}" for p in rest]
    return f"def {name}({', '.join([*texts, '*', *keywords])}) -> Any: ..."


def _hints(name: str) -> dict[str, Any]:
    from judged.evaluation.array_functions import _definitions

    return get_type_hints(_definitions()[name].function)


def _type(hint: Any) -> str:
    if get_origin(hint) is Literal:
        return f"Literal[{', '.join(map(repr, get_args(hint)))}]"
    return hint.__name__ if isinstance(hint, type) and not get_args(hint) else str(hint)


if __name__ == "__main__":
    FUNCTIONS.write_text(functions(), encoding="utf-8")
    NAMES.write_text(public_names(), encoding="utf-8")
