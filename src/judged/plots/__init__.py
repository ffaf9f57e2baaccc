"""Results on matplotlib axes."""
