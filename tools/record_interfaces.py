"""Record the signatures of other tools that log results, for stand-ins in tests (`tests/helpers/stand_ins.py`).

Run by hand, in an environment that has the tool:

    python tools/record_interfaces.py mlflow-skinny wandb tensorboardX

The result is `tests/data/interfaces.json`: {package: {"version": …, "signatures": {name: [[parameter, kind, has a default], …]}}}.
"""

from __future__ import annotations

import inspect
import json
import sys
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

TARGET = Path(__file__).parents[1] / "tests" / "data" / "interfaces.json"
USED = {
    "mlflow-skinny": [
        "mlflow:log_metrics",
        "mlflow:active_run",
        "mlflow:MlflowClient.log_text",
    ],
    "wandb": ["wandb:Artifact", "wandb:Artifact.new_file", "wandb:Run.log", "wandb:Run.log_artifact"],
    "tensorboardX": ["tensorboardX:SummaryWriter.add_scalar", "tensorboardX:SummaryWriter.flush"],
}


def signature(name: str) -> list[list[Any]]:
    """The parameters of a function, of a method, or of the constructor of a class."""
    module, _, path = name.partition(":")
    thing: Any = import_module(module)
    for word in path.split("."):
        thing = getattr(thing, word)
    return [[p.name, p.kind.name, p.default is not p.empty] for p in inspect.signature(thing).parameters.values()]


def main(packages: list[str]) -> None:
    """Record the signatures of some packages; those of others stay."""
    known = json.loads(TARGET.read_text()) if TARGET.exists() else {}
    for package in packages:
        known[package] = {"version": version(package), "signatures": {name: signature(name) for name in USED[package]}}
        print(package, known[package]["version"])
    TARGET.write_text(json.dumps(known, sort_keys=True, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:] or list(USED))
