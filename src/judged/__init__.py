"""Your rankings, judged.

    import judged as jd
    from judged.measures import nDCG, AP

    result = jd.evaluate("qrels.txt", "bm25.run", [nDCG @ 10, AP, "RR@10"])
    print(result)

Measures are in `judged.measures`, functions of labels and scores in `judged.metrics`: `ndcg(labels, scores, k=10)`.
`judged measures` lists them. All public names are in `__init__.pyi`. Each is imported when it is first used.
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:  # nothing is imported before `__main__` handles signals
    from typing import Any


def __getattr__(name: str) -> Any:
    if not _STUB:
        import lazy_loader

        _STUB[:] = lazy_loader.attach_stub(__name__, __file__)
    public, _, names = _STUB
    if name not in names and name != "__all__":
        raise AttributeError(f"module 'judged' has no attribute {name!r}{_suggestion(name)}")
    value = globals()[name] = names if name == "__all__" else public(name)
    return value


_STUB: list[Any] = []


def _suggestion(name: str) -> str:
    from difflib import get_close_matches

    if name.startswith("_"):
        return ""
    metrics = import_module("judged.metrics")
    if name in metrics.ELSEWHERE:
        return f"; use {metrics.ELSEWHERE[name]}"
    for place in ("metrics", "measures"):
        if hasattr(import_module(f"judged.{place}"), name):
            return f"; use judged.{place}.{name}"
    known = __getattr__("__all__")
    longer = [other for other in known if other.startswith(f"{name}_")]
    near = next(iter(longer + get_close_matches(name, known, 1)), None)
    return f"; did you mean jd.{near}?" if near else ""


def __dir__() -> list[str]:
    return sorted(__getattr__("__all__"))
