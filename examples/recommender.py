"""How do I evaluate the top-k lists of a recommender from its score matrix?

python examples/recommender.py
"""

import numpy as np
import pandas as pd

import judged as jd

train, test, books = (pd.read_csv(jd.sample_path(f"recommender/{name}.csv")) for name in ("train", "test", "books"))
users, items = sorted(train["user"].unique()), list(books["item"])

loans = train["item"].value_counts().reindex(items, fill_value=0).to_numpy()
scores = np.tile(loans, (len(users), 1))  # users × items: here everybody gets what is most popular

run = jd.recommenders.top_k(scores, 10, seen=train, users=users, items=items, name="popular")
result = jd.evaluate(test, run, "nDCG@10 R@10 Success@10")
for measure, value in result.mean().items():
    low, high = result.interval(measure)
    print(f"{measure:10} {value:.3f}  [{low:.3f}, {high:.3f}]")

print(jd.recommenders.beyond_accuracy(run, "Coverage Novelty", items=items, history=train))
