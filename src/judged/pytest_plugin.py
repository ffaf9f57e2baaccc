"""The pytest fixture `judged_gate`, which fails a test if a candidate does not pass. Nothing is imported before it is used."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from judged.quality_gate.decision import Gate

__all__ = ["judged_gate"]


@pytest.fixture
def judged_gate() -> Callable[..., Gate]:
    """Call `jd.gate` and fail the test, with the reasons, if the candidate does not pass; return the `Gate`.

        def test_the_ranking_did_not_get_worse(judged_gate):
            judged_gate("qrels.txt", "new.run", baseline="baseline.json", measures="nDCG@10", max_drop=0.01)

    Invalid input raises, as in any call.
    """

    def check(qrels: Any, candidate: Any, **rules: Any) -> Gate:
        from judged.quality_gate.gate import gate

        decision = gate(qrels, candidate, **rules)
        if not decision.passed:
            pytest.fail(str(decision), pytrace=False)
        return decision

    return check
