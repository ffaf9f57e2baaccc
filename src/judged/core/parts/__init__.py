"""The same for a run in partitions: two passes that only count."""
