"""Write the stubs of metrics and measures from their declarations: `python tools/make_stubs.py`."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

import judged
from judged import metrics
from judged.measures import MEASURES

PACKAGE = Path(judged.__file__).parent
FUNCTIONS = PACKAGE / "metrics.pyi"
NAMES = PACKAGE / "measures" / "__init__.pyi"
MARK = "# Written by tools/make_stubs.py."
COMMON = {
    "scores": "Any = None", "k": "int | Iterable[int] | None = None", "mask": "Any = None", "pad": "float | None = None", "group": "Any = None", "qid": "Any = None",
    "total_relevant": "Any = None", "same_kind": "bool = False", "gains": "Mapping[float, float] | None = None", "ties": "Ties = ...", "empty": "Empty = ...",
}  # fmt: skip


def functions() -> str:
    """The stub of `judged.metrics`."""
    lines = [
        "# Written by tools/make_stubs.py.",
        "# fmt: off",
        "# ruff: noqa: N803",
        "from collections.abc import Callable, Iterable, Mapping",
        "from typing import Any, Literal",
        "",
        "from judged.core.policy import Empty, Ties",
        "",
    ]
    return "\n".join([*lines, *map(_stub, dir(metrics)), ""]).replace("collections.abc.", "")


def public_names() -> str:
    """The stub of `judged.measures`: its other public names as they are, then the measures."""
    written = NAMES.read_text(encoding="utf-8").partition(MARK)[0].rstrip("\n")
    own = [d.name for d in MEASURES if d.family != "own" and d.name.isidentifier()]
    return "\n".join([written, "", MARK, "# ruff: noqa: N816", *(f"{name}: Measure" for name in own), ""])


def _stub(name: str) -> str:
    parameters = list(inspect.signature(getattr(metrics, name)).parameters.values())
    first = [p.name for p in parameters if p.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD]
    texts = [f"{p}: Any" if p not in COMMON else f"{p}: {COMMON[p]}" for p in first]
    hints = _hints(name)
    rest = [p for p in parameters if p.kind is inspect.Parameter.KEYWORD_ONLY]
    keywords = [f"{p.name}: {COMMON.get(p.name) or f'{_type(hints[p.name])} = {p.default!r}'}" for p in rest]
    return f"def {name}({', '.join([*texts, '*', *keywords])}) -> Any: ..."


def _hints(name: str) -> dict[str, Any]:
    from judged.metrics import _definitions

    return get_type_hints(_definitions()[name].function)


def _type(hint: Any) -> str:
    if get_origin(hint) is Literal:
        return f"Literal[{', '.join(map(repr, get_args(hint)))}]"
    return hint.__name__ if isinstance(hint, type) and not get_args(hint) else str(hint)


if __name__ == "__main__":
    FUNCTIONS.write_text(functions(), encoding="utf-8")
    NAMES.write_text(public_names(), encoding="utf-8")
