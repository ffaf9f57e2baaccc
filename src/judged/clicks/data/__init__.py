"""Click logs, and parameter estimates as columns."""
