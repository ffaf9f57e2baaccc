"""Several systems or several tests: corrections, omnibus and post-hoc tests, leaderboards."""
