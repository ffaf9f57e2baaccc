"""Retrieval for question answering: chunks, token counts, alternatives, rolling chunks up to documents."""

from judged.evaluation.rag.roll_up import roll_up
from judged.io.rag.chunk_table import any_of, count_tokens
from judged.io.rag.questions import read_questions

__all__ = ["any_of", "count_tokens", "read_questions", "roll_up"]
