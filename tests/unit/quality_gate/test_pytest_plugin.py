"""The fixture `judged_gate`: a test passes where the gate does, and fails with its reasons where it does not."""

import os
import subprocess
import sys
import textwrap

import pytest

TESTS = """
    import pytest

    QRELS = {f"q{i:02}": {"good": 1} for i in range(20)}
    BEST = {q: ["good"] for q in QRELS}
    HALF = {q: ["x", "good"] for q in QRELS}

    def test_better(judged_gate):
        gate = judged_gate(QRELS, BEST, baseline=HALF, measures="RR")
        assert gate.passed
        assert gate.reasons[0].observed == -1 / 2

    def test_worse(judged_gate):
        judged_gate(QRELS, HALF, baseline=BEST, measures="RR", max_drop=0.01)

    def test_wrong_call(judged_gate):
        with pytest.raises(ValueError, match="max_drop"):
            judged_gate(QRELS, HALF, baseline=BEST, max_drp=0.01)
"""


@pytest.fixture
def outcome(tmp_path):
    """What pytest says of these tests, in a process of its own, with the plugin named."""
    (tmp_path / "test_ranking.py").write_text(textwrap.dedent(TESTS))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "COLUMNS": "200"}
    plugins = ["-p", "no:judged", "-p", "judged.pytest_plugin", "-p", "no:cacheprovider"]
    words = [sys.executable, "-m", "pytest", *plugins, "-c", os.devnull, "--rootdir", str(tmp_path), str(tmp_path)]
    return subprocess.run(
        words, capture_output=True, text=True, env=environment, cwd=tmp_path, timeout=120, check=False
    )


def test_a_test_fails_with_the_reasons_of_the_gate(outcome):
    assert outcome.returncode == 1, outcome.stdout + outcome.stderr
    assert "1 failed, 2 passed" in outcome.stdout
    assert "FAIL  candidate against baseline: 1 of 1 rules failed" in outcome.stdout
    assert "RR fell by 0.5000 (1.0000 → 0.5000), more than the 0.01 allowed" in outcome.stdout
    assert "20 queries got worse on RR; the 10 worst" in outcome.stdout
    assert "gating.py" not in outcome.stdout  # no traceback of ours


def test_the_plugin_loads_nothing_heavy():
    program = "import sys, judged.pytest_plugin\nprint(' '.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert not {"numpy", "judged.evaluation", "judged.core", "judged.measures"} & set(done.stdout.split())
