"""A small world for gates: one relevant document for each query, and runs that have it at chosen ranks."""

N = 40
QRELS = {f"q{i:02}": {"good": 1} for i in range(N)}


def run(*ranks):
    """A run in which query i has its relevant document at ranks[i]: RR is 1/rank."""
    return {f"q{i:02}": [f"x{k}" for k in range(rank - 1)] + ["good"] for i, rank in enumerate(ranks)}


BEST = run(*[1] * N)
