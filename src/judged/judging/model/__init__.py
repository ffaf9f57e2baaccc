"""Judgments by a language model: prompts, the endpoint, the cache, and how answers are read."""
