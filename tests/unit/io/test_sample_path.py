"""The sample collection is found wherever the package is."""

import pytest
from refusals import refusal

from judged.io.read import read_run
from judged.io.sample import sample_path


def test_a_sample_file_can_be_read():
    assert len(read_run(sample_path("runs/bm25.run"))) > 0


@pytest.mark.parametrize("name", ["none.run", "runs", "../errors.py", "/etc/passwd"])
def test_another_file_is_refused_with_the_names_that_exist(name):
    assert "runs/bm25.run" in str(refusal("io", sample_path, name))
