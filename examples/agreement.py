"""How do I compute Cohen's kappa of two annotators, with a confidence interval?

python examples/agreement.py
"""

import judged as jd

agreement = jd.agree({name: jd.sample_path(f"assessors/{name}.txt") for name in ("ann", "ben")})
for name in ("raw", "kappa", "kappa(quadratic)"):
    found = agreement[name]
    print(f"{name:16} {found.value:.2f}  [{found.low:.2f}, {found.high:.2f}]")

print("\nThe largest disagreements:")
for query, doc, ann, ben, _ in agreement.disagreements(3):
    print(f"{query} {doc}: ann {ann}, ben {ben}")

labels = jd.agree(["yes", "no", "no", "yes"], ["yes", "no", "yes", "yes"])  # words work too
print(f"\nkappa of four labels: {labels['kappa'].value:.2f}")
