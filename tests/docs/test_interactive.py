"""The interactive ranking of the documentation: its JavaScript computes what Python computes, to the terms of the sums."""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from random import Random

import pytest
from needs import DENO

import judged as jd
from judged.page.assemble import script_files

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "interactive"
ALONE = {"NO_COLOR": "1", "DENO_DIR": str(Path(tempfile.gettempdir()) / "judged-deno"), "PATH": "/usr/bin:/bin"}


@pytest.fixture(scope="module")
def interactive():
    sys.path.insert(0, str(ROOT))
    try:
        from tools.site import interactive
    finally:
        sys.path.pop(0)
    return interactive


def generated() -> list[dict]:
    """Rankings of 1 to 10 documents; without relevant documents, with cutoffs beyond the list, with relevant documents that are missing."""
    random = Random(0)
    cases = [
        {"grades": [0] * 8, "missed": 0, "k": 4, "gain": "linear"},
        {"grades": [0] * 8, "missed": 3, "k": 12, "gain": "exp"},
        {"grades": [3], "missed": 0, "k": 10, "gain": "exp"},
        {"grades": [1, 0, 1, 1, 0, 1, 0, 0], "missed": 0, "k": 4, "gain": "linear"},
    ]
    for _ in range(60):
        top = random.choice((1, 3))
        grades = [random.randint(0, top) for _ in range(random.randint(1, 10))]
        missed = random.choice((0, 0, 1, 12))
        cases.append({"grades": grades, "missed": missed, "k": random.randint(1, 12), "gain": random.choice(("linear", "exp"))})  # fmt: skip
    return cases


def in_javascript(cases: list[dict], folder: Path) -> list[list[dict]]:
    code = folder / "measures.js"
    code.write_text(
        f'import {{ measureAll }} from "{(FOLDER / "measures.js").as_uri()}";\n'
        f"console.log(JSON.stringify({json.dumps(cases)}.map(measureAll)));\n"
    )
    done = subprocess.run([DENO, "run", "--quiet", str(code)], capture_output=True, text=True, env=ALONE)
    return json.loads(done.stdout or done.stderr)


def in_python(case: dict, names: list[str]):
    docs = [f"d{i:02d}" for i in range(len(case["grades"]))]
    judged = dict(zip(docs, case["grades"], strict=True)) | {f"x{i}": 1 for i in range(case["missed"])}
    return jd.evaluate({"q": judged}, {"q": docs}, names)


@pytest.mark.needs("deno")
def test_values_and_terms_are_those_of_python(tmp_path):
    cases = generated()
    for case, found in zip(cases, in_javascript(cases, tmp_path), strict=True):
        result = in_python(case, [each["python"] for each in found])
        for each, (name, value) in zip(found, result.mean().items(), strict=True):
            assert each["value"] == pytest.approx(value, abs=1e-12), (case, name)
            explained = result.explain(name, "q")
            assert each["closing"].replace("∞", "inf") == explained.closing, (case, name)
            for header in set(each["headers"]) & set(explained.headers):
                ours = [row[each["headers"].index(header)] for row in each["rows"]]
                theirs = [row[explained.headers.index(header)] for row in explained.rows][: len(ours)]
                wanted = list(map(bool, theirs)) if header == "relevant" else theirs
                assert ours == pytest.approx(wanted, abs=1e-12), (case, name, header)
            if each.get("ideal"):
                terms = [row[explained.ideal.headers.index("gain/discount")] for row in explained.ideal.rows]
                assert each["ideal"] == pytest.approx(terms, abs=1e-12), (case, name)


def test_the_page_is_one_file_that_loads_nothing(interactive):
    page = interactive.page()
    assert "{{" not in page
    assert re.findall(r'(?:src|href)="(?!#|index\.html)[^"]*"', page) == []
    assert "default-src 'none'" in page


def test_names_are_declared_in_one_script_only(interactive):
    """The scripts are concatenated."""
    declared = [
        name
        for path in script_files(interactive.RANKING)
        for name in re.findall(
            r"^(?:export )?(?:async )?(?:function|const|let|class) (\w+)", path.read_text("utf-8"), re.M
        )
    ]
    assert sorted(declared) == sorted(set(declared))


def test_every_script_of_the_folder_is_part_of_the_page(interactive):
    assert {path for path in script_files(interactive.RANKING) if path.parent == FOLDER} == set(FOLDER.glob("*.js"))
