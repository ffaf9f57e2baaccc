"""Runs in many files, datasets and lazy frames."""
