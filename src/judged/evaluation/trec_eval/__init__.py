"""The procedure and the output of trec_eval."""
