"""`Values`, its provenance, its tables and its files."""
