"""Error rates of the statistics of `judged`, simulated on real scores: `make simulate` writes `docs/explanations/error_rates.md`."""
