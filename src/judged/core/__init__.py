"""`Judged` and the join that makes it."""

from judged.core import primitive, segment
from judged.core._join import join
from judged.core._load import NATIVE
from judged.core.confusion import Confusion, wrong_around
from judged.core.judged import Aspects, Judged
from judged.core.policy import Policy
from judged.core.resample import resampled_means
from judged.core.table import Id, IdKind, Qrels, Run
from judged.core.text import Text
from judged.core.unread import Batches, Lines, Nested, Unread

__all__ = [
    "NATIVE",
    "Aspects",
    "Batches",
    "Confusion",
    "Id",
    "IdKind",
    "Judged",
    "Lines",
    "Nested",
    "Policy",
    "Qrels",
    "Run",
    "Text",
    "Unread",
    "join",
    "primitive",
    "resampled_means",
    "segment",
    "wrong_around",
]
