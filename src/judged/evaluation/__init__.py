"""Judgments and a run become `Values`."""
