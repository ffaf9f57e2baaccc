"""How do I combine keyword and vector search with reciprocal rank fusion?

python examples/fuse_runs.py
"""

import judged as jd

qrels = jd.sample_path("qrels.txt")
runs = {"bm25": jd.sample_path("runs/bm25.run"), "dense": jd.sample_path("runs/dense.run")}

fused = jd.fuse(runs, "rrf(k=60)")
board = jd.compare(qrels, {**runs, "fused": fused}, "nDCG@10 R@10")
print(board.report(table="systems"))
for sentence in board.verdicts():
    print(sentence)
# jd.write_run(fused, "fused.run") writes it as a TREC file
