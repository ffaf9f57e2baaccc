"""How to call a measure: in Python, in a shell and on arrays, with the real output."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from tools.site.execute import console, folder, session
from tools.site.writing import block

from judged import metrics
from judged.measures.registry import Definition

_FILES = {  # judgments that some measures need, and their meaning
    "subtopics": ("subtopics.txt", "the second column is the subtopic", "q1 1 a 1\nq1 1 b 1\nq1 2 c 1\nq1 2 d 0\n"),
    "groups": ("groups.txt", "the second column is the group of judges", "q1 1 a 1\nq1 1 b 0\nq1 2 a 1\nq1 2 c 1\n"),
    "preferences": (
        "preferences.txt",
        "the second column is the judge; a document with a higher grade is preferred",
        "q1 1 a 2\nq1 1 b 1\nq1 2 c 1\nq1 2 a 0\n",
    ),
}
_SPANS = """\
passages = {"q1": [{"doc": "terms", "start": 120, "end": 180}]}
chunks = {"q1": [{"doc": "terms", "start": 100, "end": 160}, {"doc": "faq", "start": 0, "end": 80}]}
"""
_LISTS = 'run = {"ann": ["a", "b"], "bob": ["a", "c"], "eve": ["b", "d"]}\n'
_SIDE = {
    "items": 'items=["a", "b", "c", "d", "e"]',
    "history": 'history={"ann": ["c", "d"], "bob": ["d"], "eve": ["a", "e"]}',
    "vectors": 'vectors={"a": [1, 0], "b": [1, 1], "c": [0, 1], "d": [0, 1]}',
    "qrels": 'qrels={"ann": ["a"], "bob": ["b"], "eve": ["d"]}',
    "categories": 'categories={"a": "Drama", "b": "Drama", "c": "War", "d": "War", "e": "War"}',
}


def call_examples(d: Definition) -> Iterator[str]:
    """Blocks of a page, each below a sentence."""
    if d.needs == "recommendations":
        yield from _beyond(d)
    elif d.needs == "spans":
        code = f'import judged as jd\n{_SPANS}jd.evaluate(passages, chunks, "{d.name}").mean()'
        yield from ("Judgments and chunks are spans of characters:", "", *block(session(code), "pycon"), "")
    elif d.needs != "grades":
        yield from _second_column(d)
    else:
        yield from _ranking(d)


def _ranking(d: Definition) -> Iterator[str]:
    name = f"{d.name}@10" if d.at == "cutoff" else d.name
    take = f'["{name}"][:3]' if d.text or d.summary == "none" else ".mean()"
    yield from ("On the sample collection, in Python and in a shell:", "")
    code = f'import judged as jd\njd.evaluate("qrels.txt", "bm25.run", "{name}"){take}'
    yield from (*block(session(code), "pycon"), "")
    words = ("eval", "qrels.txt", "bm25.run", "-m", name)
    if d.text:
        yield from (*block("\n".join(console(*words).split("\n")[:6]), "console"), "")
    else:
        yield from (*block(console(*words), "console"), "")
    if function := array_function_of(d):
        labels = [f"{grade:g}" for grade in (d.example[0] if d.example else [1, 0, 1])]
        scores = [str(9 - i) for i in range(len(labels))]
        params = "".join(f", {n}={v!r}" for n, v in d.example_params.items() if n != "cutoff")
        cut = d.example_params.get("cutoff")
        params = (f", k={cut!r}" if cut is not None else "") + params
        code = f"{function}([{', '.join(labels)}], [{', '.join(scores)}]{params})"
        yield from ("The same measure of an array of labels and an array of scores:", "")
        yield from (*block(session(f"from judged.metrics import {function}\n{code}"), "pycon"), "")


def _second_column(d: Definition) -> Iterator[str]:
    name, meaning, text = _FILES[d.needs]
    (folder() / name).write_text(text, encoding="utf-8")
    (folder() / "system.run").write_text("q1 Q0 a 1 9 x\nq1 Q0 b 2 8 x\nq1 Q0 c 3 7 x\n", encoding="utf-8")
    yield from (f"The judgments have {d.needs}: in `{name}`, {meaning}.", "", *block(text), "")
    yield from ("The run `system.run` ranks a, b and c:", "")
    yield from (*block(console("eval", name, "system.run", "-m", d.name), "console"), "")
    code = f'import judged as jd\njd.evaluate("{name}", "system.run", "{d.name}").mean()'
    yield from (*block(session(code), "pycon"), "")


def _beyond(d: Definition) -> Iterator[str]:
    side = "".join(f",\n    {_SIDE[need]}" for need in d.arguments)
    call = f'jd.recommenders.beyond_accuracy(\n    run, "{d.name}", k=2{side},\n).summary()' if side else f'jd.recommenders.beyond_accuracy(run, "{d.name}", k=2).summary()'  # fmt: skip
    yield from ("Two recommendations for each of three users:", "")
    yield from (*block(session(f"import judged as jd\n{_LISTS}{call}"), "pycon"), "")


@cache
def _functions() -> dict[str, list[str]]:
    from judged.metrics import _definitions

    found: dict[str, list[str]] = {}
    for name in dir(metrics):
        found.setdefault(_definitions()[name].name, []).append(name)
    return found


def array_functions_of(d: Definition) -> list[str]:
    """The names of the array functions of a measure, the shortest first."""
    return sorted(_functions().get(d.name, []), key=lambda name: (len(name), name))


def array_function_of(d: Definition) -> str:
    """The name of the array function that examples use: the formula's own, or none."""
    names = array_functions_of(d)
    own = d.name.lower()
    return own if own in names else d.function.__name__ if d.function.__name__ in names else (names or [""])[0]
