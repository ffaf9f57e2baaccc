"""How do I compute nDCG and MRR of a pandas DataFrame?

python examples/evaluate_dataframe.py
"""

import pandas as pd

import judged as jd

results = pd.DataFrame(
    {
        "query": ["red shoes", "red shoes", "red shoes", "rain coat", "rain coat"],
        "doc": ["p7", "p2", "p9", "p4", "p5"],
        "score": [9.1, 7.4, 3.3, 5.0, 4.8],
    }
)
ratings = pd.DataFrame(
    {
        "query": ["red shoes", "red shoes", "rain coat"],
        "doc": ["p2", "p9", "p4"],
        "relevance": [3, 1, 2],
    }
)

result = jd.evaluate(ratings, results, "nDCG@10 RR P@1")
print(result.to_pandas())
print(result.mean())
