"""Compare runs: differences, intervals, tests, power, leaderboards."""
