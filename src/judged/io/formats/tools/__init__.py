"""Formats of evaluation tools and of collections: one file per tool."""
