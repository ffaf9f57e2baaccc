"""Labels and scores in arrays, tensors and sparse matrices."""
