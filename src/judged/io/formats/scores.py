"""One score per line: the scores of a learning-to-rank model, in the order of its labels."""

from __future__ import annotations

import re

from judged.core.unread_runs import ScoreColumn
from judged.errors import DataError, Place
from judged.io.columns import ColumnRequest
from judged.io.files import Content
from judged.io.formats.registry import FORMATS, Detected, FileFormat
from judged.io.origin import Context
from judged.io.text.decimals import is_decimal
from judged.io.text.lines import Head
from judged.io.text.trec import parse_scores

_NOT_FINITE = re.compile(rb"[+-]?(?:inf(?:inity)?|nan)", re.IGNORECASE)


def _detect(head: Head, request: ColumnRequest) -> bool:
    number = is_decimal(head.line) or _NOT_FINITE.fullmatch(head.line) is not None
    return request.is_ranking and not request.named and number


def _read(content: Content, detected: Detected, context: Context) -> ScoreColumn:
    if context.request.what == "run":
        return parse_scores(content.read(), content.name)
    raise DataError(
        "swapped",
        "a column of scores cannot be judgments",
        hint="pass the judgments first, then the run",
        where=Place(content.name, detected.head.number),
    )


SCORES = FORMATS.add(FileFormat("scores", 31, _detect, _read))
