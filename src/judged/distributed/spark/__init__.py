"""Spark as an executor, and Spark DataFrames as runs."""
