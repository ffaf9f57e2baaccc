"""Measures: pure functions from `Judged` to one value per query, declared once."""

from judged.measures import _sets, _binary, _pair, _graded, _cascade, _cwl, _diversity, _overlap, _preference, _passage  # noqa: F401, I001 - in the order they are listed
from judged.measures.describe import describe, ranked
from judged.measures.grammar import parse, parse_all
from judged.measures.registry import Definition, Measure, definitions, find, measure

__all__ = ["Definition", "Measure", "definitions", "describe", "find", "measure", "parse", "parse_all", "ranked"]
