"""Measures: pure functions from `Judged` to one value per query, each declared once."""

from judged.measures import families  # noqa: F401 - declares the measures
from judged.measures.examples import ranked
from judged.measures.grammar import parse, parse_all
from judged.measures.registry import MEASURES, Definition, Measure, find, measure

__all__ = ["MEASURES", "Definition", "Measure", "find", "measure", "parse", "parse_all", "ranked"]
