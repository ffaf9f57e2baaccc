"""`Judged`, and the join that makes it."""

from judged.core.judged import Judged
from judged.core.numeric.native import NATIVE
from judged.core.policy import Policy
from judged.core.tables import Qrels, Run

__all__ = ["NATIVE", "Judged", "Policy", "Qrels", "Run"]
