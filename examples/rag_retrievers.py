"""How good is the retriever of my RAG application, without a language model as judge?

python examples/rag_retrievers.py
"""

import judged as jd

gold = {"q1": ["terms#7"], "q2": ["plans#1", "plans#2"], "q3": ["faq#4"]}
found = {
    "bm25": {"q1": ["faq#2", "terms#7"], "q2": ["plans#1", "faq#1", "plans#2"], "q3": ["faq#1", "faq#2"]},
    "embedding": {"q1": ["terms#7", "terms#8"], "q2": ["plans#2", "plans#1"], "q3": ["faq#4"]},
}
tokens = {"faq#1": 120, "faq#2": 310, "faq#4": 90, "plans#1": 510, "plans#2": 180, "terms#7": 420, "terms#8": 390}

for name, retrieved in found.items():
    result = jd.evaluate(gold, retrieved, "R@2 RR R@500tok", tokens=tokens)  # R@500tok: chunks that fit into 500 tokens
    print(name, {measure: round(value, 3) for measure, value in result.mean().items()})

print(jd.explain("RR", gold, found["bm25"], "q1").closing)  # the arithmetic of one question
