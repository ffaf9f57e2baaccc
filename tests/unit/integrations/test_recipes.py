"""Scores of one question (`jd.rag.scorer`), and the recipes of docs/guides/integrations.md in the tools themselves, where they are installed."""

import math
import re
from pathlib import Path

import pytest
from refusals import refusal

import judged as jd

PAGE = (Path(__file__).parents[3] / "docs" / "guides" / "integrations.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n# (\w+)\n(.*?)```", PAGE, re.DOTALL)
TOOLS = {"mlflow", "ragas", "deepeval", "haystack", "llama_index", "inspect_ai"}


def test_a_scorer_returns_the_value_of_each_measure():
    score = jd.rag.scorer("nDCG@10 RR")
    assert score(["a", "x", "c"], ["a", "b"]) == {"nDCG@10": pytest.approx(1 / (1 + 1 / math.log2(3))), "RR": 1}
    assert score(["a"], {"a": 1, "b": 3})["nDCG@10"] == pytest.approx(1 / (3 + 1 / math.log2(3)))
    assert score((7, 8), [8]) == score(["7", "8"], {"8": 1})


def test_options_are_those_of_evaluate():
    assert jd.rag.scorer("P@3")(["a", "a", "x"], ["a"]) == {"P@3": 1 / 3}  # chunks of one document count once
    assert jd.rag.scorer("P@5", level=2)(["a", "b"], {"a": 1, "b": 2}) == {"P(level=2)@5": 1 / 5}
    with pytest.raises(jd.DataError):
        jd.rag.scorer("P@3", duplicates="error")(["a", "a"], ["a"])


def test_a_question_without_relevant_or_retrieved_documents_has_a_value():
    assert jd.rag.scorer("R@3")([], ["a"]) == jd.rag.scorer("R@3")(["a"], []) == {"R@3": 0}
    assert math.isnan(jd.rag.scorer("R@3", empty="skip")(["a"], [])["R@3"])


def test_measures_and_options_are_checked_before_any_question():
    refusal("unknown-name", jd.rag.scorer, "nDGC@10")
    refusal("unknown-option", jd.rag.scorer, "AP", tie="best")


def test_every_tool_has_its_recipe():
    assert {name for name, _ in BLOCKS} == TOOLS


@pytest.mark.filterwarnings("ignore")  # the tools warn
@pytest.mark.parametrize(("name", "block"), [pytest.param(*one, marks=pytest.mark.needs(one[0])) for one in BLOCKS])
def test_the_recipes_run_where_the_tool_is_installed(name, block, tmp_path, monkeypatch):
    code = compile(block, f"docs/guides/integrations.md, {name}", "exec")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    monkeypatch.setenv("MLFLOW_TRACKING_URI", (tmp_path / "runs").as_uri())
    monkeypatch.setenv("MLFLOW_EXPERIMENT_NAME", "judged")
    exec(code, {"__name__": name})
