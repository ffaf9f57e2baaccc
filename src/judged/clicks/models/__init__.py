"""The click models, as probabilities."""
