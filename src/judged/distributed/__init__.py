"""Executors, which run the passes over a partitioned run."""
