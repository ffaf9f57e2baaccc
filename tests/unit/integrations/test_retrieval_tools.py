"""Scorers of tools that evaluate retrieval, in the tools themselves where they are installed, else in stand-ins.

A stand-in takes the arguments that the package takes: `tests/data/interfaces.json` has its signatures, written by `tools/record_interfaces.py`.
"""

from __future__ import annotations

import asyncio
import math
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import stand_ins

import judged as jd

PAGE = (Path(__file__).parents[3] / "docs" / "guides" / "integrations.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n# (\w+)\n(.*?)```", PAGE, re.DOTALL)
RELEVANT, RETRIEVED = ["a", "b"], ["a", "x", "c"]
warns = pytest.mark.filterwarnings("ignore")  # the tool itself does
NDCG = 1 / (1 + 1 / math.log2(3))  # the first of two relevant documents, at rank 1


def finished(coroutine):
    """The result of a coroutine, also where this thread has an event loop, as that of a browser."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, coroutine).result()


@pytest.fixture
def tool(monkeypatch):
    return lambda name: stand_ins.find(name, monkeypatch)


# ── MLflow ───────────────────────────────────────────────────────────────────────────────────────


def test_a_scorer_of_mlflow_scores_a_row(tool):
    tool("mlflow")
    scorer = jd.integrations.mlflow.scorer("nDCG@10")
    found = scorer(outputs=RETRIEVED, expectations={"relevant": RELEVANT})
    assert (scorer.name, found.name) == ("nDCG_at_10", "nDCG_at_10")
    assert found.value == pytest.approx(NDCG)


def test_a_scorer_of_mlflow_takes_fields_documents_and_grades(tool):
    tool("mlflow")
    scorer = jd.integrations.mlflow.scorer("nDCG@10", retrieved="documents", relevant="grades", key="metadata.doc_uri")
    outputs = {"answer": "…", "documents": [{"metadata": {"doc_uri": uri}} for uri in RETRIEVED]}
    found = scorer(outputs=outputs, expectations={"grades": {"a": 1, "b": 3}})
    assert found.value == pytest.approx(1 / (3 + 1 / math.log2(3)))
    left_out = jd.integrations.mlflow.scorer("nDCG@10", empty="skip")
    assert left_out(outputs=RETRIEVED, expectations={"relevant": []}) == []


def test_ndcg_of_mlflow_is_wrong_if_fewer_than_k_documents_are_retrieved():
    """Values that MLflow itself gave (`tools/record_profiles.py`): perfect where one relevant document of several was found."""
    from profile_answers import table
    from profile_inputs import positive_only, recorded_inputs

    wrong = 0
    for kind, answers in table("mlflow").items():
        qrels, run = recorded_inputs(kind)
        relevant = positive_only(qrels)
        ours = jd.evaluate(qrels, run, "nDCG(gain='binary')@10", ties="input")
        for query, value in zip(ours.queries, ours["nDCG(gain='binary')@10"].tolist(), strict=True):
            theirs, found = answers["nDCG@10"][str(query)], len(run.get(str(query), ()))
            many = len(relevant.get(str(query), ()))
            if found >= min(10, many) or not found:
                assert theirs == pytest.approx(value, abs=3e-6) or not many
            elif value:
                assert theirs > value + 1e-6
                wrong += 1
    assert wrong >= 5


@pytest.mark.needs("mlflow")
@warns
def test_mlflow_evaluates_rows_with_the_scorer(tool, tmp_path, monkeypatch):
    mlflow = tool("mlflow")
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    mlflow.set_tracking_uri(tmp_path.as_uri())
    mlflow.set_experiment("judged")
    rows = [{"inputs": {"q": i}, "outputs": docs, "expectations": {"relevant": RELEVANT}} for i, docs in enumerate((RETRIEVED, ["x"]))]  # fmt: skip
    found = mlflow.genai.evaluate(data=rows, scorers=[jd.integrations.mlflow.scorer("nDCG@10")])
    assert found.metrics["nDCG_at_10/mean"] == pytest.approx(NDCG / 2)


# ── ragas ────────────────────────────────────────────────────────────────────────────────────────


def test_a_metric_of_ragas_scores_a_sample(tool):
    samples = tool("ragas")
    metric = jd.integrations.ragas.scorer("nDCG@10")
    sample = samples.SingleTurnSample(retrieved_context_ids=RETRIEVED, reference_context_ids=RELEVANT)
    assert metric.name == "nDCG@10"
    assert finished(metric.single_turn_ascore(sample)) == pytest.approx(NDCG)
    [columns] = metric.required_columns.values()
    assert columns == {"retrieved_context_ids", "reference_context_ids"}
    texts = jd.integrations.ragas.scorer("RR", retrieved="retrieved_contexts", relevant="reference_contexts")
    sample = samples.SingleTurnSample(retrieved_contexts=["no", "yes, this"], reference_contexts=["yes, this"])
    assert finished(texts.single_turn_ascore(sample)) == 1 / 2


@pytest.mark.needs("ragas")
@warns
def test_ragas_evaluates_samples_with_the_metric(tool):
    samples = tool("ragas")
    import ragas

    rows = [samples.SingleTurnSample(retrieved_context_ids=docs, reference_context_ids=RELEVANT) for docs in (RETRIEVED, ["x"])]  # fmt: skip
    found = ragas.evaluate(ragas.EvaluationDataset(rows), metrics=[jd.integrations.ragas.scorer("nDCG@10")], show_progress=False)  # fmt: skip
    assert found["nDCG@10"] == pytest.approx([NDCG, 0])


# ── DeepEval ─────────────────────────────────────────────────────────────────────────────────────


def test_a_metric_of_deepeval_scores_a_test_case(tool):
    LLMTestCase = tool("deepeval").LLMTestCase
    case = LLMTestCase(input="?", actual_output="!", context=RELEVANT, retrieval_context=RETRIEVED)
    metric = jd.integrations.deepeval.scorer("nDCG@10", threshold=0.6)
    assert metric.measure(case) == metric.score == pytest.approx(NDCG)
    assert metric.is_successful()
    assert metric.__name__ == "nDCG@10"
    strict = jd.integrations.deepeval.scorer("nDCG@10", threshold=0.7)
    assert finished(strict.a_measure(case)) == pytest.approx(NDCG)
    assert not strict.is_successful()
    assert strict.reason == "nDCG@10 is 0.6131, at least 0.7 is required"
    lower = jd.integrations.deepeval.scorer("FirstHit", threshold=2)
    assert (lower.measure(case), lower.is_successful()) == (1, True)


@pytest.mark.needs("deepeval")
@warns
def test_deepeval_evaluates_test_cases_with_the_metric(tool):
    case = tool("deepeval").LLMTestCase(input="?", actual_output="!", context=RELEVANT, retrieval_context=RETRIEVED)
    from deepeval import assert_test

    assert_test(case, [jd.integrations.deepeval.scorer("nDCG@10", threshold=0.6)], run_async=False)
    with pytest.raises(AssertionError):
        assert_test(case, [jd.integrations.deepeval.scorer("nDCG@10", threshold=0.7)], run_async=False)


# ── Haystack ─────────────────────────────────────────────────────────────────────────────────────


def test_a_component_of_haystack_has_the_outputs_of_its_own_evaluators(tool):
    Document = tool("haystack").Document
    relevant, retrieved = ([Document(content=text) for text in texts] for texts in (RELEVANT, RETRIEVED))
    component = jd.integrations.haystack.scorer("nDCG@10")
    found = component.run(ground_truth_documents=[relevant, relevant], retrieved_documents=[retrieved, retrieved[1:]])
    assert found == {"score": pytest.approx(NDCG / 2), "individual_scores": pytest.approx([NDCG, 0])}
    graded = [Document(content="a", score=1.0), Document(content="b", score=3.0)]
    found = component.run(ground_truth_documents=[graded], retrieved_documents=[retrieved])
    assert found["score"] == pytest.approx(1 / (3 + 1 / math.log2(3)))
    by_file = jd.integrations.haystack.scorer("RR", key="meta.file")
    pages = [Document(content=text, meta={"file": file}) for text, file in (("1", "x"), ("2", "x"), ("3", "a"))]
    assert by_file.run(ground_truth_documents=[[pages[2]]], retrieved_documents=[pages])["score"] == 1 / 2


def test_lists_for_haystack_belong_to_the_same_questions(tool, refusal):
    tool("haystack")
    component = jd.integrations.haystack.scorer("nDCG@10")
    refusal("lengths", component.run, ground_truth_documents=[[], []], retrieved_documents=[[]])


@pytest.mark.needs("haystack")
@warns
def test_a_pipeline_of_haystack_is_saved_and_loaded_with_the_component(tool):
    haystack = tool("haystack")
    pipeline = haystack.Pipeline()
    pipeline.add_component("nDCG", jd.integrations.haystack.scorer("nDCG@10", empty="skip"))
    again = haystack.Pipeline.loads(pipeline.dumps(), allowed_modules=["judged.integrations.haystack"])
    documents = [[haystack.Document(content=text) for text in RETRIEVED]]
    found = again.run({"nDCG": {"ground_truth_documents": documents, "retrieved_documents": documents}})
    assert found["nDCG"]["score"] == 1


# ── LlamaIndex ───────────────────────────────────────────────────────────────────────────────────


def test_a_metric_of_llama_index_scores_a_query(tool):
    tool("llama_index")
    metric = jd.integrations.llama_index.scorer("nDCG@10")
    found = metric.compute(query="?", expected_ids=RELEVANT, retrieved_ids=RETRIEVED)
    assert metric.metric_name == "nDCG@10"
    assert float(found) == found.score == pytest.approx(NDCG)
    texts = jd.integrations.llama_index.scorer("RR", texts=True)
    assert texts.compute(expected_texts=["yes"], retrieved_texts=["no", "yes"]).score == 1 / 2


@pytest.mark.needs("llama_index")
@warns
def test_llama_index_evaluates_a_retriever_with_the_metric(tool):
    tool("llama_index")
    from llama_index.core.base.base_retriever import BaseRetriever
    from llama_index.core.evaluation import RetrieverEvaluator
    from llama_index.core.schema import NodeWithScore, TextNode

    class Fixed(BaseRetriever):
        def _retrieve(self, query_bundle):
            return [NodeWithScore(node=TextNode(id_=doc, text=doc), score=1.0) for doc in RETRIEVED]

    evaluator = RetrieverEvaluator(metrics=[jd.integrations.llama_index.scorer("nDCG@10")], retriever=Fixed())
    found = evaluator.evaluate(query="?", expected_ids=RELEVANT)
    assert found.metric_vals_dict == {"nDCG@10": pytest.approx(NDCG)}


# ── Inspect ──────────────────────────────────────────────────────────────────────────────────────


def task_state(metadata, target):
    target = sys.modules["inspect_ai.scorer"].Target(target)  # of a stand-in too
    return sys.modules["inspect_ai.solver"].TaskState(
        model="none/none", sample_id=1, epoch=1, input="?", messages=[], target=target, metadata=metadata
    )


def test_a_scorer_of_inspect_scores_a_sample(tool):
    tool("inspect_ai")
    scorer = jd.integrations.inspect_ai.scorer("nDCG@10")
    state = task_state(metadata={"retrieved": RETRIEVED}, target=RELEVANT)
    assert finished(scorer(state, state.target)).value == pytest.approx(NDCG)
    graded = jd.integrations.inspect_ai.scorer("nDCG@10", relevant="grades", retrieved=lambda state: RETRIEVED)
    state = task_state(metadata={"grades": {"a": 1, "b": 3}}, target=[])
    assert finished(graded(state, state.target)).value == pytest.approx(1 / (3 + 1 / math.log2(3)))


@pytest.mark.needs("inspect_ai")
@warns
def test_inspect_evaluates_a_task_with_the_scorer(tool, tmp_path):
    tool("inspect_ai")
    from inspect_ai import Task
    from inspect_ai import eval as evaluate
    from inspect_ai.dataset import Sample
    from inspect_ai.solver import solver

    @solver
    def retriever():
        async def solve(state, generate):
            state.store.set("retrieved", state.metadata["index"])
            return state

        return solve

    samples = [Sample(input="?", target=RELEVANT, metadata={"index": docs}) for docs in (RETRIEVED, ["x"])]
    task = Task(dataset=samples, solver=retriever(), scorer=jd.integrations.inspect_ai.scorer("nDCG@10"))
    [found] = evaluate(task, model="mockllm/model", log_dir=str(tmp_path), display="none")
    assert found.results.scores[0].name == "nDCG@10"
    assert found.results.scores[0].metrics["mean"].value == pytest.approx(NDCG / 2)


# ── all of them ──────────────────────────────────────────────────────────────────────────────────

TOOLS = ("mlflow", "ragas", "deepeval", "haystack", "llama_index", "inspect_ai")


@pytest.mark.parametrize("name", TOOLS)
def test_a_scorer_takes_one_measure_that_exists(name, refusal):
    make = getattr(jd.integrations, name).scorer
    refusal("measure", make, "AP RR")
    refusal("unknown-measure", make, "nDGC@10")
    refusal("unknown-option", make, "AP", tie="best")


@pytest.mark.parametrize("name", TOOLS)
def test_a_tool_that_is_not_installed_is_named(name, refusal, monkeypatch):
    stand_ins.hide(name, monkeypatch)
    error = refusal("needs", getattr(jd.integrations, name).scorer, "AP")
    assert "pip install" in str(error)


def test_documents_are_identified_by_their_ids(refusal):
    from judged.integrations._retrieval import Retrieval, identify

    class Node:
        node_id = "n"

    assert [identify(d) for d in ("a", 7, {"doc_id": "x"}, Node())] == ["a", "7", "x", "n"]
    refusal("no-document", identify, object())
    refusal("fields", identify, {"meta": {}}, "meta.file")
    assert Retrieval("P@3", {}).of(["a"], ["a", "a", "x"]) == 1 / 3  # chunks of one document count once
    assert Retrieval("R@3", {}).of([], ["a"]) == 0
    assert Retrieval("R@3", {}).of(["a"], []) == 0
    assert math.isnan(Retrieval("R@3", {"empty": "skip"}).of([], ["a"]))
    assert Retrieval("P@5", {"level": 2}).of({"a": 1, "b": 2}, ["a", "b"]) == 1 / 5


def test_every_tool_has_its_example():
    assert {name for name, _ in BLOCKS} == {*TOOLS}


@warns
@pytest.mark.parametrize(("name", "block"), [pytest.param(*one, marks=pytest.mark.needs(one[0])) for one in BLOCKS])
def test_the_examples_of_the_page_run_where_the_tool_is_installed(name, block, tmp_path, monkeypatch):
    code = compile(block, f"docs/guides/integrations.md, {name}", "exec")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    monkeypatch.setenv("MLFLOW_TRACKING_URI", (tmp_path / "runs").as_uri())
    monkeypatch.setenv("MLFLOW_EXPERIMENT_NAME", "judged")
    exec(code, {"__name__": name})
