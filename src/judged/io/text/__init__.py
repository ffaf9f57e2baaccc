"""Lines and cells of text: encodings, decimals, TREC columns."""
