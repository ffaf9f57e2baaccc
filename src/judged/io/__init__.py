"""Reading and writing judgments, runs and other tables, from files and from memory."""
