"""`Judged` and the join that makes it."""

from judged.core import primitive, segment
from judged.core._found import refuse_other_kinds
from judged.core._join import join
from judged.core._load import NATIVE, usable_cores
from judged.core._spans import overlap_rule
from judged.core.confusion import Confusion, wrong_around
from judged.core.judged import Aspects, Judged
from judged.core.policy import Policy
from judged.core.ranking import ranked_rows
from judged.core.reading import Reading, packed
from judged.core.resample import resampled_means
from judged.core.scattered import Item, Part, Scattered, Task
from judged.core.table import Id, IdKind, Passages, Qrels, Run
from judged.core.text import Text
from judged.core.unread import Batches, Lines, Nested, Scores, Unread

__all__ = [
    "NATIVE",
    "Aspects",
    "Batches",
    "Confusion",
    "Id",
    "IdKind",
    "Item",
    "Judged",
    "Lines",
    "Nested",
    "Part",
    "Passages",
    "Policy",
    "Qrels",
    "Reading",
    "Run",
    "Scattered",
    "Scores",
    "Task",
    "Text",
    "Unread",
    "join",
    "overlap_rule",
    "packed",
    "primitive",
    "ranked_rows",
    "refuse_other_kinds",
    "resampled_means",
    "segment",
    "usable_cores",
    "wrong_around",
]
