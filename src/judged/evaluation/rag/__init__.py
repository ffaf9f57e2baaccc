"""Preparation before the join: roll up chunks, alternatives, exclusions."""
