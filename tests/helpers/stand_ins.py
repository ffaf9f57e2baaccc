"""Other tools where they are installed; else stand-ins that accept exactly what the recorded interface of the tool accepts.

`tools/record_interfaces.py` records signatures from the packages themselves.
"""

from __future__ import annotations

import json
import re
import sys
from importlib import import_module
from inspect import Parameter, Signature
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

from needs import is_missing

RECORDED = json.loads((Path(__file__).parents[1] / "data" / "interfaces.json").read_text())


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


def is_real(tool: str) -> bool:
    return not is_missing(tool)


def find(tool: str, monkeypatch: Any) -> Any:
    """The module of a tool that tests use: the real one, or a stand-in that takes its place."""
    if not is_real(tool):
        monkeypatch.setitem(sys.modules, tool, ModuleType(tool))
        MAKERS[tool]()
    return import_module(tool)


# ── the stand-ins ────────────────────────────────────────────────────────────────────────────────


def _mlflow() -> None:
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


MAKERS = {"mlflow": _mlflow, "wandb": _wandb, "tensorboardX": _tensorboard}
