"""Executors: where the passes over a partitioned run are carried out."""
