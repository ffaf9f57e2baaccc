"""Chance-corrected agreement of judges: kappa, alpha, AC1."""
