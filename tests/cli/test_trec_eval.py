"""`judged trec_eval`: its flags are tested with those of the original, in tests/conformance."""

import pytest
from commands import run

pytestmark = pytest.mark.usefixtures("collection")


def test_trec_eval_prints_its_lines():
    wanted = "map                   \tq1\t0.5833\nP_5                   \tq1\t0.4000\n"
    wanted += "map                   \tq2\t0.5000\nP_5                   \tq2\t0.2000\n"
    wanted += "map                   \tall\t0.5417\nP_5                   \tall\t0.3000\n"
    assert run("trec_eval", "-q", "-m", "map", "-m", "P.5", "qrels.txt", "a.run") == wanted
