"""Commands about judgments: pools, judges, agreement, merging."""
