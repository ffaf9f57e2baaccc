"""Questions, chunks, and texts of documents."""
