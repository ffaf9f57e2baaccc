"""Sums within segments, resampling, exact sums, and the native library."""
