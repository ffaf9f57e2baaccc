"""Is one ranking better than another, or is it chance?

python examples/compare_two_runs.py
"""

import judged as jd

qrels = jd.sample_path("qrels.txt")  # or your own files: "qrels.txt"
runs = {"bm25": jd.sample_path("runs/bm25.run"), "dense": jd.sample_path("runs/dense.run")}

board = jd.compare(qrels, runs, "nDCG@10 AP")
print(board.headline()[0])
for sentence in board.verdicts():
    print(sentence)

print("\nThe queries that changed most:")
for change in board.where("nDCG@10", "bm25", "dense", n=3):
    print(f"{change.query}  {change.value_a:.2f} → {change.value_b:.2f}")
