"""Measures: pure functions from `Judged` to one value per query, declared once."""

from judged.measures import families  # noqa: F401 - declares the measures
from judged.measures.describe import describe, ranked
from judged.measures.grammar import parse, parse_all
from judged.measures.registry import Definition, Measure, definitions, find, measure

__all__ = ["Definition", "Measure", "definitions", "describe", "find", "measure", "parse", "parse_all", "ranked"]
