"""The pytest fixture `judged_gate`: a test fails where a candidate does not pass, with the reasons. Nothing is imported before it is used."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from judged.quality_gate.result import Gate

__all__ = ["judged_gate"]


@pytest.fixture
def judged_gate() -> Callable[..., Gate]:
    """`judged_gate(qrels, candidate, baseline=…, max_drop=…)` takes what `jd.gate` takes, and fails the test where the gate says no.

        def test_the_ranking_did_not_get_worse(judged_gate):
            judged_gate("qrels.txt", "new.run", baseline="baseline.json", measures="nDCG@10", max_drop=0.01)

    It gives the `Gate` back. Input that cannot be used is an error of the test, as in any call.
    """

    def held(qrels: Any, candidate: Any, **rules: Any) -> Gate:
        from judged.quality_gate.gate import gate

        found = gate(qrels, candidate, **rules)
        if not found.passed:
            pytest.fail(str(found), pytrace=False)
        return found

    return held
