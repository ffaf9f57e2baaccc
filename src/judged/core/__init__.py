"""`Judged` and the join that makes it."""

from judged.core.confusion import Confusion, wrong_around
from judged.core.find.hits import refuse_other_kinds
from judged.core.find.ranking import ranked_rows
from judged.core.find.spans import overlap_rule
from judged.core.ids import Text
from judged.core.join.join import join
from judged.core.judged import Aspects, Judged
from judged.core.numeric import segments as primitive
from judged.core.numeric import segments_reference as segment
from judged.core.numeric.native import NATIVE, usable_cores
from judged.core.numeric.resample import resampled_means
from judged.core.parts.run import Item, Part, Scattered, Task
from judged.core.passages import Reading, packed
from judged.core.policy import Policy
from judged.core.tables import Id, IdKind, Passages, Qrels, Run
from judged.core.unread_runs import Batches, Lines, Nested, Scores, Unread

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
