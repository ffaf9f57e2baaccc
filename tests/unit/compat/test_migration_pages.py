"""The examples of the migration pages: the code for the tool, the same with another import, and the code for `judged` give the same result."""

import json
import re
import shutil
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from judged.io.sample import sample_path

PAGES = Path(__file__).parents[3] / "docs" / "migration"
# Results of the first block of an example, for tools that the tests do not install: trec_eval 10.0, BEIR 2.2.0, and ranx 0.3.20 without numba's
# compiler, which is the same arithmetic in plain Python.
RECORDED = json.loads((Path(__file__).parents[2] / "data" / "migration.json").read_text(encoding="utf-8"))
TITLES = ("before", "after: one line", "after: judged")
PEER = {
    "beir": ("beir.retrieval.evaluation", "judged.compat.beir"),
    "sklearn": ("sklearn.metrics", "judged.compat.sklearn"),
}


def examples(*, live: bool = False) -> list[Any]:
    """(page, the three blocks), in the order of the pages; `live` if the tool is called where there is no recorded result."""
    found = []
    for path in sorted(PAGES.glob("*.md")):
        blocks = re.findall(r"^```python\n# (.*?)\n(.*?)^```$", path.read_text(encoding="utf-8"), re.M | re.S)
        assert [title for title, _ in blocks] == [*TITLES] * (len(blocks) // 3), path.name
        codes = [code for _, code in blocks]
        for i in range(0, len(codes), 3):
            three, name = codes[i : i + 3], f"{path.stem}-{i // 3}"
            needed = ["pandas"] if "pandas" in "".join(three) else []
            needed += [path.stem] if live and name not in RECORDED else []
            slow = [pytest.mark.slow] if live and path.stem == "ranx" else []  # it compiles for half a minute
            found.append(pytest.param(path.stem, three, id=name, marks=[pytest.mark.needs(*needed), *slow]))
    return found


def changed(page: str, before: str) -> str:
    """The code for the tool with the import of the drop-in."""
    theirs, ours = PEER.get(page, (page, f"judged.compat.{page}"))
    before = re.sub(rf"^import {theirs}$", f"from judged.compat import {page}", before, flags=re.M)
    return re.sub(rf"^from {re.escape(theirs)} import", f"from {ours} import", before, flags=re.M)


def run(code: str) -> Any:
    names = {"qrels": str(sample_path("qrels.txt")), "run": str(sample_path("runs/bm25.run")), "other_run": str(sample_path("runs/dense.run"))}  # fmt: skip
    exec(compile(code, "a migration page", "exec"), names)
    return names["result"]


def same(a: Any, b: Any) -> bool:
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(map(same, a, b))
    return a == b if isinstance(a, str) else a == pytest.approx(b, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize(("page", "codes"), examples())
def test_judged_gives_the_result_of_the_drop_in(page, codes):
    assert same(run(codes[1]), run(codes[2]))


@pytest.mark.parametrize(("page", "codes"), examples())
def test_only_import_lines_change(page, codes):
    if page != "trec_eval":
        assert changed(page, codes[0]) == codes[1]


@pytest.mark.parametrize(("page", "codes"), examples(live=True))
def test_the_tool_gives_the_result_of_the_drop_in(page, codes, request):
    installed = shutil.which("trec_eval") if page == "trec_eval" else find_spec(page)
    assert same(run(codes[0]) if installed else RECORDED[request.node.callspec.id], run(codes[1]))


def test_every_page_is_linked():
    index = (PAGES / "index.md").read_text(encoding="utf-8")
    pages = {path.name for path in PAGES.glob("*.md")} - {"index.md"}
    assert {name for name in pages if f"({name})" not in index} == set()
    readme = (PAGES.parents[1] / "README.md").read_text(encoding="utf-8")
    assert "docs/migration/index.md" in readme
    assert {name for name in pages if f"docs/migration/{name}" not in readme} == set()


def test_every_drop_in_has_a_page():
    from judged import compat

    assert {path.stem for path in PAGES.glob("*.md")} - {"index", "trec_eval"} == set(compat.__all__)
