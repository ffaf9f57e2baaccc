"""Getting judgments: pools, what to judge next, the judging page, model judges."""
