"""Rank correlation: tau, rho, AP correlation, rank-biased overlap."""
