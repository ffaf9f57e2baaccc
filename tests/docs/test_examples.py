"""The scripts in `examples/` run and answer their question; the data of the tutorials is what its script makes."""

import importlib.util
import runpy
from pathlib import Path

import pytest

from judged.cli.demo import COLLECTIONS

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
DATA = ROOT / "src" / "judged" / "sample"
_SPEC = importlib.util.spec_from_file_location("make_tutorial_data", ROOT / "tools" / "make_tutorial_data.py")
maker = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(maker)

LARGEST = 150_000
ANSWERS = {  # what a script prints, in facts that no version of a library changes
    "agreement": ["kappa(quadratic) 0.76", "kappa of four labels: 0.50"],
    "compare_two_runs": ["dense is clearly better than bm25 on nDCG@10."],
    "evaluate_dataframe": [f"'RR': {(1 + 1 / 2) / 2}", f"'P@1': {1 / 2}"],
    "fuse_runs": ["fused is clearly better than bm25 on nDCG@10"],
    "gate_in_ci": ["PASS  synonyms against main"],
    "lightgbm_metric": ["by model is clearly better than by hand on nDCG@5."],
    "rag_retrievers": ["1 / 2 = 0.5", f"'R@500tok': {round((1 + 1 / 2 + 1) / 3, 3)}"],
    "recommender": ["Coverage@10", "200 users"],
}
NEEDS = {"evaluate_dataframe": ["pandas"], "recommender": ["pandas"], "lightgbm_metric": ["lightgbm", "sklearn"]}


def test_every_script_is_tested_and_short():
    scripts = {path.stem: path.read_text(encoding="utf-8") for path in EXAMPLES.glob("*.py")}
    assert scripts.keys() == ANSWERS.keys()
    assert max(text.count("\n") for text in scripts.values()) < 40


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.needs(*NEEDS.get(name, ()))) for name in ANSWERS]
)
def test_a_script_answers_its_question(name, capsys):
    try:
        runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
    except SystemExit as end:
        assert end.code == 0  # noqa: PT017
    said = capsys.readouterr().out
    assert [fact for fact in ANSWERS[name] if fact not in said] == []


def test_the_data_of_the_tutorials_is_what_its_script_makes(tmp_path):
    maker.main(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == set(COLLECTIONS)
    for path in filter(Path.is_file, tmp_path.rglob("*")):
        assert path.read_bytes() == (DATA / path.relative_to(tmp_path)).read_bytes(), (
            "run: python tools/make_tutorial_data.py"
        )


def test_every_folder_of_data_is_small_and_described():
    for folder in (DATA / name for name in COLLECTIONS):
        assert (folder / "README.md").is_file()
        assert sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) < LARGEST
