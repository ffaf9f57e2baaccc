"""`evaluate_frame`: judgments and runs that are joined on Spark."""
