"""`Judged` and the join that makes it."""

from judged.core import segment
from judged.core.judged import Aspects, Judged
from judged.core.policy import Policy
from judged.core.reference import join
from judged.core.table import Id, IdKind, Qrels, Run
from judged.core.text import Text

__all__ = ["Aspects", "Id", "IdKind", "Judged", "Policy", "Qrels", "Run", "Text", "join", "segment"]
