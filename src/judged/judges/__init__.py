"""Agreement of judges, and merging their judgments."""
