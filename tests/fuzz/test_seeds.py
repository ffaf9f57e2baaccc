"""The native core gives what the reference gives on every input that the fuzzers start from (`make fuzz` goes on from there)."""

from __future__ import annotations

import pytest
from fuzz.compare import difference
from fuzz.inputs import TARGETS
from fuzz.seeds import seeds


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
def test_native_and_reference_agree_on_every_seed(target: str):
    inputs = {name: data for kind, name, data in seeds() if kind == target}
    assert len(inputs) > 50
    assert {name: told for name, data in inputs.items() if (told := difference(target, data))} == {}
