"""Interleave two rankings, and score the clicks."""
