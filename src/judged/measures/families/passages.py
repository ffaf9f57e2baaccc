"""Measures of the text that retrieval passes to a reader: completeness of the answer, and the share of relevant text."""

from __future__ import annotations

from judged._types import Column
from judged.core.judged import Judged
from judged.core.passages import RankTexts
from judged.measures.families.sets import depth_of, relevant_retrieved
from judged.measures.parameters import Cutoff, Level
from judged.measures.registry import measure

_CHROMA = "smith2024"


@measure(
    "Complete",
    intuition="Complete asks whether everything that an answer needs is among the first k documents: 1 if so, 0 if one is missing. It "
    "suits questions whose answer combines several documents, of which each is needed.",
    latex=r"\mathrm{Complete}@k = [c_k = R]",
    family="ranked",
    aliases=("AnySet", "any_set", "all_hit", "full_recall"),
    laws={"unit", "cutoff", "swap", "tail", "perfect"},
    example=([1, 0, 1], 1),
    formula="1 if all relevant documents are among the first k",
)
def complete(j: Judged, *, cutoff: Cutoff = None, level: Level = 1) -> Column:
    """1 if every relevant document is among the first k; with alternative sets, 1 if one of them is complete."""
    relevant = j.relevant(level)
    return ((relevant > 0) & (relevant_retrieved(j, level, cutoff) == relevant)).astype(float)


def _reading(j: Judged) -> RankTexts:
    assert j.reading is not None  # `needs` is checked before a formula is called
    return j.reading


def _gold(j: Judged) -> Column:
    gold = _reading(j).gold
    assert gold is not None
    return gold


@measure(
    "CharRecall",
    intuition="CharRecall is the share of the relevant text that the first k chunks contain, in characters. It suits retrieval for "
    "language models, where chunks of different sizes cut through the relevant passage.",
    latex=r"\mathrm{CharRecall}@k = \frac{|X_k \cap X^*|}{|X^*|}",
    family="text",
    aliases=("token_recall", "span_recall"),
    needs="spans",
    laws={"unit", "cutoff", "tail"},
    paper=_CHROMA,
    formula="characters of the spans that the first k chunks hold / characters of the spans",
)
def character_recall(j: Judged, *, cutoff: Cutoff = None) -> Column:
    """The share of the relevant text that the first k chunks contain; each character counts once."""
    reading = _reading(j)
    return j.ratio(reading.sums("fresh", depth_of(j, cutoff)), _gold(j))


@measure(
    "CharPrecision",
    intuition="CharPrecision is the share of the text passed on to the reader that is relevant. It suits retrieval for language "
    "models, in which useless and repeated text costs money and attention.",
    latex=r"\mathrm{CharPrecision}@k = \frac{|X_k \cap X^*|}{\sum_{r=1}^{k} l_r}",
    family="text",
    aliases=("token_precision", "span_precision"),
    needs="spans",
    laws={"unit", "cutoff"},
    paper=_CHROMA,
    formula="characters of the spans that the first k chunks hold / characters of the first k chunks",
)
def character_precision(j: Judged, *, cutoff: Cutoff = None) -> Column:
    """The share of the text of the first k chunks that is relevant; repeated text counts as not relevant."""
    reading, depth = _reading(j), depth_of(j, cutoff)
    return j.ratio(reading.sums("fresh", depth), reading.sums("length", depth))


@measure(
    "CharIoU",
    intuition="CharIoU is the overlap of the retrieved text with the relevant text, as a share of both together. It is high only if "
    "most of the relevant text was retrieved and little else, so it suits the choice of a chunk size.",
    latex=r"\mathrm{CharIoU}@k = \frac{|X_k \cap X^*|}{\sum_{r=1}^{k} l_r + |X^*| - |X_k \cap X^*|}",
    family="text",
    aliases=("token_iou", "span_iou"),
    needs="spans",
    laws={"unit", "cutoff"},
    paper=_CHROMA,
    formula="characters of the spans that the first k chunks hold / (characters of the chunks + characters of the spans that none holds)",
)
def character_iou(j: Judged, *, cutoff: Cutoff = None) -> Column:
    """Relevant retrieved text over text that is relevant or retrieved; repeated text counts each time."""
    reading, depth = _reading(j), depth_of(j, cutoff)
    held = reading.sums("fresh", depth)
    return j.ratio(held, reading.sums("length", depth) + _gold(j) - held)
