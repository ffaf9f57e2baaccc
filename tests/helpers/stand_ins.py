"""Other tools where they are installed; else stand-ins that accept exactly what the recorded interface of the tool accepts.

`tools/record_interfaces.py` records signatures from the packages themselves.
"""

from __future__ import annotations

import json
import re
import sys
from enum import Enum
from importlib import import_module
from inspect import Parameter, Signature, signature
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

from needs import is_missing

RECORDED = json.loads((Path(__file__).parents[1] / "data" / "interfaces.json").read_text())
PARTS = {  # of the tools that integrations import
    "mlflow": ("mlflow", "mlflow.genai", "mlflow.entities"), "ragas": ("ragas", "ragas.metrics", "ragas.metrics.base", "ragas.dataset_schema"),
    "deepeval": ("deepeval", "deepeval.metrics", "deepeval.test_case"), "haystack": ("haystack",),
    "llama_index": ("llama_index", "llama_index.core", "llama_index.core.evaluation", "llama_index.core.evaluation.retrieval",
                    "llama_index.core.evaluation.retrieval.metrics_base"),
    "inspect_ai": ("inspect_ai", "inspect_ai.scorer", "inspect_ai.solver"), "wandb": ("wandb",), "dvclive": ("dvclive",), "tensorboardX": ("tensorboardX",),
}  # fmt: skip


def recorded(name: str) -> Signature:
    """The recorded signature of `module:thing`."""
    rows = next(entry["signatures"][name] for entry in RECORDED.values() if name in entry["signatures"])
    kinds = {kind.name: kind for kind in type(Parameter.VAR_KEYWORD)}
    return Signature([Parameter(n, kinds[k], default=None if has else Parameter.empty) for n, k, has in rows])


def bound(name: str, /, *args: Any, **kwargs: Any) -> dict[str, Any]:
    """The arguments of a call by name; a call that the tool would refuse is a TypeError."""
    call = recorded(name).bind(*args, **kwargs)
    call.apply_defaults()
    return dict(call.arguments)


def space(name: str) -> Any:
    """A class of which an object has the arguments as attributes."""
    return lambda *args, **kwargs: SimpleNamespace(**bound(name, *args, **kwargs))


def is_real(tool: str) -> bool:
    return not is_missing(tool)


def find(tool: str, monkeypatch: Any) -> Any:
    """The module of a tool that tests use: the real one, or a stand-in that takes its place."""
    import_module("judged.integrations.haystack")._component_class.cache_clear()
    if not is_real(tool):
        for part in PARTS[tool]:
            monkeypatch.setitem(sys.modules, part, ModuleType(part))
        for part in PARTS[tool][1:]:
            parent, _, leaf = part.rpartition(".")
            setattr(sys.modules[parent], leaf, sys.modules[part])
        MAKERS[tool]()
    used = {"ragas": "ragas.dataset_schema", "deepeval": "deepeval.test_case"}.get(tool, tool)
    return import_module(used)


def hide(tool: str, monkeypatch: Any) -> None:
    """Make the imports of a tool fail, as if it were not installed."""
    import_module("judged.integrations.haystack")._component_class.cache_clear()
    for part in PARTS[tool]:
        monkeypatch.setitem(sys.modules, part, None)


def follows(name: str, method: Any) -> None:
    """Raise unless a method takes the parameters of the one that it replaces."""
    wanted = [
        p.kind if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) else p.name for p in recorded(name).parameters.values()
    ]
    found = [p.kind if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) else p.name for p in signature(method).parameters.values()]  # fmt: skip
    assert found == wanted, (name, found, wanted)


# ── the stand-ins ────────────────────────────────────────────────────────────────────────────────


def _mlflow() -> None:
    def scorer(*args: Any, **kwargs: Any) -> Any:
        given = bound("mlflow.genai:scorer", *args, **kwargs)
        assert {*signature(given["func"]).parameters} <= {"inputs", "outputs", "expectations", "trace", "session"}
        made = type("CustomScorer", (), {"name": given["name"], "__call__": lambda self, **row: given["func"](**row)})
        return made()

    class Client:
        def log_text(self, *args: Any, **kwargs: Any) -> None:
            given = bound("mlflow:MlflowClient.log_text", self, *args, **kwargs)
            mlflow.runs[given["run_id"]][given["artifact_file"]] = given["text"]

    def log_metrics(*args: Any, **kwargs: Any) -> None:
        given = bound("mlflow:log_metrics", *args, **kwargs)
        assert all(re.fullmatch(r"[\w./ :-]+", name) for name in given["metrics"])
        mlflow.runs.setdefault(given["run_id"], {}).update(given["metrics"])

    class ActiveRun:
        info = SimpleNamespace(run_id="1")

    ActiveRun.__module__ = "mlflow.tracking.fluent"
    mlflow = sys.modules["mlflow"]
    mlflow.runs, mlflow.log_metrics, mlflow.MlflowClient = {}, log_metrics, Client
    mlflow.active_run, mlflow.start_run, mlflow.end_run = (lambda: None), ActiveRun, (lambda: None)
    sys.modules["mlflow.genai"].scorer = scorer
    sys.modules["mlflow.entities"].Feedback = space("mlflow.entities:Feedback")


def _ragas() -> None:
    class SingleTurnMetric:
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            given = bound("ragas.metrics.base:SingleTurnMetric", *args, **kwargs)
            self.name, self.required_columns = given["name"], {k.name: v for k, v in given["_required_columns"].items()}
            follows("ragas.metrics.base:SingleTurnMetric._single_turn_ascore", type(self)._single_turn_ascore)
            follows("ragas.metrics.base:SingleTurnMetric.init", type(self).init)

        async def single_turn_ascore(self, sample: Any, callbacks: Any = None, timeout: float | None = None) -> float:
            return await self._single_turn_ascore(sample=sample, callbacks=callbacks)  # type: ignore[attr-defined]

    base = sys.modules["ragas.metrics.base"]
    base.SingleTurnMetric, base.MetricType = SingleTurnMetric, Enum("MetricType", ["SINGLE_TURN"])
    sys.modules["ragas.dataset_schema"].SingleTurnSample = space("ragas.dataset_schema:SingleTurnSample")


def _deepeval() -> None:
    class BaseMetric:
        def __init_subclass__(cls) -> None:
            for name in ("measure", "a_measure", "is_successful"):
                follows(f"deepeval.metrics:BaseMetric.{name}", getattr(cls, name))

    sys.modules["deepeval.metrics"].BaseMetric = BaseMetric
    sys.modules["deepeval.test_case"].LLMTestCase = space("deepeval.test_case:LLMTestCase")


def _haystack() -> None:
    class Document(SimpleNamespace):
        def __init__(self, content: str = "", meta: Any = None, score: float | None = None) -> None:
            super().__init__(content=content, meta=meta or {}, score=score, id=content)

    class Component:
        def output_types(self, **types: Any) -> Any:
            return lambda run: run

        def __call__(self, cls: Any) -> Any:
            assert not [n for n, p in signature(cls.run).parameters.items() if p.annotation is p.empty and n != "self"]
            return cls

    sys.modules["haystack"].Document, sys.modules["haystack"].component = Document, Component()


def _llama_index() -> None:
    name = "llama_index.core.evaluation.retrieval.metrics_base"

    class BaseRetrievalMetric:
        def __init_subclass__(cls) -> None:
            follows(f"{name}:BaseRetrievalMetric.compute", cls.compute)  # type: ignore[attr-defined]

    class Found(SimpleNamespace):
        def __float__(self) -> float:
            return float(self.score)

    sys.modules[name].BaseRetrievalMetric = BaseRetrievalMetric
    sys.modules[name].RetrievalMetricResult = lambda **given: Found(**bound(f"{name}:RetrievalMetricResult", **given))


def _inspect_ai() -> None:
    tool = sys.modules["inspect_ai.scorer"]
    tool.Score = space("inspect_ai.scorer:Score")
    tool.mean, tool.stderr = (lambda *args, **kwargs: None), (lambda *args, **kwargs: None)
    tool.scorer = lambda *args, **kwargs: bound("inspect_ai.scorer:scorer", *args, **kwargs) and (lambda made: made)
    tool.Target = list

    def state(*args: Any, **kwargs: Any) -> Any:
        given = bound("inspect_ai.solver:TaskState", *args, **kwargs)
        return SimpleNamespace(**{**given, "store": {}})

    sys.modules["inspect_ai.solver"].TaskState = state


def _wandb() -> None:
    class Artifact:
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            self.name, self.files = bound("wandb:Artifact", *args, **kwargs)["name"], {}

        def new_file(self, *args: Any, **kwargs: Any) -> Any:
            from contextlib import contextmanager
            from io import StringIO

            given = bound("wandb:Artifact.new_file", self, *args, **kwargs)

            @contextmanager
            def opened() -> Any:
                file = StringIO()
                yield file
                self.files[given["name"]] = file.getvalue()

            return opened()

    class Run:
        def __init__(self) -> None:
            self.summary: dict[str, float] = {}
            self.artifacts: list[Any] = []

        def log(self, *args: Any, **kwargs: Any) -> None:
            self.summary |= bound("wandb:Run.log", self, *args, **kwargs)["data"]

        def log_artifact(self, *args: Any, **kwargs: Any) -> None:
            self.artifacts.append(bound("wandb:Run.log_artifact", self, *args, **kwargs)["artifact_or_path"])

        def finish(self) -> None: ...

    Run.__module__ = "wandb.sdk.wandb_run"
    tool = sys.modules["wandb"]
    tool.Artifact, tool.run, tool.init = Artifact, None, lambda **settings: Run()


def _dvclive() -> None:
    class Live:
        def __init__(self, dir: str, **settings: Any) -> None:
            self.dir, self.summary, self.step = dir, {}, 0

        def log_metric(self, *args: Any, **kwargs: Any) -> None:
            given = bound("dvclive:Live.log_metric", self, *args, **kwargs)
            self.summary[given["name"]] = given["val"]

        def log_artifact(self, *args: Any, **kwargs: Any) -> None:
            assert Path(bound("dvclive:Live.log_artifact", self, *args, **kwargs)["path"]).exists()

        def make_summary(self, *args: Any, **kwargs: Any) -> None:
            bound("dvclive:Live.make_summary", self, *args, **kwargs)
            Path(self.dir, "metrics.json").write_text(json.dumps({"step": self.step, **self.summary}))

        def end(self) -> None: ...

    Live.__module__ = "dvclive.live"
    sys.modules["dvclive"].Live = Live


def _tensorboard() -> None:
    class SummaryWriter:
        def __init__(self, logdir: str) -> None:
            self.logdir, self.scalars = logdir, {}

        def add_scalar(self, *args: Any, **kwargs: Any) -> None:
            given = bound("tensorboardX:SummaryWriter.add_scalar", self, *args, **kwargs)
            self.scalars[given["tag"]] = given["scalar_value"]

        def flush(self) -> None: ...

        def close(self) -> None: ...

    SummaryWriter.__module__ = "tensorboardX.writer"
    sys.modules["tensorboardX"].SummaryWriter = SummaryWriter


MAKERS = {
    "mlflow": _mlflow, "ragas": _ragas, "deepeval": _deepeval, "haystack": _haystack, "llama_index": _llama_index, "inspect_ai": _inspect_ai,
    "wandb": _wandb, "dvclive": _dvclive, "tensorboardX": _tensorboard,
}  # fmt: skip
