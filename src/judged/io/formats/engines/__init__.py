"""Formats of search engines and of the tools around them: one file per engine."""
