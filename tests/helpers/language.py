"""Phrases that no docstring, message or page uses."""

from __future__ import annotations

import re

BANNED = re.compile(
    r"\b(look(s|ed|ing)? through|stands? (twice|in|at|behind|beside|above|below)|(held|hold) against|gives the bits|in a word|"
    r"of everything that|a (record|number|row|column|line) a \w+|one a (core|query|line)|cannot be told|can be told|told apart|tell apart|"
    r"where (it|they) lies?|as (it|they) lies?|whatever people have|rests? on|at hand|of its own kind|so many|"
    r"what so many|by luck|will do|that is to be|are to be|is to be|a whole number|from 1 on|comes? to in|drawn again|"
    r"supported are|nothing of (it|them)|hardly tested|counts 0|with only one class|there is no (line|field|column)|"
    r"(errors of|become|into) ours|unknown ending|(options|arguments) win|whole or not at all|in little memory|how sure|"
    r"are like this|top of the scale|files? of questions|tells (whether|which|all)|is no (measure|error|text)|cut off|"
    r"runs? in parts)\b|\ba \{type\(",
    re.IGNORECASE,
)
