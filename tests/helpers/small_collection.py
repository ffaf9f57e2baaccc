"""Two queries, with their judgments, as TREC files."""

RUN = b"q1 Q0 d1 1 0.5 tag\nq1 Q0 d2 2 0.9 tag\nq1 Q0 d3 3 0.7 tag\nq2 Q0 d4 1 0.3 tag\nq2 Q0 d1 2 0.8 tag\n"
QRELS = b"q1 0 d1 1\nq1 0 d2 0\nq1 0 d3 2\nq2 0 d1 0\nq2 0 d4 0.5\n"
