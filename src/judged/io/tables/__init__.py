"""Frames, dicts, lists and records become checked columns."""
