"""Find the judged documents in a run, and their ranks."""
