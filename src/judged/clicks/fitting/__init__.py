"""Fit a click model to a log."""
