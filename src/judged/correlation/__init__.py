"""Correlate runs, or rankings of systems."""
