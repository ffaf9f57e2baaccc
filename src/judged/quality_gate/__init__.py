"""Decide whether a run may replace another."""
