"""Estimate the value of a ranking from logged clicks of another."""
