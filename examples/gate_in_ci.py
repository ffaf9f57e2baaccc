"""How do I fail a build if a change makes search results worse?

python examples/gate_in_ci.py; echo $?
"""

import sys
from pathlib import Path

import judged as jd

shop = Path(__file__).parent / "data" / "shop"
grades = {"Exact": 3, "Substitute": 2, "Complement": 1, "Irrelevant": 0}
qrels = jd.read_qrels(shop / "ratings.csv", grade_map=grades)

gate = jd.gate(qrels, shop / "synonyms.jsonl", baseline=shop / "main.jsonl", measures="nDCG@10", max_drop=0.01)
print(gate.verdict)
for reason in gate.reasons:
    print(reason.sentence)
sys.exit(0 if gate.passed else 1)
