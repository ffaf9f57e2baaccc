"""Measures: pure functions from `Judged` to one value per query, declared once."""

from judged.measures.families import (
    sets as _sets,
    binary as _binary,
    pairs as _pair,
    graded as _graded,
    cascade as _cascade,
    cwl as _cwl,
    diversity as _diversity,
    ideal_overlap as _overlap,
    preferences as _preference,
    passages as _passage,
)  # noqa: F401, I001 - in the order they are listed
from judged.measures.describe import describe, ranked
from judged.measures.grammar import parse, parse_all
from judged.measures.registry import Definition, Measure, definitions, find, measure

__all__ = ["Definition", "Measure", "definitions", "describe", "find", "measure", "parse", "parse_all", "ranked"]
