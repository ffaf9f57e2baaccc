"""`Evaluator`: evaluation of batches."""
