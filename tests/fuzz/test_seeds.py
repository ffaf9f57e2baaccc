"""The native core gives what the reference gives on every input that the fuzzers start from (`make fuzz` goes on from there)."""

import pytest
from fuzz import files
from fuzz.compare import difference
from fuzz.inputs import TARGETS
from fuzz.seeds import seeds


@pytest.mark.slow
@pytest.mark.parametrize("target", [*TARGETS, "documents"])
def test_native_and_reference_agree_on_every_seed(target: str):
    inputs = {name: data for kind, name, data in seeds() if kind == target}
    assert len(inputs) > 50
    assert {name: told for name, data in inputs.items() if (told := difference(target, data))} == {}


@pytest.mark.parametrize("target", files.TARGETS)
def test_files_that_python_reads_are_read_or_refused(target: str):
    for data in files.seeds(target):
        for cut in range(0, len(data) + 1, max(len(data) // 6, 1)):
            assert files.wrong(target, data[:cut]) is None
            assert files.wrong(target, data[:cut] + b"\xff" + data[cut:]) is None
