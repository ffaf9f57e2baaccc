"""Results in trackers of experiments; `make external` has the trackers that the environment of the tests has not."""

import math
from importlib import import_module

import pytest
from needs import each
from refusals import refusal

import judged as jd
from judged.tables.trackers import plain_name

QRELS = {"q1": {"a": 1}, "q2": {"b": 1}, "q3": {"c": 1}}
FIRST = {q: ["x", *docs] for q, docs in QRELS.items()}
SECOND = {"q1": ["a"], "q2": ["b"], "q3": ["x", "c"]}
VALUES = jd.evaluate(QRELS, SECOND, "RR P@1")
PAGE = "<html>page</html>"


def test_values_are_means_and_intervals():
    low, high = VALUES.interval("RR")
    wanted = {"RR": 5 / 6, "RR.low": low, "RR.high": high, "P@1": 2 / 3}
    assert VALUES.tracked() == pytest.approx({**VALUES.tracked(), **wanted})
    assert list(VALUES.tracked()) == ["RR", "P@1", "RR.low", "RR.high", "P@1.low", "P@1.high"]


def test_a_comparison_is_the_means_of_its_runs_and_their_differences():
    found = jd.compare(QRELS, {"old": FIRST, "new": SECOND}, "RR")
    row = found.of("RR", "old", "new")
    assert found.tracked() == {"old/RR": 1 / 2, "new/RR": pytest.approx(5 / 6), "new-old/RR": row.difference, "new-old/RR.low": row.low,
                               "new-old/RR.high": row.high}  # fmt: skip


def test_a_gate_is_its_verdict_and_what_it_rests_on():
    found = jd.gate(QRELS, {"new": SECOND}, baseline={"old": FIRST}, measures="RR")
    assert (found.tracked()["gate"], found.tracked()["RR"]) == (float(found.passed), pytest.approx(5 / 6))
    assert found.tracked()["new-old/RR"] == pytest.approx(1 / 3)
    assert [jd.gate(QRELS, SECOND, min={"RR": least}).tracked()["gate"] for least in (0.8, 0.9)] == [1, 0]


@pytest.mark.needs("mlflow")
def test_mlflow_gets_names_that_it_takes(tmp_path, monkeypatch):
    import mlflow

    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    mlflow.set_tracking_uri(tmp_path.as_uri())
    mlflow.set_experiment("judged")
    run = mlflow.start_run()
    VALUES.log_to(run, prefix="test/", page=PAGE)
    mlflow.end_run()
    found = mlflow.get_run(run.info.run_id)
    assert found.data.metrics["test/P_at_1"] == pytest.approx(2 / 3)
    assert found.data.metrics["test/RR.low"] == VALUES.tracked()["RR.low"]
    assert mlflow.artifacts.load_text(f"{found.info.artifact_uri}/judged.html") == PAGE


@pytest.mark.parametrize("name", each("mlflow", "wandb"))
def test_a_module_stands_for_its_active_run(name):
    refusal("form", VALUES.log_to, import_module(name))


@pytest.mark.needs("wandb")
def test_weights_and_biases_gets_the_values(tmp_path):
    import wandb

    run = wandb.init(mode="offline", dir=str(tmp_path), project="judged")
    VALUES.log_to(run, page=PAGE)
    summary = dict(run.summary)
    run.finish()
    assert summary["P@1"] == pytest.approx(2 / 3)


@pytest.mark.needs("tensorboardX")
def test_tensorboard_gets_the_page_in_its_folder(tmp_path):
    from tensorboardX import SummaryWriter

    writer = SummaryWriter(str(tmp_path))
    VALUES.log_to(writer, step=3, page=PAGE)
    writer.close()
    assert (tmp_path / "judged.html").read_text() == PAGE


def test_the_writer_of_pytorch_is_one_of_tensorboard(tmp_path):
    class SummaryWriter:
        log_dir, scalars = str(tmp_path), {}

        def add_scalar(self, tag, scalar_value, global_step=None):
            self.scalars[tag] = (scalar_value, global_step)

        def flush(self): ...

    SummaryWriter.__module__ = "torch.utils.tensorboard.writer"
    VALUES.log_to(SummaryWriter(), step=3, page=PAGE)
    assert SummaryWriter.scalars["RR"] == (pytest.approx(5 / 6), 3)
    assert (tmp_path / "judged.html").read_text() == PAGE


def test_a_page_is_that_of_report_its_text_or_a_file(tmp_path):
    class Writer:
        log_dir = str(tmp_path)

        def add_scalar(self, *args): ...

        def flush(self): ...

    Writer.__module__ = "torch"
    jd.report(VALUES, tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    for page in (jd.report(VALUES), text, tmp_path / "page.html", str(tmp_path / "page.html")):
        VALUES.log_to(Writer(), page=page)
        assert (tmp_path / "judged.html").read_text(encoding="utf-8") == text


def test_values_that_are_not_numbers_are_left_out():
    logged = []

    class Writer:
        add_scalar = staticmethod(lambda name, value, step: logged.append(value))

        def flush(self): ...

    Writer.__module__ = "torch"
    jd.evaluate({"q": {"a": 0}}, {"q": ["a"]}, "RR", empty="skip").log_to(Writer())
    assert not [value for value in logged if math.isnan(value)]


@pytest.mark.parametrize("tracker", [None, print, object(), "mlflow"])
def test_what_is_no_tracker_is_refused(tracker):
    refusal("form", VALUES.log_to, tracker)


@pytest.mark.parametrize(
    ("name", "plain"),
    [("nDCG@10", "nDCG_at_10"), ("test/AP.low", "test/AP.low"), ("P(short='shrink')@5", "P_short_shrink_at_5"), ("b-a/R@100", "b-a/R_at_100")],
)  # fmt: skip
def test_names_keep_what_every_tracker_takes(name, plain):
    assert plain_name(name) == plain
