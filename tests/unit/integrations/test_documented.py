"""The examples of docs/guides/training.md that need other libraries run as they stand, where these are installed."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import judged as jd

PAGE = (Path(__file__).parents[3] / "docs" / "guides" / "training.md").read_text(encoding="utf-8")
BLOCKS = dict(re.findall(r"```python\n# (\w+)\n(.*?)```", PAGE, re.DOTALL))
RNG = np.random.default_rng(2)
QUERIES = np.repeat(np.arange(60), RNG.integers(3, 12, 60))
FEATURES = RNG.random((len(QUERIES), 4))
LABELS = np.clip(np.floor(4 * FEATURES[:, 0] + RNG.normal(0, 0.7, len(QUERIES))), 0, 3)


def run(name: str, **given) -> dict:
    namespace = {"features": FEATURES, "labels": LABELS, "queries": QUERIES, "held": QUERIES >= 40, "__name__": name,
                 "sizes": lambda queries: np.unique(queries, return_counts=True)[1], **given}  # fmt: skip
    exec(compile(BLOCKS[name], f"docs/guides/training.md, {name}", "exec"), namespace)
    return namespace


def test_every_library_has_its_example():
    assert set(BLOCKS) == {"torchmetrics", "lightning", "lightgbm", "xgboost", "catboost", "sklearn"}


@pytest.mark.slow
@pytest.mark.needs("lightgbm")
def test_the_example_of_lightgbm_runs():
    found = run("lightgbm")
    assert found["model"].best_score["valid_0"]["nDCG(gain='exp')@10"] > 0.5
    assert list(found["ranker"].evals_result_["valid_0"])[-1] == "nDCG(gain='exp')@10"


@pytest.mark.needs("xgboost")
def test_the_example_of_xgboost_runs():
    assert run("xgboost")["model"].best_score > 0.5


@pytest.mark.slow
@pytest.mark.needs("catboost")
@pytest.mark.filterwarnings("ignore:Failed to import numba")
def test_the_example_of_catboost_runs():
    assert run("catboost")["model"].best_score_["validation"]["nDCG(gain='exp')@10"] > 0.5


@pytest.mark.needs("sklearn")
@pytest.mark.slow
def test_the_example_of_scikit_learn_runs(capsys):
    import sklearn

    with sklearn.config_context():
        found = run("sklearn")
    assert found["search"].best_score_ > 0.5
    assert len(found["found"]["test_AP"]) == 3
    capsys.readouterr()


@pytest.mark.needs("torch", "torchmetrics")
def test_the_example_of_torchmetrics_runs(capsys):
    import torch

    scores, labels = torch.rand(8, 5), torch.randint(0, 2, (8, 5))
    flat = {"flat_scores": scores.ravel(), "flat_labels": labels.ravel(), "flat_queries": torch.arange(8).repeat_interleave(5)}  # fmt: skip
    found = run("torchmetrics", loader=[(scores[:4], labels[:4]), (scores[4:], labels[4:])], **flat)
    wanted = jd.score(labels, scores, "nDCG@10 RR", empty="skip").mean()
    assert {name: value.item() for name, value in found["metric"].compute().items()} == pytest.approx(wanted)
    assert "nDCG@10" in capsys.readouterr().out


@pytest.mark.needs("lightning", "torch")
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_the_example_of_lightning_runs(tmp_path):
    import torch
    from lightning import pytorch as pl

    features = torch.rand(24, 6, 3)
    labels = (features[..., 0] > 0.6).float()
    data = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(features, labels, torch.arange(24)), batch_size=5)
    module = run("lightning")["Ranker"](3)
    quiet = {
        "logger": False,
        "enable_checkpointing": False,
        "enable_progress_bar": False,
        "enable_model_summary": False,
    }
    trainer = pl.Trainer(max_epochs=3, accelerator="cpu", default_root_dir=tmp_path, **quiet)
    trainer.fit(module, data, data)
    with torch.no_grad():
        wanted = jd.score(labels, module.model(features).squeeze(-1), "nDCG@10").mean()["nDCG@10"]
    assert trainer.callback_metrics["nDCG@10"].item() == pytest.approx(wanted, rel=1e-6)
