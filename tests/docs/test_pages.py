"""Every code block of the README and the docs runs, and prints what the page shows."""

import importlib.util
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
_SPEC = importlib.util.spec_from_file_location("run_page", ROOT / "tools" / "run_page.py")
runner = importlib.util.module_from_spec(_SPEC)
sys.modules["run_page"] = runner
_SPEC.loader.exec_module(runner)
PAGE = """# A page

```python
x = 2
print(x + 1)
```

```text
3
```

```python
>>> x * 2
4
>>> for i in range(2):
...     print(i)
0
1

```

```csv title="notes/a.csv"
query,doc
```

```console
$ cat notes/a.csv
query,doc
$ cd notes
$ ls; false
a.csv
[exit 1]
$ seq 9
1
…
9
```

```bash
test -f a.csv
```
"""


def pages():
    for page in runner.pages():
        needs = runner.needs(page)
        marks = [*([pytest.mark.needs(*needs)] if needs else []), *([pytest.mark.spark] if "pyspark" in needs else [])]
        yield pytest.param(page, marks=marks, id=page.relative_to(ROOT).as_posix())


@pytest.mark.slow
@pytest.mark.parametrize("page", list(pages()))
def test_a_page_shows_what_its_code_prints(page, tmp_path, monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "Agg")
    result = runner.run_page(page, tmp_path)
    assert result.problems == [], "\n\n".join([*result.problems, f"run: python tools/run_page.py {page} --update"])


@pytest.mark.parametrize("change", [("3", "4"), (">>> x * 2\n4", ">>> x * 2\n5"), ("0\n1\n", "0\n"), ("[exit 1]\n", ""), ("…\n9", "…\n8"), ("query,doc\n$", "$")])  # fmt: skip
def test_a_wrong_output_is_found_and_updated(change, tmp_path):
    page = tmp_path / "page.md"
    page.write_text(PAGE.replace(*change, 1))
    folder = tmp_path / "folder"
    folder.mkdir()
    result = runner.run_page(page, folder)
    assert (len(result.problems), result.run) == (1, 4)
    assert result.updated() == PAGE


def test_a_block_without_a_language_and_code_that_fails_are_found(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(
        "```\njudged demo\n```\n\n```python\n1 / 0\n```\n\n<!-- not run: a reason -->\n```bash\nfalse\n```\n"
    )
    result = runner.run_page(page, tmp_path)
    assert len(result.problems) == 2
    assert [reason.partition(": ")[2] for reason in result.not_run] == ["a reason"]
