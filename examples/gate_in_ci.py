"""How do I fail a build if a change makes search results worse?

python examples/gate_in_ci.py; echo $?
"""

import sys

import judged as jd

grades = {"Exact": 3, "Substitute": 2, "Complement": 1, "Irrelevant": 0}
qrels = jd.read_qrels(jd.sample_path("shop/ratings.csv"), grade_map=grades)

main, synonyms = jd.sample_path("shop/main.jsonl"), jd.sample_path("shop/synonyms.jsonl")
gate = jd.gate(qrels, synonyms, baseline=main, measures="nDCG@10", max_drop=0.01)
print(gate.verdict)
for reason in gate.reasons:
    print(reason.sentence)
sys.exit(0 if gate.passed else 1)
