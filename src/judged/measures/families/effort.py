"""Measures of effort: users who weigh what they find against the documents, the time or the text that it takes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Literal

import numpy as np

from judged._types import Column
from judged.core.judged import Judged
from judged.core.passages import RankTexts, tokens_of
from judged.measures.families.cascade import satisfaction
from judged.measures.families.cwl import DEPTH, Of, gain_rate, inspected, scale_grades
from judged.measures.families.sets import depth_of, relevant_hits, relevant_retrieved
from judged.measures.parameters import (
    LENGTHS,
    Cutoff,
    Goal,
    Level,
    MaxGrade,
    MinGrade,
    Only,
    Positive,
    Share,
    Spec,
    number,
)
from judged.measures.registry import measure

Above0 = Annotated[float, Spec("a number ≥ 0", number(0, 1e9))]
Patience = Annotated[float, Spec("a number > 0", number(1e-6, 1e9))]
_KNOWN = Only(LENGTHS, bool, "without the tokens of documents", late=True)
_UNKNOWN = Only(LENGTHS, lambda known: not known, "where the tokens of documents are known", late=True)
Length = Annotated[
    float, Spec("length of every document, if their tokens are not known", number(0, 1e9), only=_UNKNOWN)
]
PerToken = Annotated[
    float, Spec("characters per token; 1 if the counts are characters", number(1e-6, 1e6), only=_KNOWN)
]
_LARGEST_EXPONENT = 700.0
_QUERIES = 256  # walked down at a time


# ── information foraging: users with a goal, and a rate of gain that they expect ─────────────────


def _walk(j: Judged, gain: Column, depth: int, going_on: Callable[[Column, Column], Column]) -> tuple[Column, Column]:
    """V at each hit, and Σ V, rank by rank; `going_on` is C of the ranks and the gains so far, one row per query."""
    reached, looked = np.zeros(len(gain)), np.zeros(len(j))
    for start in range(0, len(j), _QUERIES):
        rows = np.flatnonzero((j.query >= start) & (j.query < start + _QUERIES))
        at = j.query[rows] - start, j.rank[rows] - 1
        table = np.zeros((np.minimum(_QUERIES, len(j) - start), depth))
        table[at] = gain[rows]
        chance = going_on(np.arange(1.0, depth + 1.0), np.cumsum(table, axis=1))
        seen = np.cumprod(np.hstack([np.ones((len(table), 1)), chance[:, :-1]]), axis=1)
        reached[rows], looked[start : start + len(table)] = seen[at], np.cumsum(seen, axis=1)[:, -1]
    return reached, looked


@measure(
    "IFT",
    intuition="IFT imagines a user who forages for information: the nearer the goal is, and the less each document has brought so far, the "
    "sooner the user stops. It suits result pages on which users judge whether reading on is worth the effort.",
    latex=r"\mathrm{IFT}@k = \frac{\sum_r V_r\,\bar{g}_r}{\sum_r V_r},\quad V_r = \prod_{i<r} C_i,\quad C_r = \left(1 - \frac{1}{1 + b_1 e^{(T - \bar{G}_r) R_1}}\right) \frac{1}{1 + b_2 e^{(A - \bar{G}_r / r) R_2}}",
    family="user model",
    aliases=("information_foraging",),
    laws="unit cutoff tail",
    example=([4, 0], (1 + 0) / (1 + (1 - 1 / (1 + 0.9 * np.exp(10))) / (1 + 0.9 * np.exp(-8)))),
    example_params={"cutoff": 2},
    paper="azzopardi2018",
    formula="Σ V·gain / Σ V down to k; C(r) = (1 - 1 / (1 + b1·e^((T - G)·R1)))·1 / (1 + b2·e^((A - G / r)·R2)), G the gain down to r",
)
def information_foraging(
    j: Judged,
    *,
    cutoff: Cutoff = None,
    T: Goal = 2.0,  # noqa: N803
    b1: Positive = 0.9,
    R1: Above0 = 10.0,  # noqa: N803
    A: Above0 = 0.2,  # noqa: N803
    b2: Positive = 0.9,
    R2: Above0 = 10.0,  # noqa: N803
    form: Literal["both", "goal", "rate"] = "both",
    min: MinGrade = 0.0,
    max: MaxGrade = 4.0,
    of: Of = "rate",
) -> Column:
    """The gain per document of a user with a goal T and an expected gain A per document.

    R1 and R2 say how strictly the user keeps to them, b1 and b2 how ready to go on the user is in general. `form` leaves one of
    the two factors out. Without a cutoff, the first 1000 ranks. The defaults are those of the examples of cwl-eval.
    """

    def going_on(rank: Column, total: Column) -> Column:
        goal = 1.0 - 1.0 / (1.0 + b1 * np.exp(np.minimum((T - total) * R1, _LARGEST_EXPONENT)))
        rate = 1.0 / (1.0 + b2 * np.exp(np.minimum((A - total / rank) * R2, _LARGEST_EXPONENT)))
        return goal if form == "goal" else rate if form == "rate" else goal * rate

    j = inspected(j, cutoff or DEPTH, of)
    gain = scale_grades(j, min, max)
    reached, looked = _walk(j, gain, cutoff or DEPTH, going_on)
    return gain_rate(j, j.column("reached", reached) * gain, reached, looked, of)


# ── users who spend time, or read text ───────────────────────────────────────────────────────────


@measure(
    "TBG",
    intuition="TBG counts the relevant documents that a user saves before giving up, when summaries and documents take "
    "time to read and fewer users are left the more time has passed. Long documents at the top cost later ones.",
    latex=r"\mathrm{TBG}@k = p_{\mathrm{click}}\,p_{\mathrm{save}} \sum_{r=1}^{k} \mathrm{rel}_r\,2^{-t_r / h},\quad t_r = \sum_{i=1}^{r-1} \left(t_{\mathrm{summary}} + p_{\mathrm{click},i}\,(t_{\mathrm{word}}\,l_i + t_{\mathrm{doc}})\right)",
    family="user model",
    aliases=("time_biased_gain",),
    laws="cutoff swap tail",
    example=([1, 0, 1], 0.64 * 0.77 * (1 + 0.5 ** ((2 * 4.4 + (0.64 + 0.39) * (0.018 * 500 + 7.8)) / 224))),
    paper="smucker2012",
    formula="Σ over relevant ranks of click·save·2^(-t / h), t = Σ over the ranks above of summary + click·(per_word·words + per_doc)",
)
def time_biased_gain(
    j: Judged,
    *,
    cutoff: Cutoff = None,
    level: Level = 1,
    h: Patience = 224.0,
    words: Length = 500.0,
    summary: Above0 = 4.4,
    per_word: Above0 = 0.018,
    per_doc: Above0 = 7.8,
    click: Share = 0.64,
    click_other: Share = 0.39,
    save: Share = 0.77,
) -> Column:
    """Expected number of relevant documents that a user saves whose patience has a half-life of h seconds.

    The user reads each summary, opens a document with probability `click` if it is relevant and `click_other` if not, reads it, and
    saves a relevant one with probability `save`. Times in seconds and probabilities are those of the paper. Lengths in words are the
    `tokens` of the evaluation if it has them, or `words` for every document.
    """
    hit = relevant_hits(j, level, cutoff)
    known = tokens_of(j)
    above = (j.rank - 1.0) * words if known is None else known.above("tokens", j.query, j.rank)
    own = words if known is None else known.at("tokens", j.query, j.rank)
    more = np.where(
        j.is_relevant(level), (click - click_other) * (per_word * own + per_doc), 0.0
    )  # than other documents
    others = (j.rank - 1.0) * (summary + click_other * per_doc) + click_other * per_word * above
    time = j.column("seconds before", others + j.running(more) - more)
    return click * save * j.total(np.where(hit, np.exp2(-time / h), 0.0))


@measure(
    "U",
    intuition="U follows the text that a user reads, snippet by snippet and document by document, and a relevant document is worth "
    "less the more was read before it. It suits results of different lengths, such as answers and summaries, for which "
    "ranks say little.",
    latex=r"\mathrm{U}@k = \sum_{r=1}^{k} s_r \max\left(0, 1 - \frac{t_r}{L}\right),\quad t_r = l_{\mathrm{snippet}}\,r + \mathrm{share} \sum_{i=1}^{r} [s_i > 0]\,l_i",
    family="user model",
    aliases=("U_measure", "U-measure"),
    laws="cutoff swap tail",
    example=([3, 0, 1], 7 / 16 * (1 - (200 + 600) / 132000) + 1 / 16 * (1 - (600 + 1200) / 132000)),
    paper="sakai2013",
    formula="Σ over relevant ranks of gain·max(0, 1 - read / L), gain = (2^grade - 1) / 2^max, read = snippet·rank + Σ of share·length of the relevant documents so far",
)
def u_measure(
    j: Judged,
    *,
    cutoff: Cutoff = None,
    L: Patience = 132000.0,  # noqa: N803
    snippet: Above0 = 200.0,
    share: Share = 0.2,
    length: Length = 3000.0,
    max: MaxGrade = 4.0,
    per_token: PerToken = 4.0,
) -> Column:
    """Gain that falls with the text that the user has read so far, to nothing after L characters.

    The user reads every snippet and the first part of each relevant document. A document has as many characters as it has `tokens`, times
    `per_token`, if the evaluation has them, or `length`. Not normalised: the value may exceed 1.
    """
    gain = j.column("gain", satisfaction(j, j.grade, max))
    known = tokens_of(j)
    opened = (
        share * length * j.running(gain > 0)
        if known is None
        else share * per_token * j.running(np.where(gain > 0, known.at("tokens", j.query, j.rank), 0.0))
    )
    read = j.column("characters read", snippet * j.rank + opened)
    return j.total(np.where(j.within(cutoff), gain * np.maximum(0.0, 1.0 - read / L), 0.0))


_CHROMA = "smith2024"


@measure(
    "Complete",
    intuition="Complete asks whether everything that an answer needs is among the first k documents: 1 if so, 0 if one is missing. It "
    "suits questions whose answer combines several documents, all of which are needed.",
    latex=r"\mathrm{Complete}@k = [c_k = R]",
    family="ranked",
    aliases=("AnySet", "any_set", "all_hit", "full_recall"),
    laws="unit cutoff swap perfect tail",
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
    laws="unit cutoff tail",
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
    laws="unit cutoff",
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
    laws="unit cutoff",
    paper=_CHROMA,
    formula="characters of the spans that the first k chunks hold / (characters of the chunks + characters of the spans that none holds)",
)
def character_iou(j: Judged, *, cutoff: Cutoff = None) -> Column:
    """Relevant retrieved text over text that is relevant or retrieved; repeated text counts each time."""
    reading, depth = _reading(j), depth_of(j, cutoff)
    held = reading.sums("fresh", depth)
    return j.ratio(held, reading.sums("length", depth) + _gold(j) - held)
